"""Results of calls that run side by side: those that come close together are saved as one."""

from __future__ import annotations

import time
from collections.abc import Iterator

from msgspec import Struct, field

from rollcall.agent.turn import Journal
from rollcall.core import events
from rollcall.core.events import Event
from rollcall.core.messages import ToolCall, ToolResult
from rollcall.core.wire import ToolCallRecord

GATHER_S = 0.5
"""So long at most a result waits for the next one. The model waits for all of them anyway."""


class Gathering(Struct):
    """Results that are there and not saved yet, by the places of their calls."""

    journal: Journal
    _ready: dict[int, tuple[ToolCall, ToolResult, ToolCallRecord]] = field(default_factory=dict)
    _since: float = 0.0

    def add(self, place: int, call: ToolCall, result: ToolResult, record: ToolCallRecord) -> None:
        """Keep a result until it is saved with others."""
        if not self._ready:
            self._since = time.monotonic()
        self._ready[place] = (call, result, record)

    @property
    def left_s(self) -> float | None:
        """For how many seconds more may be waited for; None while there is nothing to save."""
        if not self._ready:
            return None
        return max(self._since + GATHER_S - time.monotonic(), 0.0)

    @property
    def is_due(self) -> bool:
        return self.left_s == 0.0

    def save(self) -> None:
        """Save what is there, in one write."""
        found = self._ready.items()
        if self._ready:
            self.journal.save_results(
                {place: (result, record.dump()) for place, (_, result, record) in found}
            )
        self._ready = {}

    def saved(self) -> Iterator[Event]:
        """Save what is there, and then show it."""
        ready = self._ready
        self.save()
        for call, result, _ in ready.values():
            yield events.call_result(
                call_id=call.id, message_id=f"{call.id}-result", content=result.content
            )
