"""What the pack keeps about users, for export and erasure.

A teacher's own material and prompts go with the teacher. A course goes on while somebody teaches
it; the last teacher's loses its name and its list of pupils, but keeps its id: attempts, material
and documents of others name it, and who made a course of that id anew could read them. Pupils'
attempts are the pupils' own: they stay when a teacher goes, and go with the pupil.
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
    """What the course is; who else is in it is theirs."""
    return {key: value for key, value in data.items() if key != "teacherIds"}


def _leave(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Leave a course; of the last teacher's nothing stays but that it was."""
    from google.cloud.firestore import ArrayRemove, LastUpdateOption

    unchanged = LastUpdateOption(document.update_time)
    if set((document.to_dict() or {}).get("teacherIds") or ()) > {uid}:
        batch.update(document.reference, {"teacherIds": ArrayRemove([uid])}, option=unchanged)
        return
    _empty(db, document.reference.collection(STUDENTS))
    batch.delete(document.reference, option=unchanged)
    batch.set(document.reference, {"teacherIds": [], "schemaVersion": SCHEMA_VERSION})


def _whole_content(document: Document) -> dict[str, Any]:
    """A content with its blocks and their keys, as they are stored."""
    parts = {
        name: {
            each.id: each.to_dict() or {} for each in document.reference.collection(name).stream()
        }
        for name in (BLOCKS, KEYS)
    }
    return {**(document.to_dict() or {}), **parts}


def _erase_content(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    for name in (BLOCKS, KEYS):
        _empty(db, document.reference.collection(name))
    batch.delete(document.reference)


def _empty(db: Client, collection: CollectionReference) -> None:
    """Delete the documents of a collection, page by page: there may be more than a commit takes."""
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
            erase=_leave,
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
