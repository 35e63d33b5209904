"""Pieces of a text as a model streams them, gathered into fewer and larger ones.

Providers send a few bytes at a time. An event for each would cost more than what it says, in the
stream, in Firestore and in the client. So the first piece is passed on at once, and what follows
when a moment has gone by, which is a little longer for a long text than for a short one. Nobody
waits for that moment: who reads the stream asks how long it may wait for the next piece.
"""

from __future__ import annotations

from msgspec import Struct, field

SHORTEST_S, LONGEST_S = 0.03, 0.15
LONG_CHARS = 10_000
"""A text of so many characters is passed on at the slowest."""


class Pieces(Struct):
    """One text, as far as it has come. Adding a piece takes no longer for a long text.

    Attributes:
        chars: How long it is by now.
        shown_at: When some of it was passed on last, by the clock of who asks; None before.
    """

    chars: int = 0
    shown_at: float | None = None
    _all: list[str] = field(default_factory=list)
    _shown: int = 0

    def add(self, piece: str) -> None:
        self._all.append(piece)
        self.chars += len(piece)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._all)

    def due_at(self) -> float | None:
        """When what is held back has to be passed on; None if nothing is."""
        if self._shown == len(self._all):
            return None
        if self.shown_at is None:
            return 0.0
        share = min(self.chars / LONG_CHARS, 1.0)
        return self.shown_at + SHORTEST_S + share * (LONGEST_S - SHORTEST_S)

    def is_due(self, now: float) -> bool:
        at = self.due_at()
        return at is not None and at <= now

    def take(self, now: float) -> str:
        """What was held back, which counts as passed on."""
        held = "".join(self._all[self._shown :])
        self._shown, self.shown_at = len(self._all), now
        return held
