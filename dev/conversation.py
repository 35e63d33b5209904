"""A dialogue with an agent: questions to `run_agent`, in one thread."""

from __future__ import annotations

import time
from typing import Any

from rich.text import Text

from dev.callable import CallError, Functions
from dev.show import RunView, Screen

_OFFLINE = "offline"


class Conversation:
    """Asks, and shows what comes back."""

    def __init__(self, functions: Functions, screen: Screen, *, agent: str) -> None:
        self._functions = functions
        self._screen = screen
        self._agent = agent
        self._thread_id: str | None = None
        self._left_one = False

    def start_over(self) -> None:
        """Put the next question into a new thread."""
        self._thread_id = None

    def ask(self, message: str) -> dict[str, Any] | None:
        """Ask, show the answer as it comes, and return the result; None if there was none."""
        started = time.monotonic()
        try:
            result = self._stream(message)
        except CallError as error:
            self._screen.failure(error)
            return None
        except KeyboardInterrupt:
            # The function goes on by itself, so the thread may still be taken.
            self._left_one = True
            raise
        self._thread_id = result["threadId"]
        self._screen.sources(result["citations"], answer=result["message"])
        self._screen.footnote(_summary(result, time.monotonic() - started))
        if result["quickReplies"]:
            self._screen.footnote("You could say: " + " · ".join(result["quickReplies"]))
        return result

    def _stream(self, message: str) -> dict[str, Any]:
        data = {"agent": self._agent, "message": message}
        if self._thread_id:
            data["threadId"] = self._thread_id
        if self._left_one:
            data["whenBusy"] = "supersede"
        stream = self._functions.stream("run_agent", data)
        with RunView(self._screen, message) as view:
            try:
                while True:
                    event = next(stream)
                    # Known early, so that a question after an interrupted one stays in the thread.
                    if event.get("type") == "RUN_STARTED":
                        self._thread_id = event["threadId"]
                    view.take(event)
            except StopIteration as end:
                result: dict[str, Any] = end.value
        self._left_one = False
        return result


def _summary(result: dict[str, Any], seconds: float) -> Text:
    """Who answered, in how many steps, how long it took, and what it cost where it cost."""
    parts = [*(_model(used) for used in result["usage"]), _steps(result["steps"])]
    parts.append(f"{seconds:.1f} s")
    if reason := result.get("stopReason"):
        parts.append(f"stopped early: {reason.replace('_', ' ')}")
    return Text(" · ".join(parts))


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _model(used: dict[str, Any]) -> str:
    if used["provider"] == _OFFLINE:
        return "offline planner, no language model"
    tokens = f"{used['inputTokens']:,} tokens in, {used['outputTokens']:,} out"
    cost = f", ${used['costUsd']:.4f}" if used.get("costUsd") is not None else ""
    return f"{used['provider']} {used['model']} ({tokens}{cost})"
