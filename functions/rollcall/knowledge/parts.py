"""Writes the parts of a document as its passages come, holding no more than one of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec import Struct, field

from rollcall.core.context import Embedder
from rollcall.core.redaction import redacted
from rollcall.knowledge import meaning, texts, words
from rollcall.knowledge.splitting import Piece

Write = Callable[[str, bytes], None]
"""Stores a part under its name, such as "t0"."""


class PartWriter(Struct):
    """Takes passages in their order, and hands parts on when they are full.

    Attributes:
        counts: How many parts of each kind were written: "t" texts, "w" words, "v" vectors.
        embedder: Whose vectors there are; None from the first failure on, since vectors of some
            passages would make a search miss the others.
    """

    write: Write
    embedder: Embedder | None
    counts: Counter[str] = field(default_factory=Counter)
    passages: int = 0
    _texts: list[Piece] = field(default_factory=list)
    _words: list[Counter[str]] = field(default_factory=list)
    _unembedded: list[Piece] = field(default_factory=list)
    _vectors: list[list[float]] = field(default_factory=list)

    def add(self, piece: Piece) -> None:
        """Take the next passage, without the credentials in it."""
        headings = tuple(redacted(heading) for heading in piece.headings)
        clean = Piece(headings, piece.page_from, piece.page_to, redacted(piece.text))
        self.passages += 1
        self._texts.append(clean)
        self._words.append(words.words_of(clean))
        if self.embedder:
            self._unembedded.append(clean)
        self._hand_on(is_end=False)

    def end(self) -> None:
        """Hand on what is left."""
        self._hand_on(is_end=True)

    def _hand_on(self, *, is_end: bool) -> None:
        if self._texts and (is_end or len(self._texts) == texts.PASSAGES):
            self._write("t", texts.pack(self._texts))
            self._texts = []
        if self._words and (is_end or len(self._words) == words.PASSAGES):
            for part in words.parts(self._words, first=self.passages - len(self._words)):
                self._write("w", part)
            self._words = []
        if self._unembedded and (is_end or len(self._unembedded) == self._room()):
            self._embed()
        if self._vectors and (is_end or len(self._vectors) == meaning.PASSAGES):
            self._write("v", meaning.pack(self._vectors))
            self._vectors = []

    def _room(self) -> int:
        """How many passages are embedded next: no more than the part has room for."""
        return min(meaning.AT_ONCE, meaning.PASSAGES - len(self._vectors))

    def _embed(self) -> None:
        assert self.embedder is not None
        vectors = meaning.embed(self.embedder, self._unembedded)
        self._unembedded = []
        if vectors is None:
            self.embedder, self._vectors = None, []
        else:
            self._vectors += vectors

    def _write(self, kind: str, data: bytes) -> None:
        self.write(f"{kind}{self.counts[kind]}", data)
        self.counts[kind] += 1
