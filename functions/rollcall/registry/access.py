"""Access to capabilities: what a function checks of its caller, and what an agent may offer a user.

Access to one capability is read without the rest of the registry, which such a process does not
need. What may be offered is worked out once for each kind of user, and kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.core.options import collection_id
from rollcall.core.records import convert
from rollcall.core.shapes import Role, Status

if TYPE_CHECKING:
    from rollcall.core.profile import AgentProfile
    from rollcall.registry.entries import Entry

Read = Callable[[str, Sequence[str]], "dict[str, Any] | None"]
"""Gives fields of the document at a path, None where there is none."""

FRESH_S = 30.0
_FIELDS = ("status", "minRole", "overrides")
_ROLE_ORDER = tuple(Role)
_held: dict[tuple[str, str], tuple[float, Access]] = {}


class Access(Struct, frozen=True):
    """What code declares about access, with the operator's overrides applied.

    Attributes:
        tenants: Whose users may use it; None for everybody's.
    """

    status: Status
    min_role: Role
    tenants: frozenset[str] | None

    def permits(self, user: User) -> bool:
        """Tell whether this user may use it now."""
        return (
            self.status is not Status.DISABLED
            and at_least(user.role, self.min_role)
            and (self.tenants is None or user.tenant in self.tenants)
        )

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Access:
        """Read a stored document.

        Raises:
            FailedPrecondition: A field says nothing that is known. It was meant to say something.
        """
        try:
            stored = convert(document, _Stored)
            overrides = stored.overrides or _Overrides()
            status = overrides.status or stored.status
            if status is None:
                raise ValueError("status is missing")
        except ValueError as error:
            what = f"the registry's document cannot be used: {error}"
            raise FailedPrecondition(what) from None
        declared = stored.min_role or Role.USER
        asked = overrides.min_role or declared
        # An operator asks for a higher role than code does, never for a lower one.
        role = declared if at_least(declared, asked) else asked
        return cls(status, role, overrides.tenants)


class _Overrides(Struct, rename="camel"):
    status: Status | None = None
    min_role: Role | None = None
    tenants: frozenset[str] | None = None


class _Stored(Struct, rename="camel"):
    """What a document says about access; null says nothing."""

    status: Status | None = None
    min_role: Role | None = None
    overrides: _Overrides | None = None


def read_access(capability_id: str, *, project: str, read: Read) -> Access | None:
    """Return the current access of a capability, at most `FRESH_S` old; None if it is not
    registered.

    Args:
        project: Which project's registry it is that `read` reads.
    Raises:
        FailedPrecondition: Its document cannot be used.
    """
    read_at, found = _held.get((project, capability_id), (0.0, None))
    if found and time.monotonic() - read_at <= FRESH_S:
        return found
    document = read(f"{collection_id('capabilities')}/{capability_id}", _FIELDS)
    if document is None:
        return None
    found = Access.of(document)
    _held[project, capability_id] = (time.monotonic(), found)
    return found


def forget() -> None:
    """Forget what was read."""
    _held.clear()


def at_least(role: Role, least: Role) -> bool:
    """Tell whether `role` is `least` or above in `wire.Role`'s order."""
    return _ROLE_ORDER.index(role) >= _ROLE_ORDER.index(least)


ALL = "*"
CATEGORY = "category:"
_KEPT = 256


def may_use(profile: AgentProfile, user: User) -> bool:
    """Tell whether this user may talk to an agent."""
    return profile.status is not Status.DISABLED and at_least(user.role, profile.min_role)


class _Row(Struct, frozen=True, array_like=True):
    id: str
    category: str
    role: int
    is_enabled: bool
    tenants: frozenset[str] | None
    on_client: bool


def access_row(entry: Entry) -> list[Any]:
    """Return what permission checks need of an entry, as plain JSON."""
    row = _Row(
        entry.id,
        entry.category,
        _ROLE_ORDER.index(entry.min_role),
        entry.status is not Status.DISABLED,
        entry.tenants,
        entry.runs_on == "client",
    )
    fields: list[Any] = to_builtins(row, order="deterministic")
    return fields


class Permissions:
    """What permission checks need of every capability, by its place in the registry.

    Args:
        rows: By `access_row`.
    """

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = convert(rows, list[_Row])
        self._tenants = frozenset().union(*(row.tenants or () for row in self._rows))
        self._known: dict[Any, bytes] = {}
        self._lock = Lock()

    def permitted(
        self,
        tools: tuple[str, ...],
        user: User,
        *,
        client_tools: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> bytes:
        """Return what an agent with these tools may offer this user: by place in the registry, 1
        where it may.

        Args:
            tools: Ids, `category:<category>`, or `*`, as a profile has them.
            client_tools: Those that the user's client can run; others of its kind are left out.
            without: Ids that are not to be offered at present.
        """
        tenant = user.tenant if user.tenant in self._tenants else None
        key = (tools, user.role, tenant, client_tools, without)
        found = self._known.get(key)
        if found is None:
            wanted, role = frozenset(tools), _ROLE_ORDER.index(user.role)
            found = bytes(
                row.is_enabled
                and row.role <= role
                and (row.tenants is None or user.tenant in row.tenants)
                and is_named(row.id, row.category, wanted)
                and (not row.on_client or row.id in client_tools)
                and row.id not in without
                for row in self._rows
            )
            with self._lock:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[key] = found
        return found


def is_id(name: str) -> bool:
    """Tell whether an entry of `tools` is an id, not a category or all."""
    return name != ALL and not name.startswith(CATEGORY)


def is_named(id: str, category: str, tools: frozenset[str]) -> bool:
    """Tell whether a profile's tools include this capability."""
    return id in tools or ALL in tools or f"{CATEGORY}{category}" in tools
