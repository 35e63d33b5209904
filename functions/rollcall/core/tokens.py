"""How many tokens a text has, estimated by its letters' script, without any model's vocabulary.

The weights were fitted to o200k, the vocabulary of OpenAI's models, on 200 texts of this project:
`tests/evals/token_counts.jsonl` has the counts, and `docs/measurements.md` how far this is off.
Other providers' vocabularies are like it; Anthropic's newest has up to a third more tokens.
"""

from __future__ import annotations

BYTES_PER_TOKEN = 4
"""Of stored text, whose words nobody counts: English and Hebrew have about as many."""
MEDIA_TOKENS = 1_600
"""Of an image, or of a page of a document that is sent as it is."""
RESERVE_FACTOR = 1.35
"""What an estimate is multiplied with where too little would be money."""

_WEIGHTS: dict[float, bytes] = {
    0.21: bytes(range(97, 123)),  # a-z
    0.37: bytes(range(65, 91)),  # A-Z
    1.1: bytes(range(48, 58)),  # digits: numbers are short, and split from what is before them
    0.15: b" ",
    0.57: bytes(b for b in range(33, 127) if not chr(b).isalnum()),
    0.47: b"\xd6\xd7",  # Hebrew, by the first byte of its letters
    0.5: bytes(b for b in range(0xC2, 0xE0) if b not in b"\xd6\xd7"),  # other letters of Europe
    0.7: bytes(range(0xE0, 0xF0)),  # letters of Asia, dashes
    2.0: bytes(range(0xF0, 0xF5)),  # emoji
}
_OTHERS = [(weight, bytes(set(range(256)) - set(counted))) for weight, counted in _WEIGHTS.items()]


def text_tokens(text: str) -> int:
    """Estimate a text's tokens."""
    data = text.encode(errors="replace")
    # Deleting what is not counted leaves as many bytes as there are letters of a kind.
    found = sum(weight * len(data.translate(None, others)) for weight, others in _OTHERS)
    return round(found + 0.5)
