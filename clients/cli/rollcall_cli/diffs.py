"""Renders diffs and commands for the person who approves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from rollcall_cli.bidi import isolated, reads_from_right
from rollcall_cli.layout import BidiBlock, Order
from rollcall_cli.workspace import visible

SHOWN_LINES = 60
LONG_COMMAND_LINES = 15
"""Longer commands may have scrolled off the screen."""
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HEADINGS = ("+++", "---")


class ShortenedBlock(Group):
    """A shortened block: the person must open all of it before they can approve."""


def shorten(
    lines: Sequence[RenderableType], left_out: int, *, order: Order, say: Mapping[str, str]
) -> RenderableType:
    """The lines, and a note about how many are left out."""
    if not left_out:
        return Group(*lines)
    more = say["more_line" if left_out == 1 else "more_lines"].format(count=f"{left_out:,}")
    return ShortenedBlock(*lines, remark(more, "dim", order))


def diff(
    text: str, *, order: Order, say: Mapping[str, str], most_lines: int | None = SHOWN_LINES
) -> RenderableType:
    """Render a unified diff in colours, with invisible characters made visible.

    Args:
        say: The texts around it.
        most_lines: Lines after which the rest is only counted.
    """
    lines = visible(text).rstrip("\n").split("\n")
    shown = lines if most_lines is None else lines[:most_lines]
    parts = [_line(line, order, number) for number, line in enumerate(shown)]
    return shorten(parts, len(lines) - len(shown), order=order, say=say)


def command(text: str, *, order: Order, say: Mapping[str, str]) -> RenderableType:
    """Render a command exactly as it would run."""
    lines = visible(text).split("\n")
    parts = [_command_line(line, order, first=not at) for at, line in enumerate(lines)]
    if len(lines) > LONG_COMMAND_LINES:
        parts.append(remark(say["long_command"].format(count=len(lines)), "yellow", order))
    return Group(*parts)


def remark(text: str, style: str, order: Order) -> RenderableType:
    """A note of this client, in its own direction."""
    return BidiBlock(Text(text, style), order=order, from_right=reads_from_right(text))


def _line(line: str, order: Order, number: int) -> RenderableType:
    is_heading = number < len(_HEADINGS) and line.startswith(_HEADINGS)
    colour = "bold" if is_heading else _COLOURS.get(line[:1], "")
    text = Text(f"{line[:1]}{isolated(line[1:])}", colour, overflow="fold")
    return whole_line(text, order)


def _command_line(line: str, order: Order, *, first: bool) -> RenderableType:
    text = Text.assemble("$ " if first else "  ", (isolated(line), "bold"), overflow="fold")
    return whole_line(text, order)


def whole_line(line: Text, order: Order) -> RenderableType:
    """A line; an empty one is kept as a blank."""
    return BidiBlock(line, order=order) if line.plain.strip() else Text(" ")
