"""Log lines and spans of a turn, over the whole path of the functions."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from rollcall.core.logs import Lines, as_json, user_digest
from rollcall.core.redaction import RedactingFilter
from rollcall.testing import calls, says
from tests.support.local_functions import frames
from tests.support.office import Office, payment
from tests.support.spans import Spans, record_spans

UID = "Xk29fLmQ0pT7uV1wZ3yA5bC8dE6"
KEY = "sk-" + "proj-Zq8rT5vX1yB4nM7kP3wL"
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
LABELS = "logging.googleapis.com/labels"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the process writes, as it would where it is deployed."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Lines(as_json))
    handler.addFilter(RedactingFilter())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    with record_spans(monkeypatch) as found:
        yield found


def ask(office: Office, *replies: Any, **data: Any) -> dict[str, Any]:
    """The result of a streamed call, within a trace."""
    office.model.replies = list(replies)
    response = office.functions.post(
        "run_agent",
        {"agent": "office", **data},
        uid=UID,
        headers={"Accept": "text/event-stream", "traceparent": f"00-{TRACE}-{SPAN}-01"},
    )
    result: dict[str, Any] = frames(response)[-1]["result"]
    return result


def test_every_line_of_a_run_says_which_it_is_and_nothing_of_what_was_said(
    office: Office, log: io.StringIO
) -> None:
    result = ask(
        office,
        calls(("look_up", {"word": "the secret plan"}), ("look_nowhere", {})),
        says("The secret plan is sound."),
        message=f"What of the secret plan and {KEY}?",
    )
    text = log.getvalue()
    assert not any(each in text for each in (UID, KEY, "secret plan"))
    entries = [json.loads(line) for line in text.splitlines()]
    events = [entry.get("event") for entry in entries]
    assert [each for each in events if each] == ["run_opened", "call_failed", "run_ended"]
    for entry in entries:
        assert entry["logging.googleapis.com/trace"].endswith(f"/traces/{TRACE}")
        labels = entry[LABELS]
        assert labels["function"] == "run_agent"
        assert labels["user"] == user_digest(UID)
        if "event" in entry:
            ids = {"thread": result["threadId"], "turn": result["turnId"], "run": result["runId"]}
            assert ids.items() <= labels.items()
    ended = entries[-1]
    assert (ended["outcome"], ended["steps"], ended["called"]) == ("success", 2, 2)
    failed = entries[events.index("call_failed")]
    assert (failed[LABELS]["tool"], failed["code"]) == ("look_nowhere", "unavailable")


def test_a_turn_that_waits_and_goes_on_is_two_runs_told_and_traced_as_one_turn(
    office: Office, log: io.StringIO, spans: Spans
) -> None:
    waiting = ask(office, payment(), message="Pay bob.")
    [interrupt] = waiting["outcome"]["interrupts"]
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
    done = ask(office, says("Paid."), threadId=waiting["threadId"], resume=[answer])
    entries = [json.loads(line) for line in log.getvalue().splitlines()]
    told = [(entry["event"], entry[LABELS]["run"]) for entry in entries if "event" in entry]
    assert told == [
        ("run_opened", waiting["runId"]),
        ("approval_asked", waiting["runId"]),
        ("run_ended", waiting["runId"]),
        ("run_opened", done["runId"]),
        ("approval_decided", done["runId"]),
        ("run_ended", done["runId"]),
    ]
    runs = [span for span in spans.all() if span.name == "invoke_agent office"]
    attributes = [dict(run.attributes or {}) for run in runs]
    assert [each["rollcall.turn.id"] for each in attributes] == [waiting["turnId"]] * 2
    assert [each["rollcall.outcome"] for each in attributes] == ["interrupt", "success"]
    for run in runs:
        assert run.parent is not None
        assert f"{run.parent.span_id:016x}" == SPAN
    payments = [span for span in spans.all() if span.name == "execute_tool pay"]
    assert [(span.attributes or {}).get("rollcall.waits_for") for span in payments] == [
        "person",
        None,
    ]
    assert not any(UID in span.to_json() or "bob" in span.to_json() for span in spans.all())


def test_a_capability_called_by_itself_is_a_span_of_its_callers_trace(
    office: Office, spans: Spans
) -> None:
    office.write_documents()
    headers = {"X-Cloud-Trace-Context": f"{TRACE}/{int(SPAN, 16)};o=1"}
    data = {"arguments": {"word": "x"}}
    assert office.functions.post("look_up", data, headers=headers).status_code == 200
    made = spans.named("execute_tool look_up")
    assert made.parent is not None
    assert f"{made.parent.span_id:016x}" == SPAN
