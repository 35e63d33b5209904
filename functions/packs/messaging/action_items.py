"""Lists, completes and reopens the action items of conversations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from packs.messaging.access import ReadableConversations, readable_conversations
from packs.messaging.documents import ACTION_ITEMS, in_words, iso, moment_of, text_of
from packs.messaging.finding_lists import ConversationIds, Counts, Limit, Offset, listing
from packs.messaging.people import namesakes
from packs.messaging.sending import DocumentId, Target, find_target
from packs.messaging.sources import cite_finding
from packs.messaging.wording import TEXTS, table
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, Wire
from rollcall.core.text import words
from rollcall.core.texts import isolated, short

DONE, OPEN = "done", "open"
_MARK, _REOPEN = "mark_the_action_item", "open_the_action_item"
_FIELD = "actionItemId"
_PREVIEW_COLUMNS = ["task", "assignee", "deadline", "conversationName"]


class ActionItemChanged(Wire):
    """What complete_action_item and reopen_action_item return."""

    done: str
    action_item_id: str
    conversation_id: str
    conversation_name: str
    task: str
    status: str
    timestamp: str


def _item_to_change(ctx: ToolContext, action_item_id: str, *, to: str) -> Target:
    """Return the item, if it has not this status already.

    Raises:
        PermissionDenied: It is in none of the user's conversations.
        FailedPrecondition: It is done or open already.
    """
    target = find_target(ctx, ACTION_ITEMS, action_item_id, field=_FIELD)
    if (target.data.get("status") == DONE) != (to == DONE):
        return target
    if to == OPEN:
        raise FailedPrecondition(TEXTS.text("errors.open_already"), field=_FIELD)
    by, at = text_of(target.data.get("doneBy")), moment_of(target.data.get("doneAt"))
    name = target.conversation.participant_names.get(by, by)
    who = TEXTS.text("errors.done_by", name=isolated(name)) if name else ""
    when = TEXTS.text("errors.done_on", time=in_words(at)) if at else ""
    raise FailedPrecondition(TEXTS.text("errors.done_already", who=who, when=when), field=_FIELD)


def _preview(title: str, summary: str, *, to: str) -> Callable[..., Preview]:
    """Return the preview that shows the task, its assignee, deadline and conversation."""

    def preview(ctx: ToolContext, *, action_item_id: str) -> Preview:
        target = _item_to_change(ctx, action_item_id, to=to)
        row = {**target.data, "conversationName": target.conversation_name}
        task = text_of(target.data.get("task"))
        display = Display(
            type="confirmation",
            title=TEXTS.say(ctx.locale, f"action_items.{title}"),
            text=isolated(task),
            **table(ctx.locale, _PREVIEW_COLUMNS, [row]),
        )
        line = TEXTS.say(ctx.locale, f"action_items.{summary}", item=short(task))
        return Preview(display, summary=line, shows=("actionItemId",))

    return preview


def _summary(key: str) -> Callable[[dict[str, Any]], dict[str, str]]:
    return lambda arguments: TEXTS.by_language(
        f"action_items.{key}", item=short(str(arguments["actionItemId"]))
    )


@capability(
    related=["get_conversation_action_items", "reopen_action_item"],
    effect="write",
    atomic=True,
    summary=_summary(_MARK),
    preview=_preview("mark_as_done", _MARK, to=DONE),
    undo=Undo("reopen_action_item", lambda given, result: {"actionItemId": result["actionItemId"]}),
)
def complete_action_item(ctx: ToolContext, *, action_item_id: DocumentId) -> ActionItemChanged:
    """Mark an action item of the user's conversations as done, for everyone in the conversation.

    Use it only where the user says that a task is done or asks to mark it so. One that is done
    already is refused, and nothing changes.

    Args:
        action_item_id: The action item; its id comes from get_conversation_action_items.
    """
    target = _item_to_change(ctx, action_item_id, to=DONE)
    target.update(ctx, {"status": DONE, "doneBy": ctx.user.uid, "doneAt": ctx.now})
    return _changed(ctx, target, DONE)


@capability(
    related=["complete_action_item"],
    effect="write",
    atomic=True,
    summary=_summary(_REOPEN),
    preview=_preview("open_again", _REOPEN, to=OPEN),
    undo=Undo(
        "complete_action_item", lambda given, result: {"actionItemId": result["actionItemId"]}
    ),
)
def reopen_action_item(ctx: ToolContext, *, action_item_id: DocumentId) -> ActionItemChanged:
    """Open an action item again that was marked as done.

    Use it only where the user says that a task marked as done is not done after all. Lists of
    action items show open ones only, so its id comes from what was marked before.

    Args:
        action_item_id: The action item.
    """
    from google.cloud.firestore import DELETE_FIELD

    target = _item_to_change(ctx, action_item_id, to=OPEN)
    target.update(ctx, {"status": OPEN, "doneBy": DELETE_FIELD, "doneAt": DELETE_FIELD})
    return _changed(ctx, target, OPEN)


def _changed(ctx: ToolContext, target: Target, status: str) -> ActionItemChanged:
    data = target.data
    task = text_of(data.get("task"))
    cite_finding(ctx, data, conversation_name=target.conversation_name)
    return ActionItemChanged(
        done=TEXTS.say(ctx.locale, f"action_items.{status}", task=short(task)),
        action_item_id=target.snapshot.id,
        conversation_id=target.conversation.id,
        conversation_name=target.conversation_name,
        task=task,
        status=status,
        timestamp=iso(ctx.now) or "",
    )


PersonName = Annotated[str, Field(min_length=1, max_length=200)]
_MAX_NAMESAKES = 3
"""With ten conversations in one query that makes thirty branches, which is Firestore's limit."""
_ME = TEXTS.phrases("cues.me")


class ListedActionItem(Wire):
    """One task. `deadline` is a date, or a time with its zone."""

    id: str
    conversation_id: str
    conversation_name: str
    message_id: str
    task: str
    assignee: str | None = None
    deadline: str | None = None
    priority: Literal["urgent", "high", "medium", "low", "unspecified"]
    context: str | None = None
    confidence: float
    status: str
    timestamp: str | None = None


class ConversationActionItems(Counts):
    """What get_conversation_action_items returns: open items only."""

    action_items: list[ListedActionItem]


@capability(
    related=[
        "search_all_conversations",
        "get_user_conversations",
        "get_priority_messages",
        "get_conversation_decisions",
    ],
)
def get_conversation_action_items(
    ctx: ToolContext,
    *,
    conversation_ids: ConversationIds | None = None,
    limit: Limit = 20,
    assignee: PersonName | None = None,
    owed_to: PersonName | None = None,
    offset: Offset = 0,
) -> ConversationActionItems:
    """List the open action items in the user's conversations: tasks, who does them, by when.

    Use it for questions about tasks, to-dos, deadlines, or what somebody promised or was asked
    to do. They come most pressing first, then by deadline.

    Args:
        conversation_ids: Only these conversations; all of the user's where left out.
        limit: Most action items to return, 1 to 50.
        assignee: Who is to do them, "me" or a name: "me" for "what do I owe Dan", "Dan" for "what
            did Dan promise"; everybody's where left out.
        owed_to: Whom they were promised to or asked by, "me" or a name: "me" for "who owes me
            something", "Dan" for "what do I owe Dan".
        offset: How many of the first to leave out: `nextOffset` of an earlier list goes on.
    """
    mine = readable_conversations(ctx, conversation_ids)
    listed = listing(
        ctx,
        mine,
        ACTION_ITEMS,
        order=[("priorityRank", "ASCENDING"), ("deadlineOrder", "ASCENDING")],
        key=lambda data: (data["priorityRank"], data["deadlineOrder"]),
        limit=limit,
        offset=offset,
        where={"status": ["open"], **_assignee_filter(assignee, mine)},
        fits=_owed_to_condition(owed_to, mine) if owed_to else None,
    )
    items = [_item(mine, id, data) for id, data in listed.found]
    ctx.show(Display(type="table", **table(ctx.locale, _COLUMNS, map(Wire.dump, items))))
    return ConversationActionItems(action_items=items, **listed.counts)


_COLUMNS = ["priority", "task", "assignee", "deadline", "conversationName"]


def _assignee_filter(assignee: str | None, mine: ReadableConversations) -> dict[str, list[str]]:
    """Return the filter by assignee: a participant by id, anybody else by name."""
    if assignee is None:
        return {}
    if assignee.strip().casefold() in _ME:
        return {"assigneeId": [mine.reader]}
    found = namesakes(assignee, mine.people)[:_MAX_NAMESAKES]
    return {"assigneeId": found} if found else {"assignee": [assignee.strip()]}


def _owed_to_condition(name: str, mine: ReadableConversations) -> Callable[[dict[str, Any]], bool]:
    """Return the condition that somebody else is to do an item for a person.

    An item is owed to the person who asked for it, the person it was promised to in a conversation
    of two, or a person whom its task names.
    """
    if name.strip().casefold() in _ME:
        people, named = {mine.reader}, frozenset[str]()
    else:
        people, named = set(namesakes(name, mine.people)), frozenset(words(name))

    def fits(item: dict[str, Any]) -> bool:
        assignee, participants = item.get("assigneeId"), set(item.get("participantIds") or ())
        if assignee in people:
            return False
        promised = item.get("senderId") == assignee and len(participants) == 2
        is_named = bool(named) and named <= set(words(text_of(item.get("task"))))
        return (
            item.get("senderId") in people or is_named or (promised and bool(participants & people))
        )

    return fits


def _item(mine: ReadableConversations, id: str, data: dict[str, Any]) -> ListedActionItem:
    return ListedActionItem(
        id=id,
        conversation_id=data["conversationId"],
        conversation_name=mine.name(data["conversationId"]),
        message_id=data["messageId"],
        task=data["task"],
        assignee=data.get("assignee"),
        deadline=data.get("deadline"),
        priority=data["priority"],
        context=data.get("context") or None,
        confidence=data["confidence"],
        status=data["status"],
        timestamp=iso(moment_of(data.get("sourceTimestamp"))),
    )
