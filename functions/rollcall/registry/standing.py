"""Who may use a capability now: all that its own function asks the registry.

It is read without the rest of the registry, which such a process does not need.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.core.options import collection_id
from rollcall.core.shapes import Role, Status

Read = Callable[[str, Sequence[str]], "dict[str, Any] | None"]
"""Gives fields of the document at a path, None where there is none."""

FRESH_S = 30.0
_FIELDS = ("status", "minRole", "overrides")
_ROLE_ORDER = tuple(Role)
_held: dict[tuple[str, str], tuple[float, Standing]] = {}


class Standing(Struct, frozen=True):
    """What was declared, under the operator's overrides.

    Attributes:
        tenants: Whose users may use it; None for everybody's.
    """

    status: Status
    min_role: Role
    tenants: frozenset[str] | None

    def permits(self, user: User) -> bool:
        """Whether this user may use it now."""
        return (
            self.status is not Status.DISABLED
            and at_least(user.role, self.min_role)
            and (self.tenants is None or user.tenant in self.tenants)
        )

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Standing:
        """Read a stored document.

        Raises:
            FailedPrecondition: A field says nothing that is known. It was meant to say something.
        """
        overrides = _said(document, "overrides", {})
        try:
            tenants = overrides.get("tenants")
            if tenants is not None and not _are_texts(tenants):
                raise TypeError("tenants is no list of texts")
            declared = Role(_said(document, "minRole", Role.USER))
            asked = Role(_said(overrides, "minRole", declared))
            return cls(
                Status(_said(overrides, "status", document.get("status"))),
                # An operator asks for a higher role than code does, never for a lower one.
                declared if at_least(declared, asked) else asked,
                None if tenants is None else frozenset(tenants),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"the registry's document cannot be used: {error}"
            raise FailedPrecondition(what) from None


def _said(fields: Mapping[str, Any], name: str, otherwise: Any) -> Any:
    """What a field says; null says nothing."""
    found = fields.get(name)
    return otherwise if found is None else found


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def standing(capability_id: str, *, project: str, read: Read) -> Standing | None:
    """How a capability stands now, at most `FRESH_S` old; None where it is not registered.

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
    found = Standing.of(document)
    _held[project, capability_id] = (time.monotonic(), found)
    return found


def forget() -> None:
    """Read anew next time."""
    _held.clear()


def at_least(role: Role, least: Role) -> bool:
    """Whether `role` stands at or above `least` in `wire.Role`'s order."""
    return _ROLE_ORDER.index(role) >= _ROLE_ORDER.index(least)
