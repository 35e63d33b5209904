"""The audit log: written once, complete, without any text of the user's."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import AlreadyExists
from google.cloud.firestore import Client

from rollcall.core.context import Decider, User
from rollcall.core.redaction import HIDDEN
from rollcall.core.wire import CallStatus, ModelUsage, Role, StopReason, ToolCallRecord
from rollcall.store import audit
from rollcall.store.approvals import (
    Approval,
    ApprovalDecision,
    ApprovalStatus,
    arguments_digest,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SAID = "the merger is on Friday"


def call(**changes: Any) -> ToolCallRecord:
    fields: dict[str, Any] = {
        "id": "c1",
        "tool": "send_message",
        "arguments": {"text": SAID},
        "status": CallStatus.DONE,
        "result": {"sent": SAID},
        "error": {"message": SAID},
        "step": 1,
        "ms": 5,
    }
    return ToolCallRecord(**{**fields, **changes})


def approval(id: str) -> Approval:
    return Approval(
        id=id,
        uid="ann",
        thread_id="t1",
        run_id="r1",
        turn_id="r1",
        agent="chat",
        call_id="c1",
        place=0,
        tool="send_message",
        version=1,
        capability_digest="d",
        arguments={"text": SAID},
        shown={"text": SAID},
        summary=SAID,
        display=None,
        locale="en",
        decider=Decider(uid="bo"),
        created_at=NOON,
        expires_at=NOON,
        status=ApprovalStatus.APPROVED,
        decision=ApprovalDecision(approved=True, by="bo", at=NOON, reason=SAID),
    )


def run_entry(**changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "user": User("ann", Role.TEACHER, "school", "Ann"),
        "thread_id": "t1",
        "turn_id": "r1",
        "run_id": "r1~1",
        "agent": "chat",
        "models": ["gemini:x"],
        "variant": "V2",
        "offered": ["send_message", "search_all"],
        "found": ["get_decisions"],
        "calls": [call(approval_id="a1")],
        "approvals": [approval("a1")],
        "outcome": "cancelled",
        "stop_reason": StopReason.MAX_STEPS,
        "steps": 2,
        "attempt": 1,
        "usage": [ModelUsage(provider="gemini", model="x", input_tokens=10)],
        "micro_usd": 12,
        "began_at": NOON,
        "at": NOON,
    }
    given = {**fields, **changes}
    request = {key: given.pop(key) for key in ("variant", "offered")}
    return audit.run_entry(request=request, **given)


def decision(approval_id: str = "a1", tool: str = "send_message") -> dict[str, Any]:
    fields = {"approvalId": approval_id, "argumentsDigest": "d", "approved": True, "by": "bo"}
    return audit.entry("decision", approval_id, uid="ann", at=NOON, tool=tool, **fields)


def effect(key: str = "k1", status: str = "done", tried_at: datetime = NOON) -> dict[str, Any]:
    about = (key, status, tried_at.isoformat())
    fields = {"effectKey": key, "version": 1, "argumentsDigest": "d", "status": status}
    return audit.entry("effect", *about, uid="ann", at=NOON, tool="send_message", **fields)


def rating(number: int = 1) -> dict[str, Any]:
    fields = {"called": ["send_message"], "runDay": "2026-03-02", "rating": "up", "before": None}
    return audit.entry("rating", "t1", "r1", str(number), uid="ann", at=NOON, **fields)


def erasure() -> dict[str, Any]:
    return audit.entry("data_erased", "digest", "e1", uid=None, at=NOON, removed={"threads": 3})


def write(db: Client, entry: dict[str, Any]) -> None:
    batch = db.batch()
    audit.write(batch, db, entry)
    batch.commit()


@pytest.mark.parametrize("make", [run_entry, decision, effect, rating, erasure])
def test_an_entry_is_stored_whole_and_once(make: Any, db: Client) -> None:
    write(db, make())
    with pytest.raises(AlreadyExists):
        write(db, make())
    (stored,) = db.collection("audit").get()
    found = stored.to_dict() or {}
    logged_at = found.pop("loggedAt")  # Firestore's own time, and not of this process
    assert abs(logged_at - stored.create_time) < timedelta(seconds=5)
    assert found == make()


def test_a_repeated_entry_takes_its_whole_batch_with_it(db: Client) -> None:
    write(db, effect())
    batch = db.batch()
    batch.set(db.document("x/1"), {"a": 1})
    audit.write(batch, db, effect())
    with pytest.raises(AlreadyExists):
        batch.commit()
    assert not db.document("x/1").get().exists


def test_entries_about_different_things_have_different_ids() -> None:
    entries = [
        run_entry(),
        run_entry(run_id="r1"),
        run_entry(thread_id="t1~", run_id="r1"),
        decision(),
        decision(approval_id="a2"),
        effect(),
        effect(status="unknown"),
        effect(key="k2"),
        effect(tried_at=NOON.replace(hour=13)),
        rating(),
        rating(number=2),
        erasure(),
    ]
    assert len({entry["about"] for entry in entries}) == len(entries)


def test_a_run_tells_who_what_with_which_and_by_whose_yes() -> None:
    entry = run_entry()
    assert entry["uid"] == "ann"
    assert (entry["role"], entry["tenant"], entry["agent"]) == ("teacher", "school", "chat")
    assert entry["offered"] == ["send_message", "search_all"]
    assert entry["calls"] == [
        {
            "tool": "send_message",
            "status": "done",
            "error": None,
            "argumentsDigest": arguments_digest({"text": SAID}),
            "approvalId": "a1",
            "allowedBy": None,
            "step": 1,
            "ms": 5,
        }
    ]
    assert entry["approvals"][0]["by"] == "bo"
    assert entry["deciders"] == ["bo"]
    assert (entry["stopReason"], entry["microUsd"]) == ("max_steps", 12)


def test_a_run_tells_what_was_offered_called_and_missed() -> None:
    calls = [
        call(),
        call(tool="find_tools"),
        call(tool="get_decisions", status=CallStatus.FAILED, error={"code": "unavailable"}),
        call(tool="get_decisions"),
        call(tool="no tool at all", status=CallStatus.REFUSED),
    ]
    entry = run_entry(calls=calls)
    assert (entry["variant"], entry["found"]) == ("V2", ["get_decisions"])
    assert entry["missed"] == ["get_decisions"]
    assert [each["error"] for each in entry["calls"]] == [None, None, "unavailable", None, None]


def test_nothing_that_was_said_is_kept() -> None:
    odd = call(tool=f"do: {SAID}", status=CallStatus.REFUSED)
    text = json.dumps([run_entry(calls=[call(), odd]), decision(tool=SAID)], default=str)
    assert SAID not in text
    assert "Ann" not in text


def test_equal_arguments_have_one_digest() -> None:
    one, two = arguments_digest({"a": 1, "b": 2}), arguments_digest({"b": 2, "a": 1})
    assert one == two != arguments_digest({"a": 1, "b": 3})


def test_an_entry_is_bounded_and_without_credentials(db: Client) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    entry = run_entry(
        calls=[call() for _ in range(5_000)],
        offered=["x" * 500] * 5_000,
        models=[key] * 50,
        approvals=[approval(f"a{n}") for n in range(5_000)],
    )
    write(db, entry)
    assert (entry["callsLeftOut"], entry["offeredCount"]) == (4_800, 5_000)
    assert len(json.dumps(entry, default=str)) < 150_000
    assert entry["models"][0] == HIDDEN


def test_an_erasure_does_not_name_whose_it_was() -> None:
    entry = erasure()
    assert "uid" not in entry
    assert "ann" not in json.dumps(entry, default=str)
