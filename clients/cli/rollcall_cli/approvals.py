"""Approvals at the keyboard: the card of an interrupt, and the person's decision."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from rollcall_cli import bidi
from rollcall_cli.bidi import isolated
from rollcall_cli.console import escaped_json, tidy
from rollcall_cli.diffs import SHOWN_LINES, shorten, whole_line
from rollcall_cli.layout import BidiBlock, Order
from rollcall_cli.screen import Screen
from rollcall_cli.wording import texts_for
from rollcall_cli.workspace import visible

ReadLine = Callable[[str, str], str]
"""Reads a line, with a prompt and a text to edit; raises EOFError at the end of the input."""

_INDENT = 2
_BAR = "┃ "
_REASON_CHARS = 500  # longer ones are refused


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on one interrupt."""

    approved: bool
    reason: str | None = None
    edited: dict[str, Any] | None = None
    remember: str | None = None

    def entry(self, interrupt: dict[str, Any]) -> dict[str, Any]:
        """The decision as an entry of `resume`."""
        payload: dict[str, Any] = {"approved": self.approved}
        if self.reason:
            payload["reason"] = self.reason
        if self.edited is not None:
            payload["editedArguments"] = self.edited
        if self.remember is not None:
            payload["remember"] = self.remember
        return {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}


@dataclass(frozen=True, slots=True)
class ApprovalCard:
    """The card of an approval: the message, the details, who decides and until when.

    Args:
        uid: The user who looks at it.
        about: This client's preview, in place of the server's display. Without it the arguments are
            shown too, unless message and display show them completely.
    """

    interrupt: dict[str, Any]
    order: Order
    uid: str
    about: RenderableType | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        display = self.interrupt["metadata"].get("display") or {}
        paragraphs: list[RenderableType] = [self._paragraph(self.interrupt["message"], "bold")]
        told = "\n".join(text for text in (display.get("title"), _details(display)) if text)
        if self.about is not None:
            paragraphs += [Text(), self.about]
        elif told:
            paragraphs += [Text(), *(self._paragraph(line) for line in told.split("\n"))]
        if self.about is None and (arguments := arguments_to_show(self.interrupt, self.order)):
            paragraphs += [Text(), arguments]
        paragraphs += [Text(), self._paragraph(self._terms(), "dim")]
        inner = options.update_width(options.max_width - _INDENT - len(_BAR))
        for line in console.render_lines(Group(*paragraphs), inner, pad=False):
            yield Segment(" " * _INDENT)
            yield Segment(_BAR, Style.parse("yellow"))
            yield from line
            yield Segment.line()

    def _paragraph(self, text: str, style: str = "") -> RenderableType:
        if not text.strip():
            return Text()
        from_right = bidi.reads_from_right(text)
        return BidiBlock(Text(tidy(text), style), order=self.order, from_right=from_right)

    def _terms(self) -> str:
        say = texts_for(self.interrupt["message"])
        decider = self.interrupt["metadata"]["decider"]
        until = datetime.fromisoformat(self.interrupt["expiresAt"]).astimezone()
        if decider.get("uid") == self.uid:
            who = say["you"]
        elif role := decider.get("role"):
            who = say["role"].format(role=role)
        else:
            who = str(decider.get("uid"))
        return say["terms"].format(who=who, until=until.strftime(say["until"]))


def is_mine(interrupt: dict[str, Any], uid: str) -> bool:
    """Whether this user is the decider."""
    return bool(interrupt["metadata"]["decider"].get("uid") == uid)


def ask(
    screen: Screen,
    interrupt: dict[str, Any],
    read: ReadLine,
    *,
    whole: Callable[[], RenderableType] | None = None,
    shortened: bool = False,
) -> Decision | str:
    """Ask the person for a decision; return it, or a message that they typed instead.

    Args:
        whole: Renders the full preview, for a person who asks for more than the card.
        shortened: Whether the card is shortened: then it must be opened before it can be approved.
    Raises:
        EOFError, KeyboardInterrupt: The person left it open.
    """
    patterns = interrupt["metadata"].get("remember") or []
    say = texts_for(interrupt["message"])
    discard_typeahead()
    # In lines of its own: a prompt is not wrapped everywhere.
    screen.say_line(say["answers_always" if patterns else "answers"], "dim")
    while True:
        said = read(prompt(screen, say["approve"]), "").strip()
        match said.lower():
            case "":
                continue
            case "y" | "yes" | "כן" | "a" | "always" | "תמיד" if shortened:
                screen.say_line(say["not_whole"], "yellow")
            case "y" | "yes" | "כן":
                return Decision(True)
            case "n" | "no" | "לא":
                return Decision(False, _reason(screen, say, read))
            case "a" | "always" | "תמיד" if patterns:
                if (pattern := _pattern(screen, patterns, say, read)) is not None:
                    return Decision(True, remember=pattern)
            case "e" | "edit" | "עריכה":
                if (edited := _read_arguments(screen, interrupt, say, read)) is not None:
                    return Decision(True, edited=edited)
            case "w" | "why" | "למה":
                lines = whole() if whole else Group(*_argument_lines(interrupt, screen.order))
                screen.indented(lines, is_ordered=True)
                shortened = False
                _explain(screen, interrupt)
            case _:
                return said


def discard_typeahead() -> None:
    """Discard input typed before the question was shown: an agent may have asked for a "y" in its
    own words."""
    if not sys.stdin.isatty():
        return
    with contextlib.suppress(ImportError):  # not on Windows
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def edit_lines() -> None:
    """Enable line editing and history. Several pasted lines count as one: none of them is sent, or
    run as a command, by itself."""
    with contextlib.suppress(ImportError):
        import readline

        readline.parse_and_bind("set enable-bracketed-paste on")


def from_keyboard(prompt: str, begin: str) -> str:
    """Read a line, starting from a text to edit where the platform supports it."""
    with _prefilled_input(begin):
        return input(prompt)


@contextlib.contextmanager
def _prefilled_input(text: str) -> Iterator[None]:
    try:
        import readline
    except ImportError:
        yield
        return
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        yield
    finally:
        readline.set_startup_hook()


def chosen_number(listed: Sequence[Any], said: str) -> int:
    """The number, from 1, of the list item that a person chose; 0 if there is none."""
    place = int(said) if re.fullmatch(r"\d{1,4}", said) else 0
    return place if place <= len(listed) else 0


def _pattern(
    screen: Screen, patterns: list[str], say: dict[str, str], read: ReadLine
) -> str | None:
    """The pattern to allow from now on; None if the person cancels."""
    screen.say_line(say["patterns"], "")
    for number, pattern in enumerate(patterns, start=1):
        screen.indented(Text(f"  {number}. {isolated(visible(pattern))}"))
    while True:
        said = read(prompt(screen, say["which"].format(count=len(patterns))), "").strip()
        if not said:
            return None
        if place := chosen_number(patterns, said):
            return patterns[place - 1]


def arguments_to_show(interrupt: dict[str, Any], order: Order) -> RenderableType | None:
    """The arguments for a card; None if message and display show them completely."""
    if interrupt["metadata"].get("complete"):
        return None
    lines = _argument_lines(interrupt, order)
    shown, say = lines[:SHOWN_LINES], texts_for(interrupt["message"])
    return shorten(shown, len(lines) - len(shown), order=order, say=say)


def _argument_lines(interrupt: dict[str, Any], order: Order) -> list[RenderableType]:
    """The exact arguments, a line for each line of their texts."""
    lines: list[Text] = []
    for name, value in interrupt["metadata"]["arguments"].items():
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        first, *more = visible(told).split("\n")
        lines.append(Text(f"{visible(name)}: {isolated(first)}", overflow="fold"))
        lines += [Text(f"  {isolated(line)}", overflow="fold") for line in more]
    return [whole_line(line, order) for line in lines]


def _explain(screen: Screen, interrupt: dict[str, Any]) -> None:
    told = texts_for(interrupt["message"])["why"].format(tool=interrupt["metadata"]["tool"])
    screen.say_line(told, "dim")


def _reason(screen: Screen, say: dict[str, str], read: ReadLine) -> str | None:
    while len(reason := read(prompt(screen, say["because"]), "").strip()) > _REASON_CHARS:
        screen.say_line(say["at_most"].format(count=_REASON_CHARS), "red")
    return reason or None


def prompt(screen: Screen, text: str) -> str:
    """The prompt of a line. A right-to-left text is printed as a line before it, because the input
    would be on its wrong side."""
    if not bidi.has_right_to_left(text):
        return f"  {text} ❯ "
    screen.say_line(text, "")
    return "  ❯ "


def _read_arguments(
    screen: Screen, interrupt: dict[str, Any], say: dict[str, str], read: ReadLine
) -> dict[str, Any] | None:
    """Edited arguments; None if the person cancels."""
    begin = escaped_json(json.dumps(interrupt["metadata"]["arguments"], ensure_ascii=False))
    screen.indented(
        Text(say["now"].format(arguments=isolated(visible(begin))), "dim", overflow="fold")
    )
    while True:
        said = read(prompt(screen, say["arguments"]), begin).strip()
        if not said:
            return None
        with contextlib.suppress(ValueError):
            if isinstance(value := json.loads(said), dict):
                return value
        screen.say_line(say["not_arguments"], "red")
        begin = said


def _details(display: dict[str, Any]) -> str:
    """The text of a display, or its rows if it has none."""
    if display.get("text"):
        return str(display["text"])
    rows = display.get("rows") or []
    return "\n".join(f"{name}: {value}" for row in rows for name, value in row.items())
