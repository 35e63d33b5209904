"""The helpers by which apps test their capabilities and agents."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest
from msgspec.structs import replace
from pydantic import Field

from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound, Unavailable
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import Display
from rollcall.core.wire import CallStatus, StopReason
from rollcall.models.base import ModelRequest
from rollcall.testing import ScriptedModel, calls, context, run, says

CAFE = AgentProfile(
    id="cafe",
    name={"en": "Café"},
    instructions="Help at the counter.",
    tools=("price_of", "order", "category:staff"),
)
PRICES = {"tea": 3}


@capability(name={"en": "Price"}, category="menu", keywords=["price", "cost"])
def price_of(ctx: ToolContext, *, drink: str) -> dict[str, Any]:
    """Look up the price of a drink.

    Args:
        drink: Its name, such as "tea".
    """
    if drink not in PRICES:
        raise NotFound(f"there is no {drink}; there are {sorted(PRICES)}", field="drink")
    return {"usd": PRICES[drink], "for": ctx.user.uid}


def _preview(ctx: ToolContext, *, drink: str, day: date) -> Preview:
    return Preview(Display(type="confirmation", title="Order", text=f"{drink}, {day}"))


@capability(
    name={"en": "Order"},
    category="menu",
    effect="write",
    summary=lambda given: f"Order {given['drink']}",
    preview=_preview,
)
def order(ctx: ToolContext, *, drink: Annotated[str, Field(max_length=20)], day: date) -> str:
    """Order a drink.

    Args:
        drink: Its name.
        day: When it is wanted.
    """
    return f"{drink} for {ctx.user.uid}, {ctx.effect_key is not None}"


@capability(name={"en": "Store"}, category="menu", effect="write", atomic=True)
def store(ctx: ToolContext) -> None:
    """Write something to Firestore."""
    ctx.batch.set(ctx.db.document("a/b"), {})


def _sign(ctx: ToolContext, *, text: str) -> Preview:
    hanging = ctx.db.document("signs/door").get().get("text")
    return Preview(Display(type="confirmation", title="Sign", text=f"{hanging}: {text}"))


@capability(name={"en": "Sign"}, category="menu", effect="write", runs_on="client", preview=_sign)
def hang_sign(ctx: ToolContext, *, text: str) -> None:
    """Hang a sign on the door."""


@capability(name={"en": "Takings"}, category="staff", min_role="admin")
def takings(ctx: ToolContext) -> int:
    """Add up the day's takings."""
    return 720


ALL = [price_of, order, store, takings]


def test_an_agent_calls_a_capability_and_answers() -> None:
    model = ScriptedModel([calls(("price_of", {"drink": "tea"})), "Tea is 3 dollars."])
    result = run(CAFE, "How much is tea?", model=model, capabilities=ALL)
    assert result.text == "Tea is 3 dollars."
    assert [(call.tool, call.status, call.result) for call in result.calls] == [
        ("price_of", CallStatus.DONE, {"usd": 3, "for": "ann"})
    ]
    assert (result.interrupts, result.steps, result.stop_reason) == ([], 2, None)
    assert result.events[0]["type"] == "STEP_STARTED"
    assert "Help at the counter." in model.requests[0].instructions


def test_a_failure_goes_back_to_the_model() -> None:
    model = ScriptedModel([calls(("price_of", {"drink": "ale"})), "There is no ale."])
    (call,) = run(CAFE, "An ale?", model=model, capabilities=ALL).calls
    assert call.error is not None
    assert "there are ['tea']" in call.error["message"]
    assert "there is no ale" in str(model.requests[1].messages[-1])


def test_a_wrong_argument_is_refused_as_in_a_run() -> None:
    model = ScriptedModel([calls(("order", {"drink": "tea", "day": "soon"})), "?"])
    (call,) = run(CAFE, "Tea soon", model=model, capabilities=ALL, approved={"order"}).calls
    assert call.error is not None
    assert call.error["code"] == "invalid-argument"


def test_only_what_the_agent_and_the_role_allow_is_offered() -> None:
    model = ScriptedModel(["Hello."])
    run(CAFE, "Hello", model=model, capabilities=ALL)
    assert [tool.name for tool in model.requests[0].tools] == ["ask_user", "order", "price_of"]
    run(CAFE, "Hello", model=model, capabilities=ALL, ctx=context(role="admin"))
    assert [tool.name for tool in model.requests[1].tools] == [
        "ask_user",
        "order",
        "price_of",
        "takings",
    ]


def test_a_write_waits_with_what_a_person_would_be_asked() -> None:
    model = ScriptedModel([calls(("order", {"drink": "tea", "day": "2026-12-03"}))])
    result = run(CAFE, "A tea, please", model=model, capabilities=ALL)
    (waiting,) = result.interrupts
    assert (waiting.tool, waiting.summary) == ("order", "Order tea")
    assert waiting.arguments == {"drink": "tea", "day": "2026-12-03"}
    assert waiting.display is not None
    assert waiting.display.text == "tea, 2026-12-03"
    assert result.calls == []


def test_a_write_that_is_approved_happens() -> None:
    model = ScriptedModel([calls(("order", {"drink": "tea", "day": "2026-12-03"})), "Done."])
    result = run(CAFE, "A tea", model=model, capabilities=ALL, approved={"order"})
    assert [call.result for call in result.calls] == ["tea for ann, True"]
    with pytest.raises(NotFound, match="'oder'"):
        run(CAFE, "A tea", model=model, capabilities=ALL, approved={"oder"})


def test_a_write_of_the_users_client_that_is_approved_is_left_to_it_without_a_preview() -> None:
    till = replace(CAFE, tools=("hang_sign",))
    sign = calls(("hang_sign", {"text": "Closed"}))
    model, tools = ScriptedModel([sign]), [hang_sign]
    result = run(till, "Close", model=model, capabilities=tools, approved={"hang_sign"})
    assert [call.arguments for call in result.client_calls] == [{"text": "Closed"}]
    assert (result.calls, result.interrupts) == ([], [])
    model = ScriptedModel([sign, "It failed."])  # asked about, it needs what the preview reads
    (call,) = run(till, "Close", model=model, capabilities=tools).calls
    assert call.error is not None
    assert "this test has no Firestore" in call.error["message"]


def test_the_same_call_in_two_steps_is_two_calls() -> None:
    order = calls(("order", {"what": "tea"}))
    model = ScriptedModel([order, order, "Two teas."])
    ids = [
        delta.id
        for _ in (1, 2)
        for delta in model.stream(ModelRequest("", ()))
        if hasattr(delta, "id")
    ]
    assert len(set(ids)) == 2
    assert ids[0] == calls(("order", {"what": "tea"}))[0].id  # type: ignore[union-attr]


def test_firestore_is_missed_in_plain_words() -> None:
    with pytest.raises(FailedPrecondition, match=r"context\(db=\.\.\.\)"):
        _ = context().db
    anything = AgentProfile(id="all", name={"en": "All"}, instructions="", tools=("*",))
    model = ScriptedModel([calls(("store", {})), "It failed."])
    (call,) = run(anything, "Store", model=model, capabilities=ALL, approved={"store"}).calls
    assert call.error is not None
    assert "this test has no Firestore" in call.error["message"]


def test_the_agents_limits_hold() -> None:
    endless = ScriptedModel([calls(("price_of", {"drink": f"{n}"})) for n in range(9)])
    result = run(CAFE, "Go on", model=endless, capabilities=ALL)
    assert result.stop_reason is StopReason.MAX_STEPS


def test_a_model_that_fails_is_heard_of() -> None:
    with pytest.raises(Unavailable, match="overloaded"):
        run(CAFE, "Hello", model=ScriptedModel([Unavailable("overloaded")]), capabilities=[])


def test_the_offline_planner_can_be_asked() -> None:
    result = run(CAFE, 'price of "tea"', model="offline:planner", capabilities=[price_of])
    assert [call.tool for call in result.calls] == ["price_of"]


def test_a_script_may_mix_texts_and_deltas() -> None:
    model = ScriptedModel(["one", says("two")])
    texts = [run(CAFE, "?", model=model, capabilities=[]).text for _ in range(3)]
    assert texts == ["one", "two", "two"]
