"""Ranks the tools a user may use for a message, by the words they share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from rollcall.core.text import words
from rollcall.registry.documents import Entry

_NAME, _KEYWORD, _EXAMPLE, _DESCRIPTION = 3.0, 3.0, 1.5, 1.0


def choose(entries: Sequence[Entry], message: str, *, limit: int) -> list[Entry]:
    """The at most `limit` entries that fit best, best first; all of them if they are so few.

    Entries that share no word with the message come last, in their given order.
    """
    if not entries:
        return []
    fields = [_weighted_words(entry) for entry in entries]
    frequency = Counter(word for found in fields for word in found)
    asked = set(words(message))

    def score(found: dict[str, float]) -> float:
        return sum(
            found[word] * math.log(1 + len(entries) / frequency[word])
            for word in asked
            if word in found
        )

    order = sorted(range(len(entries)), key=lambda i: -score(fields[i]))
    return [entries[i] for i in order[:limit]]


def _weighted_words(entry: Entry) -> dict[str, float]:
    """Each word of an entry with the weight of the best field it stands in."""
    weighted: dict[str, float] = {}
    for weight, texts in (
        (_DESCRIPTION, [entry.spec.description]),
        (_EXAMPLE, [str(example.get("userRequest", "")) for example in entry.spec.examples]),
        (_KEYWORD, entry.spec.keywords),
        (_NAME, [entry.id, *entry.names.values()]),
    ):
        for text in texts:
            for word in words(text):
                weighted[word] = max(weight, weighted.get(word, 0.0))
    return weighted
