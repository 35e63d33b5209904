"""Spans and log lines of a run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from msgspec.structs import replace

from rollcall.agent import model_calls
from rollcall.agent.dispatch import NeedsApproval
from rollcall.agent.loop import run
from rollcall.agent.run import to_result
from rollcall.agent.telemetry import observe_run
from rollcall.agent.turn import Turn, TurnEnd
from rollcall.core import logs
from rollcall.core.context import Decider, User
from rollcall.core.errors import Aborted, NotFound, Unavailable
from rollcall.core.events import Event
from rollcall.core.logs import isolated_context, user_digest
from rollcall.store.approvals import Approval, ApprovalStatus
from rollcall.testing import ScriptedModel, calls, says
from tests.support.scripted_turn import turn
from tests.support.spans import Spans, record_spans

UID = "Xk29fLmQ0pT7uV1wZ3yA5bC8dE6"


@dataclass
class RunStub:
    """An open run, as far as it is told of."""

    run_id: str = "r1"
    turn_id: str = "u1"
    thread_id: str = "t1"
    agent: str = "messaging"
    attempt: int = 1
    user: User = field(default_factory=lambda: User(UID))
    request: dict[str, Any] = field(default_factory=lambda: {"offered": ["a", "b"]})
    approvals: tuple[Any, ...] = ()
    is_closed: bool = True


def drive(asked: Turn, opened: Any) -> Generator[Event | None, None, dict[str, Any]]:
    """The loop alone, and its end as a result."""
    ended: TurnEnd = yield from run(asked)
    ids = {"thread_id": "t1", "turn_id": "u1", "run_id": opened.run_id}
    approvals = [approval(each.call.id) for each in ended.waiting]
    return to_result(ended, agent=opened.agent, approvals=approvals, **ids).dump()


def approval(call_id: str) -> Approval:
    now = datetime.now(UTC)
    texts = ("thread_id", "run_id", "turn_id", "agent", "capability_digest", "summary", "locale")
    fields: dict[str, Any] = {**dict.fromkeys(texts, "x"), "id": "ap1", "uid": UID, "tool": "a"}
    fields |= {"call_id": call_id, "place": 0, "version": 1, "arguments": {}, "shown": {}}
    fields |= {"display": None, "decider": Decider(uid=UID)}
    return Approval(**fields, created_at=now, expires_at=now)


def play(asked: Turn, opened: RunStub | None = None) -> dict[str, Any]:
    """Drive a run to its end."""
    opened = opened or RunStub()
    steps = isolated_context(observe_run(cast(Any, opened), drive(asked, opened)))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return result


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    with record_spans(monkeypatch) as found:
        yield found


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[str], list[dict[str, Any]]]:
    """What was logged under a name, with the run that it was logged in."""
    caplog.set_level(logging.INFO, "rollcall")
    noting = _Noting()
    caplog.handler.addFilter(noting)
    return lambda event: [
        {**record.rollcall_fields, "run": record.run}  # type: ignore[attr-defined]
        for record in caplog.records
        if getattr(record, "rollcall_fields", {}).get("event") == event
    ]


class _Noting(logging.Filter):
    """Notes with each record what its line would say of the run."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.run = logs.log_fields().get("run")
        return True


def test_a_run_with_two_tools_side_by_side_is_a_tree_of_spans(spans: Spans) -> None:
    together = threading.Barrier(2, timeout=60)

    def tool(progress: Any) -> str:
        together.wait()
        return "the secret plan"

    model = ScriptedModel([calls(("a", {}), ("b", {})), says("Both.")], id="gemini:flash")
    play(turn(model, {"a": tool, "b": tool}))
    children = [
        span.name
        for span in sorted(spans.all(), key=lambda span: span.start_time or 0)
        if span.parent is not None
    ]
    assert spans.tree().keys() == {"invoke_agent messaging"}
    assert (children[0], set(children[1:3]), children[3]) == (
        "chat flash",
        {"execute_tool a", "execute_tool b"},
        "chat flash",
    )
    root = spans.named("invoke_agent messaging")
    assert {span.parent.span_id for span in spans.all() if span.parent} == {
        root.context.span_id  # type: ignore[union-attr]
    }
    assert not any("secret" in span.to_json() for span in spans.all())


def test_spans_say_what_the_conventions_ask_for(spans: Spans) -> None:
    model = ScriptedModel([calls(("a", {})), says("Ok.")], id="gemini:flash")
    play(turn(model, {"a": lambda progress: 1}))
    assert dict(spans.named("invoke_agent messaging").attributes or {}) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "rollcall",
        "gen_ai.agent.id": "messaging",
        "gen_ai.agent.name": "messaging",
        "gen_ai.conversation.id": "t1",
        "enduser.pseudo.id": user_digest(UID),
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 10,
        "rollcall.turn.id": "u1",
        "rollcall.run.id": "r1",
        "rollcall.run.attempt": 1,
        "rollcall.outcome": "success",
        "rollcall.steps": 2,
    }
    first, _ = [span for span in spans.all() if span.name == "chat flash"]
    assert first.kind.name == "CLIENT"
    assert dict(first.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "flash",
        "gen_ai.request.stream": True,
        "gen_ai.conversation.id": "t1",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.response.finish_reasons": ("tool_calls",),
    }
    call = dict(spans.named("execute_tool a").attributes or {})
    assert call.pop("gen_ai.tool.call.id")
    assert call == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "a",
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": "t1",
    }


def test_a_tool_that_fails_marks_its_own_span_only(spans: Spans, lines: Any) -> None:
    def tool(progress: Any) -> str:
        raise NotFound("no such room")

    model = ScriptedModel([calls(("a", {})), says("Sorry.")])
    play(turn(model, {"a": tool}))
    failed = spans.named("execute_tool a")
    assert (failed.attributes or {})["error.type"] == "not-found"
    assert spans.named("invoke_agent messaging").status.is_unset
    assert lines("call_failed") == [
        {
            "event": "call_failed",
            "tool": "a",
            "code": "not-found",
            "status": "failed",
            "run": "r1",
        }
    ]


def test_a_fallback_is_a_second_chat_beside_the_failed_one(
    spans: Spans, lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = model_calls.RetryPolicy(random=lambda: 0.0)
    monkeypatch.setitem(model_calls.stream_reply.__kwdefaults__ or {}, "retries", at_once)
    down = ScriptedModel([Unavailable("down", retry_after_s=0.0)], id="gemini:flash")
    up = ScriptedModel([says("Here.")], id="openai:mini")
    play(turn(down, {}, models=(down, up)))
    assert spans.tree() == {"invoke_agent messaging": {"chat flash": {}, "chat mini": {}}}
    failed = spans.named("chat flash")
    assert (failed.attributes or {})["error.type"] == "unavailable"
    retried = lines("model_retried")
    assert [(each["model"], each["tries"]) for each in retried] == [
        ("gemini:flash", 1),
        ("gemini:flash", 2),
    ]
    assert [each["model"] for each in lines("model_gave_up")] == ["gemini:flash"]


def needed_approval(tool: str) -> NeedsApproval:
    return NeedsApproval(
        {},
        {},
        "Do it?",
        None,
        tool=tool,
        decider=Decider(uid=UID),
        expires_s=60,
        version=1,
        capability_digest="d",
    )


def test_a_call_that_waits_for_a_person_is_no_error(spans: Spans, lines: Any) -> None:
    model = ScriptedModel([calls(("a", {}))])
    play(turn(model, {"a": lambda progress: needed_approval("a")}))
    waiting = spans.named("execute_tool a")
    assert waiting.status.is_unset
    assert (waiting.attributes or {})["rollcall.waits_for"] == "person"
    root = spans.named("invoke_agent messaging")
    assert (root.attributes or {})["rollcall.outcome"] == "interrupt"
    assert lines("approval_asked") == [{"event": "approval_asked", "tool": "a", "run": "r1"}]


def test_a_run_that_fails_is_an_error_with_its_code(spans: Spans, lines: Any) -> None:
    model = ScriptedModel([NotFound("no such model")], id="openai:gone")
    with pytest.raises(NotFound):
        play(turn(model))
    root = spans.named("invoke_agent messaging")
    assert (root.attributes or {})["error.type"] == "not-found"
    [ended] = lines("run_ended")
    assert (ended["outcome"], ended["code"]) == ("failed", "not-found")


def test_a_run_is_told_at_its_start_and_at_its_end_with_its_figures(lines: Any) -> None:
    model = ScriptedModel([calls(("a", {})), says("Ok.")])
    play(turn(model, {"a": lambda progress: 1}))
    assert lines("run_opened") == [{"event": "run_opened", "attempt": 1, "offered": 2, "run": "r1"}]
    [ended] = lines("run_ended")
    assert ended.pop("ms") >= 0
    assert ended == {
        "event": "run_ended",
        "run": "r1",
        "outcome": "success",
        "attempt": 1,
        "stopReason": None,
        "steps": 2,
        "offered": 2,
        "called": 1,
        "failed": 0,
        "inputTokens": 20,
        "outputTokens": 10,
        "microUsd": 0,
    }


@pytest.mark.parametrize("how", ["closed", "overtaken"])
def test_a_run_that_is_left_to_another_process_has_not_failed(how: str, lines: Any) -> None:
    def leaving() -> Generator[int, None, dict[str, Any]]:
        yield 1
        raise Aborted("another run has taken this thread over")

    steps = isolated_context(observe_run(cast(Any, RunStub()), leaving()))
    next(steps)
    if how == "closed":
        steps.close()
    else:
        with pytest.raises(Aborted):
            next(steps)
    assert [each["outcome"] for each in lines("run_ended")] == ["left"]


def test_a_run_that_is_taken_up_and_what_was_decided_meanwhile_are_told(lines: Any) -> None:
    decided = replace(approval("c1"), status=ApprovalStatus.APPROVED)
    play(turn(ScriptedModel([says("Ok.")])), RunStub(approvals=(decided,)))
    play(turn(ScriptedModel([says("Ok.")])), RunStub(approvals=(decided,), attempt=2))
    assert [each["status"] for each in lines("approval_decided")] == ["approved"]
    assert [each["attempt"] for each in lines("run_taken_up")] == [2]


def test_runs_at_once_do_not_mix_in_their_threads_and_tools(lines: Any) -> None:
    together = threading.Barrier(4, timeout=60)

    def tool(progress: Any) -> str:
        together.wait()
        seen.append((logs.log_fields()["run"], logs.log_fields()["tool"]))
        raise NotFound("gone")

    seen: list[tuple[str, str]] = []
    with ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(
                play,
                turn(ScriptedModel([calls((f"a{n}", {})), says("Ok.")]), {f"a{n}": tool}),
                RunStub(run_id=f"r{n}"),
            )
            for n in range(4)
        ]
        for each in asked:
            each.result()
    assert sorted(seen) == [(f"r{n}", f"a{n}") for n in range(4)]
    told = lines("call_failed")
    assert sorted((each["run"], each["tool"]) for each in told) == sorted(seen)
    assert logs.log_fields() == {}
