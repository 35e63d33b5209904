"""Access to capabilities: whether a caller may use one, and which ones an agent may offer a user.

Access to one capability is read without the rest of the registry, which the process of a
capability's function does not need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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
"""Returns fields of the document at a path; None if it does not exist."""

FRESH_S = 30.0
_FIELDS = ("status", "minRole", "overrides")
_cache: dict[tuple[str, str], tuple[float, Access]] = {}


class Access(Struct, frozen=True):
    """The access that code declares for a capability, with the operator's overrides.

    Attributes:
        tenants: The tenants whose users may use it; None for all users.
    """

    status: Status
    min_role: Role
    tenants: frozenset[str] | None

    def permits(self, user: User) -> bool:
        """Tell whether this user may use it now."""
        return (
            self.status is not Status.DISABLED
            and user.role.at_least(self.min_role)
            and (self.tenants is None or user.tenant in self.tenants)
        )

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Access:
        """Read a stored document.

        Raises:
            FailedPrecondition: A field has an unknown value, which was meant to change something.
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
        override = overrides.min_role or declared
        # An operator can require a higher role than code does, never a lower one.
        role = declared if declared.at_least(override) else override
        return cls(status, role, overrides.tenants)


class _Overrides(Struct, rename="camel"):
    status: Status | None = None
    min_role: Role | None = None
    tenants: frozenset[str] | None = None


class _Stored(Struct, rename="camel"):
    """The fields of a document that decide access; null means not set."""

    status: Status | None = None
    min_role: Role | None = None
    overrides: _Overrides | None = None


def read_access(capability_id: str, *, project: str, read: Read) -> Access | None:
    """Return the current access of a capability, at most `FRESH_S` old; None if it is not
    registered.

    Args:
        project: The project whose registry `read` reads.
    Raises:
        FailedPrecondition: Its document cannot be used.
    """
    read_at, access = _cache.get((project, capability_id), (0.0, None))
    if access and time.monotonic() - read_at <= FRESH_S:
        return access
    document = read(f"{collection_id('capabilities')}/{capability_id}", _FIELDS)
    if document is None:
        return None
    access = Access.of(document)
    _cache[project, capability_id] = (time.monotonic(), access)
    return access


def forget() -> None:
    """Clear the cache."""
    _cache.clear()


ALL = "*"
CATEGORY = "category:"


def may_use(profile: AgentProfile, user: User) -> bool:
    """Tell whether this user may talk to an agent."""
    return profile.status is not Status.DISABLED and user.role.at_least(profile.min_role)


class AccessRow(Struct, frozen=True, array_like=True):
    """The fields of an entry that permission checks need, as the compiled registry has them."""

    id: str
    category: str
    role: int
    is_enabled: bool
    tenants: frozenset[str] | None
    on_client: bool


def access_row(entry: Entry) -> list[Any]:
    """Return an entry's `AccessRow` as plain JSON."""
    row = AccessRow(
        entry.id,
        entry.category,
        entry.min_role.rank,
        entry.status is not Status.DISABLED,
        entry.tenants,
        entry.runs_on == "client",
    )
    fields: list[Any] = to_builtins(row, order="deterministic")
    return fields


def permission_mask(
    rows: Sequence[AccessRow],
    tools: Iterable[str],
    user: User,
    *,
    client_tools: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> bytes:
    """Return which capabilities an agent with these tools may offer this user, as a mask: by place
    in the registry, 1 or 0.

    Args:
        rows: One for each capability of the registry.
        tools: Ids, `category:<category>`, or `*`, from a profile.
        client_tools: The client tools that the user's client can run; others are left out.
        without: Ids that must not be offered now.
    """
    names, role, tenant = frozenset(tools), user.role.rank, user.tenant
    # As `is_named`, without a call and a new text for each of what may be 10,000 rows.
    names_all = ALL in names
    categories = {name.removeprefix(CATEGORY) for name in names if name.startswith(CATEGORY)}
    return bytes(
        [
            row.is_enabled
            and row.role <= role
            and (row.tenants is None or tenant in row.tenants)
            and (names_all or row.id in names or row.category in categories)
            and (not row.on_client or row.id in client_tools)
            and row.id not in without
            for row in rows
        ]
    )


def is_id(name: str) -> bool:
    """Tell whether an entry of `tools` is an id, and not a category or `*`."""
    return name != ALL and not name.startswith(CATEGORY)


def is_named(id: str, category: str, tools: frozenset[str]) -> bool:
    """Tell whether a profile's tools include this capability."""
    return id in tools or ALL in tools or f"{CATEGORY}{category}" in tools
