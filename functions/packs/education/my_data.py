"""The pack's data about users, for export and erasure.

Erasing a teacher deletes their material and prompts. A course remains while somebody teaches it.
When its last teacher is erased, it loses its name and its list of pupils but keeps its id: others'
attempts, material and documents refer to it, and somebody who created a course with that id could
read them. Attempts belong to the pupil and are erased with the pupil, not with a teacher.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packs.education.contents import ATTEMPTS, BLOCKS, CONTENTS, KEYS
from packs.education.courses import COURSES, SCHEMA_VERSION, STUDENTS
from packs.education.prompts import PROMPT_RATINGS, PROMPTS
from rollcall.core.user_data import Section, UserData, as_stored, delete, listing_user, of_user
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import Client, CollectionReference, WriteBatch
    from google.cloud.firestore_v1.base_query import BaseQuery

    from rollcall.core.user_data import Document

_PAGE = 200


def _places_in_courses(db: Client, uid: str) -> BaseQuery:
    return db.collection_group(STUDENTS).where(filter=where("uid", "==", uid))


def _course(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """Return the course without the ids of its other members."""
    return {key: value for key, value in data.items() if key != "teacherIds"}


def _leave_course(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Remove a teacher from a course; after the last one only an empty course document stays."""
    from google.cloud.firestore import ArrayRemove, LastUpdateOption

    unchanged = LastUpdateOption(document.update_time)
    if set((document.to_dict() or {}).get("teacherIds") or ()) > {uid}:
        batch.update(document.reference, {"teacherIds": ArrayRemove([uid])}, option=unchanged)
        return
    _delete_documents(db, document.reference.collection(STUDENTS))
    batch.delete(document.reference, option=unchanged)
    batch.set(document.reference, {"teacherIds": [], "schemaVersion": SCHEMA_VERSION})


def _whole_content(document: Document) -> dict[str, Any]:
    """Return a stored content with its blocks and their keys."""
    parts = {
        name: {
            each.id: each.to_dict() or {} for each in document.reference.collection(name).stream()
        }
        for name in (BLOCKS, KEYS)
    }
    return {**(document.to_dict() or {}), **parts}


def _erase_content(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    for name in (BLOCKS, KEYS):
        _delete_documents(db, document.reference.collection(name))
    batch.delete(document.reference)


def _delete_documents(db: Client, collection: CollectionReference) -> None:
    """Delete a collection's documents in pages, since there may be more than a commit allows."""
    while found := list(collection.select([]).limit(_PAGE).stream()):
        batch = db.batch()
        for each in found:
            batch.delete(each.reference)
        batch.commit()


USER_DATA = UserData(
    (
        Section(
            kind="courses",
            find=listing_user(COURSES, "teacherIds"),
            show=_course,
            erase=_leave_course,
            reads=("teacherIds",),
            page=10,
        ),
        Section(kind="placesInCourses", find=_places_in_courses, show=as_stored, erase=delete),
        Section(
            kind="contents",
            find=of_user(CONTENTS),
            show=as_stored,
            whole=_whole_content,
            erase=_erase_content,
            page=10,
        ),
        Section(kind="attempts", find=of_user(ATTEMPTS), show=as_stored, erase=delete),
        Section(kind="prompts", find=of_user(PROMPTS), show=as_stored, erase=delete),
        Section(kind="promptRatings", find=of_user(PROMPT_RATINGS), show=as_stored, erase=delete),
    )
)
