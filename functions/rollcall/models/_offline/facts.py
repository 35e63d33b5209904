"""The fields of a single result: its text first, then its figures and short lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rollcall.core.messages import Json
from rollcall.models._offline import items
from rollcall.models._offline.fields import (
    covers,
    defanged,
    label,
    measured,
    one_line,
    shown,
    unread,
)
from rollcall.models._offline.history import Step
from rollcall.models._offline.lexicon import wordset

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
_QUIET = wordset("ok success timestamp query totalFound totalCount total count")
_MOST_ITEMS = 6
_OF_SOURCES = ("summary", "answer", "explanation")
_MOST_MARKS = 3
_RECOGNIZED_BY = 24
_MARKED = re.compile(r"^(?:[-*#|>]|\d\.)", re.MULTILINE)


def facts(
    output: dict[str, Any], lists: dict[str, list[Json]], step: Step, to: items.Reader
) -> str:
    """Return what a result says beside its main lists."""
    body = next((k for k in _BODY if isinstance(output.get(k), str) and output[k].strip()), None)
    title = next((v for k, v in output.items() if k.endswith(("Name", "title", "Title")) and v), "")
    lines: list[str] = []
    marks = "".join(f" [{n}]" for n in items.marks(output, step.citations))
    if body:
        text = defanged(output[body].strip())
        rests = body in _OF_SOURCES and not marks
        text = _sourced(text, step.citations) if rests else f"{text}{marks}"
        lines.append(_told(str(title), text))
    elif title and not lists:
        lines.append(f"**{one_line(str(title))}**{marks}")
    for name, value in output.items():
        counts = body is not None and name.endswith("Count")
        if name not in (body, *lists) and value != title and not counts:
            lines += _fact(name, value, to)
    return "\n".join(lines)


def _sourced(text: str, citations: Sequence[dict[str, Any]]) -> str:
    """Mark each line of a text with the source it quotes; the end of it where none does."""
    lines = [f"{line}{_mark(_quoted(line, citations))}" for line in text.split("\n")]
    marked = "\n".join(lines)
    return marked if marked != text else f"{text}{_mark(citations[:_MOST_MARKS])}"


def _quoted(line: str, citations: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    said = " ".join(line.split())
    starts = ((c, defanged(str(c.get("quote") or ""))[:_RECOGNIZED_BY].strip()) for c in citations)
    found = (
        (said.find(start), -len(start), at, c) for at, (c, start) in enumerate(starts) if start
    )
    first = min((f for f in found if f[0] >= 0), default=None)
    return [first[3]] if first else []


def _mark(citations: Sequence[dict[str, Any]]) -> str:
    return "".join(f" [{c['n']}]" for c in citations if isinstance(c.get("n"), int))


def _told(title: str, text: str) -> str:
    """Put a title before a text; where the text has several lines, it stands above them."""
    if not title:
        return text
    several = "\n" in text
    if several and not _MARKED.search(text):
        text = "\n".join(f"- {line.strip()}" for line in text.split("\n") if line.strip())
    gap = "\n\n" if several else ": "
    return f"**{one_line(title)}**{gap}{text}"


def _fact(name: str, value: Json, to: items.Reader) -> list[str]:
    if name in _QUIET or value in (None, "", [], {}) or unread(name, value):
        return []
    if covers(name, value) is not None:
        return []
    if isinstance(value, dict):
        inner = [f for k, v in value.items() for f in _fact(k, v, to)]
        return [f"- {_head(name, to)}:", *(f"  {text}" for text in inner)] if inner else []
    if isinstance(value, list):
        if any(isinstance(item, dict) for item in value):
            lines = [f"  {items.line(item, (), to)}" for item in value[:_MOST_ITEMS]]
            return [f"- {_head(name, to)}:", *lines]
        return [f"- {_head(name, to)}: {shown(value, to.language)}"]
    words, text = measured(name, value, to.language)
    return [f"- {words[:1].upper()}{words[1:]}: {text}" if words else f"- {text}"]


def _head(name: str, to: items.Reader) -> str:
    text = label(name, to.language)
    return text[:1].upper() + text[1:]
