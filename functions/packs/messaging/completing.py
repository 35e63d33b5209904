"""Action items marked as done, and opened again."""

from __future__ import annotations

from typing import Any

from packs.messaging.documents import ACTION_ITEMS, in_words, iso, moment_of, text_of
from packs.messaging.sources import cite_message
from packs.messaging.targets import DocumentId, Target, find_target
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, Wire
from rollcall.core.wording import isolated, say, short

DONE, OPEN = "done", "open"
_FIELD = "actionItemId"
_COLUMNS = ["task", "assignee", "deadline", "conversationName"]


class ActionItemChanged(Wire):
    """What complete_action_item and reopen_action_item return."""

    done: str
    action_item_id: str
    conversation_id: str
    conversation_name: str
    task: str
    status: str
    timestamp: str


def _to_complete(ctx: ToolContext, action_item_id: str) -> Target:
    """The item, if it is open.

    Raises:
        PermissionDenied: It is in none of the user's conversations.
        FailedPrecondition: It is done already.
    """
    target = find_target(ctx, ACTION_ITEMS, action_item_id, field=_FIELD)
    if target.data.get("status") != DONE:
        return target
    by, at = text_of(target.data.get("doneBy")), moment_of(target.data.get("doneAt"))
    name = target.conversation.participant_names.get(by, by)
    who = f" by {name}" if name else ""
    when = f" on {in_words(at)} UTC" if at else ""
    raise FailedPrecondition(
        f"this action item was marked as done already{who}{when}; there is nothing to do",
        field=_FIELD,
    )


def _to_reopen(ctx: ToolContext, action_item_id: str) -> Target:
    """The item, if it is done.

    Raises:
        PermissionDenied: It is in none of the user's conversations.
        FailedPrecondition: It is open.
    """
    target = find_target(ctx, ACTION_ITEMS, action_item_id, field=_FIELD)
    if target.data.get("status") != DONE:
        raise FailedPrecondition(
            "this action item is open already; there is nothing to do", field=_FIELD
        )
    return target


def _preview_complete(ctx: ToolContext, *, action_item_id: str) -> Preview:
    title = say(ctx.locale, en="Mark as done", he="סימון כבוצע")
    return _shown(_to_complete(ctx, action_item_id), title)


def _preview_reopen(ctx: ToolContext, *, action_item_id: str) -> Preview:
    title = say(ctx.locale, en="Open again", he="פתיחה מחדש")
    return _shown(_to_reopen(ctx, action_item_id), title)


def _shown(target: Target, title: str) -> Preview:
    """The task, whose it is, by when, and where it comes from."""
    row = {column: target.data.get(column) for column in _COLUMNS}
    row["conversationName"] = target.conversation_name
    text = isolated(text_of(target.data.get("task")))
    return Preview(
        Display(type="confirmation", title=title, text=text, columns=_COLUMNS, rows=[row])
    )


def _summarize_complete(arguments: dict[str, Any]) -> dict[str, str]:
    item = short(str(arguments["actionItemId"]))
    return {"en": f"Mark the action item {item} as done", "he": f"לסמן את המשימה {item} כבוצעה"}


def _summarize_reopen(arguments: dict[str, Any]) -> dict[str, str]:
    item = short(str(arguments["actionItemId"]))
    return {"en": f"Open the action item {item} again", "he": f"לפתוח מחדש את המשימה {item}"}


@capability(
    name={"en": "Complete an action item", "he": "סימון משימה כבוצעה"},
    category="messaging",
    keywords=[
        "mark as done",
        "mark as complete",
        "mark done",
        "complete the task",
        "task is done",
        "finish",
        "check off",
        "tick off",
        "סמן כבוצע",
        "סמן כבוצעה",
        "סמני כבוצע",
        "סמני כבוצעה",
        "סמן",
        "תסמן",
        "המשימה בוצעה",
        "סיימתי את המשימה",
        "close the task",
        "close the to-do",
        "cross it off",
        "strike off",
        "took care of it",
        "already did it",
        "handled",
        "לסגור את המשימה",
        "סגור את המשימה",
        "תוריד מהרשימה",
        "טופל",
        "גמור",
        "כבר נעשה",
    ],
    examples=[
        {
            "userRequest": "Mark the action item about the press kit as done",
            "parameters": {"actionItemId": "0f3a"},
        },
        {
            "userRequest": "סמן כבוצע את המשימה על ערכת העיתונות",
            "parameters": {"actionItemId": "0f3a"},
        },
    ],
    related=["get_conversation_action_items", "reopen_action_item"],
    effect="write",
    atomic=True,
    summary=_summarize_complete,
    preview=_preview_complete,
    undo=Undo("reopen_action_item", lambda given, result: {"actionItemId": result["actionItemId"]}),
)
def complete_action_item(ctx: ToolContext, *, action_item_id: DocumentId) -> ActionItemChanged:
    """Mark an action item of the user's conversations as done, for everyone in the conversation.

    Use it only where the user says that a task is done or asks to mark it so. One that is done
    already is refused, and nothing changes.

    Args:
        action_item_id: The action item; its id comes from get_conversation_action_items.
    """
    target = _to_complete(ctx, action_item_id)
    target.update(ctx, {"status": DONE, "doneBy": ctx.user.uid, "doneAt": ctx.now})
    return _changed(ctx, target, DONE, en="Marked as done: “{task}”", he="סומן כבוצע: „{task}”")


@capability(
    name={"en": "Reopen an action item", "he": "פתיחת משימה מחדש"},
    category="messaging",
    keywords=[
        "reopen",
        "open again",
        "not done yet",
        "mark as not done",
        "פתח מחדש",
        "פתחי מחדש",
        "לא בוצע עדיין",
        "סמן כלא בוצע",
        "החזר לפתוחות",
        "put it back",
        "still open",
        "not finished after all",
        "תחזיר את המשימה",
        "לא גמור",
        "עוד לא נעשה",
    ],
    examples=[
        {
            "userRequest": "Reopen the action item about the press kit",
            "parameters": {"actionItemId": "0f3a"},
        },
        {
            "userRequest": "פתח מחדש את המשימה על ערכת העיתונות",
            "parameters": {"actionItemId": "0f3a"},
        },
    ],
    related=["complete_action_item"],
    effect="write",
    atomic=True,
    summary=_summarize_reopen,
    preview=_preview_reopen,
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

    target = _to_reopen(ctx, action_item_id)
    target.update(ctx, {"status": OPEN, "doneBy": DELETE_FIELD, "doneAt": DELETE_FIELD})
    return _changed(ctx, target, OPEN, en="Open again: “{task}”", he="נפתח מחדש: „{task}”")


def _changed(
    ctx: ToolContext, target: Target, status: str, *, en: str, he: str
) -> ActionItemChanged:
    data = target.data
    task, conversation_id = text_of(data.get("task")), target.conversation.id
    cite_message(
        ctx,
        conversation_id=conversation_id,
        conversation_name=target.conversation_name,
        message_id=text_of(data.get("messageId")),
        sender_name=text_of(data.get("senderName")),
        sent_at=moment_of(data.get("sourceTimestamp")),
        quote=text_of(data.get("quote")),
    )
    return ActionItemChanged(
        done=say(ctx.locale, en=en, he=he, task=short(task)),
        action_item_id=target.snapshot.id,
        conversation_id=conversation_id,
        conversation_name=target.conversation_name,
        task=task,
        status=status,
        timestamp=iso(ctx.now) or "",
    )
