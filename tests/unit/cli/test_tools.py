"""Calls that run here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rollcall_cli.tools import RESULTS_BYTES, run_calls
from rollcall_cli.workspace import ToolError


class _Watcher:
    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def began(self, call: Any) -> None:
        self.told.append(("began", call["id"]))

    def wrote(self, call: Any, output: str) -> None:
        self.told.append((output, call["id"]))

    def ended(self, call: Any, result: Any) -> None:
        self.told.append(("ended", call["id"]))


class _Tools:
    tools = ("read_file", "write_file", "run_command")

    def __init__(self, work: Callable[..., dict[str, Any]]) -> None:
        self._work = work

    def run(
        self,
        tool: str,
        arguments: dict[str, Any],
        *,
        on_output: Callable[[str], None],
        stop: threading.Event,
    ) -> dict[str, Any]:
        return self._work(tool, arguments, on_output)

    def diff(self, tool: str, arguments: dict[str, Any]) -> str:
        return ""


def call(id: str, tool: str = "read_file", **arguments: Any) -> dict[str, Any]:
    return {"id": id, "tool": tool, "arguments": arguments}


def run(work: Callable[..., dict[str, Any]], *calls: dict[str, Any]) -> tuple[Any, _Watcher]:
    watcher = _Watcher()
    return run_calls(_Tools(work), calls, watcher=watcher, stop=threading.Event()), watcher


def test_reads_run_side_by_side_and_are_answered_in_order() -> None:
    both = threading.Barrier(2, timeout=60)

    def work(tool: str, arguments: dict[str, Any], on_output: Any) -> dict[str, Any]:
        both.wait()  # breaks unless two are here at once
        return {"path": arguments["path"]}

    results, _ = run(work, call("c1", path="a"), call("c2", path="b"))
    assert results == [
        {"toolCallId": "c1", "content": {"path": "a"}},
        {"toolCallId": "c2", "content": {"path": "b"}},
    ]


def test_a_write_waits_for_the_reads_before_it_and_holds_those_behind_it() -> None:
    _, watcher = run(lambda *_: {}, call("r1"), call("w", "write_file"), call("r2"))
    assert watcher.told == [(what, id) for id in ("r1", "w", "r2") for what in ("began", "ended")]


def test_failures_are_told_in_words() -> None:
    def work(tool: str, arguments: dict[str, Any], on_output: Any) -> dict[str, Any]:
        if tool == "write_file":
            raise ToolError("it exists and was not read")
        raise ZeroDivisionError("of ours")

    results, _ = run(work, call("c1", "write_file"), call("c2"), call("c3", "erase_disk"))
    assert [result["error"] for result in results] == [
        "it exists and was not read",
        "the tool broke: ZeroDivisionError: of ours",
        "this client has no tool 'erase_disk'",
    ]


def test_results_fit_into_what_a_server_takes() -> None:
    sizes = {"a": 250_000, "b": 190_000, "c": 190_000, "d": 190_000, "e": 100_000}
    work = lambda tool, arguments, on_output: {"content": "x" * sizes[arguments["path"]]}  # noqa: E731
    results, _ = run(work, *(call(path, path=path) for path in sizes))
    assert "too large" in results[0]["error"]
    assert ["content" in result for result in results] == [False, False, True, True, True]
    assert sum(len(str(result)) for result in results) <= RESULTS_BYTES


def test_output_is_passed_on_and_nothing_begins_after_the_stop() -> None:
    stop, watcher = threading.Event(), _Watcher()

    def work(tool: str, arguments: dict[str, Any], on_output: Any) -> dict[str, Any]:
        on_output("begun")
        stop.set()
        return {"exitCode": 0}

    calls = [call("c1", "run_command"), call("c2", "write_file")]
    results = run_calls(_Tools(work), calls, watcher=watcher, stop=stop)
    assert ("begun", "c1") in watcher.told
    assert results[1] == {"toolCallId": "c2", "error": "stopped by the user"}
