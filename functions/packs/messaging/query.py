"""Reads a question: the weighted words of its topic, the people it names, and its scope."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import cache

from msgspec import Struct, field

from packs.messaging.cues import pattern
from packs.messaging.dates import named_days
from packs.messaging.wording import TEXTS
from rollcall.core.names import spellings_in
from rollcall.core.search import rarity
from rollcall.core.text import hebrew_stem, terms, tokens, words

_SCAFFOLDING_WEIGHT = 0.2
"""Weight of the words that frame a question; above 0, since one may be the topic ("meeting")."""
_CONTEXT_WEIGHT = 0.5
_SYNONYM_WEIGHT = 0.3


class Query(Struct, frozen=True):
    """The parsed form of a question.

    Attributes:
        weights: Stem to weight, 0 to 1.
        speakers: Ids of the senders that the question names.
        context: Stems that only say in which discussion to look, as after "when discussing".
    """

    weights: dict[str, float]
    speakers: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()

    @property
    def has_topic(self) -> bool:
        """Whether the question has a topic beside the conversation itself."""
        return any(weight > _SCAFFOLDING_WEIGHT for weight in self.weights.values())


def query_terms(question: str) -> dict[str, float]:
    """Return the stems that a question looks for, with weights from 0 to 1.

    Words after "when discussing" only say where to look, so they weigh less than the topic;
    words that frame the question weigh least.
    """
    topic, context = _parts(question)
    weights: dict[str, float] = {}
    for part, weight in ((topic, 1.0), (context, _CONTEXT_WEIGHT)):
        for term in terms(part):
            own = _SCAFFOLDING_WEIGHT if term in _scaffolding() else weight
            weights[term] = max(own, weights.get(term, 0.0))
    return weights


def read_query(question: str, *, names: Iterable[tuple[str, str]] = ()) -> Query:
    """Return the parsed form of a question.

    Args:
        names: (sender id, name) of everybody whom it may name.
    """
    weights = query_terms(question)
    speakers: set[str] = set()
    for sender, name in names:
        spellings = spellings_in(name.split(" ")[0], question)
        if spellings or _is_named(name, question):
            speakers.add(sender)
            # The speaker is matched by sender; the name in a message is only a mention.
            said = terms(" ".join([name, *spellings]))
            weights.update({term: _SCAFFOLDING_WEIGHT for term in said if term in weights})
    context = {term for term in terms(_parts(question)[1]) if weights[term] == _CONTEXT_WEIGHT}
    return Query(weights, frozenset(speakers), frozenset(context))


class Scope(Struct, frozen=True):
    """The conversations and days that a question refers to.

    Attributes:
        title_shares: Conversation id to the share of its title's words that the question has,
            0 to 1; conversations without such words are left out.
        days: The days that the question names.
    """

    title_shares: Mapping[str, float] = field(default_factory=dict)
    days: frozenset[date] = frozenset()


def read_scope(question: str, *, titles: Mapping[str, str], now: datetime) -> Scope:
    """Return the conversations and days that a question refers to.

    Args:
        titles: Conversation id to title. A word counts less the more titles have it.
        now: The time of the question.
    """
    question_words = set(terms(question)) - _scaffolding()
    title_words = {id: set(terms(title)) - _scaffolding() for id, title in titles.items()}
    title_counts = Counter(word for title in title_words.values() for word in title)
    title_shares = {}
    for id, title in title_words.items():
        weights = {word: rarity(title_counts[word], len(titles)) for word in title}
        if shared := sum(weights[word] for word in title & question_words):
            title_shares[id] = shared / sum(weights.values())
    return Scope(title_shares, frozenset(named_days(question, now=now)))


def expand(weights: dict[str, float]) -> dict[str, float]:
    """Return the weights, with synonyms added at a lower weight."""
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

    One-word names must match exactly ("Marketing" is not "market"); longer ones match by stems
    ("Industrial Design" is the designer).
    """
    question_tokens = [_comparable(token) for token in tokens(question)]
    parts = [_comparable(token) for token in tokens(name)]
    if not parts:
        return False
    if len(parts) == 1:
        return parts[0] in question_tokens
    full, text = words(name), words(question)
    if any(text[at : at + len(full)] == full for at in range(len(text) - len(full) + 1)):
        return True
    return parts[0] in question_tokens and _is_written_as_name(tokens(name)[0], question)


def _is_written_as_name(first: str, question: str) -> bool:
    """Tell a first name from the same word in lower case ("Project Manager", "the project")."""
    if not first.isascii() or question.islower():
        return True
    return re.search(rf"\b{re.escape(first.capitalize())}\b", question) is not None


def _comparable(token: str) -> str:
    """Return a token in the form that names are compared in: Hebrew ones without prefixes."""
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
