"""What the pack keeps about a user, for export and erasure: the projects that they are in.

An export has each of them whole, with its panels, and without who else is in it. On erasure the
user leaves. A project goes on where somebody is left who works on it: if no owner is, the first
member by user id becomes one. Where only viewers are left, or nobody, it is deleted with all its
panels.
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
    """A project with its panels, as they are stored."""
    found = document.reference.collection(PANELS).stream(read_time=document.read_time)
    return {**(document.to_dict() or {}), PANELS: [panel.to_dict() or {} for panel in found]}


def _project(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """The project and the user's own role; who else is there is theirs."""
    shown = {key: value for key, value in data.items() if key not in _OTHERS}
    return {**shown, "myRole": data.get("members", {}).get(uid)}


def _leave(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    members: Members = (document.to_dict() or {}).get("members", {})
    left = staying(members, uid)
    if left:
        changes = membership(left)
        batch.update(document.reference, changes, option=unchanged(document))
        return
    for panel in document.reference.collection(PANELS).select([]).stream():
        batch.delete(panel.reference)
    batch.delete(document.reference, option=unchanged(document))


def staying(members: Members, uid: str) -> Members:
    """Who is in a project after one has left, with an owner among them; nobody, if none of them
    works on it."""
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
