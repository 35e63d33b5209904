"""The scheduler that the emulators lack."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from rollcall.emulators.clock import is_due, matches, run_due, run_function
from tests.support.https_server import Handler, HttpsServer

MONDAY = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)


def at(hour: int, minute: int, *, day: int = 23) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "due", "not_due"),
    [
        ("every 1 minutes", at(3, 1), None),
        ("every minute", at(3, 1), None),
        ("every 5 minutes", at(3, 5), at(3, 6)),
        ("every 2 hours", at(4, 0), at(4, 1)),
        ("every day 03:00", at(3, 0), at(3, 1)),
        ("Every  Monday, friday 09:30", at(9, 30), at(9, 30, day=24)),
        ("*/15 * * * *", at(3, 45), at(3, 46)),
        ("0,30 9-17 * * 1-5", at(9, 30), at(8, 30)),
        ("0 0 1 * *", at(0, 0, day=1), at(0, 0, day=2)),
        ("0 0 * * 0", at(0, 0, day=22), at(0, 0)),
        ("0 0 * * 7", at(0, 0, day=22), at(0, 0)),
        ("0 0 1 * 1", at(0, 0), at(0, 0, day=24)),
        ("5/20 * * * *", at(3, 45), at(3, 40)),
    ],
)
def test_a_schedule_names_its_minutes(
    schedule: str, due: datetime, not_due: datetime | None
) -> None:
    assert matches(schedule, due) is True
    assert not_due is None or matches(schedule, not_due) is False


@pytest.mark.parametrize("schedule", ["1st of month 00:00", "every blue moon", "*/0 * * * *", "x"])
def test_a_schedule_that_is_not_known_here_runs_each_minute(schedule: str) -> None:
    assert matches(schedule, MONDAY) is None
    assert is_due({"schedule": {"schedule": schedule}}, MONDAY)


def test_a_schedule_is_read_in_its_own_time_zone() -> None:
    function = {"schedule": {"schedule": "every day 05:00", "timeZone": "Asia/Jerusalem"}}
    assert is_due(function, at(3, 0))
    assert not is_due(function, at(5, 0))


def function(name: str, schedule: str | None) -> dict[str, Any]:
    timed = {"schedule": {"schedule": schedule, "timeZone": None}} if schedule else {}
    return {"name": name, "region": "us-central1", **timed}


def test_what_is_due_is_run_as_the_emulator_names_it() -> None:
    ran: list[str] = []

    def reply(handler: Handler) -> None:
        ran.append(handler.path)
        handler.reply(200, b"{}", connection="close")

    server = HttpsServer(None, "", reply)
    try:
        functions = [
            function("sweep_runs", "every 1 minutes"),
            function("tidy", "every day 04:00"),
            function("run_agent", None),
        ]
        said: list[str] = []
        address = f"127.0.0.1:{server.port}"
        assert run_due(address, "demo-x", functions, said.append, MONDAY) == ["sweep_runs"]
        for thread in threading.enumerate():
            if thread.name == "sweep_runs":
                thread.join(30)
        assert run_function(address, "demo-x", functions[1], said.append)
    finally:
        server.close()
    names = ("sweep_runs", "tidy")
    assert ran == [f"/functions/projects/demo-x/triggers/us-central1-{name}-0" for name in names]
    assert said == []


def test_a_function_that_fails_is_told() -> None:
    def reply(handler: Handler) -> None:
        handler.reply(500, json.dumps({}).encode(), connection="close")

    server = HttpsServer(None, "", reply)
    said: list[str] = []
    try:
        address = f"127.0.0.1:{server.port}"
        assert not run_function(address, "demo-x", function("tidy", "x"), said.append)
    finally:
        server.close()
    assert not run_function(address, "demo-x", function("tidy", "x"), said.append)
    assert said[0] == "tidy, run by the clock, failed (HTTP 500): see its log"
    assert said[1].startswith("tidy was not run by the clock")
