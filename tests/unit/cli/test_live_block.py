"""What is redrawn below what is printed, on a small terminal of our own."""

from __future__ import annotations

import io
import itertools
import re
import threading
import time

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from rollcall_cli.console import MAX_COLUMNS, SafeConsole
from rollcall_cli.live_block import LiveBlock
from rollcall_cli.screen import Screen

_LINES = 50
_STEP = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[\?25[hl]|\r|\n|[^\x1b\r\n]+")


def lines_of(written: str) -> list[str]:
    """The lines that a terminal shows after all of it."""
    lines, at = [""], 0
    for found in _STEP.finditer(written):
        match found.group(), found[2]:
            case ("\n", _):
                at += 1
                lines += [""] * (at + 1 - len(lines))
            case (_, "K"):
                lines[at] = ""
            case (_, "A"):
                at -= int(found[1] or 1)
            case ("\r", _) | (_, "m"):
                pass
            case (text, None) if not text.startswith("\x1b"):
                lines[at] += text
    return [line for line in lines if line]


class _Slow:
    """A text that takes so long to lay out that others write meanwhile."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        time.sleep(0.002)
        yield Text(self._text)


def screen_on(out: io.StringIO) -> Screen:
    console = SafeConsole(file=out, force_terminal=True, width=60, highlight=False)
    return Screen(console=console, env={"TERM": "xterm-256color"})


def test_printing_beside_a_block_that_changes_leaves_nothing_of_it() -> None:
    out = io.StringIO()
    screen = screen_on(out)
    heights = itertools.cycle([1, 6, 2, 9, 3])

    def block() -> RenderableType:
        return Text("\n".join(["moving"] * next(heights)))

    moving = LiveBlock(screen, block)
    moving.start()
    stop = threading.Event()

    def redraw() -> None:
        while not stop.is_set():
            with screen.lock:
                moving._live.refresh()

    drawing = threading.Thread(target=redraw)
    drawing.start()
    for number in range(_LINES):
        screen.say(_Slow(f"line {number}"))
    stop.set()
    drawing.join()
    moving.stop()
    screen.say("end")
    assert lines_of(out.getvalue()) == [*(f"line {number}" for number in range(_LINES)), "end"]


def test_block_is_drawn_again_by_itself_until_it_is_stopped() -> None:
    screen = screen_on(io.StringIO())
    drawn = threading.Semaphore(0)

    def block() -> RenderableType:
        drawn.release()
        return Text("moving")

    moving = LiveBlock(screen, block)
    moving.start()
    assert all(drawn.acquire(timeout=60) for _ in range(5))
    moving.stop()
    moving.stop()
    assert lines_of(screen.console.file.getvalue()) == []  # type: ignore[attr-defined]


def test_lines_are_as_long_as_the_terminal_is_now_up_to_a_bound() -> None:
    columns = {"COLUMNS": "40", "LINES": "20"}
    console = SafeConsole(file=io.StringIO(), _environ=columns)
    assert console.width == 40
    console.width = 500
    assert console.width == MAX_COLUMNS
    console.size = (30, 10)  # type: ignore[assignment]
    assert (console.width, console.height) == (30, 10)
