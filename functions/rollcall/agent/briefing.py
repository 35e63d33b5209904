"""What an agent is told beside its instructions: where the user is, what is known of what they ask,
what was decided in the dialogue before."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent.asked import Asked
from rollcall.core.context import ToolContext
from rollcall.core.errors import AgentError
from rollcall.core.messages import Message, UserMessage
from rollcall.core.profile import Note, Place

MAX_NOTES = 6

log = logging.getLogger("rollcall")


class Brief(Struct, frozen=True):
    """What is told in one turn.

    Attributes:
        place: Where the user is, as the agent's pack describes it.
        notes: With the numbers to cite them by.
        decisions: Lines, oldest first.
        stays: What turns that were replaced have done, in lines.
    """

    place: Place | None = None
    notes: tuple[Note, ...] = ()
    decisions: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()


def brief(
    asked: Asked,
    history: Sequence[Message],
    *,
    is_first_turn: bool,
    decisions: Sequence[str] = (),
    stays: Sequence[str] = (),
) -> Brief:
    """What this turn's agent is told; a place that cannot be read is left out."""
    return Brief(
        place=_place(asked, is_first_turn=is_first_turn),
        notes=_notes(asked, history),
        decisions=tuple(decisions),
        stays=tuple(stays),
    )


def _place(asked: Asked, *, is_first_turn: bool) -> Place | None:
    briefing = asked.profile.briefing
    if briefing is None or (briefing.when == "first" and not is_first_turn):
        return None
    ctx = ToolContext(
        user=asked.user,
        platform=asked.platform,
        locale=asked.locale,
        now=asked.now,
        context=asked.context or {},
    )
    try:
        return briefing.read(ctx, briefing.when == "summarised" and not is_first_turn)
    except AgentError as error:
        log.info("agent %s has no briefing: %s", asked.profile.id, error.message)
        return None


def _notes(asked: Asked, history: Sequence[Message]) -> tuple[Note, ...]:
    said = next((each for each in reversed(history) if isinstance(each, UserMessage)), None)
    if asked.profile.notes is None or said is None:
        return ()
    found = asked.profile.notes(said.text, asked.locale)[:MAX_NOTES]
    return tuple(
        replace(note, citation=note.citation.model_copy(update={"n": number}))
        for number, note in enumerate(found, 1)
    )
