"""The answer: what the results say, put for a person, in the language of the question."""

from __future__ import annotations

from typing import Any

from rollcall.core.messages import Json
from rollcall.models._offline import items
from rollcall.models._offline.fields import defanged, label, measured, one_line, shown
from rollcall.models._offline.history import Step
from rollcall.models._offline.lexicon import spaced, wordset
from rollcall.models._offline.phrases import say
from rollcall.models._offline.plan import Progress
from rollcall.models._offline.topic import concerns

_MOST_ITEMS = 10
_BODY = (
    "summary",
    "answer",
    "explanation",
    "content",
    "text",
    "message",
    "result",
    "recommendation",
)
_QUIET = wordset(
    "ok success timestamp query totalFound totalCount total count conversationId encryptedCount"
)
_VERBS = wordset(
    "get list find search show fetch calculate check run create generate summarize read"
)


def answer(parts: list[Progress], language: str) -> str:
    """Return the answer to all parts; several parts get a section each."""
    sections = [text for text in (_section(part, language) for part in parts) if text]
    return "\n\n".join(dict.fromkeys(sections))


def _section(part: Progress, language: str) -> str:
    good = [step for step in part.steps if not step.failed]
    bad = [step for step in part.steps if step.failed]
    texts = [tell(step, language, topic=part.topic) for step in good]
    return "\n\n".join([*texts, *(failure(step, language) for step in bad)])


def failure(step: Step, language: str) -> str:
    """Say in plain words that a call did not work, and what may help."""
    why = one_line(str(step.error.get("message") or "")) or say("failed_plain", language)
    hint = one_line(str(step.error.get("hint") or ""))
    text = say(
        "failed", language, what=_capital(purpose(step.call.name, language)), why=why.rstrip(".")
    )
    return f"{text}. {hint}".strip() if hint else f"{text}."


def purpose(name: str, language: str) -> str:
    """Return what a tool gives, from its name: "action items" of get_action_items."""
    words = spaced(name).split()
    rest = [word for word in words if word not in _VERBS and word != "all"]
    return label(" ".join(rest or words), language)


def tell(step: Step, language: str, *, topic: str | None = None) -> str:
    """Return one result in words."""
    display = step.body.get("display")
    if isinstance(display, dict):
        shown_ = _displayed(display)
        if shown_:
            return shown_
    output = step.output
    if isinstance(output, list):
        output = {"results": output}
    if not isinstance(output, dict):
        return defanged(str(output)) if output not in (None, "") else say("done", language)
    lists = {k: v for k, v in output.items() if isinstance(v, list) and _is_main(k, v, output)}
    blocks = [_facts(output, lists, step, language)]
    blocks += [_listing(key, found, output, step, language, topic) for key, found in lists.items()]
    text = "\n\n".join(block for block in blocks if block)
    return text or say("done", language)


def _is_main(key: str, value: list[Json], output: dict[str, Any]) -> bool:
    if value:
        return isinstance(value[0], dict) or len(value) > 3
    # An empty list is news only where it is what was asked for.
    return sum(isinstance(v, list) for v in output.values()) == 1


def _listing(
    key: str,
    found: list[Json],
    output: dict[str, Any],
    step: Step,
    language: str,
    topic: str | None,
) -> str:
    what = _heading(key, step, language)
    if not found:
        return say("none_about" if topic else "none", language, what=what, topic=topic)
    first = [item for item in found if topic is None or concerns(_text_of(item), topic)]
    rest = [item for item in found if item not in first] if first else []
    first = first or found
    total = _total(output, found) if topic is None else len(first)
    count = (
        str(total)
        if len(first) == total
        else say("of_total", language, shown=len(first), total=total)
    )
    about = (
        f" {say('about', language, topic=topic)}" if (topic and rest) or (topic and first) else ""
    )
    lines = [f"**{_capital(what)}{about} ({count})**", ""]
    lines += _bullets(first, step, language, room=_MOST_ITEMS, total=total)
    room = _MOST_ITEMS - len(first)
    if rest and room > 0:
        lines += ["", say("also_there", language)]
        lines += _bullets(rest, step, language, room=room, total=len(rest))
    return "\n".join(lines)


def _heading(key: str, step: Step, language: str) -> str:
    """Return what a list holds: the tool's "priority messages" says more than "messages"."""
    of_tool, of_list = purpose(step.call.name, "en").split(), spaced(key).split()
    if of_tool[-1:] == of_list[-1:] and len(of_tool) == len(of_list) + 1 and len(of_list) == 1:
        return purpose(step.call.name, language) if "user" not in of_tool else label(key, language)
    return label(key, language)


def _bullets(found: list[Json], step: Step, language: str, *, room: int, total: int) -> list[str]:
    lines = [items.line(item, step.citations, language) for item in found[:room]]
    left = max(total, len(found)) - len(lines)
    return [*lines, f"- {say('more', language, count=left)}"] if left > 0 else lines


def _facts(output: dict[str, Any], lists: dict[str, list[Json]], step: Step, language: str) -> str:
    """Return the fields of a single result: its text first, then its figures and lists."""
    body = next((k for k in _BODY if isinstance(output.get(k), str) and output[k].strip()), None)
    title = next((v for k, v in output.items() if k.endswith(("Name", "title", "Title")) and v), "")
    lines: list[str] = []
    marks = "".join(f" [{n}]" for n in items.marks(output, step.citations))
    if body:
        head = f"**{one_line(str(title))}**: " if title else ""
        lines.append(f"{head}{defanged(output[body].strip())}{marks}")
    elif title and not lists:
        lines.append(f"**{one_line(str(title))}**{marks}")
    for name, value in output.items():
        if name not in (body, *lists) and value != title:
            lines += _fact(name, value, language)
    return "\n".join(lines)


def _fact(name: str, value: Json, language: str) -> list[str]:
    if (
        name in _QUIET
        or value in (None, "", [], {})
        or name.endswith(("Id", "Ids"))
        or name == "id"
    ):
        return []
    if isinstance(value, dict):
        inner = [f for k, v in value.items() for f in _fact(k, v, language)]
        return [f"- {_capital(label(name, language))}:", *(f"  {text}" for text in inner)]
    if isinstance(value, list):
        if any(isinstance(item, dict) for item in value):
            return [f"- {_capital(label(name, language))}:"] + [
                f"  {items.line(item, (), language)}" for item in value[:_MOST_ITEMS]
            ]
        return [f"- {_capital(label(name, language))}: {shown(value, language)}"]
    words, text = measured(name, value, language)
    return [f"- {_capital(words)}: {text}"]


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
    for row in rows[: _MOST_ITEMS * 2]:
        cells = [row.get(key, "") for key in keys] if isinstance(row, dict) else row
        table.append([one_line(str(cell)).replace("|", "/") for cell in cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def _lists(output: dict[str, Any]) -> list[str]:
    return [key for key, value in output.items() if isinstance(value, list)]


def _total(output: dict[str, Any], found: list[Json]) -> int:
    named = (output.get(k) for k in ("totalFound", "totalCount", "total", "count"))
    return next((n for n in named if isinstance(n, int) and n >= len(found)), len(found))


def _text_of(item: Json) -> str:
    if isinstance(item, dict):
        return " ".join(str(v) for v in item.values() if isinstance(v, str))
    return str(item)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
