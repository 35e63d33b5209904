"""`registry usage` on the emulator, over counted runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.wire import CallStatus, ModelUsage, ToolCallRecord
from rollcall.registry.usage import roll_up
from rollcall.store import audit

from .conftest import Run


def run_entry(number: int, **changes: Any) -> dict[str, Any]:
    now = datetime.now(UTC)
    status = CallStatus.DONE if number % 4 else CallStatus.FAILED
    fields: dict[str, Any] = {
        "user": User("ann"),
        "thread_id": "t1",
        "turn_id": f"r{number}",
        "run_id": f"r{number}",
        "agent": "desk",
        "models": [],
        "variant": "V1" if number % 2 else "V2",
        "offered": ["find_room", "pay_invoice"],
        "found": [],
        "calls": [
            ToolCallRecord(id="c", tool="find_room", arguments={}, status=status, step=1, ms=40)
        ],
        "approvals": [],
        "outcome": "success" if number % 2 else "failed",
        "stop_reason": None,
        "steps": 2,
        "attempt": 1,
        "usage": [ModelUsage(provider="gemini", model="x", input_tokens=90, output_tokens=10)],
        "micro_usd": 2_500,
        "began_at": now,
        "at": now + timedelta(seconds=2),
    }
    given = {**fields, **changes}
    request = {key: given.pop(key) for key in ("variant", "offered")}
    return audit.run_entry(request=request, **given)


@pytest.fixture
def usage_counts(db: Client) -> Client:
    batch = db.batch()
    for number in range(40):
        audit.write(batch, db, run_entry(number))
    for number in range(4):
        others = {
            "agent": "other",
            "variant": None,
            "run_id": f"o{number}",
            "turn_id": f"o{number}",
        }
        audit.write(batch, db, run_entry(number, **others))
    batch.commit()
    roll_up(db, {"find_room", "pay_invoice"}, settled=timedelta(0))
    return db


def test_usage_is_told_per_variant_agent_and_capability(run: Run, usage_counts: Client) -> None:
    done = run("registry", "usage")
    assert done.code == 0
    variants, rest = " ".join(done.out.split()).split(" Agents ")
    agents, capabilities = rest.split(" Capabilities ")
    assert "Variants of desk" in variants
    assert "V1 20 2 0 100% (84–100) – 100 0.0025 2.0" in variants
    assert "V2 20 2 0 0% (0–16) – 100 0.0025 2.0" in variants
    assert "desk 40 2 0 50% (35–65) – 100 0.0025 2.0" in agents
    assert "find_room 44 44 0 75% (61–85) – 100 0.0025 0.0" in capabilities
    assert "pay_invoice 0 44 0 – – – – –" in capabilities


def test_usage_of_one_agent_leaves_the_others_out(run: Run, usage_counts: Client) -> None:
    found = run("registry", "usage", "--agent", "other", "--json").json
    assert [row["agent"] for row in found["agents"]] == ["other"]
    assert [(row["id"], row["called"]) for row in found["capabilities"]] == [
        ("find_room", 4),
        ("pay_invoice", 0),
    ]
    assert (found["agents"][0]["turns"], found["agents"][0]["microUsd"]) == (4, 10_000)
    assert found["countedAt"]


def test_usage_of_days_before_is_not_todays(run: Run, usage_counts: Client) -> None:
    found = run("registry", "usage", "--days", "1", "--json").json
    assert found["since"] == found["until"] == datetime.now(UTC).date().isoformat()
    assert found["variants"][0]["succeeded"] == 20
    assert found["variants"][0]["successInterval"] == [pytest.approx(0.839, abs=0.001), 1.0]


def test_nothing_counted_says_so(run: Run, db: Client) -> None:
    done = run("registry", "usage")
    assert (done.code, "No run was counted" in done.out) == (0, True)
    assert "never counted" in done.out
