"""Who may be offered what: worked out once for each kind of user, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from msgspec import Struct

from rollcall.core.context import User
from rollcall.core.shapes import Role

ALL = "*"
CATEGORY = "category:"
_KEPT = 256
_ROLES = tuple(Role)


class Permitted(Struct, frozen=True):
    """What a user may be offered by an agent.

    Attributes:
        mask: By place in the registry, 1 where it may be.
        count: How many may be.
    """

    mask: bytes
    count: int


class _Row(Struct, frozen=True):
    id: str
    category: str
    role: int
    is_enabled: bool
    tenants: frozenset[str] | None
    on_client: bool


class Permissions:
    """What authorising needs of every capability, by its place.

    Args:
        rows: As `compiling` writes them.
    """

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = [
            _Row(id, category, role, enabled, None if tenants is None else frozenset(tenants), away)
            for id, category, role, enabled, tenants, away in rows
        ]
        self._tenants = frozenset().union(*(row.tenants or () for row in self._rows))
        self._known: dict[Any, Permitted] = {}
        self._lock = Lock()

    def permitted(
        self,
        tools: tuple[str, ...],
        user: User,
        *,
        client_tools: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> Permitted:
        """What an agent with these tools may offer this user.

        Args:
            tools: Ids, `category:<category>`, or `*`, as a profile has them.
            client_tools: Those that the user's client can run; others of its kind are left out.
            without: Ids that are not to be offered at present.
        """
        tenant = user.tenant if user.tenant in self._tenants else None
        key = (tools, user.role, tenant, client_tools, without)
        found = self._known.get(key)
        if found is None:
            mask = self._mask(tools, user, client_tools, without)
            found = Permitted(mask, sum(mask))
            with self._lock:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[key] = found
        return found

    def _mask(
        self,
        tools: tuple[str, ...],
        user: User,
        client_tools: frozenset[str],
        without: frozenset[str],
    ) -> bytes:
        wanted = frozenset(tools)
        role = _ROLES.index(user.role)
        return bytes(
            row.is_enabled
            and row.role <= role
            and (row.tenants is None or user.tenant in row.tenants)
            and is_named(row.id, row.category, wanted)
            and (not row.on_client or row.id in client_tools)
            and row.id not in without
            for row in self._rows
        )


def is_id(name: str) -> bool:
    """Whether a name in a profile is one capability's, not a category or all."""
    return name != ALL and not name.startswith(CATEGORY)


def is_named(id: str, category: str, tools: frozenset[str]) -> bool:
    """Whether a profile's tools name this capability."""
    return id in tools or ALL in tools or f"{CATEGORY}{category}" in tools
