"""The pack's data about a user, for export and erasure: the user's projects.

An export has each project whole, with its panels, but without the other members. On erasure the
user leaves. The project remains while it has an owner or a member; without an owner, the first
member by user id becomes one. If only viewers or nobody is left, it is deleted with all its panels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packs.electrical.projects.access import PANELS, PROJECTS
from packs.electrical.projects.documents import Members, membership, unchanged
from rollcall.core.user_data import Section, UserData, listing_user

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.user_data import Document

_OTHERS = frozenset({"members", "memberIds"})


def _whole(document: Document) -> dict[str, Any]:
    """Return a stored project with its panels."""
    panels = document.reference.collection(PANELS).stream(read_time=document.read_time)
    return {**(document.to_dict() or {}), PANELS: [panel.to_dict() or {} for panel in panels]}


def _project(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """Return the project with the user's own role, without the other members."""
    shown = {key: value for key, value in data.items() if key not in _OTHERS}
    return {**shown, "myRole": data.get("members", {}).get(uid)}


def _leave(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    members: Members = (document.to_dict() or {}).get("members", {})
    left = remaining_members(members, uid)
    if left:
        changes = membership(left)
        batch.update(document.reference, changes, option=unchanged(document))
        return
    for panel in document.reference.collection(PANELS).select([]).stream():
        batch.delete(panel.reference)
    batch.delete(document.reference, option=unchanged(document))


def remaining_members(members: Members, uid: str) -> Members:
    """Return a project's members after one has left, with an owner among them; empty if only
    viewers are left."""
    left = {other: role for other, role in members.items() if other != uid}
    if "owner" in left.values():
        return left
    heir = min((other for other, role in left.items() if role == "member"), default=None)
    return {} if heir is None else {**left, heir: "owner"}


USER_DATA = UserData(
    (
        Section(
            kind="projects",
            find=listing_user(PROJECTS, "memberIds"),
            show=_project,
            whole=_whole,
            erase=_leave,
            reads=("members",),
            page=4,  # each may be deleted with a hundred panels, and a commit takes 500 writes
        ),
    )
)
