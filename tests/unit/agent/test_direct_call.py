"""The arguments and results of a capability's own function."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rollcall.agent import direct_call
from rollcall.core.capability import Capability, capability
from rollcall.core.context import Call, Platform, ToolContext, User
from rollcall.core.errors import InvalidArgument


@capability(name="Meeting cost")
async def meeting_cost(
    ctx: ToolContext, *, max_people: int = 2, context: str = "", limit: int | None = None
) -> dict[str, Any]:
    """Estimate what a meeting costs."""
    await asyncio.sleep(0)
    return {"people": max_people, "said": context, "context": dict(ctx.context), "in": ctx.locale}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a registry and its records."""
    monkeypatch.setattr(direct_call, "_check_allowed", lambda *given: None)
    monkeypatch.setattr(direct_call, "observation", lambda *given, **options: nullcontext())


def call_directly(data: Any) -> Any:
    platform = SimpleNamespace(db=SimpleNamespace(project="demo-test"), text_model=None)
    handle = direct_call.direct_call(Capability.of(meeting_cost))
    return handle(cast(Platform, platform), Call(User("ann"), data))


@pytest.mark.parametrize(
    ("data", "people", "said"),
    [
        (None, 2, ""),
        ({}, 2, ""),
        ({"arguments": {"maxPeople": 6}}, 6, ""),
        ({"maxPeople": 6}, 6, ""),
        ({"max_people": 6, "limit": 3}, 6, ""),
        ({"context": "late"}, 2, "late"),
        ({"arguments": {}, "context": {"room": "blue"}, "locale": "he"}, 2, ""),
    ],
)
def test_an_async_capability_takes_its_arguments_in_an_envelope_or_flat(
    data: Any, people: int, said: str
) -> None:
    given = data or {}
    envelope = given if "arguments" in given else {}
    assert call_directly(data) == {
        "people": people,
        "said": said,
        "context": envelope.get("context", {}),
        "in": envelope.get("locale", "en"),
    }


def test_without_arguments_what_belongs_to_the_call_alone_is_read_as_that() -> None:
    assert call_directly({"locale": "he", "callKey": "k1"})["in"] == "he"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"maxPeople": 6, "callKey": "k1"}, "callKey"),
        ({"maxPeople": 6, "hours": 2}, "hours"),
        ({"argument": {"maxPeople": 6}}, "argument"),
        ({"maxPeople": 6, "arguments": {}}, "maxPeople"),
        ({"maxPeople": "six"}, "arguments.maxPeople"),
        ([6], "data"),
    ],
)
def test_data_in_neither_form_is_refused_by_its_key(data: Any, field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        call_directly(data)
    assert refused.value.field == field


def test_a_refusal_says_both_forms() -> None:
    with pytest.raises(InvalidArgument, match="hours is no argument of meeting_cost") as refused:
        call_directly({"hours": 2})
    assert refused.value.hint == (
        "send its arguments (maxPeople, context, limit) alone, "
        "or {arguments, context?, callKey?, locale?}"
    )


@pytest.mark.parametrize(("chars", "is_taken"), [(3_988, True), (3_989, False)])
def test_a_context_has_a_runs_limit(chars: int, is_taken: bool) -> None:
    data = {"arguments": {}, "context": {"note": "x" * chars}}
    if is_taken:
        assert call_directly(data)["context"] == data["context"]
        return
    with pytest.raises(InvalidArgument, match="has 4,001 characters of JSON; at most 4,000") as no:
        call_directly(data)
    assert no.value.field == "context"


def test_a_context_brings_no_credential_along() -> None:
    context = {"note": "use AIzaSyA1234567890abcdefghijk", "room": "blue"}
    assert call_directly({"arguments": {}, "context": context})["context"] == {
        "note": "use [hidden]",
        "room": "blue",
    }
