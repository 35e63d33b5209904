"""The audit log names, for each write, the approval that permitted it, and never its text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext
from rollcall.core.policy import ApprovalPolicy
from rollcall.testing import calls, says
from tests.support.office import Office, RunResponse

LAPTOP: dict[str, Any] = {"clientId": "laptop", "clientTools": ["edit_file"]}
FILES = ApprovalPolicy(ask="outside", argument="path", matches="path", patterns=("docs/**",))


@capability(name={"en": "Keep"}, category="office", effect="write", approval=FILES)
def keep(ctx: ToolContext, *, path: str) -> dict[str, str]:
    """Keep a file."""
    return {"path": path}


def entry(office: Office, ran: RunResponse) -> dict[str, Any]:
    found = [each.to_dict() or {} for each in office.db.collection("audit").stream()]
    (mine,) = (
        each for each in found if each["kind"] == "run" and each["runId"] == ran.done["runId"]
    )
    return mine


def permits(office: Office, ran: RunResponse) -> list[tuple[str | None, str | None]]:
    """What the audit says of a run's calls: their approvals, and what stood for one."""
    return [(call["approvalId"], call["allowedBy"]) for call in entry(office, ran)["calls"]]


def yes(office: Office, ran: RunResponse, remember: str | None = None) -> tuple[str, RunResponse]:
    """A yes to the one question of a run; its approval, and the run that goes on."""
    answer = {"approved": True, **({"remember": remember} if remember else {})}
    (interrupt,) = ran.interrupts
    return interrupt["id"], office.resume(ran, says("Done."), answers=[answer])


def test_a_policy_that_asks_nobody_is_named(office: Office) -> None:
    step = calls(("look_up", {}), ("stamp", {"paper": "lease"}), ("buy", {"amountUsd": 5}))
    ran = office.ask(step, says("Done."))
    assert permits(office, ran) == [(None, None), (None, "policy"), (None, "policy")]
    assert [call.get("allowedBy") for call in ran.done["toolCalls"]] == [None, "policy", "policy"]


def test_a_yes_for_the_thread_is_named_by_the_calls_after_it(office: Office) -> None:
    asked = office.ask(calls(("tidy", {"desk": "a"})))
    id, ran = yes(office, asked)
    assert permits(office, ran) == [(id, None)]
    later = office.ask(calls(("tidy", {"desk": "b"})), says("Done."), threadId=ran.thread)
    assert permits(office, later) == [(None, id)]
    (decision,) = (
        found
        for each in office.db.collection("audit").stream()
        if (found := each.to_dict() or {})["kind"] == "decision"
    )
    assert (decision["approvalId"], decision["by"]) == (id, "ann")


def test_of_patterns_the_yes_is_named_that_covers_the_call(office: Office) -> None:
    office.redeclare(Capability.of(keep))
    ids, thread = {}, {}
    for name in ("src", "tests"):
        ran = office.ask(calls(("keep", {"path": f"{name}/secret-plan.py"})), **thread)
        ids[name], ran = yes(office, ran, f"{name}/**")
        thread = {"threadId": ran.thread}
    paths = ("src/a.py", "docs/a.md", "tests/a.py")
    later = office.ask(calls(*(("keep", {"path": path}) for path in paths)), says("Ok."), **thread)
    expected = [(None, ids["src"]), (None, "policy"), (None, ids["tests"])]
    assert permits(office, later) == expected
    assert "src/" not in json.dumps(entry(office, later), default=str)


@pytest.mark.parametrize("answer", [{"content": "ok"}, {"error": "the disk is full"}, None])
def test_what_a_client_wrote_is_told_whatever_it_answered(
    office: Office, answer: dict[str, Any] | None
) -> None:
    office.override(
        "capabilities/edit_file",
        approval={"ask": "outside", "argument": "path", "matches": "path", "patterns": []},
    )
    ran = office.ask(calls(("edit_file", {"path": "src/a.py"})), **LAPTOP)
    id, left = yes(office, ran, "src/**")
    assert permits(office, answer_call(office, left, {"content": "ok"})) == [(id, None)]
    step = calls(("edit_file", {"path": "src/b.py"}))
    left = office.ask(step, threadId=ran.thread, **LAPTOP)
    if answer is not None:
        assert permits(office, answer_call(office, left, answer)) == [(None, id)]
    else:  # it may have done it all the same
        office.db.document(f"threads/{ran.thread}").update({"waiting.until": datetime.now(UTC)})
        office.sweep(says("Let me look."))
        late = {"runId": f"{left.done['runId']}~1"}
        assert permits(office, RunResponse([], late, None)) == [(None, id)]


def answer_call(office: Office, left: RunResponse, answer: dict[str, Any]) -> RunResponse:
    (id,) = left.done["outcome"]["pendingToolCallIds"]
    results = [{"toolCallId": id, **answer}]
    data = {"toolResults": results, "clientId": "laptop", "threadId": left.thread}
    return office.send(data, says("Done."))
