"""What a text says of listed values and of yes-or-no parameters."""

from __future__ import annotations

import re

from rollcall.core.messages import Json
from rollcall.core.text import stopwords, tokens, words
from rollcall.models._offline.lexicon import (
    all_features,
    features,
    name_features,
    spaced,
    weak_features,
    wordset,
)
from rollcall.models._offline.mentions import mentions
from rollcall.models._offline.schema import Param
from rollcall.models._offline.units import unit_of
from rollcall.models.base import ToolSpec

_MOST = re.compile(
    r"\b(?:most|biggest|largest|greatest|highest)\b(?! (?:load|of|likely))"
    r"|הכי (?:גדול|גבוה|הרבה)|ה(?:גדול|גבוה|חמור) ביותר",
    re.IGNORECASE,
)
_NEGATIONS = wordset("no not without exclude excluding don't skip never ללא בלי לא")
_YES = wordset("yes yeah yep sure ok okay true correct please do it כן בטח בוודאי נכון אישור")
_NO = wordset("no nope false not don't never לא ממש")
_FLAG_WORDS = wordset(
    "include is has with show get return should enable use want whether only if the flag"
)


def yes_or_no(text: str) -> bool | None:
    """Read "yes" and "no", in English and Hebrew."""
    said = set(tokens(text))
    if said & (_NO - {"do", "it"}):
        return False
    return True if said & _YES else None


def named_options(param: Param, text: str) -> list[Json]:
    """Return the listed values that a text names, the best supported first."""
    said = all_features(text)
    scored = [(_option_score(param, option, said, text), option) for option in param.options]
    found = [(score, option) for score, option in scored if score > 0]
    if param.kind == "array":
        return [option for _, option in found]
    if not found and "worst" in param.options and _MOST.search(text):
        return ["worst"]  # of "the most drop" and "מפל המתח הכי גדול"
    return [option for _, option in sorted(found, key=lambda pair: -pair[0])]


def _option_score(param: Param, option: Json, said: tuple[str, ...], text: str) -> float:
    if not isinstance(option, str):
        near = _label_places(param, text)
        numbers = {*tokens(text), *(str(m.value) for m in mentions(text) if m.kind == "number")}
        return 1.0 if str(option) in numbers and near else 0.0
    wanted = all_features(spaced(option)) or tuple(tokens(option))
    if not wanted:
        return 0.0
    if len(option) <= 2 or option[0].isdigit():
        # "ד" or "3" alone could be anything: only next to the parameter's own name or unit.
        beside = _next_to_label(param, option, text) or option == amount_in_unit(param, text)
        return 2.0 if beside else 0.0
    at = [i for i in range(len(said)) if said[i : i + len(wanted)] == wanted]
    if not at or (set(wanted) <= weak_features() and set(wanted) & param.names):
        return 0.0
    literal = bool(re.search(rf"(?<!\w){re.escape(spaced(option))}(?!\w)", text, re.IGNORECASE))
    return len(wanted) + (1.0 if literal else 0.0) - at[0] / 1000


def amount_in_unit(param: Param, text: str) -> str | None:
    """Return what stands before a unit that the parameter speaks of: "12" of "12 AWG"."""
    for word in (*param.label.split(), *re.findall(r"\w+", param.description)):
        if len(word) > 1 and word not in stopwords() and unit_of(word):  # "in" is no inch there
            match = re.search(rf"(?<![\w/.])(\d+(?:/\d+)?)[\s-]*{re.escape(word)}\b", text, re.I)
            if match:
                return match[1]
            sizes = (m for m in mentions(text) if m.kind == "size")
            said = (
                next(sizes, None) if unit_of(word) in (unit_of("AWG"), unit_of("kcmil")) else None
            )
            if said:
                return str(said.value)
    return None


def _next_to_label(param: Param, option: str, text: str) -> bool:
    labels = {*param.names, *features(param.label)} | set(_label_words(param))
    found = [(word.strip("'\"").lower(), features(word)) for word in re.findall(r"[\w'\"]+", text)]
    return any(
        found[at][0] == option.lower() and labels & set(found[at - 1][1])
        for at in range(1, len(found))
    )


def _label_words(param: Param) -> tuple[str, ...]:
    return tuple(features(param.description.split(".")[0]))[:6]


def _label_places(param: Param, text: str) -> list[int]:
    return [at for at, feature in enumerate(all_features(text)) if feature in param.names]


def flag(param: Param, text: str, tool: ToolSpec) -> bool | None:
    """Return what a text says of a yes-or-no parameter; None where it does not speak of it."""
    known = set(name_features(tool.name)) | weak_features()
    wanted = [
        feature
        for word in param.label.split()
        if word not in _FLAG_WORDS
        for feature in all_features(word)
    ]
    distinctive = [feature for feature in wanted if feature not in known]
    said = all_features(text)
    if not distinctive or not set(distinctive) <= set(said):
        return None
    at = said.index(distinctive[0])
    before = set(said[max(0, at - 3) : at])
    return not before & {word for negation in _NEGATIONS for word in words(negation)}
