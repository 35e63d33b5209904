"""The catalogue of a tutor's tools, each with the triggers that a teacher may choose for it.

Validation, defaults, presets, prompts and panels read this table; nothing else lists tools. Names
and descriptions are in the pack's texts (`catalogue`).

The server checks the triggers in `CHECKED` when the tool is called; the others are only in the
prompt, which a model may or may not follow.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ToolId = Literal[
    "mark_for_review",
    "update_user_profile",
    "show_session_summary",
    "mark_task_complete",
    "mark_item_mastered",
    "play_student_audio",
]
TriggerType = Literal[
    "always",
    "keyword",
    "turn_count",
    "time_remaining",
    "task_context",
    "error_detected",
    "session_ending",
]
CHECKED: frozenset[str] = frozenset({"keyword", "turn_count", "time_remaining", "session_ending"})
MINUTES_REMAINING = (1, 2, 3, 5)


class TutorTool(Struct, frozen=True):
    """A tool of the catalogue. The first of its triggers is the default."""

    id: ToolId
    category: Literal["core", "review"]
    default_enabled: bool
    triggers: tuple[TriggerType, ...]
    runs_on: Literal["server", "client"] = "server"


TOOLS: dict[str, TutorTool] = {
    each.id: each
    for each in (
        TutorTool(
            "mark_for_review", "core", True, ("error_detected", "always", "keyword", "turn_count")
        ),
        TutorTool("update_user_profile", "core", True, ("always", "turn_count", "keyword")),
        TutorTool("show_session_summary", "core", True, ("session_ending", "time_remaining")),
        TutorTool("mark_task_complete", "core", True, ("task_context", "always", "keyword")),
        TutorTool("mark_item_mastered", "review", False, ("always", "keyword")),
        TutorTool("play_student_audio", "review", False, ("always", "keyword"), "client"),
    )
}
PRESETS: dict[str, tuple[ToolId, ...]] = {
    "standard_lesson": (
        "mark_for_review",
        "update_user_profile",
        "show_session_summary",
        "mark_task_complete",
    ),
    "review_lesson": (
        "mark_for_review",
        "mark_item_mastered",
        "play_student_audio",
        "show_session_summary",
    ),
    "conversation_only": ("mark_for_review", "show_session_summary"),
    "no_tracking": (),
}
"""The tools that each preset switches on, with their default triggers."""
