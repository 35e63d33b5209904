"""The pack's data about a user, for export and erasure.

A user's own messages are exported whole and deleted, also from conversations that continue
without the user; the triggers then clean index, vectors and counters. What others wrote is not
exported: of shared conversations an export has the name, and of tasks and decisions only those
assigned to or made by the user. Encrypted content is never exported.
"""

from __future__ import annotations

from collections.abc import Callable
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
from rollcall.store.batches import where

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
    """Return a conversation's name and this user's name in it, without the other participants."""
    known = Conversation.read("", data)
    return {
        "name": known.name,
        "type": known.type,
        "createdAt": known.created_at,
        "createdByMe": known.created_by == uid,
        "myName": known.participant_names.get(uid),
    }


def _finding(*fields: str) -> Callable[[dict[str, Any], str], dict[str, Any]]:
    """Return the function that shows a finding without the words of others: its quote only if the
    user wrote it."""

    def show(data: dict[str, Any], uid: str) -> dict[str, Any]:
        own = ("quote",) if data.get("senderId") == uid else ()
        shown = ("conversationId", "messageId", *fields, *own)
        return {field: data[field] for field in shown if field in data}

    return show


def _leave(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Remove the user from a conversation; the last participant deletes it."""
    from google.cloud.firestore import DELETE_FIELD, ArrayRemove, LastUpdateOption
    from google.cloud.firestore_v1.field_path import FieldPath

    known = Conversation.read(document.id, document.to_dict() or {})
    if name := known.participant_names.get(uid):
        _forget_name(db, known.id, name)
    unchanged = LastUpdateOption(document.update_time)
    if set(known.participant_ids) <= {uid}:
        batch.delete(document.reference, option=unchanged)
        return
    own_name = FieldPath("participantNames", uid).to_api_repr()
    leaving = {"participantIds": ArrayRemove([uid]), own_name: DELETE_FIELD}
    batch.update(document.reference, leaving, option=unchanged)


def _forget_name(db: Client, conversation_id: str, name: str) -> None:
    """Clear the context of a conversation's findings where it has the user's name.

    The context of a finding in another's message may quote the user's reply, after the name.
    """
    for collection in (ACTION_ITEMS, DECISIONS):
        here = where("conversationId", "==", conversation_id)
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


def _overwriting(**changes: Any) -> Callable[[Client, WriteBatch, Document, str], None]:
    """Return the function that overwrites these fields of a document."""

    def erase(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
        batch.update(document.reference, changes)

    return erase


_TASK = _finding("task", "assignee", "deadline", "priority", "status", "doneAt", "conversationName")
_DECISION = _finding("decision", "decisionMaker", "decidedAt", "impactLevel", "conversationName")
_UNASSIGN = _overwriting(assigneeId=None, assignee=None, context="")
_FORGET_WHO_DID = _overwriting(doneBy=_ERASED)
_FORGET_WHO_RATED = _overwriting(prioritySetBy=_ERASED)
_FORGET_WHO_DECIDED = _overwriting(decisionMakerId=None, decisionMaker="", context="")

USER_DATA = UserData(
    (
        # The user's messages go first, so that extraction finds nothing new in them.
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
            page=10,  # others change them too, and a changed one fails its whole page
        ),
        Section(kind="conversationsMade", find=of_user(CONVERSATIONS, "createdBy"), erase=_disown),
        # Then the documents that still list or name the user.
        Section(
            kind="chatMessagesSeen",
            find=listing_user(MESSAGES, "participantIds"),
            erase=_unlist,
        ),
        Section(
            kind="prioritiesSet",
            find=of_user(MESSAGES, "prioritySetBy"),
            erase=_FORGET_WHO_RATED,
        ),
        Section(
            kind="tasks", find=of_user(ACTION_ITEMS, "assigneeId"), show=_TASK, erase=_UNASSIGN
        ),
        Section(
            kind="tasksDone",
            find=of_user(ACTION_ITEMS, "doneBy"),
            erase=_FORGET_WHO_DID,
        ),
        Section(kind="tasksSeen", find=listing_user(ACTION_ITEMS, "participantIds"), erase=_unlist),
        Section(
            kind="decisions",
            find=of_user(DECISIONS, "decisionMakerId"),
            show=_DECISION,
            erase=_FORGET_WHO_DECIDED,
        ),
        Section(
            kind="decisionsSeen", find=listing_user(DECISIONS, "participantIds"), erase=_unlist
        ),
    )
)
