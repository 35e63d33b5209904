"""What the pack keeps about a user, for export and erasure.

A user's messages are theirs: they are exported whole and deleted from conversations that go on
without them; the triggers then clean index, vectors and counters. What others wrote is the
others': of shared conversations an export has the name, and of tasks and decisions those that
name the user as the one to do or to have decided them. Encrypted content is never exported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packs.messaging.documents import (
    ACTION_ITEMS,
    CONVERSATIONS,
    DECISIONS,
    MESSAGES,
    Conversation,
    text_of,
)
from rollcall.core.user_data import Section, UserData, delete, listing_user, of_user

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.user_data import Document

_PAGE = 200
_ERASED = "erased"


def _message(data: dict[str, Any], uid: str) -> dict[str, Any]:
    fields = ("conversationId", "senderName", "timestamp", "editedAt", "sentBy", "priority")
    shown = {field: data[field] for field in fields if field in data}
    encrypted = data.get("encrypted") is not False
    return {**shown, "encrypted": encrypted} | (
        {} if encrypted else {"content": data.get("content")}
    )


def _conversation(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """Its name, and what this user is called in it; who else is there is theirs."""
    known = Conversation.read("", data)
    return {
        "name": known.name,
        "type": known.type,
        "createdAt": known.created_at,
        "createdByMe": known.created_by == uid,
        "myName": known.participant_names.get(uid),
    }


def _task(data: dict[str, Any], uid: str) -> dict[str, Any]:
    fields = ("task", "assignee", "deadline", "priority", "status", "doneAt", "conversationName")
    return _finding(data, uid, fields)


def _decision(data: dict[str, Any], uid: str) -> dict[str, Any]:
    fields = ("decision", "decisionMaker", "decidedAt", "impactLevel", "conversationName")
    return _finding(data, uid, fields)


def _finding(data: dict[str, Any], uid: str, fields: tuple[str, ...]) -> dict[str, Any]:
    """A finding without what others said; its quote only where it is the user's own words."""
    own = ("quote",) if data.get("senderId") == uid else ()
    shown = ("conversationId", "messageId", *fields, *own)
    return {field: data[field] for field in shown if field in data}


def _leave(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Leave a conversation; the last one to go deletes it."""
    from google.cloud.firestore import DELETE_FIELD, ArrayRemove, LastUpdateOption
    from google.cloud.firestore_v1.field_path import FieldPath

    known = Conversation.read(document.id, document.to_dict() or {})
    _forget_name(db, known, uid)
    unchanged = LastUpdateOption(document.update_time)
    if set(known.participant_ids) <= {uid}:
        batch.delete(document.reference, option=unchanged)
        return
    name = FieldPath("participantNames", uid).to_api_repr()
    leaving = {"participantIds": ArrayRemove([uid]), name: DELETE_FIELD}
    batch.update(document.reference, leaving, option=unchanged)


def _forget_name(db: Client, conversation: Conversation, uid: str) -> None:
    """Take the user's name, and what goes with it, out of what was found in a conversation.

    A finding of another's message may quote the user's reply to it, after their name.
    """
    from google.cloud.firestore import FieldFilter

    name = conversation.participant_names.get(uid)
    if not name:
        return
    for collection in (ACTION_ITEMS, DECISIONS):
        here = FieldFilter("conversationId", "==", conversation.id)
        query = db.collection(collection).where(filter=here).select(["context"])
        page = query.order_by("__name__").limit(_PAGE)
        while found := list(page.stream()):
            batch = db.batch()
            for each in found:
                if name in text_of((each.to_dict() or {}).get("context")):
                    batch.update(each.reference, {"context": ""})
            batch.commit()
            page = query.order_by("__name__").limit(_PAGE).start_after(found[-1])


def _disown(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    from google.cloud.firestore import DELETE_FIELD

    batch.update(document.reference, {"createdBy": DELETE_FIELD})


def _unlist(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    from google.cloud.firestore import ArrayRemove

    batch.update(document.reference, {"participantIds": ArrayRemove([uid])})


def _unassign(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    batch.update(document.reference, {"assigneeId": None, "assignee": None, "context": ""})


def _forget_who_decided(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    changes = {"decisionMakerId": None, "decisionMaker": "", "context": ""}
    batch.update(document.reference, changes)


def _forget_who_did(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    batch.update(document.reference, {"doneBy": _ERASED})


def _forget_who_rated(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    batch.update(document.reference, {"prioritySetBy": _ERASED})


USER_DATA = UserData(
    (
        # Their words go first, so that nothing new is found in them.
        Section(
            kind="chatMessages", find=of_user(MESSAGES, "senderId"), show=_message, erase=delete
        ),
        Section(kind="taskSources", find=of_user(ACTION_ITEMS, "senderId"), erase=delete),
        Section(kind="decisionSources", find=of_user(DECISIONS, "senderId"), erase=delete),
        Section(
            kind="conversations",
            find=listing_user(CONVERSATIONS, "participantIds"),
            show=_conversation,
            erase=_leave,
            reads=("participantIds", "participantNames"),
            page=10,  # each is changed by others too, and one that was fails its page
        ),
        Section(kind="conversationsMade", find=of_user(CONVERSATIONS, "createdBy"), erase=_disown),
        # Then what still lists or names them.
        Section(
            kind="chatMessagesSeen",
            find=listing_user(MESSAGES, "participantIds"),
            erase=_unlist,
        ),
        Section(
            kind="prioritiesSet", find=of_user(MESSAGES, "prioritySetBy"), erase=_forget_who_rated
        ),
        Section(
            kind="tasks", find=of_user(ACTION_ITEMS, "assigneeId"), show=_task, erase=_unassign
        ),
        Section(kind="tasksDone", find=of_user(ACTION_ITEMS, "doneBy"), erase=_forget_who_did),
        Section(kind="tasksSeen", find=listing_user(ACTION_ITEMS, "participantIds"), erase=_unlist),
        Section(
            kind="decisions",
            find=of_user(DECISIONS, "decisionMakerId"),
            show=_decision,
            erase=_forget_who_decided,
        ),
        Section(
            kind="decisionsSeen", find=listing_user(DECISIONS, "participantIds"), erase=_unlist
        ),
    )
)
