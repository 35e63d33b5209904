"""A list that a result holds: what was asked for, the first few, and how many there are."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.models._offline.fields import label
from rollcall.models._offline.history import Step
from rollcall.models._offline.items import Reader, headline, is_urgent, line, main_list, people
from rollcall.models._offline.lexicon import (
    all_features,
    features,
    spaced,
    weak_features,
    wordset,
)
from rollcall.models._offline.people import is_mine, whose
from rollcall.models._offline.phrases import say

MOST = 6
MOST_FOUND = 5
_MOST_ALL = 20
_WEAKEST = 0.25
_VERBS = wordset(
    "get list find search show fetch calculate check run create generate summarize read"
)
_ANSWERS = 10
_KINDS = {
    "when": re.compile(
        r"(?<!\w)(?:when|what (?:date|day|time)|מתי|באיזה (?:תאריך|יום))(?!\w)", re.I
    ),
    "amount": re.compile(r"(?<!\w)(?:how (?:much|many|long)|כמה)(?!\w)", re.I),
}
_EVIDENCE = {
    "when": re.compile(
        r"(?<!\w)(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:"
        r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|"
        r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d|\d{1,2}[./]\d{1,2}|\d\d?:\d\d|"
        r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|next (?:week|month)|"
        r"מחר|יום (?:ראשון|שני|שלישי|רביעי|חמישי|שישי)|ב?שבת|\d{1,2} ב[א-ת]{3,})",
        re.I,
    ),
    "amount": re.compile(
        r"\d|(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten|half)\b", re.I
    ),
}
_ANY = ("results", "items", "matches", "hits", "entries")


class Asked(Struct, frozen=True):
    """What is asked of a list.

    Args:
        text: The request.
        topic: What it is about, where the tool could not be told.
        all: Whether to tell everything.
        pick: The place of the one item wanted.
    """

    to: Reader
    text: str = ""
    topic: str | None = None
    all: bool = False
    pick: int | None = None


def purpose(name: str, language: str) -> str:
    """Return what a tool gives, from its name: "action items" of get_action_items."""
    words = spaced(name).split()
    rest = [word for word in words if word not in _VERBS and word != "all"]
    return label(" ".join(rest or words), language)


def listing(key: str, found: list[Json], output: dict[str, Any], step: Step, asked: Asked) -> str:
    """Return a list in words."""
    language = asked.to.language
    what = _heading(key, found, step, language)
    query = next((v for v in (step.call.arguments or {}).values() if isinstance(v, str)), None)
    if not found:
        topic = asked.topic or (query if len(step.call.arguments or {}) == 1 else None)
        return say("none_about" if topic else "none", language, what=what, topic=topic)
    if asked.topic is not None and not (found := about(found, asked.topic)):
        return say("none_about", language, what=what, topic=asked.topic)
    ranked = _is_ranked(found)
    ordered = _strong(found) if ranked else sorted(found, key=lambda item: not is_urgent(item))
    if asked.pick is not None:
        return _one(ordered, step, asked)
    if ranked:
        ordered = _answering(ordered, asked.text)
        return _results(what, ordered, step, asked)
    total = _total(output, found) if asked.topic is None else len(found)
    return _of_people(what, ordered, total, step, asked)


def about(found: list[Json], topic: str) -> list[Json]:
    """Return the items that speak of a topic, those that say most of it first."""
    wanted = set(features(topic)) - weak_features() or set(features(topic))
    shares = [_share(item, wanted) for item in found]
    most = max(shares, default=0.0)
    if not most:
        return []
    order = sorted(range(len(found)), key=lambda at: -shares[at])
    return [found[at] for at in order if 2 * shares[at] >= most]


def _share(item: Json, wanted: set[str]) -> float:
    """Return how many words of a topic an item says; those in what it is count more."""
    head = headline(item) if isinstance(item, dict) else None
    said = wanted & set(all_features(_text_of(item)))
    return len(said) + (len(said & set(all_features(str(item[head])))) if head else 0)


def _of_people(what: str, found: list[Json], total: int, step: Step, asked: Asked) -> str:
    """Tell of the people asked about; of everybody where nobody is, or nothing is theirs."""
    language, me = asked.to.language, asked.to.name
    if asked.topic:
        what = f"{what} {say('about', language, topic=asked.topic)}"
    names = whose(asked.text, found, me)
    theirs = [item for item in found if set(people(item)[:1]) & set(names)]
    if not theirs or len(theirs) == len(found) or (asked.all and is_mine(asked.text)):
        return _block(f"{what} ({_count(found, total, asked)})", found, total, step, asked)
    own = is_mine(asked.text) and names == [me]
    head = say("your", language, what=what) if own else f"{what} · {', '.join(names)}"
    text = _block(f"{head} ({len(theirs)})", theirs, len(theirs), step, asked)
    others = {"count": len(found) - len(theirs), "seen": len(found), "total": total}
    rest = "of_others" if total <= len(found) else "of_others_seen"
    return f"{text}\n- {say(rest, language, **others)}"


def _count(found: list[Json], total: int, asked: Asked) -> str:
    if len(found) >= total:
        return str(total)
    return say("of_total", asked.to.language, shown=min(len(found), _room(asked)), total=total)


def _answering(found: list[Json], text: str) -> list[Json]:
    """Put what could answer a "when" or a "how much" before what could not."""
    kind = next((kind for kind, asks in _KINDS.items() if asks.search(text)), None)
    if kind is None:
        return found
    first, rest = found[:_ANSWERS], found[_ANSWERS:]
    return [*sorted(first, key=lambda item: not _EVIDENCE[kind].search(_said(item))), *rest]


def _said(item: Json) -> str:
    head = headline(item) if isinstance(item, dict) else None
    return str(item[head]) if head else ""


def _results(what: str, found: list[Json], step: Step, asked: Asked) -> str:
    query = next((v for v in (step.call.arguments or {}).values() if isinstance(v, str)), None)
    language = asked.to.language
    head = f"{what} {say('about', language, topic=query)}" if query else what
    return _block(head, found, min(len(found), _MOST_ALL), step, asked, room=MOST_FOUND)


def _block(
    head: str, found: list[Json], total: int, step: Step, asked: Asked, *, room: int = MOST
) -> str:
    room = _MOST_ALL if asked.all else room
    lines = [f"**{capital(head)}**", ""]
    lines += [line(item, step.citations, asked.to) for item in found[:room]]
    left = max(total, len(found)) - min(len(found), room)
    return "\n".join(lines + [f"- {say('more', asked.to.language, count=left)}"] * (left > 0))


def _one(found: list[Json], step: Step, asked: Asked) -> str:
    at = asked.pick or 0
    if not -len(found) <= at < len(found):
        return say("no_such", asked.to.language, count=len(found))
    to = Reader(asked.to.language, asked.to.sought, full=True, name=asked.to.name)
    return line(found[at], step.citations, to).removeprefix("- ")


def _room(asked: Asked) -> int:
    return _MOST_ALL if asked.all else MOST


def _heading(key: str, found: list[Json], step: Step, language: str) -> str:
    """Return what a list holds: the tool's "priority messages" says more than "messages"."""
    of_tool, of_list = purpose(step.call.name, "en").split(), spaced(key).split()
    if key in _ANY and (kind := _kind(found)):
        return label(f"{kind}s", language)
    if any(isinstance(item, dict) and f"{of_tool[0]}Id" in item for item in found[:1]):
        return label(key, language)
    if of_tool[-1:] == of_list[-1:] and len(of_tool) == len(of_list) + 1 and len(of_list) == 1:
        return purpose(step.call.name, language) if "user" not in of_tool else label(key, language)
    return label(key, language)


def _kind(found: list[Json]) -> str:
    first = found[0] if found and isinstance(found[0], dict) else {}
    ids = [name for name in first if name.endswith("Id")]
    return spaced(ids[0]).removesuffix(" id") if ids else ""


def _score(item: Json) -> float | None:
    """Return how well an item fits, where a search says so."""
    if not isinstance(item, dict):
        return None
    named = (v for n, v in item.items() if set(spaced(n).split()) & {"relevance", "similarity"})
    return next((float(v) for v in named if isinstance(v, int | float)), None)


def _is_ranked(found: list[Json]) -> bool:
    return bool(found) and _score(found[0]) is not None


def _strong(found: list[Json]) -> list[Json]:
    """Return the items that fit about as well as the best one does."""
    best = _score(found[0]) or 0.0
    return [item for item in found if (_score(item) or 0.0) >= _WEAKEST * best]


def _total(output: dict[str, Any], found: list[Json]) -> int:
    named = (output.get(k) for k in ("totalFound", "totalCount", "total", "count"))
    return next((n for n in named if isinstance(n, int) and n >= len(found)), len(found))


def _text_of(item: Json) -> str:
    if isinstance(item, dict):
        return " ".join(str(v) for v in item.values() if isinstance(v, str))
    return str(item)


def capital(text: str) -> str:
    """Return a text with a capital in front."""
    return text[:1].upper() + text[1:]


def speaks_of(step: Step, topic: str) -> bool:
    """Tell whether any item of a step's list is about a topic."""
    return bool(about(list(main_list(step.output)), topic))
