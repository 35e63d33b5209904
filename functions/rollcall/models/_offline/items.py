"""One result item as one line: what it is, then who, when and how urgent, then its source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rollcall.core.messages import Json
from rollcall.models._offline.fields import label, measured, one_line, shown
from rollcall.models._offline.lexicon import spaced
from rollcall.models._offline.units import unit_in_name

Item = dict[str, Any]

_HEADLINES = (
    "task", "decision", "content", "summary", "text", "headline", "title", "question", "issue",
    "problem", "name", "description", "quote", "message", "path", "label", "recommendation",
)  # fmt: skip
_WHO = ("assignee", "decisionMaker", "senderName", "author", "owner", "studentName")
_WHERE = ("conversationName", "panelName", "location", "source", "fileName", "subject")
_WHEN = ("deadline", "dueDate", "decidedAt", "timestamp", "date", "createdAt", "lastMessageAt")
_DEGREE = ("priority", "severity", "impactLevel", "status", "grade", "gradeLevel", "level")
_SILENT = frozenset({"unspecified", "unknown", "none", "n/a", ""})
_NOISE = ("confidence", "score", "embedding", "hash", "digest", "url", "context")
_MOST_EXTRAS = 3


def line(item: Json, citations: Iterable[Item], language: str) -> str:
    """Return an item's bullet."""
    if not isinstance(item, dict):
        return f"- {shown(item, language)}"
    head = headline(item)
    title = one_line(str(item[head])) if head else ""
    details = [text for text in _details(item, head, language) if text]
    mark = "".join(f" [{n}]" for n in marks(item, citations))
    if not title:
        return f"- {' · '.join(details)}{mark}"
    tail = f" — {' · '.join(details)}" if details else ""
    return f"- **{title}**{tail}{mark}"


def headline(item: Item) -> str | None:
    """Return the field that says what an item is."""
    for name in _HEADLINES:
        if isinstance(item.get(name), str) and item[name].strip():
            return name
    named = (n for n in item if n.endswith(("Name", "Title", "Text")) and item[n])
    return next((n for n in named if isinstance(item[n], str)), None)


def marks(item: Json, citations: Iterable[Item]) -> list[int]:
    """Return the numbers of the citations that share an id with an item, the closest ones only."""
    if not isinstance(item, dict):
        return []
    own = {str(v) for k, v in item.items() if isinstance(v, str | int) and _is_id(k)}
    scored: list[tuple[int, int]] = []
    for citation in citations:
        ids = {str(v) for k, v in citation.items() if k.endswith("Id") or k in ("id", "path")}
        shared = len(own & ids)
        # A source that names another message of the same conversation is not this one's.
        if shared and ids <= own | {str(citation.get("userId"))}:
            scored.append((shared, int(citation.get("n", 0))))
    most = max((shared for shared, _ in scored), default=0)
    return sorted(n for shared, n in scored if shared == most and n)[:3]


def _is_id(name: str) -> bool:
    return name in ("id", "path", "n") or name.endswith(("Id", "_id"))


def _details(item: Item, head: str | None, language: str) -> list[str]:
    found: list[str] = []
    used = {head}
    for group in (_WHO, _WHERE, _WHEN, _DEGREE):
        name = next((n for n in group if _says(item.get(n)) and n not in used), None)
        if name is None:
            continue
        used.add(name)
        value = shown(item[name], language)
        labelled = name in ("deadline", "dueDate", "priority", "severity", "impactLevel")
        found.append(f"{label(name, language)}: {value}" if labelled else value)
    extras = [_extra(n, v, language) for n, v in item.items() if n not in used and _plain(n, v)]
    return [*found, *extras[:_MOST_EXTRAS]]


def _says(value: Json) -> bool:
    return value not in (None, [], {}) and str(value).lower() not in _SILENT


def _plain(name: str, value: Json) -> bool:
    """Tell whether a field is worth a person's time: no ids, no inner numbers, no long texts."""
    known = {*_WHO, *_WHERE, *_WHEN, *_DEGREE, *_HEADLINES}
    words = spaced(name)
    if _is_id(name) or words.endswith(" ids") or name in known or not _says(value):
        return False
    if any(noise in words for noise in _NOISE):
        return False
    if isinstance(value, int | float | bool):
        return True
    if isinstance(value, list):
        return 0 < len(value) <= 6 and all(isinstance(v, str | int) for v in value)
    return isinstance(value, str) and len(value) <= 60


def _extra(name: str, value: Json, language: str) -> str:
    words, text = measured(name, value, language)
    if isinstance(value, bool | int | float) or unit_in_name(spaced(name)):
        return f"{words}: {text}"
    return text if isinstance(value, str) and len(value) > 24 else f"{words}: {text}"
