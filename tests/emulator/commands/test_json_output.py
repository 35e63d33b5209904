"""The keys of what `--json` prints are in camelCase, as on the wire."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec import to_builtins

from rollcall.registry.health import check
from rollcall.registry.recorder import HealthRecorder, by_client
from rollcall.registry.segments import read_records, write_records
from rollcall.registry.usage import Counts, day_name

from .conftest import Run

CAMEL_CASE = re.compile(r"[a-z]+([A-Z][a-z0-9]*|[0-9]+)*")
BY_NAME = {"refused", "skipped", "failed", "leftOut", "properties", "parameters", "names"}
"""What stands in these has keys that somebody chose, such as ids, or are words for people."""
TOKENS = {"input_tokens": 90, "cached_input_tokens": 5, "output_tokens": 10, "micro_usd": 2_500}


@pytest.fixture
def used_capability(registry: Client) -> Client:
    """A capability that was called, failed and was counted."""
    witness = HealthRecorder(now=partial(next, count(time.time(), 60)))  # it tells at once
    for user in ("ann", "ben", "eve"):
        error = {"code": "unavailable", "message": "it is closed"}
        witness.note("find_room", uid=user, ms=40, error=error, arguments={})
    thread = witness.flush(by_client(registry))
    assert thread is not None
    thread.join(60)
    check(registry, {}, probe=lambda entry: None, now=time.time())
    assert "find_room" in read_records(registry.document("registry/health").get())
    today = registry.document(f"registry/{day_name(datetime.now(UTC).date())}")
    runs, calls = Counts(runs=2, turns=2, **TOKENS), Counts(called=1, **TOKENS)
    records = {'["desk","V1",null]': runs, '["desk","V1","find_room"]': calls}
    batch = registry.batch()
    write_records(batch, today.get(), to_builtins(records))
    batch.commit()
    return registry


def keys(value: Any) -> Iterator[str]:
    """Every key that we name, at any depth."""
    if isinstance(value, list):
        for each in value:
            yield from keys(each)
    elif isinstance(value, dict):
        for key, held in value.items():
            yield key
            if key not in BY_NAME or not isinstance(held, dict):
                yield from keys(held)


def test_keys_are_in_camel_case(run: Run, used_capability: Client) -> None:
    for command, *told in (
        ("list", "minRole"),
        ("show find_room", "p95Ms", "requiresAuth"),
        ("show agents/desk", "offeredStatus"),
        ("search room", "agentStatus"),
        ("usage", "cachedInputTokens"),
        ("doctor", "findings"),
    ):
        found = list(keys(run("registry", *command.split(), "--json").json))
        assert {*told} <= {*found}, command
        assert [key for key in found if not CAMEL_CASE.fullmatch(key)] == [], command


def test_when_a_capability_failed_is_told_as_other_times(run: Run, used_capability: Client) -> None:
    seen = run("registry", "show", "find_room", "--json").json["seen"]
    failure = seen["failure"]
    assert (failure["code"], failure["message"]) == ("unavailable", "it is closed")
    for at in (failure["at"], seen["since"]):
        assert datetime.fromisoformat(at).tzinfo is not None
    assert (seen["state"], seen["p50Ms"], seen["dayFailed"]) == ("degraded", 40, 3)


def test_health_is_shown_with_state_times_counts_and_the_last_failure(
    run: Run, used_capability: Client
) -> None:
    done = run("registry", "show", "find_room")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in done.out.splitlines()}
    assert (rows["health"], rows["seen.state"]) == ("degraded", "degraded")
    assert (rows["seen.dayOk"], rows["seen.dayFailed"]) == ("0", "3")
    assert (rows["seen.p50Ms"], rows["seen.p95Ms"]) == ("40", "40")
    assert (rows["seen.failure.code"], rows["seen.failure.message"]) == (
        "unavailable",
        "it is closed",
    )
    assert rows["seen.since"].endswith("UTC")
