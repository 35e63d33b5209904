"""Sends and withdraws the user's messages, and finds the document that a write changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from pydantic import Field

from packs.messaging.access import is_id, readable_conversations
from packs.messaging.documents import (
    ACTION_ITEMS,
    CONTENT_CHARS,
    MESSAGES,
    SCHEMA_VERSION,
    Conversation,
    iso,
    read_message,
    text_of,
)
from packs.messaging.sources import cite_message, shown
from packs.messaging.wording import TEXTS
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated, short
from rollcall.store.batches import update_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot


DocumentId = Annotated[str, Field(min_length=1, max_length=1_500)]
_KINDS = {MESSAGES: "message", ACTION_ITEMS: "action_item"}


class Target(Struct, frozen=True):
    """The document that a write changes, in a conversation that the user takes part in."""

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
        """Add changes to the batch, on condition that the document has not changed meanwhile."""
        update_unchanged(ctx.batch, self.snapshot, changes)

    def delete(self, ctx: ToolContext) -> None:
        """Add the document's deletion to the batch, on the same condition."""
        unchanged = ctx.db.write_option(last_update_time=self.snapshot.update_time)
        ctx.batch.delete(self.snapshot.reference, option=unchanged)


def find_target(ctx: ToolContext, collection: str, id: str, *, field: str) -> Target:
    """Return a document of `collection` by its id.

    Args:
        field: The argument that holds the id.

    Raises:
        PermissionDenied: It is in none of the user's conversations, or does not exist; the error
            does not say which.
    """
    hidden = PermissionDenied(
        TEXTS.text(f"errors.no_{_KINDS[collection]}", id=id[:80]),
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
        mine = readable_conversations(ctx, [conversation_id])
    except PermissionDenied as denied:
        raise hidden from denied
    return Target(snapshot, mine.conversations[conversation_id], ctx.user.uid)


Content = Annotated[str, Field(min_length=1, max_length=CONTENT_CHARS)]
_FIELD = "messageId"


class MessageSent(Wire):
    """What send_message returns; `done` is a confirmation in the user's language."""

    done: str
    message_id: str
    conversation_id: str
    conversation_name: str
    content: str
    timestamp: str


class MessageWithdrawn(Wire):
    """What withdraw_message returns."""

    done: str
    message_id: str
    conversation_id: str
    conversation_name: str
    timestamp: str


def _preview_send(ctx: ToolContext, *, conversation_id: str, content: str) -> Preview:
    """Show the conversation, everyone in it, and the whole text."""
    conversation = _writable_conversation(ctx, conversation_id, content)
    names = conversation.names(without=ctx.user.uid)
    name = conversation.title(ctx.user.uid)
    title = None
    if name != ", ".join(names):  # it has a name of its own
        title = TEXTS.say(ctx.locale, "sending.send_to", to=isolated(name or conversation_id))
    people = ", ".join(map(isolated, names))
    text = TEXTS.say(ctx.locale, "sending.to", to=people, text=isolated(content))
    display = Display(type="confirmation", title=title, text=text)
    summary = TEXTS.say(
        ctx.locale,
        "sending.send_to_the_conversation",
        text=short(content),
        to=isolated(name or conversation_id),
    )
    return Preview(display, summary=summary, shows=("conversationId", "content"))


def _summarize_send(arguments: dict[str, Any]) -> dict[str, str]:
    to, text = short(str(arguments["conversationId"])), short(str(arguments["content"]))
    return TEXTS.by_language("sending.send_to_the_conversation", text=text, to=to)


@capability(
    related=["get_user_conversations", "withdraw_message"],
    effect="write",
    atomic=True,
    summary=_summarize_send,
    preview=_preview_send,
    undo=Undo("withdraw_message", lambda given, result: {"messageId": result["messageId"]}),
)
def send_message(ctx: ToolContext, *, conversation_id: DocumentId, content: Content) -> MessageSent:
    """Send a message in the user's name to one of the user's conversations.

    Use it only where the user asks for something to be sent, and with the words that the user
    gave or has seen. The user is asked before it goes out, and can take it back afterwards.
    Encrypted conversations cannot be written to.

    Args:
        conversation_id: The conversation to send to; its id comes from get_user_conversations.
        content: The whole text of the message, 1 to 32,000 characters.
    """
    conversation = _writable_conversation(ctx, conversation_id, content)
    message_id = ctx.new_id
    name = conversation.title(ctx.user.uid)
    document = _document(ctx, conversation, content)
    ctx.batch.create(ctx.db.collection(MESSAGES).document(message_id), document)
    cite_message(
        ctx,
        conversation_id=conversation.id,
        conversation_name=name,
        message_id=message_id,
        sender_name=document["senderName"],
        sent_at=ctx.now,
        quote=content,
    )
    return MessageSent(
        done=TEXTS.say(ctx.locale, "sending.sent_to", to=isolated(name), text=short(content)),
        message_id=message_id,
        conversation_id=conversation.id,
        conversation_name=name,
        content=shown(content),
        timestamp=iso(ctx.now) or "",
    )


def _writable_conversation(ctx: ToolContext, conversation_id: str, content: str) -> Conversation:
    """Return the conversation, if this user may send this text to it.

    Raises:
        InvalidArgument: The text is blank, or has a lone surrogate.
        PermissionDenied: The user is not in the conversation.
        FailedPrecondition: Messages in it are encrypted.
    """
    if not content.strip():
        raise InvalidArgument(TEXTS.text("errors.empty_message"), field="content")
    if any("\ud800" <= char <= "\udfff" for char in content):
        raise InvalidArgument(TEXTS.text("errors.half_a_character"), field="content")
    mine = readable_conversations(ctx, [conversation_id], field="conversationId")
    conversation = mine.conversations[conversation_id]
    if conversation.encrypted_count:
        raise FailedPrecondition(
            TEXTS.text("errors.encrypted_conversation"),
            field="conversationId",
            hint=TEXTS.text("hints.send_from_app"),
        )
    return conversation


def _document(ctx: ToolContext, conversation: Conversation, content: str) -> dict[str, Any]:
    """Return the message as the user's own client writes it, marked as sent by an agent."""
    from google.cloud.firestore import SERVER_TIMESTAMP

    uid = ctx.user.uid
    return {
        "schemaVersion": SCHEMA_VERSION,
        "conversationId": conversation.id,
        "senderId": uid,
        "senderName": conversation.participant_names.get(uid, uid),
        "content": content,
        "timestamp": SERVER_TIMESTAMP,
        "encrypted": False,
        "participantIds": list(conversation.participant_ids),
        "sentBy": "agent",
    }


def _preview_withdraw(ctx: ToolContext, *, message_id: str) -> Preview:
    """Show the whole message, or of an encrypted one only its conversation."""
    target = _own_message(ctx, message_id)
    message = read_message(message_id, target.data)
    title = TEXTS.say(ctx.locale, "sending.withdraw_from", of=isolated(target.conversation_name))
    encrypted = TEXTS.say(ctx.locale, "sending.encrypted")
    text = encrypted if message.encrypted else isolated(message.text)
    display = Display(type="confirmation", title=title, text=text)
    return Preview(display, summary=f"{title}: {short(text)}", shows=("messageId",))


def _summarize_withdraw(arguments: dict[str, Any]) -> dict[str, str]:
    message = short(str(arguments["messageId"]))
    return TEXTS.by_language("sending.withdraw_your_message_for", message=message)


@capability(
    related=["send_message"],
    effect="write",
    atomic=True,
    summary=_summarize_withdraw,
    preview=_preview_withdraw,
)
def withdraw_message(ctx: ToolContext, *, message_id: DocumentId) -> MessageWithdrawn:
    """Take back a message that the user sent: it is deleted for everyone.

    Use it only where the user asks for one of their own messages to be withdrawn, unsent or
    deleted. It cannot be undone, and who has read the message has read it.

    Args:
        message_id: The message to withdraw, one of the user's own.
    """
    target = _own_message(ctx, message_id)
    target.delete(ctx)
    name = target.conversation_name
    return MessageWithdrawn(
        done=TEXTS.say(ctx.locale, "sending.withdrawn_from", of=isolated(name)),
        message_id=message_id,
        conversation_id=target.conversation.id,
        conversation_name=name,
        timestamp=iso(ctx.now) or "",
    )


def _own_message(ctx: ToolContext, message_id: str) -> Target:
    target = find_target(ctx, MESSAGES, message_id, field=_FIELD)
    if text_of(target.data.get("senderId")) != ctx.user.uid:
        raise PermissionDenied(TEXTS.text("errors.only_sender"), field=_FIELD)
    return target
