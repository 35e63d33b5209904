"""What a question looks for: its topic, weighted, without its scaffolding."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache

from packs.messaging.cues import pattern
from packs.messaging.dates import named_days
from packs.messaging.wording import TEXTS
from rollcall.core.search import rarity
from rollcall.core.text import hebrew_stem, terms, tokens, words

_SCAFFOLDING_WEIGHT = 0.2
"""Of words of asking: somebody may be searching for the word "meeting" itself."""
_CONTEXT_WEIGHT = 0.5
_SYNONYM_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Query:
    """A question, read.

    Attributes:
        weights: Stem to weight, 0 to 1.
        speakers: Ids of the senders the question names.
        context: Stems that only say in which talk to look, as after "when discussing".
    """

    weights: dict[str, float]
    speakers: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()

    @property
    def has_topic(self) -> bool:
        """Whether the question asks about more than the conversation as such."""
        return any(weight > _SCAFFOLDING_WEIGHT for weight in self.weights.values())


def query_terms(question: str) -> dict[str, float]:
    """Return the stems a question looks for, with weights from 0 to 1.

    What stands after "when discussing" only says where to look, so it weighs
    less than what is asked; words of asking weigh least.
    """
    asked, context = _parts(question)
    weights: dict[str, float] = {}
    for part, weight in ((asked, 1.0), (context, _CONTEXT_WEIGHT)):
        for term in terms(part):
            own = _SCAFFOLDING_WEIGHT if term in _scaffolding() else weight
            weights[term] = max(own, weights.get(term, 0.0))
    return weights


def read_query(question: str, *, names: Iterable[tuple[str, str]] = ()) -> Query:
    """Return what a question looks for.

    Args:
        names: (sender id, name) of everybody who might be meant.
    """
    weights = query_terms(question)
    speakers: set[str] = set()
    for sender, name in names:
        if _is_named(name, question):
            speakers.add(sender)
            # Who is meant goes by the sender; the name in a text is a mere mention.
            weights.update({term: _SCAFFOLDING_WEIGHT for term in terms(name) if term in weights})
    context = {term for term in terms(_parts(question)[1]) if weights[term] == _CONTEXT_WEIGHT}
    return Query(weights, frozenset(speakers), frozenset(context))


@dataclass(frozen=True, slots=True)
class Scope:
    """Where and when a question looks.

    Attributes:
        talks: Of each conversation whose title the question has words of, their share, 0 to 1.
        days: The days that it names.
    """

    talks: Mapping[str, float] = field(default_factory=dict)
    days: frozenset[date] = frozenset()


def read_scope(question: str, *, titles: Mapping[str, str], now: datetime) -> Scope:
    """Return where and when a question looks.

    Args:
        titles: Conversation id to title. A word counts less the more titles have it.
        now: When it is asked.
    """
    said = set(terms(question)) - _scaffolding()
    named = {id: set(terms(title)) - _scaffolding() for id, title in titles.items()}
    holders = Counter(word for title in named.values() for word in title)
    talks = {}
    for id, title in named.items():
        worth = {word: rarity(holders[word], len(titles)) for word in title}
        if met := sum(worth[word] for word in title & said):
            talks[id] = met / sum(worth.values())
    return Scope(talks, frozenset(named_days(question, now=now)))


def expand(weights: dict[str, float]) -> dict[str, float]:
    """Return the weights with those of synonyms added."""
    wider = dict(weights)
    for term, weight in weights.items():
        if weight > _SCAFFOLDING_WEIGHT:
            for synonym in _synonyms().get(term, ()):
                wider.setdefault(synonym, weight * _SYNONYM_WEIGHT)
    return wider


def _parts(question: str) -> tuple[str, str]:
    found = pattern("query.context").search(question)
    if not found or not terms(question[: found.start()]):
        return question, ""
    return question[: found.start()], question[found.end() :]


def _is_named(name: str, question: str) -> bool:
    """Tell whether a question names somebody, by full or first name.

    One-word names must stand as written ("Marketing" is not "market"); of
    longer ones the stems are enough ("Industrial Design" is the designer).
    """
    spoken = [_exact(token) for token in tokens(question)]
    parts = [_exact(token) for token in tokens(name)]
    if not parts:
        return False
    if len(parts) == 1:
        return parts[0] in spoken
    full, text = words(name), words(question)
    if any(text[at : at + len(full)] == full for at in range(len(text) - len(full) + 1)):
        return True
    return parts[0] in spoken and _is_written_as_name(tokens(name)[0], question)


def _is_written_as_name(first: str, question: str) -> bool:
    """Tell a first name from the same word in lower case ("Project Manager", "the project")."""
    if not first.isascii() or question.islower():
        return True
    return re.search(rf"\b{re.escape(first.capitalize())}\b", question) is not None


def _exact(token: str) -> str:
    """Return a token as names are compared: Hebrew ones without prefixes."""
    return hebrew_stem(token) if "א" <= token[0] <= "ת" else token


@cache
def _scaffolding() -> frozenset[str]:
    return frozenset(words(" ".join(TEXTS.phrases("cues.query.scaffolding"))))


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for meaning in TEXTS.data("en", "cues.query.synonyms"):
        stems = frozenset(words(" ".join(TEXTS.phrases(f"cues.query.synonyms.{meaning}"))))
        for stem in stems:
            table[stem] = table.get(stem, frozenset()) | (stems - {stem})
    return table
