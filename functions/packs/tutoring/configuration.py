"""The tool configuration of a lesson: which tools it has, and when each may fire.

`read_configuration` validates one from a client against the catalogue; its errors name the field
and what is accepted. `with_defaults` returns a copy that is completed for a lesson, without changes
to a teacher's own settings; the tools that it switches on have `setBy: "auto"`.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

from pydantic import Field

from packs.tutoring.catalogue import MINUTES_REMAINING, PRESETS, TOOLS, ToolId, TriggerType
from packs.tutoring.wording import invalid
from rollcall.core.inputs import validate
from rollcall.core.shapes import Wire

MAX_KEYWORDS = 20
KEYWORD_CHARS = 60
MAX_TURNS = 100
CUSTOM_CHARS = 500
GLOBAL_CHARS = 2_000

LessonType = Literal["standard", "review", "conversation"]
Preset = Literal["standard_lesson", "review_lesson", "conversation_only", "no_tracking"]


class Trigger(Wire):
    """The condition on which a tool may fire. Each field but `type` belongs to one type."""

    type: TriggerType
    keywords: list[str] | None = None
    min_turns: int | None = None
    minutes_remaining: int | None = None


class ToolSetting(Wire):
    """A lesson's setting of one tool."""

    tool_id: ToolId
    enabled: bool
    trigger_condition: Trigger
    custom_instructions: str | None = None
    set_by: Literal["teacher", "auto"] = "teacher"


class ToolConfiguration(Wire):
    """The tools of a lesson."""

    schema_version: Literal[1] = 1
    tools: list[ToolSetting] = Field(default_factory=list, max_length=len(TOOLS))
    global_instructions: str | None = None

    @property
    def enabled(self) -> dict[str, ToolSetting]:
        """The settings of the tools that are on, by id."""
        return {each.tool_id: each for each in self.tools if each.enabled}


def preset(name: str) -> ToolConfiguration:
    """Return the configuration of a preset."""
    return ToolConfiguration(tools=[_setting(id) for id in PRESETS[name]])


def read_configuration(data: Any) -> ToolConfiguration:
    """Return a configuration, checked against the catalogue.

    Raises:
        InvalidArgument: It is not valid; the field, message and hint say where, why, and what is
            accepted.
    """
    field = "toolConfiguration"
    found = validate(ToolConfiguration, data, field=field)
    seen: set[str] = set()
    for place, each in enumerate(found.tools):
        at = f"{field}.tools.{place}"
        if each.tool_id in seen:
            raise invalid(f"{at}.toolId", "tool_twice", "each_tool_once", tool_id=each.tool_id)
        seen.add(each.tool_id)
        _check_trigger(each, f"{at}.triggerCondition")
        _check_text(each.custom_instructions, CUSTOM_CHARS, f"{at}.customInstructions")
    _check_text(found.global_instructions, GLOBAL_CHARS, f"{field}.globalInstructions")
    return found


def _check_trigger(setting: ToolSetting, field: str) -> None:
    trigger, allowed = setting.trigger_condition, TOOLS[setting.tool_id].triggers
    if trigger.type not in allowed:
        raise invalid(
            f"{field}.type",
            "not_its_trigger",
            "accepted",
            tool_id=setting.tool_id,
            type=trigger.type,
            allowed=", ".join(allowed),
        )
    values = {
        "keywords": ("keyword", trigger.keywords),
        "minTurns": ("turn_count", trigger.min_turns),
        "minutesRemaining": ("time_remaining", trigger.minutes_remaining),
    }
    for name, (kind, value) in values.items():
        if trigger.type != kind and value is not None:
            raise invalid(
                f"{field}.{name}", "of_other_trigger", "leave_it_out", name=name, kind=kind
            )
    if trigger.type == "keyword":
        keywords, field_of_words = trigger.keywords or [], f"{field}.keywords"
        words = {" ".join(each.split()).casefold() for each in keywords} - {""}
        if not 1 <= len(keywords) <= MAX_KEYWORDS or len(words) < len(keywords):
            raise invalid(field_of_words, "keywords", "up_to_20")
        for place, each in enumerate(keywords):
            _check_text(each, KEYWORD_CHARS, f"{field_of_words}.{place}")
            if not any(char.isalnum() for char in each):
                raise invalid(f"{field_of_words}.{place}", "not_a_word", "letters", word=each)
    if trigger.type == "turn_count" and not 1 <= (trigger.min_turns or 0) <= MAX_TURNS:
        raise invalid(f"{field}.minTurns", "min_turns", "up_to_100")
    if trigger.type == "time_remaining" and trigger.minutes_remaining not in MINUTES_REMAINING:
        raise invalid(f"{field}.minutesRemaining", "minutes_remaining", "minutes")


def _check_text(text: str | None, most: int, field: str) -> None:
    if text is None:
        return
    if len(text) > most:
        raise invalid(field, "characters", "at_most", chars=len(text), most=most)
    check_plain(text, field)


def check_plain(text: str, field: str) -> None:
    """Check that a text for a prompt has no control characters and no template placeholder.

    Raises:
        InvalidArgument: It has one.
    """
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t\r" for char in text):
        raise invalid(field, "control_characters", "plain_text")
    if "{{" in text:
        raise invalid(field, "open_place", "write_it")


def with_defaults(
    configuration: ToolConfiguration, *, has_tasks: bool, is_review: bool
) -> ToolConfiguration:
    """Return a configuration completed for a lesson: tasks switch on their tool, a review lesson
    its two tools, and the summary is on. A teacher's own settings stay, and a configuration without
    any tool (`no_tracking`) stays empty."""
    if not configuration.tools:
        return configuration
    wanted: list[ToolId] = ["mark_task_complete"] if has_tasks else []
    wanted += ["mark_item_mastered", "play_student_audio"] if is_review else []
    wanted.append("show_session_summary")
    tools = list(configuration.tools)
    for id in wanted:
        place = next((n for n, each in enumerate(tools) if each.tool_id == id), None)
        if place is None:
            tools.append(_setting(id))
        elif not tools[place].enabled and tools[place].set_by == "auto":
            tools[place] = tools[place].model_copy(update={"enabled": True})
    return configuration.model_copy(update={"tools": tools})


def legacy_configuration(data: dict[str, Any]) -> ToolConfiguration:
    """Return the configuration of a mission that was stored before missions had one."""
    name = "no_tracking" if data.get("functionCallingEnabled") is False else "standard_lesson"
    text = data.get("functionCallingInstructions")
    instructions = text[:GLOBAL_CHARS] if isinstance(text, str) and text.strip() else None
    return preset(name).model_copy(update={"global_instructions": instructions})


def _setting(id: ToolId) -> ToolSetting:
    trigger = Trigger(type=TOOLS[id].triggers[0])
    return ToolSetting(tool_id=id, enabled=True, trigger_condition=trigger, set_by="auto")
