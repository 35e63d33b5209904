"""What the runs of one turn used up, in one line."""

from __future__ import annotations

import time
from typing import Any

from rich.text import Text

from rollcall_cli.stored import Result

_OFFLINE = "offline"
_COUNTS = ("inputTokens", "cachedInputTokens", "outputTokens")


class Spent:
    """Who answered, in how many steps, how long it took, and what it cost where it cost."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._steps = 0
        self._models: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, result: Result) -> None:
        """Count one run; `steps` of a result are those of the whole turn."""
        self._steps = max(self._steps, result["steps"])
        for used in result["usage"]:
            total = self._models.setdefault((used["provider"], used["model"]), {})
            for count in _COUNTS:
                total[count] = total.get(count, 0) + used.get(count, 0)
            if used.get("costUsd") is not None:
                total["costUsd"] = total.get("costUsd", 0.0) + used["costUsd"]

    def summary(self, result: Result) -> Text:
        """The line, and what stopped the last run if something did."""
        parts = [_model(*names, used) for names, used in self._models.items()]
        parts.append("1 step" if self._steps == 1 else f"{self._steps} steps")
        parts.append(f"{time.monotonic() - self._started:.1f} s")
        if reason := result.get("stopReason"):
            parts.append(f"stopped early: {reason.replace('_', ' ')}")
        return Text(" · ".join(parts))


def _model(provider: str, model: str, used: dict[str, Any]) -> str:
    if provider == _OFFLINE:
        return "offline planner, no language model"
    cached = f" ({used['cachedInputTokens']:,} cached)" if used["cachedInputTokens"] else ""
    tokens = f"{used['inputTokens']:,} tokens in{cached}, {used['outputTokens']:,} out"
    cost = f", ${used['costUsd']:.4f}" if "costUsd" in used else ""
    return f"{provider} {model} ({tokens}{cost})"
