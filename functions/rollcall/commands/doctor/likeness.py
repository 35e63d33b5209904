"""Finds capabilities that a model, or a person, cannot tell apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from rollcall.commands.doctor.findings import Finding, listed
from rollcall.core.text import terms
from rollcall.registry.entries import Entry

ALIKE = 0.85
"""The share of words that two descriptions may have in common."""
MOST = 10
"""So many pairs are named."""


def check_likeness(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Names and descriptions that a model cannot tell apart."""
    for locale, name, ids in _same_names(entries):
        yield Finding(
            "warn",
            "retrieval",
            f"one name ({locale}: {name}) for {listed(ids)}: people cannot tell them apart",
        )
    if pairs := alike(entries):
        named = [f"{one} and {other} ({share:.0%})" for one, other, share in pairs]
        yield Finding(
            "warn",
            "retrieval",
            "described by nearly the same words, so that a model takes one for the other: "
            f"{listed(named, most=MOST)}",
            "say in each description what the other does not do",
        )


def _same_names(entries: Sequence[Entry]) -> list[tuple[str, str, list[str]]]:
    held: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        for locale, name in entry.names.items():
            held.setdefault((locale, name.casefold().strip()), []).append(entry.id)
    return [(locale, name, ids) for (locale, name), ids in held.items() if len(ids) > 1]


def alike(entries: Sequence[Entry]) -> list[tuple[str, str, float]]:
    """Pairs whose descriptions share `ALIKE` of their words or more, the most alike first.

    Two such sets have one of their rarest words in common, so only those that do are compared.
    """
    words = [frozenset(terms(entry.spec.description)) for entry in entries]
    frequency = Counter(word for each in words for word in each)
    by_rare_word: dict[str, list[int]] = {}
    found: dict[tuple[int, int], float] = {}
    for place, own in enumerate(words):
        rarest = sorted(own, key=lambda word: (frequency[word], word))
        for word in rarest[: len(own) - math.ceil(ALIKE * len(own)) + 1]:
            for other in by_rare_word.setdefault(word, []):
                found[other, place] = _shared(words[other], own)
            by_rare_word[word].append(place)
    close = [(entries[a].id, entries[b].id, share) for (a, b), share in found.items()]
    return sorted((each for each in close if each[2] >= ALIKE), key=lambda each: -each[2])


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
