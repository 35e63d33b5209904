"""Questions of what something is or says, answered from what the agent knows beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from rollcall.core.explaining import asks_what_it_is
from rollcall.core.profile import Note


def explained(text: str, notes: Sequence[Note]) -> str | None:
    """The answer to a question about a concept, out of the notes on it, with their numbers; None
    where the message asks for something else, or nothing is known of it."""
    if not notes or not asks_what_it_is(text):
        return None
    return "\n\n".join(f"{note.text} [{note.citation.n}]" for note in notes)
