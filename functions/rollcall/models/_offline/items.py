"""One result item as one line: what it is, then who, when and how urgent, then its source."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import excerpt, terms
from rollcall.models._offline.fields import (
    is_labelled,
    label,
    measured,
    one_line,
    shown,
    unread,
)
from rollcall.models._offline.lexicon import spaced, wordset
from rollcall.models._offline.phrases import say
from rollcall.models._offline.units import unit_in_name

Item = dict[str, Any]

_NAMES = ("headline", "title", "name", "path", "label")
_HEADLINES = (
    "task", "decision", "content", "summary", "text", "headline", "title", "question", "issue",
    "problem", "name", "description", "quote", "message", "path", "label", "recommendation",
)  # fmt: skip
_WHO = ("assignee", "decisionMaker", "senderName", "author", "owner", "studentName")
_OWNERS = ("assignee", "owner")
_WHERE = ("conversationName", "panelName", "location", "source", "fileName", "subject")
_DUE = ("deadline", "dueDate")
_OF_TASKS = (*_DUE, "task", "assignee")
_WHEN = ("decidedAt", "timestamp", "date", "createdAt", "lastMessageAt", "updatedAt")
_DEGREE = ("priority", "severity")
_KIND = ("grade", "gradeLevel", "level", "status", "impactLevel")
_KNOWN = frozenset((*_HEADLINES, *_WHO, *_WHERE, *_DUE, *_WHEN, *_DEGREE, *_KIND))
_SILENT = wordset("unspecified unknown none n/a open active ok normal direct group medium low") | {
    ""
}
_URGENT = ("urgent", "critical")
_SAYS_URGENT = re.compile(r"^(?:urgent|critical|דחוף|בהול)\s*[:!,.–-]+\s*", re.IGNORECASE)
_MOST_EXTRAS = 3
_MOST_NAMES = 4
_MOST_CHARS = 160


class Reader(Struct, frozen=True):
    """Whom a line is for.

    Args:
        language: "en" or "he".
        sought: Stems the reader looks for; a long text is cut around them.
        full: Whether long texts are told in full.
        name: The user's own name, "" where it is not known.
    """

    language: str
    sought: frozenset[str] = frozenset()
    full: bool = False
    name: str = ""


def reader(language: str, text: str = "", *, full: bool = False, name: str = "") -> Reader:
    """Return a reader who asks for a text."""
    return Reader(language, frozenset(terms(text)), full, name)


def main_list(output: Json) -> list[Item]:
    """Return the list of things that a result is made of, [] where it has none."""
    of = {"results": output} if isinstance(output, list) else output
    lists = [value for value in of.values() if isinstance(value, list)] if _is_map(of) else []
    found = next((value for value in lists if value and isinstance(value[0], dict)), [])
    return [item for item in found if isinstance(item, dict)]


def _is_map(value: Json) -> bool:
    return isinstance(value, dict)


def line(item: Json, citations: Iterable[Item], to: Reader) -> str:
    """Return an item's bullet."""
    if not isinstance(item, dict):
        return f"- {shown(item, to.language)}"
    head = headline(item)
    title = _title(item, head, to) if head else ""
    details = " · ".join(dict.fromkeys(text for text in _details(item, head, to) if text))
    mark = "".join(f" [{n}]" for n in marks(item, citations))
    degree = shown(_degree(item), to.language)
    urgent = f"**{degree[:1].upper()}{degree[1:]}:** " if is_urgent(item) else ""
    if not title:
        return f"- {urgent}{details}{mark}"
    return f"- {urgent}{title}{f' — {details}' if details else ''}{mark}"


def is_urgent(item: Json) -> bool:
    """Tell whether an item calls itself urgent."""
    return isinstance(item, dict) and _degree(item) in _URGENT


def people(item: Json, *, owners: bool = False) -> list[str]:
    """Return the names of those an item belongs to or, unless `owners`, comes from."""
    fields = _OWNERS if owners else _WHO
    of = item if isinstance(item, dict) else {}
    return [of[name] for name in fields if isinstance(of.get(name), str)]


def _degree(item: Item) -> str:
    return next((str(item[n]).lower() for n in _DEGREE if isinstance(item.get(n), str)), "")


def _title(item: Item, head: str, to: Reader) -> str:
    text = one_line(str(item[head]), most=None if to.full else 4 * _MOST_CHARS)
    if is_urgent(item):
        text = _SAYS_URGENT.sub("", text) or text
        text = text[:1].upper() + text[1:]
    if not to.full:
        text = excerpt(text, to.sought, length=_MOST_CHARS)
    return f"**{text}**" if head in _NAMES or head.endswith(("Name", "Title")) else text


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
    return sorted({n for shared, n in scored if shared == most and n})[:3]


def _is_id(name: str) -> bool:
    return name in ("id", "path", "n") or name.endswith(("Id", "_id"))


def _details(item: Item, head: str | None, to: Reader) -> list[str]:
    found = [*_who_and_where(item, head, to), *_when(item, to), *_how(item, to)]
    title = str(item[head]) if head else ""
    rest = ((n, v) for n, v in item.items() if n != head and _plain(n, v) and v != [title])
    extras = [_extra(n, _without(v, title, to), to) for n, v in rest]
    replaced = any(n.startswith(("superseded", "replaced")) and v for n, v in item.items())
    if replaced:
        found.append(say("replaced", to.language))
    return [*found, *[text for text in extras if text][:_MOST_EXTRAS]]


def _who_and_where(item: Item, head: str | None, to: Reader) -> list[str]:
    """Who, then where; for a task its source says where."""
    groups = (_WHO,) if any(name in item for name in _OF_TASKS) else (_WHO, _WHERE)
    names = (next((n for n in group if _says(item.get(n)) and n != head), None) for group in groups)
    return [shown(item[name], to.language) for name in names if name]


def _when(item: Item, to: Reader) -> list[str]:
    if any(name in item for name in _OF_TASKS):
        due = next((item[name] for name in _DUE if _says(item.get(name))), None)
        return [say("due", to.language, when=shown(due, to.language))] if due else []
    return [shown(next((item[n] for n in _WHEN if _says(item.get(n))), ""), to.language)]


def _how(item: Item, to: Reader) -> list[str]:
    degree = "" if is_urgent(item) else _degree(item)
    kind = next((item[n] for n in _KIND if n != "impactLevel" and _says(item.get(n))), "")
    said = [degree] if _says(degree) else []
    return [shown(value, to.language) for value in (*said, kind) if value]


def _says(value: Json) -> bool:
    return value not in (None, [], {}) and str(value).lower() not in _SILENT


def _plain(name: str, value: Json) -> bool:
    """Tell whether a field is worth a person's time: no ids, no inner numbers, no long texts."""
    if name in _KNOWN or not _says(value) or unread(name, value):
        return False
    if isinstance(value, int | float):
        return bool(value)
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str | int) for v in value)
    return isinstance(value, str) and len(value) <= 60


def _without(value: Json, title: str, to: Reader) -> Json:
    """Take the reader and what the title says already out of a list of names."""
    return [v for v in value if v not in (title, to.name)] if isinstance(value, list) else value


def _extra(name: str, value: Json, to: Reader) -> str:
    words, text = measured(name, value, to.language)
    if isinstance(value, list):
        return _names(value, to)
    if not words:  # the name is a unit alone
        return text
    if name.endswith("Count") and isinstance(value, int):
        noun = spaced(name).removesuffix(" count")
        return f"{text} {label(f'{noun}s' if is_labelled(f'{noun}s') else noun, to.language)}"
    if isinstance(value, bool | int | float) or unit_in_name(spaced(name)):
        return f"{words}: {text}"
    return text if isinstance(value, str) and len(value) > 24 else f"{words}: {text}"


def _names(values: Collection[Json], to: Reader) -> str:
    others = [str(value) for value in values]
    left = len(others) - _MOST_NAMES
    first = shown(others[:_MOST_NAMES], to.language)
    return f"{first} +{left}" if left > 0 else first
