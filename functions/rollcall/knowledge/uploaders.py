"""Who may upload documents: a hook that an app sets to what it sells or trusts.

`ROLLCALL_UPLOADS` says it for documents of one's own, `ROLLCALL_TEAM_UPLOADS` for those that the
whole team reads. Each lists, separated by commas, roles (that role or a higher one) and claims of
the ID token (`claim:plan=premium`); any of them suffices. Without them everyone who is signed in
uploads for themselves, and teachers and admins for their team.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition, PermissionDenied
from rollcall.core.shapes import Role
from rollcall.knowledge.documents import OwnScope

OWN, TEAM = "ROLLCALL_UPLOADS", "ROLLCALL_TEAM_UPLOADS"
_VARIABLES: dict[OwnScope, str] = {"user": OWN, "team": TEAM}
_WITHOUT: dict[OwnScope, str] = {"user": Role.USER.value, "team": Role.TEACHER.value}
_CLAIM = "claim:"


def check_may_upload(user: User, claims: Mapping[str, Any], scope: OwnScope) -> None:
    """Let those through who may upload into a scope.

    Args:
        claims: Of the user's verified ID token.
    Raises:
        PermissionDenied: The user is not among them.
        FailedPrecondition: The user is of no team; or the variable cannot be read.
    """
    if scope == "team" and user.tenant is None:
        raise FailedPrecondition("you are of no team to upload for", field="scope")
    variable = _VARIABLES[scope]
    entries = (os.environ.get(variable) or _WITHOUT[scope]).split(",")
    if not any(_admits(entry.strip(), variable, user, claims) for entry in entries):
        whom = "your team" if scope == "team" else "yourself"
        raise PermissionDenied(f"you may not upload documents for {whom}", field="scope")


def _admits(entry: str, variable: str, user: User, claims: Mapping[str, Any]) -> bool:
    if entry.startswith(_CLAIM) and "=" in entry:
        name, _, value = entry.removeprefix(_CLAIM).partition("=")
        return _said(claims.get(name)) == value
    if entry not in set(Role):
        raise FailedPrecondition(
            f"{variable} has an entry that is no role and no claim: {entry[:60]!r}",
            hint=f"roles are {', '.join(Role)}; a claim is written claim:plan=premium",
        )
    roles = list(Role)
    return roles.index(user.role) >= roles.index(Role(entry))


def _said(value: Any) -> str | None:
    """A claim's value as the variable writes it; None where it is no plain one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None
