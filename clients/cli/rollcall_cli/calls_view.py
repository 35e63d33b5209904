"""A view of the calls that run in this client: marks, live output and outcomes."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.spinner import Spinner
from rich.text import Text

from rollcall_cli.call_card import CallCard
from rollcall_cli.dialogue import Call
from rollcall_cli.layout import BidiBlock
from rollcall_cli.live_block import LiveBlock
from rollcall_cli.screen import INDENT, Screen


class CallsView:
    """The calls of one step on the screen; a `Watcher` of `run_calls`.

    with CallsView(screen, calls) as view:
        results = run_calls(tools, calls, watcher=view, stop=stop)
    """

    def __init__(self, screen: Screen, calls: Sequence[Call]) -> None:
        self._screen = screen
        self._cards = {
            call["id"]: CallCard(
                call["tool"],
                json.dumps(call["arguments"], ensure_ascii=False),
                language=screen.language,
            )
            for call in calls
        }
        self._open = list(self._cards.values())  # not printed yet, in the order of their calls
        # Never held while printing: a redraw holds the screen's lock and waits for this one.
        self._lock = threading.Lock()
        self._printing = threading.Lock()
        self._spinner = Spinner("dots", style="cyan")
        self._below = LiveBlock(screen, self._block)

    def __enter__(self) -> CallsView:
        self._below.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Print unfinished calls in their current state, and stop redrawing."""
        with self._lock:
            cards, self._open = self._open, []
        for card in cards:
            if card.status is None:
                card.give_up("call.stopped")
            self._print(card)
        self._below.stop()

    def began(self, call: Call) -> None:
        self._cards[call["id"]].begin()
        if self._screen.announces:
            self._screen.indented(Text.assemble("→ ", self._cards[call["id"]].line()))

    def wrote(self, call: Call, output: str) -> None:
        with self._lock:
            self._cards[call["id"]].write(output)

    def ended(self, call: Call, result: dict[str, Any]) -> None:
        with self._printing:
            for card in self._end_call(call, result):
                self._print(card)

    def _end_call(self, call: Call, result: dict[str, Any]) -> list[CallCard]:
        """End a call, and return those that can now be printed in order."""
        with self._lock:
            self._cards[call["id"]].end_here(result)
            finished = []
            while self._open and self._open[0].status is not None:
                finished.append(self._open.pop(0))
        return finished

    def _print(self, card: CallCard) -> None:
        self._screen.indented(card.marked(self._spinner))

    def _block(self) -> RenderableType:
        with self._lock:
            marked = [card.marked(self._spinner) for card in self._open]
        return Group(*(BidiBlock(each, order=self._screen.order, left=INDENT) for each in marked))
