"""The answer: what the results say, put for a person, in the language of the question."""

from __future__ import annotations

from typing import Any

from rollcall.core.messages import Json
from rollcall.models._offline import items
from rollcall.models._offline.facts import facts
from rollcall.models._offline.failures import failures
from rollcall.models._offline.fields import covers, defanged, label, one_line
from rollcall.models._offline.history import Step
from rollcall.models._offline.listing import MOST_FOUND, Asked, listing, speaks_of
from rollcall.models._offline.phrases import say
from rollcall.models._offline.plan import Progress

_MOST_ROWS = 20
_MOST_LINES = 7


def answer(parts: list[Progress], language: str, *, name: str = "") -> str:
    """Return the answer to all parts; several parts get a section each.

    Args:
        name: The user's own name, where it is known.
    """
    sections = [text for part in parts for text in _sections(part, language, name)]
    bad = [step for part in parts for step in part.steps if step.failed]
    whole = all(_whole(step) for part in parts for step in part.steps)
    notes = [*failures(bad, language), *([] if whole else [say("not_all", language)])]
    return "\n\n".join(dict.fromkeys(text for text in (*sections, *notes) if text))


def _sections(part: Progress, language: str, name: str) -> list[str]:
    goal = part.goal
    to = items.reader(language, part.topic or goal.text, full=False, name=name)
    asked = Asked(to, goal.text, part.topic, goal.all, goal.pick)
    good = [step for step in part.steps if not step.failed]
    search = part.search if part.search and not part.search.failed else None
    if search is None or search in good:
        plain = asked if search is None else Asked(to, goal.text, None, goal.all, goal.pick)
        return [tell(step, plain, short=len(good) > 1) for step in good]
    if part.topic and good and all(items.main_list(step.output) for step in good):
        if not any(speaks_of(step, part.topic) for step in good):
            return [_said_instead(part, search, asked)]
        return [tell(step, asked) for step in good]
    return [*(tell(step, asked) for step in good), _said(search, asked)]


def _said_instead(part: Progress, search: Step, asked: Asked) -> str:
    """Tell what a search found where nothing of the wanted kind speaks of the topic."""
    output = next((s.output for s in part.steps if isinstance(s.output, dict)), {})
    key = next((k for k, v in output.items() if isinstance(v, list)), "results")
    what = label(key, asked.to.language)
    none = say("none_but", asked.to.language, what=what, topic=part.topic)
    return f"{none}\n\n{_said(search, asked)}"


def _said(search: Step, asked: Asked) -> str:
    return tell(search, Asked(asked.to, asked.text, None, asked.all))


def _whole(step: Step) -> bool:
    output = step.output if isinstance(step.output, dict) else {}
    return all(covers(name, value) is not False for name, value in output.items())


def tell(step: Step, asked: Asked, *, short: bool = False) -> str:
    """Return one result in words; `short` where it is one of several of its kind."""
    if told := _done(step):
        return told
    display = step.body.get("display")
    if isinstance(display, dict):
        shown_ = _displayed(display)
        if shown_:
            return shown_
    output = step.output
    if isinstance(output, list):
        output = {"results": output}
    if not isinstance(output, dict):
        plain = defanged(str(output)) if output not in (None, "") else ""
        return plain or say("done", asked.to.language)
    if answered := _answered(output, step, asked):
        return answered
    lists = {k: v for k, v in output.items() if isinstance(v, list) and _is_main(k, v, output)}
    blocks = [listing(key, found, output, step, asked) for key, found in lists.items()]
    told = facts(output, lists, step, asked.to)
    told = _first_lines(told) if short and not asked.all else told
    blocks = [told, *blocks] if told.startswith("**") else [*blocks, told]
    return "\n\n".join(block for block in blocks if block) or say("done", asked.to.language)


def _answered(output: dict[str, Any], step: Step, asked: Asked) -> str:
    """What a calculation answers in words, with its sources, what it warns of and what it assumed.
    Its figures and inputs are for programs, and for who asks for them."""
    said = output.get("answer")
    assumed = output.get("assumptions")
    if not isinstance(said, str) or not said or not isinstance(assumed, list):
        return ""
    marks = "".join(f" [{c['n']}]" for c in step.citations if isinstance(c.get("n"), int))
    parts = [f"{defanged(said.strip())}{marks}"]
    found = output.get("warnings")
    warnings = found if isinstance(found, list) else []
    parts.append("\n".join(f"- {defanged(str(warning))}" for warning in warnings[:_MOST_ROWS]))
    reasons = [one_line(str(each.get("reason", "")), most=None) for each in assumed if each]
    if reasons:
        told = "\n".join(f"- {reason}" for reason in reasons[:_MOST_ROWS])
        parts.append(f"{say('assumed', asked.to.language)}\n{told}")
    return "\n\n".join(part for part in parts if part)


def _done(step: Step) -> str:
    """What a write says it has done, in the user's language, with its sources."""
    output = step.output if isinstance(step.output, dict) else {}
    said = output.get("done")
    if not isinstance(said, str) or not said:
        return ""
    marks = "".join(f" [{n}]" for n in items.marks(output, step.citations))
    return f"{one_line(said, most=None)}{marks}"


def _first_lines(text: str) -> str:
    lines = text.split("\n")
    return text if len(lines) <= _MOST_LINES + 1 else "\n".join([*lines[:_MOST_LINES], "- …"])


def _is_main(key: str, value: list[Json], output: dict[str, Any]) -> bool:
    if value:
        return isinstance(value[0], dict) or len(value) > MOST_FOUND
    # An empty list is news only where it is what was asked for.
    return sum(isinstance(v, list) for v in output.values()) == 1


def _displayed(display: dict[str, Any]) -> str:
    content = display.get("content", display)
    if display.get("type") == "text":
        text = content.get("text") if isinstance(content, dict) else content
        return defanged(text) if isinstance(text, str) else ""
    if display.get("type") != "table" or not isinstance(content, dict):
        return ""
    columns, rows = content.get("columns") or content.get("headers"), content.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return ""
    heads = [str(c.get("label", c.get("key")) if isinstance(c, dict) else c) for c in columns]
    keys = [c.get("key") if isinstance(c, dict) else c for c in columns]
    table = [heads, ["---"] * len(heads)]
    for row in rows[:_MOST_ROWS]:
        cells = [row.get(key, "") for key in keys] if isinstance(row, dict) else row
        table.append([one_line(str(cell)).replace("|", "/") for cell in cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in table)
