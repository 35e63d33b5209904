"""Numbers for parameters: each to the one whose unit, name and place fit it best."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rollcall.core.messages import Json
from rollcall.core.text import words
from rollcall.models._offline.lexicon import all_features, name_features, weak_features, wordset
from rollcall.models._offline.mentions import Mention
from rollcall.models._offline.schema import Param
from rollcall.models._offline.units import converted, unit_in_name, unit_of
from rollcall.models.base import ToolSpec

_LIMITS = wordset("limit count max maximum top quantity amount num n results size many")
_LIMIT_WORDS = wordset("top first last latest up limit recent most ראשונות ראשונים אחרונות עד")

# What a percentage, or a sum of money, is usually given for.
_MEANT = {
    "share": wordset("rate percent percentage ratio share discount tax growth margin tip yield"),
    "money": wordset(
        """price cost amount principal principle payment value budget salary income investment
        money fee payout balance loan dividend coupon revenue purchase sum total cash deposit"""
    ),
}


def assign_numbers(
    tool: ToolSpec, wanted: Sequence[Param], text: str, spare: list[Mention]
) -> dict[str, Json]:
    """Give each number to one parameter, the best supported pair first; of two that fit equally,
    the one that the tool's examples use more often."""
    numbers = [mention for mention in spare if mention.kind == "number"]
    values = _lists(wanted, numbers, text)
    singles = [param for param in wanted if param.kind != "array"]
    layout = _layout(text)
    roots = {param.name: _root(param) for param in singles}
    usual = Counter(roots.get(name) for each in tool.examples for name in _given(each))
    pairs = [
        (support(tool, param, mention, layout, len(singles)), usual[roots[param.name]], -p, -m)
        for p, param in enumerate(singles)
        for m, mention in enumerate(numbers)
    ]
    pairs.sort(reverse=True)
    used: set[int] = set()
    for points, _, p, m in pairs:
        param, mention = singles[-p], numbers[-m]
        told = {roots[name] for name in values if name in roots}
        if points <= 0 or roots[param.name] in told or mention.start in used:
            continue
        value = in_unit(param, mention)
        if value is not None:
            values[param.name] = value
            used.add(mention.start)
    return values


def _root(param: Param) -> str:
    """A parameter's label without its unit: a length in feet and one in metres are one thing."""
    head, _, last = param.label.rpartition(" ")
    return head if head and unit_in_name(param.label) and last else param.label


def _given(example: dict[str, Json]) -> Iterable[str]:
    """The names of the arguments of an example."""
    parameters = example.get("parameters")
    return parameters if isinstance(parameters, dict) else ()


def _lists(wanted: Sequence[Param], numbers: list[Mention], text: str) -> dict[str, Json]:
    arrays = [param for param in wanted if param.kind == "array"]
    if not arrays or not numbers:
        return {}
    if len(arrays) == 1 and (arrays[0].required or len(wanted) == 1):
        others = [p for p in wanted if p is not arrays[0] and p.required]
        run = _runs(numbers, text)[0] if others else numbers
        return {arrays[0].name: [in_unit(arrays[0], number) for number in run]}
    runs = [run for run in _runs(numbers, text) if len(run) > 1]
    return {
        param.name: [number.value for number in run]
        for param, run in zip(arrays, runs, strict=False)
    }


def _runs(numbers: list[Mention], text: str) -> list[list[Mention]]:
    """Group numbers that stand in one list, the longest group first."""
    groups: list[list[Mention]] = [[numbers[0]]]
    for number in numbers[1:]:
        between = text[groups[-1][-1].end : number.start]
        joined = re.fullmatch(r"[\s,;\[\]()%]*(?:and|or|ו-?)?[\s,]*", between)
        if joined:
            groups[-1].append(number)
        else:
            groups.append([number])
    return sorted(groups, key=lambda group: -len(group))


@lru_cache(maxsize=256)
def _layout(text: str) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...]]:
    """Return where each word of a text starts, and its features."""
    matches = list(re.finditer(r"[^\s,;:()\[\]?!]+|[,;]", text))
    return tuple(m.start() for m in matches), tuple(all_features(m[0]) for m in matches)


def support(
    tool: ToolSpec,
    param: Param,
    mention: Mention,
    layout: tuple[tuple[int, ...], tuple[tuple[str, ...], ...]],
    rivals: int,
) -> float:
    """Return how well a number fits a parameter: by unit, by the words around it, by need."""
    starts, feats = layout
    at = bisect_left(starts, mention.start + 1) - 1
    points = _unit_points(param, mention)
    if points < 0:
        return points
    points += _nearness(param.names - {"number"}, feats, at, 4.0)
    before = {feature for group in feats[max(0, at - 5) : at] for feature in group}
    after = {feature for group in feats[at + 1 : at + 4] for feature in group}
    said = len(param.names & after) if len(param.names) > 1 else 0  # "6 current-carrying wires"
    points += max(said, len(param.names & before)) / max(1, len(param.names))
    if mention.text.isalpha():
        points -= 2.0 if mention.value == 1 else 1.0  # "one" and "two" are often no amounts
    points += _nearness(param.about - weak_features(), feats, at, 1.5)
    if set(param.label.split()) & _LIMITS:
        before = {word for group in feats[max(0, at - 2) : at] for word in group}
        after = {word for group in feats[at + 1 : at + 3] for word in group}
        points += 3.0 if before & {w for x in _LIMIT_WORDS for w in words(x)} else 0.0
        points += 1.5 if after & set(name_features(tool.name)) and not mention.unit else 0.0
    if "year" in param.label.split():
        points += 2.0 if _is_year(mention) else -2.0
    if param.required:
        points += 1.0 + (1.0 if rivals == 1 else 0.0)
    return points


def _is_year(mention: Mention) -> bool:
    return mention.unit is None and len(mention.text) == 4 and 1000 <= mention.value <= 2200


def _unit_points(param: Param, mention: Mention) -> float:
    wanted = unit_in_name(param.label)
    described = [unit_of(word) for word in param.description.split() if len(word) > 1]
    if mention.unit is None:
        return 0.0
    said = set(param.label.split())
    if not wanted and mention.unit.dimension in _MEANT:
        return 2.0 if said & _MEANT[mention.unit.dimension] else -1.0
    if wanted and mention.unit.dimension == wanted.dimension:
        return 5.5 if mention.unit == wanted else 5.0  # feet to feet, of feet and metres
    if wanted and wanted.dimension != mention.unit.dimension:
        return -5.0
    if any(unit and unit.dimension == mention.unit.dimension for unit in described):
        return 3.0
    return 0.0 if param.required else -0.5


def _nearness(
    wanted: frozenset[str], feats: tuple[tuple[str, ...], ...], at: int, most: float
) -> float:
    """Points for the closest word of `wanted`; one before the number counts a little more."""
    best = 0.0
    for place in range(max(0, at - 6), min(len(feats), at + 5)):
        if place != at and wanted & set(feats[place]):
            distance = at - place if place < at else place - at + 0.5
            best = max(best, most * (1 - distance / 8))
    return best


def _as_fraction(param: Param, mention: Mention) -> bool:
    """Tell whether "5%" is 0.05 for a parameter: it takes fractions and speaks of no percent."""
    spoken = f"{param.label} {param.description}".lower()
    return (
        mention.unit is not None
        and mention.unit.name == "%"
        and param.kind == "number"
        and not re.search(r"percent|%|pct", spoken)
    )


def in_unit(param: Param, mention: Mention) -> Json | None:
    """Return a number in the parameter's own unit, whole where it must be."""
    value: float | None = mention.value
    wanted = unit_in_name(param.label)
    if wanted and mention.unit and value is not None:
        value = converted(value, mention.unit, wanted)
    if value is None:
        return None
    if _as_fraction(param, mention):
        return round(value / 100, 9)
    of = param.items if param.kind == "array" and param.items else param
    if float(value).is_integer() and "e" not in str(value):
        return int(value)
    return None if of.kind == "integer" else value
