"""Runs a run's pending calls with the tools of this client.

Neighbouring calls that only read run in parallel, all others one after another, in order. Each gets
one entry of `toolResults`: a result or an error message.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Any, Protocol

from rollcall_cli.dialogue import Call
from rollcall_cli.local_approvals import LocalApprovals
from rollcall_cli.workspace import ToolError, visible

READ_ONLY = frozenset({"list_directory", "read_file", "search_files"})
RESULT_CHARS = 200_000
"""The server's limit for one result, as JSON text."""
RESULTS_BYTES = 600_000
"""The server's limit for all results of a step together."""
ERROR_CHARS = 2_000
"""The longest error message that is sent; the server's limit is twice that."""

_THREADS = 8
_STOPPED = "stopped by the user"


class Tools(Protocol):
    """The tools of this client; a `Workspace` is one."""

    @property
    def tools(self) -> Collection[str]:
        """Ids of the tools."""
        ...

    def run(
        self,
        tool: str,
        arguments: dict[str, Any],
        *,
        on_output: Callable[[str], None],
        stop: threading.Event,
    ) -> dict[str, Any]:
        """Run a tool.

        Raises:
            ToolError: It failed; the message is for the model.
        """
        ...

    def diff(self, tool: str, arguments: dict[str, Any]) -> str:
        """The unified diff of the change that a write would make.

        Raises:
            ToolError: The write would fail.
        """
        ...


class Watcher(Protocol):
    """Observes calls, from any thread."""

    def began(self, call: Call) -> None: ...

    def wrote(self, call: Call, output: str) -> None: ...

    def ended(self, call: Call, result: dict[str, Any]) -> None: ...


def only_read(calls: Sequence[Call]) -> bool:
    """Whether all calls only read, so that another client may run them too."""
    return all(call["tool"] in READ_ONLY for call in calls)


def run_calls(
    tools: Tools,
    calls: Sequence[Call],
    *,
    watcher: Watcher,
    stop: threading.Event,
    approvals: LocalApprovals | None = None,
) -> list[dict[str, Any]]:
    """Run the calls and return the entries of `toolResults`, in the order of the calls.

    Args:
        stop: Setting it ends running calls and prevents further ones.
        approvals: The approvals given here; a call that differs from its approval fails.
    """
    approvals = approvals or LocalApprovals()

    def one(call: Call) -> dict[str, Any]:
        watcher.began(call)
        result = {"toolCallId": call["id"], **_outcome(tools, call, watcher, stop, approvals)}
        watcher.ended(call, result)
        return result

    results: list[dict[str, Any]] = []
    for group in _groups(calls):
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="tool") as pool:
            running = [pool.submit(one, call) for call in group]
            try:
                results += [each.result() for each in running]
            except KeyboardInterrupt:
                stop.set()  # the pool then waits for them, briefly
                raise
    return _limit_size(results)


def _groups(calls: Sequence[Call]) -> Iterator[list[Call]]:
    for reads, group in groupby(calls, key=lambda call: call["tool"] in READ_ONLY):
        if reads:
            yield list(group)
        else:
            yield from ([call] for call in group)


def _outcome(
    tools: Tools, call: Call, watcher: Watcher, stop: threading.Event, approvals: LocalApprovals
) -> dict[str, Any]:
    if call["tool"] not in tools.tools:
        return {"error": f"this client has no tool {call['tool']!r}"}
    if stop.is_set():
        return {"error": _STOPPED}
    try:
        approvals.check(call, tools.diff)
        content = tools.run(
            call["tool"],
            call["arguments"],
            on_output=lambda output: watcher.wrote(call, output),
            stop=stop,
        )
    except ToolError as error:
        return {"error": _error_text(str(error))}
    except Exception as error:  # a bug: reported to the model and the person
        return {"error": _error_text(f"the tool broke: {type(error).__name__}: {error}")}
    chars = len(json.dumps({"": content}, ensure_ascii=False))
    if chars > RESULT_CHARS:
        return {"error": _too_large(chars)}
    return {"content": content}


def _error_text(error: str) -> str:
    """An error message within the server's limit."""
    text = visible(error)
    return text if len(text) <= ERROR_CHARS else f"{text[: ERROR_CHARS - 1]}…"


def _limit_size(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace the largest results by errors until all fit into one message."""
    sizes = [len(json.dumps(each, ensure_ascii=False).encode()) for each in results]
    kept = list(results)
    while sum(sizes) > RESULTS_BYTES:
        largest = sizes.index(max(sizes))
        told = {"toolCallId": kept[largest]["toolCallId"], "error": _too_large(sizes[largest])}
        kept[largest], sizes[largest] = told, len(json.dumps(told))
    return kept


def _too_large(size: int) -> str:
    return f"the result is too large ({size:,}): ask for less at a time, such as fewer lines"
