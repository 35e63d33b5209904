"""Calls that change something: which one thing they are about, and the words they carry.

A write is never fanned out and never guesses: what the text does not say clearly is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import tokens
from rollcall.models._offline import topic
from rollcall.models._offline.choose import rank
from rollcall.models._offline.commands import dictated
from rollcall.models._offline.entities import Entity, named_in, of_kind
from rollcall.models._offline.history import Step, Turn
from rollcall.models._offline.items import headline, main_list
from rollcall.models._offline.lexicon import (
    all_features,
    features,
    name_features,
    spaced,
    weak_features,
    wordset,
)
from rollcall.models._offline.options import named_options
from rollcall.models._offline.ordinals import ORDINALS, bare
from rollcall.models._offline.people import is_called
from rollcall.models._offline.schema import Param, params
from rollcall.models.base import ToolSpec

_CONTENT = wordset("content message body text")
_OWNERS = wordset("get list show find my user users all")
_POINTS = re.compile(
    r"(?<!\w)(?:that|this|it|the (?:first|second|third|fourth|last|same)|"
    r"ה(?:הודעה|משימה|שיחה) ה(?:זאת|זו|זה|היא|ראשונה|שנייה|שניה|שלישית|רביעית|אחרונה)|"
    r"אותה|אותו|הזאת|הזו|את זה)(?!\w)",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:it|that|this|the same)\b|(?<!\w)(?:את זה|אותו הדבר|אותה ההודעה)(?!\w)", re.I
)
_WORDS_MEANT = re.compile(
    r"\bit\b|(?<=send )(?:this|that)\b(?! (?:one|chat|conversation))|(?<!\w)(?:את זה|אותו|"
    r"אותה)(?!\w)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"^(?P<head>.*\S)\s+(?:to|as|with|of|at)\s(?P<tail>.*)$", re.IGNORECASE | re.DOTALL
)
_NAME_CHARS = 60

Options = tuple[tuple[str, Json], ...]


def dictation(text: str, tools: Sequence[ToolSpec]) -> tuple[str, ToolSpec, dict[str, Json]] | None:
    """Return (the command, the tool, its content) of a text that dictates what to send."""
    found = dictated(text)
    takers = [tool for tool in tools if tool.writes and _content(tool)]
    if found is None or not takers:
        return None
    command, words = found
    tool = rank(command, takers)[0].tool
    param = _content(tool)
    return (command, tool, {param.name: words}) if param and words else None


def _content(tool: ToolSpec) -> Param | None:
    """The parameter for what is to be sent."""
    wanted = (p for p in params(tool) if p.required and p.kind == "string" and not p.options)
    return next((p for p in wanted if not p.refers_to and set(p.label.split()) <= _CONTENT), None)


def without_content(tool: ToolSpec, arguments: dict[str, Json]) -> dict[str, Json]:
    """The arguments without words to send: only what is dictated is sent."""
    param = _content(tool)
    return {name: v for name, v in arguments.items() if param is None or name != param.name}


def same_content(tool: ToolSpec, text: str, turn: Turn) -> dict[str, Json]:
    """The words that were sent last, where a text has them sent again: "send it to Maya"."""
    param, last = _content(tool), turn.earlier[-1] if turn.earlier else None
    if param is None or last is None or last.call.name != tool.name or not _AGAIN.search(text):
        return {}
    words = (last.call.arguments or {}).get(param.name)
    return {param.name: words} if words else {}


def sends(tool: ToolSpec) -> bool:
    """Whether a tool sends words of the user's."""
    return _content(tool) is not None


def target(tool: ToolSpec, arguments: dict[str, Json]) -> Param | None:
    """The parameter for the thing a write is about, while it is not known."""
    wanted = (p for p in params(tool) if p.required and p.refers_to and p.kind != "array")
    return next((p for p in wanted if p.name not in arguments), None)


class Pointed(Struct, frozen=True):
    """What "that message" means: one id, or those it may mean."""

    id: str | None
    options: Options = ()


def pointed_at(text: str, param: Param, turn: Turn, *, sends: bool = False) -> Pointed | None:
    """Read "that one" and "the second" by the newest result that named such things.

    Args:
        sends: Whether words are sent, which "send it" means then, and not where to.
    """
    text = _WORDS_MEANT.sub(" ", text) if sends else text
    if not _POINTS.search(text) or topic.about(text):
        return None
    for step in reversed(turn.earlier):
        listed = _listed(step, param.refers_to or "")
        if listed:
            said = tokens(text)
            places = [ORDINALS[word] for word in (*said, *bare(said)) if word in ORDINALS]
            if places and -len(listed) <= places[0] < len(listed):
                return Pointed(str(listed[places[0]][1]))
            return Pointed(str(listed[0][1])) if len(listed) == 1 else Pointed(None, listed)
    return None


def _listed(step: Step, kind: str) -> Options:
    """The things of a kind that a step's result is made of, as people would call them."""
    output = step.output if isinstance(step.output, dict) else {}
    known = {entity.id for entity in of_kind(step.entities, kind)}
    found: dict[str, str] = {}
    for item in main_list(output) or [output]:
        id_ = _id_in(item, kind, known)
        head = headline(item)
        if id_ is not None:
            name = " ".join(str(item[head]).split()) if head else id_
            found.setdefault(id_, name[:_NAME_CHARS])
    return tuple((name, id_) for id_, name in found.items())


def _id_in(item: dict[str, Json], kind: str, known: set[str]) -> str | None:
    """The id of the one thing of a kind that an item names, or is."""
    wanted = set(name_features(kind))
    values = [value for key, value in item.items() if _names(key, wanted)] or [item.get("id")]
    return next((value for value in values if isinstance(value, str) and value in known), None)


def _names(key: str, wanted: set[str]) -> bool:
    return key.endswith(("Id", "_id")) and set(name_features(key)) - {"id"} == wanted


def lister(tool: ToolSpec, param: Param, offered: Sequence[ToolSpec]) -> ToolSpec | None:
    """The tool that lists all things of the wanted kind, under the names people call them by."""
    kind = set(name_features(param.refers_to or ""))
    places = {
        feature
        for other in offered
        for p in params(other)
        if p.refers_to
        for feature in name_features(p.refers_to)
    }
    found: dict[int, ToolSpec] = {}
    for other in offered:
        said = [word for word in spaced(other.name).split() if word not in _OWNERS]
        named = set(features(" ".join(said)))
        needs = any(p.required for p in params(other))
        if not other.writes and not needs and kind and kind <= named <= kind | places:
            found.setdefault(len(named), other)
    return found[min(found)] if found else None


def widest(tool: ToolSpec) -> dict[str, Json]:
    """The arguments that make a list as long as it can be."""
    return {
        p.name: int(p.schema["maximum"])
        for p in params(tool)
        if p.label == "limit" and "maximum" in p.schema
        if p.schema["maximum"] != p.schema.get("default")
    }


def named(text: str, found: Sequence[Entity]) -> list[Entity]:
    """The things that a text names best: by the whole name, else by most of its words."""
    whole = named_in(text, list(found))
    if len(whole) == 1:
        return whole
    said = set(all_features(text))
    scores = {entity: _shared(entity, said, found) for entity in whole or found}
    most = max(scores.values(), default=0.0)
    if most:
        return [entity for entity, score in scores.items() if score == most]
    return whole or [entity for entity in found if is_called(entity.name, text)]


def _shared(entity: Entity, said: set[str], found: Sequence[Entity]) -> float:
    """How much of a thing's name a text says; what others are called too counts little."""
    own = set(all_features(entity.name)) - weak_features() - set(all_features(entity.kind))
    rest = [set(all_features(other.name)) for other in found if other.id != entity.id]
    shares = (1 / (1 + sum(feature in names for names in rest)) for feature in own & said)
    return sum(shares) * (1 + len(own & said) / (1 + len(own)))


def subject(tool: ToolSpec, text: str) -> str | None:
    """What a write's message is about, without the words that say a listed value."""
    tail = _TAIL.match(text)
    words = (tail["head"] if tail and _says_option(tool, tail["tail"]) else text).split()
    while len(words) > 1 and words[-1][:1] in "לכ" and _says_option(tool, words[-1]):
        words.pop()
    return topic.about(" ".join(words))


def _says_option(tool: ToolSpec, text: str) -> bool:
    return any(named_options(param, text) for param in params(tool) if param.options)


def with_person(text: str, step: Step, listed: Options) -> Options:
    """Those of some listed things that somebody is part of whom a text calls by name."""
    ids = {
        item.get("id")
        for item in main_list(step.output)
        for key, names in item.items()
        if key.endswith("Names") and isinstance(names, list)
        if any(is_called(name, text) for name in names if isinstance(name, str))
    }
    return tuple((name, id_) for name, id_ in listed if id_ in ids)


def options(step: Step, param: Param) -> Options:
    """The things to choose from that a step's result names."""
    return _listed(step, param.refers_to or "")
