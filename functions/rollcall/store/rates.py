"""How often a user may start a run: a sliding minute of starts.

The starts are kept in the user's day (`store/budgets.py`), which every opening writes provided that
it is as it was read (`store/day_admission.py`). So nobody opens unseen, and the limit is exact.
They are remembered for longer than the minute: a run that was just opened is known by its key also
to whose clock is ahead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from rollcall.core.errors import ResourceExhausted

WINDOW_MS = 60_000
REMEMBERED_MS = WINDOW_MS + 180_000
"""A minute, and by how much the clocks of two processes may differ."""
MOST_STARTS = 10_000
"""A limit is no higher, and no more are remembered: about half of what a document holds."""


class Start(Struct, frozen=True):
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
    return _since(now_ms - WINDOW_MS, starts)


def remembered(starts: Mapping[str, Start], *, now_ms: int) -> dict[str, Start]:
    """Those that are kept, by their runs' keys; where there are too many, the newest."""
    kept = _since(now_ms - REMEMBERED_MS, starts)
    if len(kept) <= MOST_STARTS:
        return kept
    return dict(sorted(kept.items(), key=lambda each: each[1].at_ms)[-MOST_STARTS:])


def _since(after_ms: int, starts: Mapping[str, Start]) -> dict[str, Start]:
    return {key: each for key, each in starts.items() if each.at_ms > after_ms}


def check_rate(starts: Mapping[str, Start], most: int | None, *, now_ms: int) -> None:
    """
    Args:
        starts: Those that are remembered.
        most: How many may start in a minute; None for any number.
    Raises:
        ResourceExhausted: One more would be too many.
    """
    last = recent(starts, now_ms=now_ms).values()
    counted = [each.at_ms for each in last if each.counts]
    if most is None or len(counted) < most:
        return
    wait_ms = min(counted, default=now_ms) + WINDOW_MS - now_ms
    raise ResourceExhausted(
        f"that is too fast: at most {most} messages a minute; wait a moment",
        retry_after_s=max(1, -(-wait_ms // 1000)),
    )
