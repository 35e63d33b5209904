"""The pack's data about users, for export and erasure.

Erasing a teacher deletes their lessons, and their id in students' documents. Sessions, review
items, completions and facts belong to the student and are erased with the student.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packs.tutoring.missions import MISSIONS
from packs.tutoring.sessions import COMPLETIONS, SESSIONS
from packs.tutoring.tools import FACTS, ITEMS, PROFILES
from rollcall.core.user_data import Section, UserData, as_stored, delete, of_user
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore_v1.base_query import BaseQuery

    from rollcall.core.user_data import Document

ERASED = "erased"


def _facts(db: Client, uid: str) -> BaseQuery:
    facts = db.collection(PROFILES).document(uid).collection(FACTS)
    query: BaseQuery = facts.where(filter=where("uid", "==", uid))
    return query


def _facts_told(db: Client, uid: str) -> BaseQuery:
    return db.collection_group(FACTS).where(filter=where("teacherUid", "==", uid))


def _forget_teacher(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    batch.update(document.reference, {"teacherUid": ERASED})


OF_STUDENTS = (SESSIONS, ITEMS, COMPLETIONS)
USER_DATA = UserData(
    (
        Section(
            kind="missions", find=of_user(MISSIONS, "teacherUid"), show=as_stored, erase=delete
        ),
        *(
            Section(kind=each, find=of_user(each), show=as_stored, erase=delete)
            for each in OF_STUDENTS
        ),
        Section(kind="tutorFacts", find=_facts, show=as_stored, erase=delete),
        *(
            Section(kind=f"{each}Given", find=of_user(each, "teacherUid"), erase=_forget_teacher)
            for each in OF_STUDENTS
        ),
        Section(kind="tutorFactsTold", find=_facts_told, erase=_forget_teacher),
    )
)
