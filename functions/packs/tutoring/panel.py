"""The capability `list_lesson_tools`: the data behind a teacher's panel for lessons.

It comes from the catalogue, the presets and the limits that configure_lesson checks, so a panel
needs no list of its own.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import structs

from packs.tutoring.catalogue import CHECKED, MINUTES_REMAINING, PRESETS, TOOLS, TriggerType
from packs.tutoring.configuration import (
    CUSTOM_CHARS,
    GLOBAL_CHARS,
    KEYWORD_CHARS,
    MAX_KEYWORDS,
    MAX_TURNS,
    LessonType,
    ToolConfiguration,
    preset,
)
from packs.tutoring.missions import (
    MAX_MINUTES,
    MAX_TASKS,
    MIN_MINUTES,
    PROMPT_CHARS,
    TASK_CHARS,
    TITLE_CHARS,
    Level,
    tool_name,
)
from packs.tutoring.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire


class Choice(Wire):
    """An option with its display name."""

    id: str
    name: str


class TriggerField(Wire):
    """A field that a trigger needs beside its type, as a key of `triggerCondition`.

    `texts` is a list of 1 to `max_items` short texts, `integer` a number from `minimum` to
    `maximum`, `choice` one of `choices`.
    """

    name: Literal["keywords", "minTurns", "minutesRemaining"]
    label: str
    type: Literal["texts", "integer", "choice"]
    max_items: int | None = None
    max_chars: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: list[int] | None = None


_FIELDS: dict[str, dict[str, Any]] = {
    "keyword": {
        "name": "keywords", "type": "texts", "max_items": MAX_KEYWORDS, "max_chars": KEYWORD_CHARS,
    },
    "turn_count": {"name": "minTurns", "type": "integer", "minimum": 1, "maximum": MAX_TURNS},
    "time_remaining": {
        "name": "minutesRemaining", "type": "choice", "choices": list(MINUTES_REMAINING),
    },
}  # fmt: skip
"""The fields of triggers by type, without their labels."""


class TriggerChoice(Wire):
    """A trigger that a tool may have. `is_checked` says that the server checks it at each call;
    the others are only in the prompt."""

    type: TriggerType
    name: str
    description: str
    is_checked: bool
    field: TriggerField | None = None


class LessonTool(Wire):
    """A tool that a lesson may have; the first of its triggers is the default."""

    tool_id: str
    name: str
    description: str
    category: str
    default_enabled: bool
    runs_on: Literal["server", "client"]
    triggers: list[TriggerChoice]


class PresetChoice(Wire):
    """A ready choice of tools."""

    id: str
    name: str
    description: str
    tool_configuration: ToolConfiguration


class LessonLimits(Wire):
    """The limits of configure_lesson."""

    title_chars: int = TITLE_CHARS
    prompt_chars: int = PROMPT_CHARS
    custom_instructions_chars: int = CUSTOM_CHARS
    global_instructions_chars: int = GLOBAL_CHARS
    task_chars: int = TASK_CHARS
    max_tasks: int = MAX_TASKS
    min_minutes: int = MIN_MINUTES
    max_minutes: int = MAX_MINUTES


class LessonTools(Wire):
    """What list_lesson_tools returns, in the caller's language."""

    tools: list[LessonTool]
    presets: list[PresetChoice]
    categories: list[Choice]
    lesson_types: list[Choice]
    levels: list[str]
    limits: LessonLimits


@capability(related=["configure_lesson", "preview_lesson"], min_role="teacher")
def list_lesson_tools(ctx: ToolContext) -> LessonTools:
    """List the tools a lesson with a tutor can have, when each may fire, and the presets."""
    locale = ctx.locale

    def named(kind: str, ids: tuple[str, ...]) -> list[Choice]:
        return [Choice(id=id, name=TEXTS.say(locale, f"{kind}.{id}")) for id in ids]

    categories = tuple(dict.fromkeys(each.category for each in TOOLS.values()))
    return LessonTools(
        tools=[
            LessonTool.read(
                structs.asdict(each),
                tool_id=each.id,
                name=tool_name(each.id, locale),
                description=TEXTS.say(locale, f"catalogue.{each.id}.description"),
                triggers=[_trigger(type, each.runs_on, locale) for type in each.triggers],
            )
            for each in TOOLS.values()
        ],
        presets=[
            PresetChoice(
                id=id,
                name=TEXTS.say(locale, f"presets.{id}.name"),
                description=TEXTS.say(locale, f"presets.{id}.description"),
                tool_configuration=preset(id),
            )
            for id in PRESETS
        ],
        categories=named("categories", categories),
        lesson_types=named("lesson_types", get_args(LessonType)),
        levels=list(get_args(Level)),
        limits=LessonLimits(),
    )


def _trigger(type: TriggerType, runs_on: Literal["server", "client"], locale: str) -> TriggerChoice:
    def say(key: str) -> str:
        return TEXTS.say(locale, f"triggers.{type}.{key}")

    field = TriggerField(**_FIELDS[type], label=say("field")) if type in _FIELDS else None
    return TriggerChoice(
        type=type,
        name=say("name"),
        description=say("description"),
        is_checked=type in CHECKED and runs_on == "server",
        field=field,
    )
