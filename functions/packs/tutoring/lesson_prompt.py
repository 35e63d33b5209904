"""Writes the prompt of a lesson from the teacher's words and the configuration, and optimises it.

The templates are texts of the pack, so a prompt is in the lesson's language. All values of a
template are known by then, so no placeholder is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from packs.tutoring.catalogue import declarations
from packs.tutoring.configuration import ToolConfiguration
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


def lesson_prompt(
    conversation_prompt: str,
    configuration: ToolConfiguration,
    *,
    tasks: Sequence[Task],
    duration_minutes: int | None,
    level: str | None,
    locale: str,
) -> str:
    """Return the whole prompt of a lesson, before optimisation."""

    def say(key: str, **values: Any) -> str:
        return TEXTS.say(locale, f"prompt.{key}", **values)

    parts = [_BLANK_LINES.sub("", conversation_prompt).rstrip()]
    facts = []
    if duration_minutes:
        facts.append(say("duration", minutes=duration_minutes))
    if level:
        facts.append(say("level", level=level))
    if facts:
        parts.append("\n".join([say("parameters"), *facts]))
    enabled = configuration.enabled
    if tasks:
        lines = [f"- {each.id}: {' '.join(each.text.split())}" for each in tasks]
        closing = [say("mark_tasks")] if "mark_task_complete" in enabled else []
        parts.append("\n".join([say("objectives"), *lines, *closing]))
    if enabled:
        instructions = (configuration.global_instructions or "").strip()
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
    conversation_prompt: str,
    configuration: ToolConfiguration,
    *,
    catalog: Catalog,
    tasks: Sequence[Task] = (),
    duration_minutes: int | None = None,
    level: str | None = None,
    locale: str = "en",
    reader_locale: str = "en",
    aggressive: bool = False,
) -> LessonPreview:
    """Return the prompt and tools that a lesson's model would get, with their tokens; it is pure.

    Args:
        locale: The language of the prompt; `reader_locale` is the language of the warnings.
    """
    original = lesson_prompt(
        conversation_prompt,
        configuration,
        tasks=tasks,
        duration_minutes=duration_minutes,
        level=level,
        locale=locale,
    )
    prompt = optimise(original, aggressive=aggressive)
    declared = declarations(catalog, configuration.enabled)
    before, after = text_tokens(original), text_tokens(prompt)
    tools = sum(text_tokens(json.dumps(each, ensure_ascii=False)) for each in declared)
    warnings = []
    if tasks and "mark_task_complete" not in configuration.enabled:
        warnings.append(TEXTS.say(reader_locale, "warnings.tasks_untracked"))
    if len(prompt) > SETUP_CHARS:
        warnings.append(TEXTS.say(reader_locale, "warnings.too_long", most=f"{SETUP_CHARS:,}"))
    if not conversation_prompt.strip():
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
