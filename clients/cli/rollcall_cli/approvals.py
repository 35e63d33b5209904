"""The question that a run waits with, as a card, and a person's answer from the keyboard."""

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
from rollcall_cli.diffs import SHOWN_LINES, whole_line
from rollcall_cli.diffs import shortened as shortened_lines
from rollcall_cli.layout import BidiBlock, Order
from rollcall_cli.screen import Screen
from rollcall_cli.wording import texts_for
from rollcall_cli.workspace import visible

ReadLine = Callable[[str, str], str]
"""Asks with a prompt and a text to begin with; EOFError where nobody answers any more."""

_INDENT = 2
_BAR = "┃ "
_REASON_CHARS = 500  # longer ones are refused


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says to one interrupt."""

    approved: bool
    reason: str | None = None
    edited: dict[str, Any] | None = None
    remember: str | None = None

    def entry(self, interrupt: dict[str, Any]) -> dict[str, Any]:
        """The answer as an entry of `resume`."""
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
    """An approval as it is shown: what would happen, the details, who decides and until when.

    Args:
        uid: Whose screen it is on.
        about: What it would do, in place of what the server says of it. Without it the arguments
            are shown too, unless the server says that message and display show them whole.
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
    """Whether this user decides it."""
    return bool(interrupt["metadata"]["decider"].get("uid") == uid)


def ask(
    screen: Screen,
    interrupt: dict[str, Any],
    read: ReadLine,
    *,
    whole: Callable[[], RenderableType] | None = None,
    shortened: bool = False,
) -> Decision | str:
    """Ask the person; an answer, or what they said instead.

    Args:
        whole: Makes all there is to see of it, for who wants more than the card.
        shortened: Whether the card leaves some of it out: then it is opened before a yes counts.
    Raises:
        EOFError, KeyboardInterrupt: They left it open.
    """
    patterns = interrupt["metadata"].get("remember") or []
    say = texts_for(interrupt["message"])
    forget_typed_ahead()
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
                if (edited := _edited(screen, interrupt, say, read)) is not None:
                    return Decision(True, edited=edited)
            case "w" | "why" | "למה":
                lines = whole() if whole else Group(*_argument_lines(interrupt, screen.order))
                screen.indented(lines, is_ordered=True)
                shortened = False
                _explain(screen, interrupt)
            case _:
                return said


def forget_typed_ahead() -> None:
    """What was typed before a question was there is no answer to it: an agent may have asked for
    a "y" in its own words."""
    if not sys.stdin.isatty():
        return
    with contextlib.suppress(ImportError):  # not on Windows
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def edit_lines() -> None:
    """Have lines edited as they are typed, and earlier ones brought back. Several lines that are
    pasted are one: none of them is sent, or taken for a command, by itself."""
    with contextlib.suppress(ImportError):
        import readline

        readline.parse_and_bind("set enable-bracketed-paste on")


def from_keyboard(prompt: str, begin: str) -> str:
    """Read a line that may begin with a text to change, where lines can be edited."""
    with _begun(begin):
        return input(prompt)


@contextlib.contextmanager
def _begun(text: str) -> Iterator[None]:
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


def place_in(listed: Sequence[Any], said: str) -> int:
    """The place, from 1, that a person names in a list; 0 where that is no place of it."""
    place = int(said) if re.fullmatch(r"\d{1,4}", said) else 0
    return place if place <= len(listed) else 0


def _pattern(
    screen: Screen, patterns: list[str], say: dict[str, str], read: ReadLine
) -> str | None:
    """What is to be allowed from now on; None if the person thinks better of it."""
    screen.say_line(say["patterns"], "")
    for number, pattern in enumerate(patterns, start=1):
        screen.indented(Text(f"  {number}. {isolated(visible(pattern))}"))
    while True:
        said = read(prompt(screen, say["which"].format(count=len(patterns))), "").strip()
        if not said:
            return None
        if place := place_in(patterns, said):
            return patterns[place - 1]


def arguments_to_show(interrupt: dict[str, Any], order: Order) -> RenderableType | None:
    """The arguments as a card shows them; None where message and display show them whole."""
    if interrupt["metadata"].get("complete"):
        return None
    lines = _argument_lines(interrupt, order)
    shown, say = lines[:SHOWN_LINES], texts_for(interrupt["message"])
    return shortened_lines(shown, len(lines) - len(shown), order=order, say=say)


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
    """A prompt for a line to be typed; a right-to-left text is a line before it, as what is typed
    would stand on its wrong side."""
    if not bidi.has_right_to_left(text):
        return f"  {text} ❯ "
    screen.say_line(text, "")
    return "  ❯ "


def _edited(
    screen: Screen, interrupt: dict[str, Any], say: dict[str, str], read: ReadLine
) -> dict[str, Any] | None:
    """Other arguments; None if the person thinks better of it."""
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
    """What there is beyond the title: the text, or the rows where there is none."""
    if display.get("text"):
        return str(display["text"])
    rows = display.get("rows") or []
    return "\n".join(f"{name}: {value}" for row in rows for name, value in row.items())
