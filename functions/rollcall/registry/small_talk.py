"""Classifies messages as small talk (a greeting, thanks, the weather) or as something for a tool.

A linear model over the words and letters of a message, learned from labelled phrases in English
and Hebrew; `python -m tests.evals.registry.learning` learns it anew. It knows nothing of the tools
there are: what shares its words with a tool is never small talk.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode
from functools import cache
from pathlib import Path
from zlib import crc32

from msgspec import Struct

from rollcall.core.text import tokens

LEARNED = Path(__file__).with_name("small_talk.json")
BUCKETS = 4096
"""Features are told apart by a hash of so many values."""
MOST_WORDS = 20
"""Whoever says more wants something."""
EVIDENCE = 3.0
"""How far the odds of small talk must rise for what the best tool has to say for itself."""
ANSWERED = 0.5
"""A tool for which a message speaks as strongly as this is wanted, however chatty that is."""
_LETTERS = (3, 4)


def is_small_talk(text: str, *, fit: float = 0.0) -> bool:
    """Tell whether a message needs no tool.

    Args:
        fit: How strongly the message speaks for the tool that fits best, 0..1; `Match.fit`.
    """
    return fit < ANSWERED and chattiness(text) >= EVIDENCE * fit


def chattiness(text: str) -> float:
    """Return the log-odds that a message is small talk; above 0 it probably is."""
    found = features(text)
    return _learned().of(found) if found else -math.inf


def features(text: str) -> list[int]:
    """Return a message's buckets; none for an empty or long one."""
    said = tokens(text[:1000])
    if not 0 < len(said) <= MOST_WORDS:
        return []
    seen = {f"length {min(len(said), 12)}"}
    seen |= {"asks"} if "?" in text else set()
    seen |= {f"word {word}" for word in said}
    seen |= {f"pair {a} {b}" for a, b in zip(["^", *said], [*said, "$"], strict=True)}
    for word in said:
        padded = f"<{word[:30]}>"
        for length in _LETTERS:
            seen |= {padded[n : n + length] for n in range(len(padded) - length + 1)}
    return sorted({crc32(each.encode()) % BUCKETS for each in seen})


class Weights(Struct, frozen=True):
    """A linear model: a weight for each bucket in steps of `step`, -127..127, and the bias."""

    steps: tuple[int, ...]
    step: float
    bias: float

    def of(self, found: list[int]) -> float:
        """Return the log-odds of these buckets; many weigh no more in sum than few."""
        return self.bias + self.step * sum(self.steps[n] for n in found) / math.sqrt(len(found))


@cache
def _learned() -> Weights:
    stored = json.loads(LEARNED.read_text(encoding="utf-8"))
    data = b64decode(stored["weights"])
    steps = tuple(byte - 256 if byte > 127 else byte for byte in data)
    return Weights(steps, stored["step"], stored["bias"])
