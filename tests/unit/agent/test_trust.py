"""What the loop believes of documents, and how much of a result it takes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from rollcall import catalog
from rollcall.agent.dispatch import InProcess
from rollcall.agent.results import Sources, render
from rollcall.agent.window import window
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import FailedPrecondition, PermissionDenied
from rollcall.core.messages import ModelMessage, ToolCall, ToolMessage, ToolResult, UserMessage
from rollcall.core.wire import Citation
from rollcall.registry.documents import Entry, capability_document


def pay_as(**options: Any) -> Capability:
    @capability(name={"en": "Pay"}, category="c", **options)
    def pay(ctx: ToolContext, *, amount: float) -> str:
        """Pay."""
        return "paid"

    return Capability.of(pay)


@pytest.mark.parametrize(
    ("code", "error"),
    [({"effect": "write"}, FailedPrecondition), ({"min_role": "admin"}, PermissionDenied)],
)
def test_a_document_older_than_the_code_opens_nothing(
    code: dict[str, Any], error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "find_capability", lambda _: pay_as(**code))
    entry = Entry.from_document({**capability_document(pay_as()), "status": "active"})
    dispatch = InProcess(
        platform=None,  # type: ignore[arg-type]
        user=User("ann"),
        locale="en",
        now=datetime.now(UTC),
        entries={"pay": entry},
        agents=None,  # type: ignore[arg-type]
    )
    with pytest.raises(error):
        dispatch(ToolCall("c", "pay", {"amount": 5.0}), lambda *a, **k: None)


@pytest.mark.parametrize(
    "output",
    [
        {f"k{n}": "x" * 250 for n in range(5_000)},
        {f"k{n}": ["ab"] * 50 for n in range(3_000)},
        {f"k{n}": {"text": "y" * 400, "items": [1, 2, 3]} for n in range(3_000)},
        [[["x" * 100] * 10] * 100] * 20,
    ],
)
def test_no_result_is_longer_than_its_limit(output: Any) -> None:
    text, _ = render(output, [], limit=24_000)
    json.loads(text)
    assert len(text) <= 24_000


def test_two_articles_of_one_code_are_two_sources() -> None:
    one = Citation(type="code", title="NEC", code="NEC", edition="2023", article="210.19")
    two = one.model_copy(update={"article": "215.2"})
    assert [c.n for c in Sources().number([one, two, one])] == [1, 2, 1]


def test_what_is_left_of_a_cut_exchange_is_not_shown_to_a_model() -> None:
    call = ToolCall("c", "t", {})
    rest = [ModelMessage("", (call,)), ToolMessage((ToolResult("c", "t", "r"),))]
    asked = UserMessage.of("q")
    assert window([*rest, asked], tokens=10_000) == [asked]
