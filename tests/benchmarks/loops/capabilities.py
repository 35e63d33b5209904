"""Five capabilities with schemas as people write them: lists, choices, objects, bounds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext

Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="A day, as 2026-03-02.")]


class Span(BaseModel):
    """Days from one to another, both included."""

    since: Day
    until: Day


@capability(name={"en": "Search messages"}, category="desk")
def search_messages(
    ctx: ToolContext | None,
    *,
    query: Annotated[str, Field(max_length=200)],
    senders: list[str] | None = None,
    span: Span | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
) -> dict[str, Any]:
    """Find messages by what was said in them, in any conversation of the user.

    Args:
        query: The words to look for, without the names of people or days.
        senders: Names of the people who may have said it; everybody without.
        span: The days between which it was said.
        limit: How many messages at most.
    """
    said = "The supplier moved the delivery of the pumps to the week after next."
    found = [{"id": f"m{n}", "sender": "Dana Levi", "text": said} for n in range(min(limit, 5))]
    return {"messages": found, "total": len(found)}


@capability(name={"en": "Tasks"}, category="desk")
def list_tasks(
    ctx: ToolContext | None,
    *,
    assignee: Annotated[str, Field(max_length=80)] = "me",
    status: Literal["open", "done", "late", "any"] = "open",
    priority: Literal["low", "normal", "high"] | None = None,
    due: Span | None = None,
) -> dict[str, Any]:
    """List what somebody has to do, from the conversations and the plans they take part in.

    Args:
        assignee: Whose tasks: a name, or "me".
        status: Which of them; "late" are open ones whose day has passed.
        priority: Only those of this priority.
        due: The days between which they are due.
    """
    task = {"title": "Confirm the new delivery", "status": "open", "due": "2026-03-09"}
    return {"assignee": assignee, "tasks": [{"id": f"t{n}", **task} for n in range(4)]}


@capability(name={"en": "Decisions"}, category="desk")
def list_decisions(
    ctx: ToolContext | None,
    *,
    topic: Annotated[str, Field(max_length=120)],
    conversation_id: str | None = None,
    include_rejected: bool = False,
) -> dict[str, Any]:
    """List what was decided about a topic, with who decided it and when.

    Args:
        topic: What the decisions are about.
        conversation_id: Only those of this conversation.
        include_rejected: Whether proposals that were turned down are told, too.
    """
    decision = {"text": f"Order the {topic} from the second supplier", "by": ["Dana", "Omar"]}
    return {"decisions": [{"id": "d1", "on": "2026-02-27", **decision}]}


@capability(name={"en": "Free times"}, category="desk")
def find_free_times(
    ctx: ToolContext | None,
    *,
    people: Annotated[list[str], Field(min_length=1, max_length=20)],
    span: Span,
    minutes: Annotated[int, Field(ge=15, le=480)] = 30,
    part_of_day: Literal["morning", "afternoon", "any"] = "any",
) -> dict[str, Any]:
    """Find times at which several people are free for a meeting.

    Args:
        people: The names of those who have to be there.
        span: The days to look at.
        minutes: How long the meeting is, minutes.
        part_of_day: When it should be.
    """
    return {"times": [{"start": "2026-03-09T10:00", "minutes": minutes, "people": people}]}


@capability(name={"en": "Summarise"}, category="desk")
def summarise(
    ctx: ToolContext | None,
    *,
    conversation_id: str,
    style: Literal["brief", "detailed", "bullets"] = "brief",
    languages: list[Literal["en", "he"]] | None = None,
) -> dict[str, Any]:
    """Summarise one conversation: topics, decisions, open questions.

    Args:
        conversation_id: Which one.
        style: How long, and in which form.
        languages: The languages to write it in; the conversation's own without.
    """
    return {"id": conversation_id, "style": style, "summary": "Delivery, budget, next meeting."}


QUESTION = "The pumps come later. What do I have to do, and when can we all meet about it?"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_messages", {"query": "pumps delivery", "senders": ["Dana Levi"], "limit": 5}),
    ("list_tasks", {"assignee": "me", "due": {"since": "2026-03-02", "until": "2026-03-13"}}),
    (
        "find_free_times",
        {
            "people": ["Dana Levi", "Omar Haddad"],
            "span": {"since": "2026-03-09", "until": "2026-03-13"},
            "minutes": 45,
        },
    ),
)
ANSWER = (
    "The supplier has moved the delivery of the pumps to the week after next, as Dana wrote. You "
    "have four open tasks about it; the most urgent is to confirm the new delivery by 9 March. All "
    "three of you are free on Monday, 9 March at 10:00, for 45 minutes."
)
FUNCTIONS = {
    each.__name__: each
    for each in (search_messages, list_tasks, list_decisions, find_free_times, summarise)
}
