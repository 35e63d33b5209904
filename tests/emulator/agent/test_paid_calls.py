"""Models whose calls are metered one by one, on the emulator."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from google.cloud.firestore import Client

from rollcall.agent.paid_calls import MeteredModel, max_output
from rollcall.core.context import User
from rollcall.core.errors import Unavailable
from rollcall.core.messages import UserMessage
from rollcall.models.base import (
    BrokenOff,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.models.structured import StructuredText
from rollcall.store import budgets, paths
from rollcall.store.budgets import BudgetExhausted
from tests.support.spans import record_spans

ANN = User("ann")
REQUEST = ModelRequest(instructions="Answer.", messages=(UserMessage.of("Hello"),))


class Says:
    """A priced model that says something and then ends, or fails."""

    id = "openai:gpt-5.5"

    def __init__(self, *deltas: Delta, error: Exception | None = None) -> None:
        self._deltas, self._error = deltas, error

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        yield from self._deltas
        if self._error:
            raise self._error


def spent(db: Client) -> budgets.Day:
    today = datetime.now(UTC).date()
    snapshot = paths.user_day(db, "ann", today).get()
    return budgets.Day.of(snapshot.to_dict(), today)


def test_a_call_is_paid_by_the_user(db: Client) -> None:
    finish = Finish(FinishReason.STOP, Usage(1_000, 0, 100))
    model = MeteredModel(Says(TextDelta('{"a": 1}'), finish), db, ANN)
    assert StructuredText(model).generate(instructions="", text="x", schema={}) == {"a": 1}
    day = spent(db)
    assert (day.spent.micro_usd, day.reservations) == (8_000, {})


def test_a_call_is_a_span_with_what_it_used(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    finish = Finish(FinishReason.STOP, Usage(1_000, 10, 100))
    with record_spans(monkeypatch) as spans:
        list(MeteredModel(Says(TextDelta("Hi"), finish), db, ANN).stream(REQUEST))
    used = dict(spans.named("chat gpt-5.5").attributes or {})
    assert used["gen_ai.provider.name"] == "openai"
    assert used["gen_ai.usage.input_tokens"] == 1_000
    assert used["gen_ai.usage.cache_read.input_tokens"] == 10
    assert used["gen_ai.usage.output_tokens"] == 100


@pytest.mark.parametrize("shown", [TextDelta("x" * 300), CallStart("a", "look_up"), None])
def test_an_answer_without_its_final_count_is_paid_at_its_worst_case(
    db: Client, shown: Delta | None
) -> None:
    """Whatever was shown of it, and whether it breaks off or is given up."""
    deltas = [shown] if shown else []
    with pytest.raises(BrokenOff):
        list(MeteredModel(Says(*deltas, error=BrokenOff("gone")), db, ANN).stream(REQUEST))
    first = spent(db)
    assert first.spent.micro_usd > max_output(REQUEST.max_output_tokens) * 30
    assert first.models[Says.id]["estimatedCalls"] == 1
    given_up = MeteredModel(Says(TextDelta("Hm"), TextDelta("m")), db, ANN).stream(REQUEST)
    next(given_up)
    given_up.close()  # type: ignore[attr-defined]
    assert spent(db).spent.micro_usd == 2 * first.spent.micro_usd


def test_a_call_that_never_began_to_answer_costs_nothing(db: Client) -> None:
    with pytest.raises(Unavailable):
        list(MeteredModel(Says(error=Unavailable("busy")), db, ANN).stream(REQUEST))
    assert spent(db).used.micro_usd == 0


def test_without_a_budget_the_model_is_not_called(db: Client) -> None:
    db.document("budgets/limits").set({"user": {"usdPerDay": 0}})
    budgets.forget_limits()
    with pytest.raises(BudgetExhausted):
        next(MeteredModel(Says(TextDelta("never")), db, ANN).stream(REQUEST))
