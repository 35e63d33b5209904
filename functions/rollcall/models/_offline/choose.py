"""Which of the offered tools a piece of text asks for, if any."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from rollcall.models._offline import topic
from rollcall.models._offline.commands import first_word, wants_doing
from rollcall.models._offline.lexicon import (
    all_features,
    features,
    name_features,
    weak_features,
    wordset,
)
from rollcall.models._offline.mentions import mentions
from rollcall.models._offline.schema import params
from rollcall.models._offline.typos import corrected
from rollcall.models.base import ToolSpec

_NAME, _KEYWORD, _LEAD, _DESCRIPTION = 3.0, 3.0, 2.0, 1.4
_EXAMPLE, _OPTION, _PARAM, _PARAM_ABOUT = 1.6, 1.8, 1.2, 0.6
_PHRASE = 4.0
_VERB = 1.0
_SHAPE = 1.5
_SHAPES = {"path": "path file filename directory folder", "url": "url link uri", "email": "email"}
_WEAK_SHARE = 0.3
_MAY = re.compile(r"(?:האם )?(?:אפשר|ניתן) .*\?$", re.DOTALL)
_CAUSE = re.compile(r"\b(?:due|owing) to\b", re.IGNORECASE)

# Below these a tool only shares a word or two with the text by chance. A short text that the tool
# knows most of needs fewer points than a long one that merely touches it.
_POINTS, _COVERAGE = 4.5, 0.15
_SHORT_POINTS, _SHORT_COVERAGE = 2.6, 0.3


class Choice(Struct, frozen=True):
    """A tool with how well it fits.

    Args:
        tool: The tool.
        score: For ranking it among the tools offered with it.
        points: How much of the tool the text names, whatever else is offered.
        coverage: Share of the text's topic words that the tool knows.
        by_keyword: Whether the text says one of the tool's keywords.
    """

    tool: ToolSpec
    score: float
    points: float
    coverage: float
    by_keyword: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether a text is a keyword of the tool and nothing that the tool does not know."""
        return self.by_keyword and self.coverage >= 1 and self.points >= _POINTS

    @property
    def fits(self) -> bool:
        if self.points >= _POINTS:
            return self.coverage >= _COVERAGE
        return self.points >= _SHORT_POINTS and self.coverage >= _SHORT_COVERAGE


def rank(text: str, tools: Sequence[ToolSpec]) -> list[Choice]:
    """Return the tools, the best fitting first; ties keep the offered order."""
    text = corrected(_CAUSE.sub("because of", text), tools)
    asked = list(dict.fromkeys(features(text)))
    details = frozenset(features(_details(text)))
    profiles = [_profile(tool) for tool in tools]
    rarity = {feature: _rarity(feature, profiles) for feature in asked}
    choices = [
        _choice(tool, profile, asked, details, rarity, text)
        for tool, profile in zip(tools, profiles, strict=True)
    ]
    return sorted(choices, key=lambda choice: -choice.score)


def best(text: str, tools: Sequence[ToolSpec]) -> Choice | None:
    """Return the tool that fits a text best, or None when none of them does.

    A question is never answered with a write.
    """
    ranked = rank(text, [t for t in tools if not t.writes or wants_doing(text)])
    fitting = [choice for choice in ranked if choice.fits]
    told = (choice for choice in fitting if choice.tool.writes and opens(text, choice.tool))
    return next(told, None) or next((choice for choice in ranked[:3] if choice.fits), None)


def opens(text: str, tool: ToolSpec) -> bool:
    """Tell whether a text begins with the verb of a tool, as its name or a keyword has it."""
    if _MAY.match(text.strip()):
        return False  # it asks whether it can be done; what it is of decides
    verb = first_word(text)
    named = (tool.name.partition("_")[0], *(first_word(keyword) for keyword in tool.keywords))
    return bool(verb) and verb in named


def _choice(
    tool: ToolSpec,
    profile: dict[str, float],
    asked: list[str],
    details: frozenset[str],
    rarity: dict[str, float],
    text: str,
) -> Choice:
    # Where verbs are all there is besides details ("read src/app.ts"), they have to do.
    weak = weak_features() if set(asked) - details - weak_features() else frozenset()
    score = points = known = total = 0.0
    for feature in asked:
        share = _WEAK_SHARE if feature in weak else 1.0
        weight = profile.get(feature, 0.0) * share
        score += weight * rarity[feature]
        points += weight
        total += share if weight or feature not in details else 0.0
        known += share if weight else 0.0
    phrases = _phrase_bonus(tool, text)
    # "to do" is said in stopwords only, and still says what is wanted.
    spoken = 1.0 if phrases and not known else 0.0
    known, total = known + spoken, total + spoken
    bonus = phrases + _shape_bonus(tool, text)
    named = _name_points(name_features(tool.name), asked)
    return Choice(
        tool, score + bonus + named, points + bonus, known / total if total else 0.0, phrases > 0
    )


def _details(text: str) -> str:
    """Return the stretches that give details of a request rather than say what it is.

    Names, numbers, dates, quotes and what follows "about" are seldom among a tool's own words, so
    that they do not count against it.
    """
    stretches = [mention.text for mention in mentions(text)]
    return " ".join((*stretches, topic.about(text) or ""))


def _rarity(feature: str, profiles: Sequence[dict[str, float]]) -> float:
    holders = sum(feature in profile for profile in profiles)
    return 0.4 + math.log(1 + (len(profiles) - holders + 0.5) / (holders + 0.5))


def _name_points(name: tuple[str, ...], asked: list[str]) -> float:
    """Points for how much of a tool's name the text says, and for beginning with its verb.

    A short name said in full is worth more than the same words out of a long description.
    """
    share = {feature: 0.25 if feature in weak_features() else 1.0 for feature in name}
    said = sum(share[feature] for feature in share if feature in asked)
    begins = bool(name and asked) and name[0] == asked[0] and name[0] in weak_features()
    verb = _VERB if begins else 0.0
    return verb + said / sum(share.values()) if share else 0.0


def says_keyword(tool: ToolSpec, text: str) -> bool:
    """Whether a text says one of a tool's keywords of several words."""
    said = all_features(text)
    phrases = (all_features(keyword) for keyword in tool.keywords)
    return any(len(phrase) > 1 and _contains(said, phrase) for phrase in phrases)


def _phrase_bonus(tool: ToolSpec, text: str) -> float:
    said = all_features(text)
    bonus = 0.0
    for keyword in tool.keywords:
        phrase = all_features(keyword)
        if phrase and _contains(said, phrase):
            bonus += _PHRASE * min(len(phrase), 3) / (2 if len(phrase) == 1 else 1.5)
    return min(bonus, 3 * _PHRASE)


def _shape_bonus(tool: ToolSpec, text: str) -> float:
    """Points for a file or an address in the text where the tool takes one."""
    kinds = {mention.kind for mention in mentions(text)} & {"path", "url", "email"}
    labels = {word for param in params(tool) for word in param.label.split()}
    takes = any(labels & wordset(_SHAPES[kind]) for kind in kinds)
    return _SHAPE if takes else 0.0


def _contains(said: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(said[at : at + size] == phrase for at in range(len(said) - size + 1))


def _profile(tool: ToolSpec) -> dict[str, float]:
    examples = tuple(str(example.get("userRequest", "")) for example in tool.examples)
    fields = tuple(
        (param.name, param.description, tuple(str(option) for option in param.options))
        for param in params(tool)
    )
    return _weights(tool.name, tool.description, tool.keywords, examples, fields)


@lru_cache(maxsize=4096)
def _weights(
    name: str,
    description: str,
    keywords: tuple[str, ...],
    examples: tuple[str, ...],
    fields: tuple[tuple[str, str, tuple[str, ...]], ...],
) -> dict[str, float]:
    """Return each feature's weight: that of the best field it is in, and a little for the rest."""
    found: dict[str, float] = {}

    def note(some: tuple[str, ...], weight: float) -> None:
        for feature in dict.fromkeys(some):
            had = found.get(feature, 0.0)
            found[feature] = max(had, weight) + 0.2 * min(had, weight)

    lead, _, _ = description.partition(". ")
    note(name_features(name), _NAME)
    note(features(lead), _LEAD)
    note(features(description), _DESCRIPTION)
    for text in keywords:
        note(features(text), _KEYWORD)
    for text in examples:
        note(features(text), _EXAMPLE)
    for field, about, options in fields:
        note(name_features(field), _PARAM)
        note(features(about), _PARAM_ABOUT)
        for option in options:
            note(name_features(option), _OPTION)
    return found


def said_in_full(tool: ToolSpec, text: str) -> frozenset[str]:
    """Return the features of the longer keywords of a tool that a text says word for word."""
    said = all_features(text)
    phrases = (all_features(keyword) for keyword in tool.keywords)
    whole = (phrase for phrase in phrases if len(phrase) > 2 and _contains(said, phrase))
    return frozenset(feature for phrase in whole for feature in phrase)


def vocabulary(tool: ToolSpec) -> frozenset[str]:
    """Return the features a request shares with a tool because it asks for that tool."""
    lead = tool.description.partition(". ")[0]
    return frozenset((*name_features(tool.name), *features(lead)))
