"""Calls that feed other calls: which tool finds the ids that the chosen one takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import tokens
from rollcall.models._offline import topic
from rollcall.models._offline.asked import content_of, looked_up
from rollcall.models._offline.choose import vocabulary
from rollcall.models._offline.entities import Entity, named_in, of_kind
from rollcall.models._offline.fill import Source, fill
from rollcall.models._offline.history import Step
from rollcall.models._offline.items import main_list
from rollcall.models._offline.lexicon import all_features, features, name_features, spaced, wordset
from rollcall.models._offline.named import Names, has_sibling
from rollcall.models._offline.people import is_called, is_mine, is_somebodys
from rollcall.models._offline.schema import Param, params
from rollcall.models._offline.typos import corrected
from rollcall.models.base import ToolSpec

FAN_OUT = 3
_LEAST_STRANGE = 2
_COMMON = wordset(
    """made make making came come coming taken take took reached week weeks month months year today
    yesterday tomorrow recent recently latest last next past open pending still left far top limit
    conversation conversations chat chats room group monday tuesday wednesday thursday friday sunday
    saturday this השבוע היום אתמול מחר שבוע חודש שעבר התקבלו נעשו האחרונות האחרון פתוחות נשארו
    שיחה שיחות בשיחה בשיחות בקבוצה בחדר"""
)
_PARTNER = re.compile(r"\bwith\s+([A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*)")
_MOST_IDS = 10
_MOST_WORDS = 14
_NEARLY = 0.6
_SEARCH_NAMES = wordset("query search keywords keyword text question topic")
_EVERY = wordset("all every each everything recent latest כל הכל הכול")
_LATEST = wordset("last latest recent newest first אחרונה אחרון אחרונות ראשונה")
_WITHIN = re.compile(
    r"(?<!\w)(?:in|from|within|inside|at)\s+(?:the\s+)?[\"']?[A-Z]\w*|(?<!\w)ב(?:שיחה|חדר|קבוצה|קבוצת|שיחת)\s"
)


class Need(Struct, frozen=True):
    """A call to make first: `tool` finds what `param` of the chosen tool takes."""

    param: Param
    tool: ToolSpec
    topic: str | None = None

    def arguments(self, source: Source) -> dict[str, Json]:
        """Return the arguments of the first call."""
        if self.topic is None:
            # What the user asked of the chosen tool ("top 5") is not meant for this one.
            return {
                name: value
                for name, value in fill(self.tool, source).arguments.items()
                if any(p.name == name and p.required for p in params(self.tool))
            }
        return {carrier.name: self.topic for carrier in _carriers(self.tool)[:1]}


def need(
    tool: ToolSpec,
    arguments: dict[str, Json],
    text: str,
    offered: Sequence[ToolSpec],
    names: Names | None = None,
) -> Need | None:
    """Return the call to make before the chosen one, if it needs one; not for things that are
    known by their names."""
    wanted, known = params(tool), names or {}
    ids = (p for p in wanted if p.refers_to and p.name not in arguments)
    param = next((p for p in ids if not has_sibling(p, wanted, known)), None)
    if param is None:
        return None
    about = _topic(tool, text)
    if about:
        searcher = _best(tool, param, [t for t in offered if _carriers(t)])
        if searcher:
            return Need(param, searcher, about)
    if not param.required and not _WITHIN.search(text):
        return None
    lister = _best(tool, param, [t for t in offered if not _required(t)])
    return Need(param, lister) if lister else None


def _topic(tool: ToolSpec, text: str) -> str | None:
    """Return what the request is about where the tool itself has no way to be told.

    A tool that only takes a focus still has to be given what to look at.
    """
    carriers = _carriers(tool, required=False)
    if any(set(param.label.split()) & _SEARCH_NAMES for param in carriers):
        return None
    found = (
        topic.about(text)
        if carriers
        else topic.subject(text) or _partner(text) or _strange(tool, corrected(text, [tool]))
    )
    if not found or len(found.split()) > _MOST_WORDS:
        return None
    known = vocabulary(tool) | {f for p in params(tool) for f in p.names | p.about}
    return found if set(features(found)) - known else None


def _partner(text: str) -> str | None:
    """Return the name that "with" introduces."""
    match = _PARTNER.search(text)
    return match[1] if match else None


def _strange(tool: ToolSpec, text: str) -> str | None:
    """Return what a question asks about in words that the tool does not know, where it has two."""
    if not tool.keywords or looked_up(text) is None or is_mine(text) or is_somebodys(text):
        return None
    told = " ".join((spaced(tool.name), tool.description, *tool.keywords))
    known = set(all_features(told)) | {f for p in params(tool) for f in p.names}
    said = [word for word in content_of(topic.plain(text)) if word not in _COMMON]
    strange = [word for word in said if not set(features(word)) & known]
    return " ".join(strange) if len(strange) >= _LEAST_STRANGE else None


def untold(tool: ToolSpec, text: str) -> str | None:
    """Return what the request is about where neither the tool nor another can be told of it."""
    if any(p.refers_to for p in params(tool)) or _required(tool) or tool.writes:
        return None
    return _topic(tool, text) if topic.about(text) else None


def takes(tool: ToolSpec, kind: str) -> Param | None:
    """Return the one parameter a tool needs, where it is the id of a thing of a kind."""
    needed = _required(tool)
    if len(needed) != 1 or tool.writes or needed[0].kind == "array":
        return None
    wanted = set(name_features(kind))
    refers = set(name_features(needed[0].refers_to or ""))
    return needed[0] if wanted and wanted == refers else None


def only_lists(tool: ToolSpec, offered: Sequence[ToolSpec]) -> bool:
    """Tell whether a tool needs nothing and names the things whose ids another one takes."""
    if _required(tool) or any(p.refers_to for p in params(tool)):
        return False
    named = set(name_features(tool.name))
    others = (other for other in offered if other is not tool and not other.writes)
    kinds = (p.refers_to for other in others for p in params(other))
    return any(set(name_features(kind)) <= named for kind in kinds if kind)


def _carriers(tool: ToolSpec, *, required: bool = True) -> list[Param]:
    """Return the parameters of a tool that a topic can be put into."""
    return [
        param
        for param in params(tool)
        if param.kind == "string"
        and not param.options
        and (param.required or not required)
        and set(param.label.split()) & (_SEARCH_NAMES | (set() if required else {"focus"}))
    ]


def _required(tool: ToolSpec) -> list[Param]:
    return [param for param in params(tool) if param.required]


def _best(tool: ToolSpec, param: Param, candidates: Iterable[ToolSpec]) -> ToolSpec | None:
    """Return the tool most likely to name things of the wanted kind."""
    kind = set(name_features(param.refers_to or ""))
    scored = []
    for other in candidates:
        if other.name == tool.name or other.writes or not kind:
            continue
        same = any(p.refers_to == param.refers_to for p in params(other))
        named = kind <= set(name_features(other.name))
        known = kind <= vocabulary(other)
        related = other.name in tool.related or tool.name in other.related
        if not (named or known) or (same and not related and not named):
            continue
        listing = set(other.name.lower().replace("_", " ").split()) & {"list", "user", "my", "all"}
        scored.append((2 * named + related + (0 if same else 2) + bool(listing), other))
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def found(need: Need, step: Step) -> list[Entity]:
    """Return the things of the wanted kind that a step's result names."""
    return [] if step.failed else of_kind(step.entities, need.param.refers_to or "")


def known(param: Param, entities: Iterable[Entity]) -> list[Entity]:
    """Return the things that earlier results named and that a parameter could take."""
    return of_kind(list(entities), param.refers_to) if param.refers_to else []


def choose_ids(need: Need, text: str, found: list[Entity], step: Step) -> list[str] | None:
    """Return the ids to go on with; None where the user has to say which, [] for no limit."""
    many = need.param.kind == "array"
    if need.topic is not None:
        return [e.id for e in found][:_MOST_IDS] if many else best_found(need, step)
    named = named_in(text, found)
    if named:
        return [entity.id for entity in named][: _MOST_IDS if many else FAN_OUT]
    beside = [e for e in found if any(is_called(name, text, beside=True) for name in e.people)]
    if many and not need.param.required:
        return []
    if beside:
        fewest = min(len(entity.people) for entity in beside)
        return [next(entity.id for entity in beside if len(entity.people) == fewest)]
    if len(found) == 1:
        return [found[0].id]
    said = set(tokens(text))
    if many or said & _EVERY - _LATEST or _plural(text, need.param.refers_to or ""):
        return [entity.id for entity in found[:FAN_OUT]]
    return [found[0].id] if said & _LATEST else None


def best_found(need: Need, step: Step) -> list[str]:
    """Return the ids that a search names most often and first, at most two."""
    kind = set(name_features(need.param.refers_to or ""))
    votes: dict[str, float] = {}
    for at, item in enumerate(main_list(step.output)):
        for name, value in item.items():
            if name.endswith(("Id", "_id")) and kind == set(name_features(name)) - {"id"}:
                votes[str(value)] = votes.get(str(value), 0.0) + 1 / (3 + at)
    most = max(votes.values(), default=0.0)
    first = sorted(votes, key=lambda id_: -votes[id_])
    return [id_ for id_ in first if votes[id_] >= _NEARLY * most][:2]


def _plural(text: str, kind: str) -> bool:
    wanted = set(name_features(kind))
    return any(
        wanted <= set(all_features(token)) and token.endswith(("s", "ות", "ימ", "ים"))
        for token in tokens(text)
    )
