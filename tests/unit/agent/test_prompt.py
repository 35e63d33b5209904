"""The system prompt: what stays the same comes first, byte for byte."""

from __future__ import annotations

from datetime import UTC, datetime

from rollcall.agent.prompt import instructions
from rollcall.core.context import User
from rollcall.core.profile import AgentProfile
from tests.support.registries import tool

AGENT = AgentProfile(id="a", name={"en": "A"}, instructions="Help in the office.", tools=("*",))
TOOLS = (tool("book_room", "Book a room."), tool("find_room", "Find a room."))


def prompt(user: str = "ann", day: int = 1, **given: object) -> str:
    asked = {"entries": TOOLS, "locale": "en", "context": {"room": user}, **given}
    who = User(user, name=user.title())
    return instructions(AGENT, user=who, now=datetime(2026, 11, day, tzinfo=UTC), **asked)  # type: ignore[arg-type]


def test_between_users_and_days_all_up_to_the_tools_guidance_is_the_same() -> None:
    one, other = prompt("ann", 1), prompt("bob", 2)
    first, _, rest = one.partition("Today is")
    assert other.startswith(first.encode().decode())
    assert first.startswith("Help in the office.")
    assert "book_room" in first
    assert "Ann" in rest


def test_with_other_tools_all_up_to_them_is_the_same() -> None:
    one, other = prompt(), prompt(entries=TOOLS[:1])
    first = one.partition("The tools at hand")[0]
    assert len(first) > 1_000
    assert other.startswith(first)


def test_without_tools_it_says_what_there_is() -> None:
    assert "you help with: " in prompt(entries=(), abilities=TOOLS)
    assert "The tools at hand" not in prompt(entries=(), abilities=TOOLS)
