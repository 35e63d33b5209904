"""A lesson as its teacher configured it, and its prompt, which is written from that and optimised.

The templates are texts of the pack, so a prompt is in the lesson's language. All values of a
template are known by then, so no placeholder is left.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from packs.tutoring.configuration import ToolConfiguration, ToolSetting
from packs.tutoring.wording import TEXTS
from rollcall.core.profile import SETUP_CHARS
from rollcall.core.shapes import Wire
from rollcall.core.text import text_tokens

if TYPE_CHECKING:
    from rollcall.core.context import Catalog

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_HEADER = re.compile(r"^ {0,3}#{1,6}(?:[ \t]+(?P<text>.*))?$")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
_BLOCK = re.compile(r" {4}|\t|\s*\|")
_AGGRESSIVE = (
    (re.compile(r"^ {0,3}#{1,6}[ \t]+", re.M), ""),
    (re.compile(r"\bDo NOT\b"), "Don't"),
    (re.compile(r"\bshould not\b"), "shouldn't"),
    (re.compile(r"\bwill not\b"), "won't"),
    (re.compile(r"\bfor example\b"), "e.g."),
)


class Task(Wire):
    """A task for the student to accomplish."""

    id: str
    text: str


class Lesson(Wire):
    """A lesson as its teacher configured it: the fields that are stored and that a session freezes.
    A preview may be of a lesson without title, level or duration."""

    title: str = ""
    conversation_prompt: str = ""
    level: str | None = None
    duration_minutes: int | None = None
    tasks: tuple[Task, ...] = ()
    lesson_type: str = "standard"
    locale: str = "en"
    tool_configuration: ToolConfiguration

    @property
    def enabled(self) -> dict[str, ToolSetting]:
        """The settings of the tools that it has, by id."""
        return self.tool_configuration.enabled


class TokenEstimate(Wire):
    """Estimated tokens of a lesson's prompt and of its tools' declarations."""

    prompt: int
    declarations: int
    total: int


class Optimisation(Wire):
    """The tokens that the optimiser saved."""

    original_tokens: int
    optimised_tokens: int
    saved_tokens: int
    savings_percent: float


class LessonPreview(Wire):
    """The prompt and tools that a lesson's model would get."""

    system_prompt: str
    function_declarations: list[dict[str, Any]]
    estimated_tokens: TokenEstimate
    optimisation: Optimisation
    warnings: list[str]


def lesson_prompt(lesson: Lesson) -> str:
    """Return the whole prompt of a lesson, before optimisation."""

    def say(key: str, **values: Any) -> str:
        return TEXTS.say(lesson.locale, f"prompt.{key}", **values)

    parts = [_BLANK_LINES.sub("", lesson.conversation_prompt).rstrip()]
    facts = []
    if lesson.duration_minutes:
        facts.append(say("duration", minutes=lesson.duration_minutes))
    if lesson.level:
        facts.append(say("level", level=lesson.level))
    if facts:
        parts.append("\n".join([say("parameters"), *facts]))
    enabled = lesson.enabled
    if lesson.tasks:
        lines = [f"- {each.id}: {' '.join(each.text.split())}" for each in lesson.tasks]
        closing = [say("mark_tasks")] if "mark_task_complete" in enabled else []
        parts.append("\n".join([say("objectives"), *lines, *closing]))
    if enabled:
        instructions = (lesson.tool_configuration.global_instructions or "").strip()
        lines = []
        for id, setting in sorted(enabled.items()):
            trigger = setting.trigger_condition
            when = say(
                f"triggers.{trigger.type}",
                keywords=", ".join(trigger.keywords or ()),
                count=trigger.min_turns or trigger.minutes_remaining or 0,
            )
            custom = (setting.custom_instructions or "").strip()
            lines.append(f"**{id}**: {' '.join(filter(None, [when, custom]))}")
        parts.append("\n\n".join(filter(None, [say("functions"), instructions, *lines])))
    return "\n\n".join(filter(None, parts))


def preview(
    lesson: Lesson, *, catalog: Catalog, reader_locale: str = "en", aggressive: bool = False
) -> LessonPreview:
    """Return the prompt and tools that a lesson's model would get, with their tokens; it is pure.

    Args:
        reader_locale: The language of the warnings.
    """
    original = lesson_prompt(lesson)
    prompt = optimise(original, aggressive=aggressive)
    tools_found = [catalog.find_capability(id) for id in sorted(lesson.enabled)]
    declared = [
        {"name": each.id, "description": each.description, "parameters": each.json_schema}
        for each in tools_found
    ]
    before, after = text_tokens(original), text_tokens(prompt)
    tools = sum(text_tokens(json.dumps(each, ensure_ascii=False)) for each in declared)
    warnings = []
    if lesson.tasks and "mark_task_complete" not in lesson.enabled:
        warnings.append(TEXTS.say(reader_locale, "warnings.tasks_untracked"))
    if len(prompt) > SETUP_CHARS:
        warnings.append(TEXTS.say(reader_locale, "warnings.too_long", most=f"{SETUP_CHARS:,}"))
    if not lesson.conversation_prompt.strip():
        warnings.append(TEXTS.say(reader_locale, "warnings.no_prompt"))
    return LessonPreview(
        system_prompt=prompt,
        function_declarations=declared,
        estimated_tokens=TokenEstimate(prompt=after, declarations=tools, total=after + tools),
        optimisation=Optimisation(
            original_tokens=before,
            optimised_tokens=after,
            saved_tokens=before - after,
            savings_percent=round(100 * (before - after) / before, 1) if before else 0.0,
        ),
        warnings=warnings,
    )


def optimise(prompt: str, *, aggressive: bool = False) -> str:
    """Return a prompt without trailing spaces, repeated blank lines and empty headers. Fenced and
    indented blocks, tables and lists stay unchanged; the operation is idempotent.

    Args:
        aggressive: Also make headers plain text and shorten common phrases, outside of blocks.
    """
    kept: list[tuple[str, bool]] = []  # lines, and whether each is part of a block
    fence = ""
    for line in prompt.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        mark = _FENCE.match(line)
        is_block = bool(fence or mark or _BLOCK.match(line))
        if fence:
            closes = mark and mark[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        if is_block and (line.strip() or fence):
            kept.append((line, True))
            continue
        line = line.rstrip()
        header = _HEADER.match(line)
        if header and not (header["text"] or "").strip(" #"):
            line = ""
        if line or (kept and kept[-1][0]):
            kept.append((line, False))
    while kept and kept[-1] == ("", False):
        kept.pop()
    if aggressive:
        for number, (line, is_block) in enumerate(kept):
            for pattern, short in () if is_block else _AGGRESSIVE:
                line = pattern.sub(short, line)
            kept[number] = (line, is_block)
    return "\n".join(line for line, _ in kept)
