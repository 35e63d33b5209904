"""Results of side-by-side calls: those that come close together are one save, none waits long."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.agent import gathering
from rollcall.agent.gathering import Gathering
from rollcall.agent.loop import run
from rollcall.core.messages import ToolCall, ToolResult
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.testing import ScriptedModel, calls, says
from tests.support.scripted import Notes, turn
from tests.unit.agent.test_loop import play


@dataclass
class Saves(Notes):
    """A journal that remembers which results came in one save."""

    saves: list[list[int]] = field(default_factory=list)

    def save_results(self, results: Any) -> None:
        super().save_results(results)
        self.saves.append(sorted(results))


def saves_of(tools: dict[str, Callable[..., Any]], *wanted: str) -> tuple[list[list[int]], Any]:
    model = ScriptedModel([calls(*[(name, {"n": n}) for n, name in enumerate(wanted)]), says("Ok")])
    journal = Saves()
    work = turn(model, tools)
    events, ended = play(_with(work, journal))
    assert ended.text == "Ok"
    return journal.saves, events


def _with(work: Any, journal: Saves) -> Any:
    return replace(work, journal=journal)


def test_results_that_come_close_together_are_one_save() -> None:
    tools = {"a": lambda progress, **_: 1, "b": lambda progress, **_: time.sleep(0.05)}
    saves, events = saves_of(tools, "a", "b", "a")
    assert saves == [[0, 1, 2]]
    assert sum(event["type"] == "TOOL_CALL_RESULT" for event in events) == 3


def test_a_result_is_not_held_back_for_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "GATHER_S", 0.05)
    may_end = threading.Event()
    tools = {"a": lambda progress, **_: 1, "b": lambda progress, **_: may_end.wait(20)}
    model = ScriptedModel([calls(("a", {}), ("b", {})), says("Ok")])
    journal = Saves()
    steps = run(_with(turn(model, tools), journal))
    shown = next(e for e in steps if e is not None and e["type"] == "TOOL_CALL_RESULT")
    assert (json.loads(shown["content"]), journal.saves) == ({"output": 1}, [[0]])
    may_end.set()
    list(steps)
    assert journal.saves == [[0], [1]]


def test_what_is_gathered_is_saved_when_the_client_leaves() -> None:
    may_end = threading.Event()
    tools = {"a": lambda progress, **_: 1, "b": lambda progress, **_: may_end.wait(20)}
    model = ScriptedModel([calls(("a", {}), ("b", {})), says("Ok")])
    journal = Saves()
    steps = run(_with(turn(model, tools), journal))
    while next(steps) is not None:  # until a moment without news: one of them is there
        pass
    steps.close()
    may_end.set()
    assert journal.saves == [[0]]


def test_nothing_is_shown_before_it_is_saved() -> None:
    lines: list[str] = []

    class Journal(Notes):
        def save_results(self, results: Any) -> None:
            lines.append("saved")

    found = Gathering(Journal())
    assert found.left_s is None
    record = ToolCallRecord(id="c", tool="a", arguments={}, status=CallStatus.DONE, step=1, ms=1)
    found.add(0, ToolCall("c", "a", {}), ToolResult("c", "a", "1"), record)
    assert found.left_s is not None
    assert found.left_s > 0
    lines += [str(event["type"]) for event in found.saved()]
    assert lines == ["saved", "TOOL_CALL_RESULT"]
    assert list(found.saved()) == []
    assert len(lines) == 2
