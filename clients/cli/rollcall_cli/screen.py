"""The screen: the terminal or another output, and paragraphs printed on it."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme

from rollcall_cli import bidi
from rollcall_cli.console import SafeConsole
from rollcall_cli.http import CallError
from rollcall_cli.layout import BidiBlock, Order, order_for
from rollcall_cli.markdown_stream import Block, MarkdownStream, Section, begins_with_name, sections
from rollcall_cli.problem import Problem
from rollcall_cli.wording import language_in, language_of, text_in

INDENT = 2
_MAX_SOURCES = 12
_RECOGNISABLE_CHARS = 40
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
    """The output of a session. The thread that writes holds `lock`.

    Args:
        console: Instead of the terminal, for tests and for pictures.
        still: Redraw nothing, even if the terminal could.
        locale: The language of the client's own texts; that of what is said by default, and before
            anything is said that of the environment.
    """

    def __init__(
        self,
        *,
        console: Console | None = None,
        env: Mapping[str, str] = os.environ,
        still: bool = False,
        locale: str | None = None,
    ) -> None:
        self._locale = locale
        self.language = locale or language_in(env)
        self.lock = threading.RLock()
        self.console = console or SafeConsole(highlight=False, markup=False, emoji=False)
        self.console.push_theme(_THEME)
        self.redraws = self.console.is_terminal and not self.console.is_dumb_terminal and not still
        self.announces = not self.redraws and not still
        self.order = order_for(self.console, env)

    def say(self, text: RenderableType = "", *, style: str = "") -> None:
        """Print a paragraph."""
        with self.lock:
            self.console.print(text, style=style, highlight=False)

    def follow(self, said: str) -> None:
        """Switch to the language of a person's message, unless an option sets it."""
        if self._locale is None and said.strip():
            self.language = language_of(said)

    def question(self, text: str) -> None:
        """Print the user's question."""
        self.say()
        asked = Text.assemble(("❯ ", "cyan"), (bidi.isolated(text), "bold"))
        self.say(BidiBlock(asked, order=self.order))

    def answer(self, text: str) -> None:
        """Print a complete answer."""
        blocks = MarkdownStream()
        for block in [*blocks.add(text), *blocks.end()]:
            self.say(self.block(block, from_right=bidi.reads_from_right(text)))

    def failure(self, error: CallError) -> None:
        """Print the error of a call."""
        message, hint = error.said(self.language)
        self.indented(Text.assemble(("✗ ", "red"), message))
        if hint:
            self.indented(Text(f"  {hint}", "dim"))

    def problem(self, problem: Problem) -> None:
        """Print a problem."""
        self.indented(problem.message.say(self.language))

    def block(self, block: Block, *, from_right: bool) -> RenderableType:
        """Render a block of an answer, with the empty line above it if it has one."""
        blocks: list[RenderableType] = []
        for section in sections(block.text):
            blocks += [""] if blocks else []
            blocks.append(self._section(section, from_right=from_right))
        return Group("", *blocks) if block.apart else Group(*blocks)

    def _section(self, section: Section, *, from_right: bool) -> RenderableType:
        """Render a section. Code always reads from the left; a list item that begins with a name
        has the direction of the name."""
        within = None if begins_with_name(section.text) else from_right
        reads = not section.is_code and bidi.reads_from_right(section.text, within=within)
        markdown = Markdown(section.text, hyperlinks=False)
        return BidiBlock(markdown, order=self.order, left=INDENT, from_right=reads)

    def sources(self, citations: list[dict[str, Any]], *, answer: str) -> None:
        """Print the sources of an answer: title, and the quote unless the answer has it."""
        if citations:
            self.say()
        for citation in citations[:_MAX_SOURCES]:
            parts = [bidi.isolated(part) for part in citation["title"].split(" · ")]
            title = Text.assemble((f"[{citation['n']}] ", "cyan"), " · ".join(parts), style="dim")
            self.indented(title)
            quote = " ".join((citation.get("quote") or "").split())
            if quote and quote[:_RECOGNISABLE_CHARS] not in answer:
                self._quote(quote)
        if (more := len(citations) - _MAX_SOURCES) > 0:
            self.indented(Text(text_in(self.language, "more_sources", count=more), "dim"))

    def footnote(self, remark: str) -> None:
        """Print a remark below an answer."""
        self.say()
        self.say_line(f"· {remark}", "dim")

    def say_line(self, line: str, style: str = "") -> None:
        """Print a text of this client in its own direction."""
        from_right = bidi.reads_from_right(line)
        block = BidiBlock(Text(line, style), order=self.order, left=INDENT, from_right=from_right)
        self.say(block)

    def indented(self, what: RenderableType, *, is_ordered: bool = False) -> None:
        """Print an indented paragraph, whose lines may be in display order already."""
        order = Order.READER if is_ordered else self.order
        self.say(BidiBlock(what, order=order, left=INDENT))

    def _quote(self, quote: str) -> None:
        left = INDENT + 4
        room = self.console.width - left - 2
        if cell_len(quote) > room:
            quote = set_cell_size(quote, room - 1).rstrip().rpartition(" ")[0] + "…"
        from_right = bidi.reads_from_right(quote)
        text = Text(f"“{quote}”", "dim italic")
        self.say(BidiBlock(text, order=self.order, left=left, from_right=from_right))
