"""How many tokens a text has, estimated by its script and its words, without any vocabulary.

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

_LOWER, _UPPER, _DIGITS = bytes(range(97, 123)), bytes(range(65, 91)), bytes(range(48, 58))
_SIGNS = bytes(b for b in range(33, 127) if not chr(b).isalnum())
_HEBREW = b"\xd6\xd7"  # the first byte of each letter
_BYTES: dict[float, bytes] = {
    0.05: _LOWER,
    0.18: _UPPER,
    0.34: _DIGITS,
    0.11: b" ",
    0.39: _SIGNS,
    0.33: _HEBREW,
    0.5: bytes(b for b in range(0xC2, 0xE0) if b not in _HEBREW),  # other letters of Europe
    0.7: bytes(range(0xE0, 0xF0)),  # letters of Asia, dashes
    2.0: bytes(range(0xF0, 0xF5)),  # emoji
}
"""What each byte adds; those that are not here add nothing."""
_RUNS: dict[float, bytes] = {
    0.57: _HEBREW + bytes(range(0x80, 0xC0)),
    0.36: _SIGNS,
    1.25: _DIGITS,
}
"""What each run of such bytes adds: a word of Hebrew, a number."""
_WORD, _LONG_WORD, _MORE_LETTERS = 0.73, 12, 0.3
"""What a Latin word adds, and each letter of it beyond the twelfth: no vocabulary has long words in
one piece."""

_OTHERS = [(weight, bytes(set(range(256)) - set(counted))) for weight, counted in _BYTES.items()]


def _apart(counted: bytes) -> bytes:
    """Return a table by which `translate` leaves these bytes and makes all others blanks."""
    return bytes(byte if byte in counted else 32 for byte in range(256))


_APART = [(weight, _apart(counted)) for weight, counted in _RUNS.items()]
_WORDS_APART = _apart(_LOWER + _UPPER)


def text_tokens(text: str) -> int:
    """Estimate a text's tokens."""
    data = text.encode(errors="replace")
    # Deleting what is not counted leaves as many bytes as there are letters of a kind.
    found = sum(weight * len(data.translate(None, others)) for weight, others in _OTHERS)
    found += sum(weight * len(data.translate(apart).split()) for weight, apart in _APART)
    words = data.translate(_WORDS_APART).split()
    found += _WORD * len(words)
    found += _MORE_LETTERS * sum(len(w) - _LONG_WORD for w in words if len(w) > _LONG_WORD)
    return round(found)
