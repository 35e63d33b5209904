"""The setup of a run: the user's context, and what the message is about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.agent.run_setup import MAX_NOTES, RunContext, numbered_notes, read_place
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import PermissionDenied
from rollcall.core.messages import UserMessage
from rollcall.core.profile import AgentProfile, Briefing, Note, Place
from rollcall.core.wire import Citation

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PROFILE = AgentProfile(id="site", name={"en": "Site"}, instructions="Help.", tools=())


def place(ctx: ToolContext, short: bool) -> Place:
    return Place(
        f"{'short' if short else 'whole'} of {ctx.context['projectId']} for {ctx.user.uid}"
    )


def run_context(**changes: Any) -> RunContext:
    nothing: Any = None
    return RunContext(
        platform=nothing,
        user=User("ann"),
        profile=replace(PROFILE, **changes),
        registry=nothing,
        message="",
        locale="en",
        now=NOW,
        client_context={"projectId": "house"},
    )


def note(text: str) -> Note:
    return Note(text, Citation(type="code", title=text, code="NEC"))


@pytest.mark.parametrize(
    ("when", "first", "later"),
    [
        ("first", "whole of house for ann", None),
        ("always", "whole of house for ann", "whole of house for ann"),
        ("summarised", "whole of house for ann", "short of house for ann"),
    ],
)
def test_the_place_is_told_as_often_as_the_profile_says(
    when: Any, first: str, later: str | None
) -> None:
    who = run_context(briefing=Briefing(place, when))
    assert read_place(who, is_first_turn=True) == Place(first)
    assert read_place(who, is_first_turn=False) == (Place(later) if later else None)


def test_a_place_that_the_user_may_not_see_is_left_out() -> None:
    def refuse(ctx: ToolContext, short: bool) -> Place:
        raise PermissionDenied("not yours")

    assert read_place(run_context(briefing=Briefing(refuse)), is_first_turn=True) is None


def test_notes_are_of_the_last_message_and_numbered() -> None:
    who = run_context(notes=lambda text, locale: [note(f"{text} {n} {locale}") for n in range(9)])
    history = [UserMessage.of("old"), UserMessage.of("new")]
    notes = numbered_notes(who, history)
    assert [each.citation.n for each in notes] == list(range(1, MAX_NOTES + 1))
    assert notes[0].text == "new 0 en"
