"""The question that a run waits with, as a card, and a person's answer from the keyboard."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from dev import bidi
from dev.arrange import Arranged, Order
from dev.show import Screen

Read = Callable[[str, str], str]
"""Asks with a prompt and a text to begin with; EOFError where nobody answers any more."""

_INDENT = 2
_BAR = "┃ "
_REASON_CHARS = 500  # longer ones are refused


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person says to one interrupt."""

    approved: bool
    reason: str | None = None
    edited: dict[str, Any] | None = None

    def entry(self, interrupt: dict[str, Any]) -> dict[str, Any]:
        """The answer as an entry of `resume`."""
        payload: dict[str, Any] = {"approved": self.approved}
        if self.reason:
            payload["reason"] = self.reason
        if self.edited is not None:
            payload["editedArguments"] = self.edited
        return {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}


@dataclass(frozen=True, slots=True)
class Card:
    """An approval as it is shown: what would happen, the details, who decides and until when.

    Args:
        uid: Whose screen it is on.
    """

    interrupt: dict[str, Any]
    order: Order
    uid: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        display = self.interrupt["metadata"].get("display") or {}
        paragraphs: list[RenderableType] = [self._paragraph(self.interrupt["message"], "bold")]
        told = "\n".join(text for text in (display.get("title"), _details(display)) if text)
        if told:
            paragraphs += [Text(), *(self._paragraph(line) for line in told.split("\n"))]
        paragraphs += [Text(), Text(self._terms(), "dim")]
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
        return Arranged(Text(text, style), order=self.order, from_right=from_right)

    def _terms(self) -> str:
        decider = self.interrupt["metadata"]["decider"]
        who = "you" if decider.get("uid") == self.uid else _other(decider)
        until = datetime.fromisoformat(self.interrupt["expiresAt"]).astimezone()
        return f"decides: {who} · until {until:%d %b, %H:%M}"


def is_mine(interrupt: dict[str, Any], uid: str) -> bool:
    """Whether this user decides it."""
    return bool(interrupt["metadata"]["decider"].get("uid") == uid)


def ask(screen: Screen, interrupt: dict[str, Any], read: Read) -> Answer | str:
    """Ask the person; an answer, or what they said instead.

    Raises:
        EOFError, KeyboardInterrupt: They left it open.
    """
    prompt = "  Approve? [y]es / [n]o / [e]dit, or something else to ask ❯ "
    while True:
        said = read(prompt, "").strip()
        match said.lower():
            case "":
                continue
            case "y" | "yes" | "כן":
                return Answer(True)
            case "n" | "no" | "לא":
                return Answer(False, _reason(screen, read))
            case "e" | "edit":
                if (edited := _edited(screen, interrupt, read)) is not None:
                    return Answer(True, edited=edited)
            case _:
                return said


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


def _reason(screen: Screen, read: Read) -> str | None:
    while len(reason := read("  Because (or just Enter) ❯ ", "").strip()) > _REASON_CHARS:
        screen.say(f"  At most {_REASON_CHARS} characters, please.", style="red")
    return reason or None


def _edited(screen: Screen, interrupt: dict[str, Any], read: Read) -> dict[str, Any] | None:
    """Other arguments; None if the person thinks better of it."""
    begin = json.dumps(interrupt["metadata"]["arguments"], ensure_ascii=False)
    screen.indented(Text(f"Now: {bidi.isolated(begin)}", "dim"))
    while True:
        said = read("  Arguments as JSON (empty to go back) ❯ ", begin).strip()
        if not said:
            return None
        with contextlib.suppress(ValueError):
            if isinstance(value := json.loads(said), dict):
                return value
        screen.say("  That is not a JSON object.", style="red")
        begin = said


def _details(display: dict[str, Any]) -> str:
    """What there is beyond the title: the text, or the rows where there is none."""
    if display.get("text"):
        return str(display["text"])
    rows = display.get("rows") or []
    return "\n".join(f"{name}: {value}" for row in rows for name, value in row.items())


def _other(decider: dict[str, Any]) -> str:
    if role := decider.get("role"):
        return f"somebody else, of the role {role} or above"
    return str(decider.get("uid"))
