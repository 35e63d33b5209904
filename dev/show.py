"""Shows runs in the terminal as they happen, from the events that stream in.

What is finished is printed for good. What is not (a tool at work, the sentence being written) is
redrawn below it on a terminal that can; elsewhere plain lines tell when things begin and end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markdown import Markdown
from rich.spinner import Spinner
from rich.text import Text
from rich.theme import Theme

from dev import bidi
from dev.arrange import Arranged, order_for
from dev.callable import CallError
from dev.cards import Card, call_id
from dev.pieces import Piece, Pieces

MOST_COLUMNS = 100
_INDENT = 2
_MOST_SOURCES = 12
_RECOGNISABLE_CHARS = 40
_FRAMES_PER_S = 12
_WAITING = "-waiting"  # ends the id of the message that says what a run waits for
# Only the terminal's own colours, which suit its background, and none that is
# pale on white.
_THEME = Theme(
    {
        "markdown.item.bullet": "cyan",
        "markdown.item.number": "cyan",
        "markdown.code": "cyan",
        "markdown.code_block": "cyan",
        "markdown.block_quote": "dim",
        "markdown.h1": "bold",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "status.spinner": "cyan",
    }
)


class Screen:
    """Where things are shown.

    Args:
        console: Instead of the terminal, for tests and for pictures.
        still: Redraw nothing, even if the terminal could.
    """

    def __init__(
        self,
        *,
        console: Console | None = None,
        env: Mapping[str, str] = os.environ,
        still: bool = False,
    ) -> None:
        self.console = console or Console(highlight=False)
        self.console.push_theme(_THEME)
        self.console.width = min(self.console.width, MOST_COLUMNS)
        self.moves = self.console.is_terminal and not self.console.is_dumb_terminal and not still
        self.announces = not self.moves and not still
        self.order = order_for(self.console, env)

    def say(self, text: RenderableType = "", *, style: str = "") -> None:
        """Print a paragraph of ours."""
        self.console.print(text, style=style, highlight=False)

    def question(self, text: str) -> None:
        """Print what is asked."""
        self.say()
        asked = Text.assemble(("❯ ", "cyan"), (bidi.isolated(text), "bold"))
        self.say(Arranged(asked, order=self.order))

    def failure(self, error: CallError) -> None:
        """Print why there is no answer."""
        self.indented(Text.assemble(("✗ ", "red"), error.message))
        if error.hint:
            self.indented(Text(f"  {error.hint}", "dim"))

    def piece(self, piece: Piece, *, from_right: bool) -> RenderableType:
        """A piece of an answer that reads `from_right`, with the distance to what is above it."""
        block = Arranged(
            Markdown(piece.text, hyperlinks=False),
            order=self.order,
            left=_INDENT,
            from_right=bidi.reads_from_right(piece.text, within=from_right),
        )
        return Group("", block) if piece.apart else block

    def sources(self, citations: list[dict[str, Any]], *, answer: str) -> None:
        """Print what an answer refers to: where, who and when, and the words in one line, unless
        the answer gives them itself."""
        if citations:
            self.say()
        for citation in citations[:_MOST_SOURCES]:
            parts = [bidi.isolated(part) for part in citation["title"].split(" · ")]
            title = Text.assemble((f"[{citation['n']}] ", "cyan"), " · ".join(parts), style="dim")
            self.indented(title)
            quote = " ".join((citation.get("quote") or "").split())
            if quote and quote[:_RECOGNISABLE_CHARS] not in answer:
                self._quote(quote)
        if (more := len(citations) - _MOST_SOURCES) > 0:
            self.indented(Text(f"and {more} more", "dim"))

    def footnote(self, text: str | Text) -> None:
        """Print a remark below an answer."""
        self.say()
        self.indented(Text.assemble("· ", text, style="dim"))

    def indented(self, what: RenderableType) -> None:
        """Print a paragraph of a run."""
        self.say(Arranged(what, order=self.order, left=_INDENT))

    def _quote(self, quote: str) -> None:
        left = _INDENT + 4
        room = self.console.width - left - 2
        if cell_len(quote) > room:
            quote = set_cell_size(quote, room - 1).rstrip().rpartition(" ")[0] + "…"
        from_right = bidi.reads_from_right(quote)
        text = Text(f"“{quote}”", "dim italic")
        self.say(Arranged(text, order=self.order, left=left, from_right=from_right))


class RunView:
    """One run on the screen, event by event. `question` is what it answers, in its language.

    with RunView(screen, question) as view:
        for event in stream:
            view.take(event)

    Args:
        decided: The interrupts that this run goes on from: their calls were begun in another.
    """

    def __init__(
        self, screen: Screen, question: str, *, decided: Sequence[dict[str, Any]] = ()
    ) -> None:
        self._screen = screen
        self._from_right = bidi.reads_from_right(question)
        self._cards: dict[str, Card] = {}
        self._open: list[Card] = []  # not printed yet, in the order of their calls
        for interrupt in decided:
            about = interrupt["metadata"]
            card = Card(about["tool"], json.dumps(about["arguments"], ensure_ascii=False))
            self._cards[interrupt["toolCallId"]] = card
            self._open.append(card)
        self._has_begun = False
        self._texts: dict[str, Pieces] = {}
        self._spinner = Spinner("dots", style="cyan")
        self._thinking = Spinner("dots", Text("thinking", "dim"), style="cyan")
        self._live = Live(
            console=screen.console,
            get_renderable=self._moving,
            refresh_per_second=_FRAMES_PER_S,
            transient=True,
        )

    def __enter__(self) -> RunView:
        if self._screen.moves:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Print what is not finished, as it is, and stop redrawing."""
        for message_id in list(self._texts):
            self._print_pieces(self._texts.pop(message_id).end())
        cards, self._open = self._open, []
        for card in cards if self._has_begun else ():
            card.give_up()
            self._print_card(card)
        self._live.stop()

    def take(self, event: dict[str, Any]) -> None:
        """Show one event."""
        self._has_begun = True
        kind = event.get("type")
        if kind == "TOOL_CALL_START":
            card = Card(event["toolCallName"])
            self._cards[event["toolCallId"]] = card
            self._open.append(card)
        elif kind == "TEXT_MESSAGE_CONTENT" and event["messageId"].endswith(_WAITING):
            pass  # the approval's card says the same, and more
        elif kind == "TEXT_MESSAGE_CONTENT":
            text = self._texts.setdefault(event["messageId"], Pieces())
            self._print_pieces(text.add(event["delta"]))
        elif kind == "TEXT_MESSAGE_END" and event["messageId"] in self._texts:
            self._print_pieces(self._texts.pop(event["messageId"]).end())
        elif kind == "RUN_FINISHED":
            self._end(event["result"])
        elif (about := call_id(event)) in self._cards:
            card = self._cards[about or ""]
            card.take(event)
            self._announce(card, str(kind))
            self._print_finished()

    def _end(self, result: dict[str, Any]) -> None:
        """Print the calls that wait for somebody."""
        for call in result["toolCalls"]:
            if call["status"] in ("waiting", "client") and call["id"] in self._cards:
                self._cards[call["id"]].wait(call["status"])
        self._print_finished()

    def _announce(self, card: Card, kind: str) -> None:
        """Tell on a line of its own what a moving picture would show."""
        if not self._screen.announces:
            return
        line = card.line()
        if kind == "TOOL_CALL_END":
            self._screen.indented(Text.assemble("→ ", line))
        elif kind == "ACTIVITY_SNAPSHOT":
            self._screen.indented(Text.assemble("… ", line))

    def _print_finished(self) -> None:
        while self._open and self._open[0].status is not None:
            self._print_card(self._open.pop(0))

    def _print_card(self, card: Card) -> None:
        self._screen.indented(card.marked(self._spinner))

    def _print_pieces(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            self._screen.say(self._screen.piece(piece, from_right=self._from_right))

    def _moving(self) -> RenderableType:
        """What is drawn again and again below what is printed."""
        order = self._screen.order
        parts: list[RenderableType] = [
            Arranged(card.marked(self._spinner), order=order, left=_INDENT) for card in self._open
        ]
        rests = [text.rest for text in self._texts.values()]
        parts += [
            self._screen.piece(rest, from_right=self._from_right)
            for rest in rests
            if rest.text.strip()
        ]
        return Group(*parts) if parts else Arranged(self._thinking, order=order, left=_INDENT)
