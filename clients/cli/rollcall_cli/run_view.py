"""A view of a run in the terminal, updated by its events.

Finished blocks and calls are printed once. Unfinished ones are redrawn below them on a terminal
that supports it; elsewhere plain lines say when calls begin and end.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.spinner import Spinner
from rich.text import Text

from rollcall_cli import bidi
from rollcall_cli.call_card import CallCard, call_id
from rollcall_cli.layout import BidiBlock
from rollcall_cli.live_block import LiveBlock
from rollcall_cli.markdown_stream import Block, MarkdownStream
from rollcall_cli.run_stream import RESTARTED
from rollcall_cli.screen import INDENT, Screen
from rollcall_cli.wording import text_in

_REPLIES = ("TEXT_MESSAGE_START", "TOOL_CALL_START")
_WAITING = "-waiting"  # ends the id of the message that says what a run waits for


class RunView:
    """One run on the screen. The direction of `question` decides that of the answer.

    with RunView(screen, question) as view:
        for event in stream:
            view.take(event)

    Args:
        decided: The interrupts that this run continues: their calls began in an earlier run.
        ours: Tools of this client, whose pending calls another view shows.
    """

    def __init__(
        self,
        screen: Screen,
        question: str,
        *,
        decided: Sequence[dict[str, Any]] = (),
        ours: Collection[str] = (),
    ) -> None:
        self._screen = screen
        self._ours = ours
        self._from_right = bidi.reads_from_right(question)
        self._cards: dict[str, CallCard] = {}
        self._open: list[CallCard] = []  # not printed yet, in the order of their calls
        for interrupt in decided:
            about = interrupt["metadata"]
            arguments = json.dumps(about["arguments"], ensure_ascii=False)
            card = CallCard(about["tool"], arguments, language=screen.language)
            self._cards[interrupt["toolCallId"]] = card
            self._open.append(card)
        self._has_begun = False
        self._steps: set[str] = set()
        self._repeats = False  # the step was begun before, by a process that is gone
        self._texts: dict[str, MarkdownStream] = {}
        self._spinner = Spinner("dots", style="cyan")
        thinking = text_in(screen.language, "thinking")
        self._thinking = Spinner("dots", Text(thinking, "dim"), style="cyan")
        self._below = LiveBlock(screen, self._block)

    def __enter__(self) -> RunView:
        self._below.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Print unfinished items in their current state, and stop redrawing."""
        for message_id in list(self._texts):
            self._print_blocks(self._texts.pop(message_id).end())
        cards, self._open = self._open, []
        for card in cards if self._has_begun else ():
            card.give_up()
            self._print_card(card)
        self._below.stop()

    def take(self, event: dict[str, Any]) -> None:
        """Apply one event."""
        with self._screen.lock:  # no redraw between
            self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        self._has_begun = True
        kind = event.get("type")
        if self._repeats and kind in _REPLIES:  # and its reply was not saved
            self._repeats = False
            self._drop()
        if kind == "TOOL_CALL_START":
            card = CallCard(event["toolCallName"], language=self._screen.language)
            self._cards[event["toolCallId"]] = card
            self._open.append(card)
        elif kind == "TEXT_MESSAGE_CONTENT" and event["messageId"].endswith(_WAITING):
            pass  # the approval's card says the same, and more
        elif kind == "TEXT_MESSAGE_CONTENT":
            text = self._texts.setdefault(event["messageId"], MarkdownStream())
            self._print_blocks(text.add(event["delta"]))
        elif kind == "TEXT_MESSAGE_END" and event["messageId"] in self._texts:
            self._print_blocks(self._texts.pop(event["messageId"]).end())
        elif kind == RESTARTED:
            self._drop()
        elif kind == "STEP_STARTED":
            self._repeats = event["stepName"] in self._steps
            self._steps.add(event["stepName"])
        elif kind == "RUN_FINISHED":
            self._end(event.get("result") or {"toolCalls": []})
        elif (about := call_id(event)) in self._cards:
            card = self._cards[about or ""]
            card.take(event)
            self._announce(card, str(kind))
            self._print_ended()

    def _drop(self) -> None:
        """Drop unfinished items: the run restarts from where it was stored last."""
        self._texts.clear()
        self._open = [card for card in self._open if card.status is not None]
        self._screen.footnote(text_in(self._screen.language, "restarted"))

    def _end(self, result: dict[str, Any]) -> None:
        """Print the calls that wait for somebody else, without those of this client."""
        for call in result["toolCalls"]:
            if call["status"] not in ("waiting", "client") or call["id"] not in self._cards:
                continue
            card = self._cards[call["id"]]
            if call["status"] == "client" and call["tool"] in self._ours:
                self._open = [each for each in self._open if each is not card]
            else:
                card.wait(call["status"])
        self._print_ended()

    def _announce(self, card: CallCard, kind: str) -> None:
        """Print the beginning and progress of a call, on screens that cannot redraw."""
        if not self._screen.announces:
            return
        line = card.line()
        if kind == "TOOL_CALL_END" and card.name not in self._ours:  # ours are told as they begin
            self._screen.indented(Text.assemble("→ ", line))
        elif kind == "ACTIVITY_SNAPSHOT":
            self._screen.indented(Text.assemble("… ", line))

    def _print_ended(self) -> None:
        while self._open and self._open[0].status is not None:
            self._print_card(self._open.pop(0))

    def _print_card(self, card: CallCard) -> None:
        self._screen.indented(card.marked(self._spinner))

    def _print_blocks(self, blocks: list[Block]) -> None:
        for block in blocks:
            self._screen.say(self._screen.block(block, from_right=self._from_right))

    def _block(self) -> RenderableType:
        """The unfinished items, redrawn below the printed ones."""
        order = self._screen.order
        parts: list[RenderableType] = [
            BidiBlock(card.marked(self._spinner), order=order, left=INDENT) for card in self._open
        ]
        rests = [text.rest for text in self._texts.values()]
        parts += [
            self._screen.block(rest, from_right=self._from_right)
            for rest in rests
            if rest.text.strip()
        ]
        return Group(*parts) if parts else BidiBlock(self._thinking, order=order, left=INDENT)
