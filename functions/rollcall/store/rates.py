"""How often a user may start a run: a sliding minute of starts.

The starts are kept in the user's day (`store/budgets.py`), which every opening writes provided that
it is as it was read (`store/day_admission.py`). So nobody opens unseen, and the limit is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollcall.core.errors import ResourceExhausted

WINDOW_MS = 60_000


@dataclass(frozen=True, slots=True)
class Start:
    """When a run was opened, in Unix milliseconds.

    Attributes:
        counts: Whether the rate counts it. A run that goes on with a turn is only remembered.
    """

    at_ms: int
    counts: bool = True

    @staticmethod
    def of(data: dict[str, Any]) -> Start:
        return Start(data["atMs"], data["counts"])

    def dump(self) -> dict[str, Any]:
        return {"atMs": self.at_ms, "counts": self.counts}


def recent(starts: Mapping[str, Start], *, now_ms: int) -> dict[str, Start]:
    """The starts of the last minute, by their runs' keys."""
    return {key: each for key, each in starts.items() if each.at_ms > now_ms - WINDOW_MS}


def check_rate(starts: Mapping[str, Start], most: int | None, *, now_ms: int) -> None:
    """
    Args:
        starts: Those of the last minute.
        most: How many may start in a minute; None for any number.
    Raises:
        ResourceExhausted: One more would be too many.
    """
    counted = [each.at_ms for each in starts.values() if each.counts]
    if most is None or len(counted) < most:
        return
    wait_ms = min(counted, default=now_ms) + WINDOW_MS - now_ms
    raise ResourceExhausted(
        f"that is too fast: at most {most} messages a minute; wait a moment",
        retry_after_s=max(1, -(-wait_ms // 1000)),
    )
