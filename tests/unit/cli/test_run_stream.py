"""A run's events, each once, over connections that break."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from rollcall_cli import run_stream
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError, ConnectionLost
from rollcall_cli.run_stream import RESTARTED, stream_run
from rollcall_cli.store import Event

RESULT = {"message": "done"}


def event(n: int, delta: str = "") -> Event:
    kind = "RUN_STARTED" if n == 0 else "TEXT_MESSAGE_CONTENT"
    return {
        "type": kind,
        "threadId": "t1",
        "runId": "r1",
        "delta": delta or f"d{n}",
        "metadata": {"n": n},
    }


WHOLE = [event(n) for n in range(6)]
LOST = ConnectionLost("unavailable", "gone")


class _Server(Functions):
    """Plays one list a call: events, and what it ends with: a result, or an error to raise."""

    def __init__(self, *streams: list[Any]) -> None:
        self.streams = list(streams)
        self.asked: list[Any] = []

    def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
        self.asked.append(data)
        *told, end = self.streams.pop(0)
        yield from told
        if isinstance(end, Exception):
            raise end
        return end


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_stream, "_PAUSES_S", (0.0,) * 4)


def follow(server: _Server, stored: Iterable[Event] = ()) -> tuple[list[Event], Any]:
    stream = stream_run(server, {"runId": "r1"}, replay=lambda thread, run: stored)
    told = []
    while True:
        try:
            told.append(next(stream))
        except StopIteration as end:
            return told, end.value


def test_stream_that_breaks_is_asked_for_again_and_tells_each_event_once() -> None:
    server = _Server([*WHOLE[:3], LOST], [*WHOLE[:4], LOST], [*WHOLE, RESULT])
    assert follow(server) == (WHOLE, RESULT)
    assert server.asked == [{"runId": "r1"}] * 3


def test_run_that_ended_meanwhile_is_told_from_what_is_stored() -> None:
    ended = [{"type": kind, "threadId": "t1", "runId": "r1"} for kind in ("RUN_STARTED", "END")]
    server = _Server([*WHOLE[:2], LOST], [*ended, RESULT])
    assert follow(server, WHOLE) == (WHOLE, RESULT)


def test_run_whose_events_are_gone_is_told_by_its_end() -> None:
    ended = [{"type": kind, "threadId": "t1", "runId": "r1"} for kind in ("RUN_STARTED", "END")]
    assert follow(_Server([*ended, RESULT])) == (ended, RESULT)


def test_missing_event_is_asked_for_again() -> None:
    server = _Server([WHOLE[0], WHOLE[2], RESULT], [*WHOLE, RESULT])
    assert follow(server) == (WHOLE, RESULT)


def test_what_a_died_process_had_shown_is_told_anew() -> None:
    anew = [*WHOLE[:2], event(2, "other"), event(3, "words")]
    server = _Server([*WHOLE[:4], LOST], [*anew, RESULT])
    told, _ = follow(server)
    assert told == [*WHOLE[:4], {"type": RESTARTED}, *anew[2:]]


def test_connection_that_stays_away_is_given_up() -> None:
    server = _Server(*[[WHOLE[0], LOST]] * 9)
    with pytest.raises(ConnectionLost):
        follow(server)
    assert len(server.asked) == 5


def test_failure_of_the_run_itself_is_not_asked_for_again() -> None:
    server = _Server([WHOLE[0], CallError("unavailable", "no model answers")])
    with pytest.raises(CallError, match="no model"):
        follow(server)
    assert len(server.asked) == 1
