"""Trains the classifier of small talk and requests: python -m tests.evals.registry.small_talk

Small talk is `small_talk.txt`. Requests are `requests.txt`, which range over far more than there
are tools for, what the catalogue's tools declare, `labelled_requests.txt`, which are labelled
queries of several packs, and those over the catalogue, both of the split "dev"; none of the split
"held" is looked at. Writes the weights to where the registry reads them. The
same phrases give the same weights.
"""

from __future__ import annotations

import json
import math
import random
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from rollcall.registry.selection import BUCKETS, LEARNED, Weights, features
from tests.evals.registry.queries import CATALOGUE_QUERIES, HERE, read_queries
from tests.evals.registry.tools import catalogue_documents

_ROUNDS = 40
_RATE, _SLOWING, _BIAS_RATE = 0.3, 0.1, 0.1
_SHRINKING = 1e-4
_FULL = 127


def main() -> None:
    """Train and write the weights."""
    write(fit(small_talk(), requests()), LEARNED)


def small_talk() -> list[str]:
    return _lines("small_talk.txt")


def requests() -> list[str]:
    """Phrases that want a tool."""
    sentences = [
        text
        for each in catalogue_documents()
        for text in (*each["keywords"], *(example["userRequest"] for example in each["examples"]))
    ]
    more = read_queries(CATALOGUE_QUERIES)
    dev = [query.query for query in more if query.split == "dev" and query.gold]
    return [*_lines("requests.txt"), *sentences, *_lines("labelled_requests.txt"), *dev]


def fit(idle: Sequence[str], wanting: Sequence[str]) -> Weights:
    """Logistic regression by stochastic gradient; both kinds count the same in sum."""
    data = [(features(text), 1) for text in idle] + [(features(text), 0) for text in wanting]
    data = [(found, label) for found, label in data if found]
    balance = len(wanting) / len(idle)
    weights, bias = [0.0] * BUCKETS, 0.0
    shuffled = random.Random(1)
    for turn in range(_ROUNDS):
        shuffled.shuffle(data)
        rate = _RATE / (1 + turn * _SLOWING)
        for found, label in data:
            scale = 1 / math.sqrt(len(found))
            odds = bias + scale * sum(weights[n] for n in found)
            off = (1 / (1 + math.exp(-odds)) - label) * (balance if label else 1.0)
            bias -= rate * _BIAS_RATE * off
            for n in found:
                weights[n] -= rate * (off * scale + _SHRINKING * weights[n])
    step = max(map(abs, weights)) / _FULL
    return Weights(tuple(round(weight / step) for weight in weights), step, bias)


def write(weights: Weights, path: Path) -> None:
    """Write the weights to the registry's file."""
    data = bytes(step % 256 for step in weights.steps)
    stored = {
        "bias": round(weights.bias, 6),
        "step": round(weights.step, 9),
        "weights": b64encode(data).decode(),
    }
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def _lines(name: str) -> list[str]:
    return HERE.joinpath(name).read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()
