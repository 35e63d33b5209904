"""Phrases that users would type for a tool, as a model wrote them, made fit for the index.

They find a tool and are never shown to a model: so nothing in one is an instruction to anybody.
They rest in Firestore and are read by operators: so no credential, address or markup stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from rollcall.core.redaction import redacted
from rollcall.core.text import language, terms

MAX_PHRASES = 8
"""For one tool in one language."""
MAX_CHARS = 120
_WRITTEN = ("en", "he")
"""The languages that `core.text.language` tells apart."""
_MARKUP = re.compile(r"[<>{}\[\]`|\\]|://|\bwww\.|\S@\S")


def usable(texts: Iterable[object], locale: str) -> list[str]:
    """The first `MAX_PHRASES` texts that can be used: short, plain, in the language asked for,
    without a credential, and each with other words than those before it."""
    kept: list[str] = []
    seen: set[frozenset[str]] = set()
    for text in texts:
        phrase = _plain(text) if isinstance(text, str) else ""
        said = frozenset(terms(phrase))
        if said and said not in seen and _is_fit(phrase, locale):
            seen.add(said)
            kept.append(phrase)
    return kept[:MAX_PHRASES]


def _plain(text: str) -> str:
    """One line, without characters that nobody sees."""
    shown = (" " if unicodedata.category(char) == "Cc" else char for char in text[:1_000])
    seen = "".join(char for char in shown if not unicodedata.category(char).startswith("C"))
    return " ".join(seen.split()).strip(" \"'-•*")


def _is_fit(phrase: str, locale: str) -> bool:
    return (
        len(phrase) <= MAX_CHARS
        and not _MARKUP.search(phrase)
        and redacted(phrase) == phrase
        and (locale not in _WRITTEN or language(phrase) == locale)
    )
