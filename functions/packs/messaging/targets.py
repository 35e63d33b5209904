"""The one document that a write is about: found, and the user's to see."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from packs.messaging.access import is_id, reach
from packs.messaging.documents import ACTION_ITEMS, MESSAGES, Conversation, text_of
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, PermissionDenied

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot

DocumentId = Annotated[str, Field(min_length=1, max_length=1_500)]
_WHAT = {MESSAGES: "message", ACTION_ITEMS: "action item"}


@dataclass(frozen=True, slots=True)
class Target:
    """A stored document of a conversation that the user is in."""

    snapshot: DocumentSnapshot[Any]
    conversation: Conversation
    reader: str

    @property
    def data(self) -> dict[str, Any]:
        return self.snapshot.to_dict() or {}

    @property
    def conversation_name(self) -> str:
        """The conversation's name as this user knows it."""
        return self.conversation.title(self.reader)

    def update(self, ctx: ToolContext, changes: dict[str, Any]) -> None:
        """Add changes to the batch that hold only if nobody changes the document meanwhile."""
        unchanged = ctx.db.write_option(last_update_time=self.snapshot.update_time)
        ctx.batch.update(self.snapshot.reference, changes, option=unchanged)

    def delete(self, ctx: ToolContext) -> None:
        """Add the document's deletion, likewise."""
        unchanged = ctx.db.write_option(last_update_time=self.snapshot.update_time)
        ctx.batch.delete(self.snapshot.reference, option=unchanged)


def find_target(ctx: ToolContext, collection: str, id: str, *, field: str) -> Target:
    """Return a document of `collection` by its id.

    Args:
        field: The argument that named it.

    Raises:
        PermissionDenied: It is in none of the user's conversations, or does not exist: the two
            cannot be told apart.
    """
    hidden = PermissionDenied(
        f"there is no {_WHAT[collection]} {id[:80]!r} in your conversations",
        field=field,
        hint="take the id from a tool's result",
    )
    if not is_id(id):
        raise hidden
    snapshot = ctx.db.collection(collection).document(id).get()
    conversation_id = text_of((snapshot.to_dict() or {}).get("conversationId"))
    if not snapshot.exists or not conversation_id:
        raise hidden
    try:
        mine = reach(ctx, [conversation_id])
    except PermissionDenied as denied:
        raise hidden from denied
    return Target(snapshot, mine.conversations[conversation_id], ctx.user.uid)


def id_of_effect(ctx: ToolContext) -> str:
    """The id of a document that this effect creates: the same for every try of it.

    Raises:
        FailedPrecondition: The call has no effect key, so a repeat could not be told from it.
    """
    if not ctx.effect_key:
        raise FailedPrecondition("this write needs an effect key", hint="send a callKey")
    return sha256(f"{ctx.user.uid}\0{ctx.effect_key}".encode()).hexdigest()[:32]
