"""Runs the calls that a run left to this client.

Neighbours that only read run side by side, the others one after another, in the order of the
calls. Each is answered once, with a result or with what went wrong in words.
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
"""What a server takes as one result, as JSON text."""
RESULTS_BYTES = 600_000
"""What it takes of all results of a step together."""
ERROR_CHARS = 2_000
"""What is told of what went wrong; a server takes twice that."""

_THREADS = 8
_STOPPED = "stopped by the user"


class Tools(Protocol):
    """What can be run here; a `Workspace` is one."""

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
            ToolError: It cannot be done; the words are for the model.
        """
        ...

    def diff(self, tool: str, arguments: dict[str, Any]) -> str:
        """What a write would change on the disk, as a unified diff.

        Raises:
            ToolError: It cannot be done.
        """
        ...


class Watcher(Protocol):
    """Is told what happens to calls, from any thread."""

    def began(self, call: Call) -> None: ...

    def wrote(self, call: Call, output: str) -> None: ...

    def ended(self, call: Call, result: dict[str, Any]) -> None: ...


def only_read(calls: Sequence[Call]) -> bool:
    """Whether it does no harm if another client runs the same calls, too."""
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
        stop: Ends what is running, and lets nothing more begin.
        agreed: What was approved here; a call that is not what was is answered with an error.
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
                stop.set()  # the pool then waits for them, which is not long
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
    except Exception as error:  # a mistake of ours: the model is told, and so is the person
        return {"error": _error_text(f"the tool broke: {type(error).__name__}: {error}")}
    chars = len(json.dumps({"": content}, ensure_ascii=False))
    if chars > RESULT_CHARS:
        return {"error": _too_large(chars)}
    return {"content": content}


def _error_text(error: str) -> str:
    """An error as a server takes it."""
    text = visible(error)
    return text if len(text) <= ERROR_CHARS else f"{text[: ERROR_CHARS - 1]}…"


def _limit_size(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results as they fit into one message: the largest are left out, which is said."""
    sizes = [len(json.dumps(each, ensure_ascii=False).encode()) for each in results]
    kept = list(results)
    while sum(sizes) > RESULTS_BYTES:
        largest = sizes.index(max(sizes))
        told = {"toolCallId": kept[largest]["toolCallId"], "error": _too_large(sizes[largest])}
        kept[largest], sizes[largest] = told, len(json.dumps(told))
    return kept


def _too_large(size: int) -> str:
    return f"the result is too large ({size:,}): ask for less at a time, such as fewer lines"
