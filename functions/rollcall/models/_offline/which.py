"""Which of the things at hand is meant, where a tool could not tell: what to ask the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollcall.core.messages import Json
from rollcall.models._offline.history import Step
from rollcall.models._offline.lexicon import features
from rollcall.models._offline.named import Names, noun
from rollcall.models._offline.schema import Param, params
from rollcall.models.base import ToolSpec

_TELLING = ("id", "name", "number", "description")


def says_which(name: str, tool: ToolSpec) -> bool:
    """Whether a parameter is one of several that say which thing is meant: its number, its name,
    a description of it."""
    param = next((p for p in params(tool) if p.name == name), None)
    if param is None or not _tells(param):
        return False
    return any(_tells(p) and p != param and noun(p) == noun(param) for p in params(tool))


def says_what(param: Param, tool: ToolSpec, names: Names) -> bool:
    """Whether a parameter tells one of the things at hand, or where it is; not the whole place."""
    named = (p for p in params(tool) if names.get(p.name) and not p.label.endswith(" id"))
    known = {noun(p) for p in named if _tells(p)}
    return _tells(param) and noun(param) in known


def stands_without(name: str, left: Mapping[str, Json], tool: ToolSpec) -> bool:
    """Whether a call without words for a thing asks for something still: it has figures."""
    rest = [p for p in params(tool) if p.name in left and not _tells(p)]
    return name.endswith("Description") and bool(rest)


def unclear(tool: ToolSpec, failed: Step, names: Names) -> Param | None:
    """The parameter to ask for after a call that failed because it did not say which thing it is
    about: the thing's name; or, where a name or number fits several, the place that it is in."""
    field = str(failed.error.get("field") or "").rsplit(".", 1)[-1]
    own = next((p for p in params(tool) if p.name == field), None)
    known = [p for p in params(tool) if names.get(p.name)]
    named = next((p for p in known if own and noun(p) == noun(own)), None)
    given = failed.call.arguments or {}
    if own is None or named is None:
        return None
    if field in given and failed.error.get("code") == "invalid-argument":
        places = (p for p in known if p.label.endswith(" name") and noun(p) != noun(own))
        place = next((p for p in places if p.name not in given), None)
        return place or (named if named != own else None)
    return None if named.name in given else named


def choices(known: Sequence[str], given: Mapping[str, Json]) -> Sequence[str]:
    """The names to offer: those that share a word with what was said, else all."""
    said = {feature for value in given.values() for feature in features(str(value))}
    every = list(dict.fromkeys(known))
    return [name for name in every if said & set(features(name))] or every


def meant(known: Sequence[str], text: str, param: Param) -> str | None:
    """The one name that a text says a word of which no other has: "the garage panel"."""
    kind = set(features(param.label))
    words = {name: set(features(name)) - kind for name in known}
    said = set(features(text))
    found = [
        name
        for name, own in words.items()
        if said & own.difference(*(words[other] for other in words if other != name))
    ]
    return found[0] if len(found) == 1 else None


def _tells(param: Param) -> bool:
    return param.label.split()[-1] in _TELLING
