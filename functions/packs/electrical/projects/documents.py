"""Storage of projects: one document for the project, and one for each panel with its circuits.

A project of any size changes in one commit, so that nobody reads a mix of the old and the new one.
Only documents that differ are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from packs.electrical.projects.access import PANELS, PROJECTS, STORED, StoredProject, with_panels
from packs.electrical.projects.records import SCHEMA_VERSION, Project, ProjectRole
from packs.electrical.wording import TEXTS
from rollcall.core.errors import InvalidArgument

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot, WriteBatch

Members = Mapping[str, ProjectRole]
MAX_BYTES = 3_500_000
"""Largest project as JSON, some 7,000 circuits, that fits into a commit, also of the emulator."""

_TIMES = frozenset({"createdAt", "updatedAt"})


class Counts(Struct, frozen=True):
    """Counts of the documents that were written, deleted, and left unchanged."""

    put: int
    removed: int
    unchanged: int

    @property
    def anything(self) -> bool:
        return bool(self.put or self.removed)


def write_project(db: Client, project: Project, members: Members) -> Counts:
    """Store a project, in place of the one with its id.

    Args:
        members: Roles by user id; at least one owner.

    Raises:
        google.api_core.exceptions.FailedPrecondition: It was changed at the same time; nothing was
            written.
    """
    batch = db.batch()
    stored = with_panels(db.collection(PROJECTS).document(project.id).get())
    written = put_project(batch, stored, project, members)
    if written.anything:
        batch.commit()
    return written


def put_project(
    batch: WriteBatch, stored: StoredProject, project: Project, members: Members
) -> Counts:
    """Add to a batch the writes that turn the stored documents into this project; the commit fails
    if one of the changed documents has changed since it was read.

    Raises:
        InvalidArgument: The project is larger than `MAX_BYTES`.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    reference = stored.project.reference
    panels = {each.id: {"schemaVersion": SCHEMA_VERSION, **each.dump()} for each in project.panels}
    size = len(json.dumps(panels, ensure_ascii=False).encode())
    if size > MAX_BYTES:
        raise InvalidArgument(
            TEXTS.text("errors.project_too_large", size=size, most=MAX_BYTES),
            field="data.panels",
            hint=TEXTS.text("hints.split_project"),
        )
    put = 0
    for id, data in panels.items():
        known = stored.panels.get(id)
        if known is None:
            batch.create(reference.collection(PANELS).document(id), data)
        elif not _is_same(known, data):
            _replace(batch, known, data)
        else:
            continue
        put += 1
    gone = [known for id, known in stored.panels.items() if id not in panels]
    for known in gone:
        batch.delete(known.reference, option=unchanged(known))
    data = project_document(project, members)
    total = len(panels) + 1
    if stored.project.exists and not put and not gone and _is_same(stored.project, data):
        return Counts(0, 0, total)
    times = {"createdAt": stored.data.get("createdAt", SERVER_TIMESTAMP)}
    data |= {**times, "updatedAt": SERVER_TIMESTAMP}
    if stored.project.exists:
        _replace(batch, stored.project, data)
    else:
        batch.create(reference, data)
    return Counts(put + 1, len(gone), total - put - 1)


def remove_project(batch: WriteBatch, stored: StoredProject) -> None:
    """Add the deletion of a project with all its panels to a batch."""
    for known in stored.panels.values():
        batch.delete(known.reference, option=unchanged(known))
    batch.delete(stored.project.reference, option=unchanged(stored.project))


def project_document(project: Project, members: Members) -> dict[str, Any]:
    """Return a project's own document, without times."""
    data = project.dump()
    return {
        "schemaVersion": SCHEMA_VERSION,
        **{name: data[name] for name in STORED if name in data},
        "panelCount": len(project.panels),
        **membership(members),
    }


def membership(members: Members) -> dict[str, Any]:
    """Return the two fields of a project's members: roles, and ids for queries."""
    return {"members": dict(members), "memberIds": sorted(members)}


def unchanged(snapshot: DocumentSnapshot[Any]) -> Any:
    """Return the condition that a document has not changed since it was read."""
    from google.cloud.firestore import LastUpdateOption

    return LastUpdateOption(snapshot.update_time)


def _is_same(snapshot: DocumentSnapshot[Any], data: dict[str, Any]) -> bool:
    stored = snapshot.to_dict() or {}
    return {key: value for key, value in stored.items() if key not in _TIMES} == data


def _replace(batch: WriteBatch, snapshot: DocumentSnapshot[Any], data: dict[str, Any]) -> None:
    """Replace a document by an update of all fields, including deleted ones, since a `set` takes no
    condition."""
    from google.cloud.firestore import DELETE_FIELD
    from google.cloud.firestore_v1.field_path import FieldPath

    changes = {
        FieldPath(name).to_api_repr(): data.get(name, DELETE_FIELD)
        for name in data.keys() | (snapshot.to_dict() or {}).keys()
    }
    batch.update(snapshot.reference, changes, option=unchanged(snapshot))
