"""Things at hand that a text calls by their names, for the parameters that take them.

An agent's briefing says what there is where the user is: the panels and circuits of a project, by
the parameter that takes their names. So the planner asks no tool for what is known already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from rollcall.core.messages import Json
from rollcall.core.text import stopwords, terms, tokens
from rollcall.models._offline.choose import vocabulary
from rollcall.models._offline.lexicon import all_features, features, name_features
from rollcall.models._offline.mentions import Mention
from rollcall.models._offline.schema import Param
from rollcall.models.base import ToolSpec

Names = Mapping[str, Sequence[str]]
"""Names of things at hand, by the parameter that takes them."""

_MOST_WORDS = 6
_NOISE = stopwords() | {"ומה", "אם", "ואם", "האורך", "אורך", "היה", "יהיה", "if", "long"}
_JOINTS = frozenset({"of", "the", "in", "של"})
_RENAMED = re.compile(
    r"(?:\b(?:rename|call|name)\b|שנה את השם).*(?:\s(?:to|as)\s|\sל-?)(?P<name>[^,;]+)$",
    re.IGNORECASE,
)
_FOR = re.compile(r"^ל(?=[א-ת]{3})")
_ASKING = frozenset(
    feature
    for word in [
        "what",
        "which",
        "how",
        "much",
        "many",
        "circuit",
        "calculate",
        "check",
        "large",
        "enough",
        "thick",
        "size",
        "sized",
        "would",
        "could",
        "remove",
        "delete",
        "want",
        "need",
        "please",
        "install",
        "put",
        "cable",
        "כבל",
        "שם",
        "change",
        "update",
        "show",
        "voltage",
        "drop",
        "conductor",
        "wire",
        "breaker",
        "big",
        "sufficient",
        "many",
        "מה",
        "איזה",
        "כמה",
        "מעגל",
        "חשב",
        "בדוק",
        "מספיק",
        "עבה",
        "גדול",
        "הסר",
        "מחק",
        "שנה",
        "עדכן",
        "הצג",
        "מוליך",
        "מפסק",
        "קו",
        "האם",
        "של",
        "את",
    ]
    for feature in all_features(word)
)


def names_of(param: Param, names: Names) -> Sequence[str]:
    """The names of what a parameter takes; empty where none are known."""
    return names.get(param.name, ())


def has_sibling(param: Param, wanted: Sequence[Param], names: Names) -> bool:
    """Whether things of this parameter's kind are known by name, so that no id is looked for:
    `panelId` where there is a `panelName`."""
    own = noun(param)
    return param.name in names or any(
        other.name in names and noun(other) == own for other in wanted
    )


def called_by_name(wanted: Sequence[Param], text: str, names: Names) -> dict[str, Json]:
    """What the text calls by its whole name, the longest where several do."""
    found: dict[str, Json] = {}
    for param in wanted:
        whole = [name for name in names_of(param, names) if _is_said(name, text)]
        if whole:
            longest = max(len(tokens(name)) for name in whole)
            best = [name for name in whole if len(tokens(name)) == longest]
            if len(set(best)) == 1:
                found[param.name] = best[0]
    return found


def without_echoes(
    tool: ToolSpec, wanted: Sequence[Param], values: dict[str, Json], names: Names
) -> dict[str, Json]:
    """The arguments of a write without listed values that only repeat what the thing is called:
    the breaker "of the dryer" makes no dryer of it."""
    if not tool.writes:
        return values
    called = (str(values[p.name]) for p in wanted if p.name in names and p.name in values)
    said = {feature for name in called for feature in all_features(name)}
    listed = {p.name for p in wanted if p.options and isinstance(values.get(p.name), str)}
    return {
        name: value
        for name, value in values.items()
        if name not in listed or not set(name_features(str(value))) <= said
    }


def numbered(
    wanted: Sequence[Param], text: str, values: Mapping[str, Json], names: Names
) -> tuple[dict[str, Json], int | None]:
    """The number that is written onto the name of the thing that it is in, as 14 is in "LP1-14"
    and "LP1/14", for the parameter that takes a number of a thing; and where it stands."""
    takers = [p for p in wanted if _is_number_of(p, wanted, names)]
    for name in (str(value) for key, value in values.items() if key in names):
        onto = rf"(?<!\w){re.escape(name)}\s?[-/#.:]\s?#?(\d{{1,3}})(?![\w.])"
        match = re.search(onto, text, re.IGNORECASE)
        if match and takers:
            return {takers[0].name: int(match[1])}, match.start(1)
    return {}, None


def _is_number_of(param: Param, wanted: Sequence[Param], names: Names) -> bool:
    of = noun(param)
    told = any(other.name in names and noun(other) == of for other in wanted)
    return param.kind == "integer" and param.label.endswith(" number") and told


def without_names(text: str, values: Mapping[str, Json], names: Names) -> str:
    """The text without the things in it that were found by name."""
    for value in (str(values[name]) for name in values if name in names):
        text = re.sub(re.escape(value), " ", text, flags=re.IGNORECASE)
    return text


def described(
    tool: ToolSpec,
    wanted: Sequence[Param],
    text: str,
    names: Names,
    values: Mapping[str, Json],
    spare: Sequence[Mention],
) -> dict[str, Json]:
    """The text's own words for a thing that it does not call by its name, where nothing else says
    which one: the tool knows how to look it up by a description. A new thing is described by what
    is left of the text."""
    found: dict[str, Json] = {}
    chosen = {other.name for other in wanted if other.options}
    own = {name: value for name, value in values.items() if name not in chosen}
    for param in wanted:
        is_told = param.name in values or any(
            other.name in values and noun(other) == noun(param) for other in wanted
        )
        is_chosen = any(other.options and other.name in values for other in wanted)
        if param.name in names and param.label.endswith(" description") and not is_told:
            # What is written is about one thing, whose kind ("dryer") may be all that it is called.
            is_listed = is_chosen and not tool.writes
            told = own if tool.writes else values
            words = None if is_listed else _rest(tool, text, told, spare)
            if words:
                found[param.name] = words
        elif param.required and param.label == "description" and not is_told:
            # A listed value or a keyword ("EV charger") may be all that it is called.
            words = _rest(tool, text, own, spare) or _run(text, _ASKING | _features_of(own), spare)
            if words:
                found[param.name] = _FOR.sub("", words)
        elif tool.writes and param.label == "description" and not param.required:
            renamed = _RENAMED.search(text)
            if renamed:
                found[param.name] = renamed["name"].strip(" \"'.!?")
    return found


def _rest(
    tool: ToolSpec, text: str, values: Mapping[str, Json], spare: Sequence[Mention]
) -> str | None:
    """The longest run of words that neither ask for the tool nor say another argument."""
    known = vocabulary(tool) | _ASKING | _features_of(values)
    known |= {f for keyword in tool.keywords if " " in keyword for f in all_features(keyword)}
    return _run(text, known, spare)


def _features_of(values: Mapping[str, Json]) -> set[str]:
    return {feature for value in values.values() for feature in all_features(str(value))}


def _run(text: str, known: Set[str], spare: Sequence[Mention]) -> str | None:
    """The longest run of words that are not known; "of" and the like stand inside one."""
    numbers = [(m.start, m.end) for m in spare if m.kind in ("number", "size")]
    runs: list[list[str]] = [[]]
    joint: list[str] = []
    for match in re.finditer(r"[\w\"'’׳״-]+|[?,.;:]", text):
        word = match[0]
        in_number = any(start <= match.start() < end for start, end in numbers)
        noise = set(all_features(word)) <= known or all(t in _NOISE for t in tokens(word))
        if word.lower() in _JOINTS and runs[-1]:
            joint.append(word)
        elif in_number or noise or word.isdigit() or not tokens(word):
            runs.append([])
            joint = []
        else:
            runs[-1] += [*joint, word]
            joint = []
    best = max(runs, key=lambda run: len(features(" ".join(run))))
    return " ".join(best[:_MOST_WORDS]) or None


def noun(param: Param) -> tuple[str, ...]:
    """What a parameter is of: "circuit" for circuitNumber, circuitId and circuitDescription."""
    words = param.label.split()
    return tuple(words[:-1]) if len(words) > 1 else (param.name,)


def _is_said(name: str, text: str) -> bool:
    """Whether a text has all words of a name; one with a letter or a number of its own ("Panel A",
    "row 2") has to stand there as it is."""
    said = tokens(text)
    whole = tokens(name)
    if any(len(token) == 1 or token.isdigit() for token in whole):
        size = len(whole)
        return any(said[at : at + size] == whole for at in range(len(said) - size + 1))
    wanted = set(features(name))
    joined = {first + second for first, second in pairwise(said)}  # "sub panel", "Subpanel"
    return bool(wanted) and wanted <= {*features(text), *terms(text), *said, *joined}
