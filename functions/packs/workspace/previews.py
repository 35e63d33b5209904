"""What a person is shown before a file is written or a command is run, with all that would be sent.

Characters that turn a line around, have no width or control a terminal are shown by their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from packs.workspace.known import known_digest
from packs.workspace.wording import TEXTS
from rollcall.core.capability import Preview
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.readable import marked
from rollcall.core.redaction import HIDDEN
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated

HEAD_CHARS, TAIL_CHARS = 30_000, 10_000
"""Of a longer text the beginning and the end are shown, and how much lies between."""
ALIGNED_LINES = 500
"""Lines that are compared one by one; with more, all that goes is shown before all that comes."""


def writing(ctx: ToolContext, *, path: str, content: str, digest: str | None = None) -> Preview:
    """The whole content, with its size."""
    title = TEXTS.say(
        ctx.locale,
        "previews.write",
        path=isolated(path),
        lines=TEXTS.say(ctx.locale, "previews.lines", count=_lines(content)),
        size=TEXTS.say(ctx.locale, "previews.bytes", count=len(content.encode())),
    )
    title += _left_out(ctx, content)
    text = _bounded(ctx, marked(content).split("\n"))
    arguments = {"path": path, "content": content, **known_digest(ctx, path)}
    return Preview(Display(type="code", title=title, text=text), arguments=arguments)


def editing(
    ctx: ToolContext,
    *,
    path: str,
    old_text: str,
    new_text: str,
    replace_all: bool = False,
    digest: str | None = None,
) -> Preview:
    """The difference, as lines that stay, go and come.

    Raises:
        InvalidArgument: There is none.
    """
    if old_text == new_text:
        raise InvalidArgument("oldText and newText are the same: nothing would change")
    every = TEXTS.say(ctx.locale, "previews.at_every_place_that")
    title = TEXTS.say(
        ctx.locale, "previews.change", path=isolated(path), where=every if replace_all else ""
    )
    title += _left_out(ctx, new_text)
    lines = difference(marked(old_text).split("\n"), marked(new_text).split("\n"))
    display = Display(type="diff", title=title, text=_bounded(ctx, lines))
    arguments: dict[str, Any] = {"path": path, "oldText": old_text, "newText": new_text}
    arguments |= {"replaceAll": True} if replace_all else {}
    return Preview(display, arguments={**arguments, **known_digest(ctx, path)})


def running(ctx: ToolContext, *, command: str, timeout_s: int = 60) -> Preview:
    """The command, exactly."""
    title = TEXTS.say(
        ctx.locale,
        "previews.run_this_for_at",
        time=TEXTS.say(ctx.locale, "previews.seconds", count=timeout_s),
    )
    return Preview(Display(type="code", title=title, text=marked(command)))


def difference(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Lines that begin with a space (they stay), "-" (they go) or "+" (they come)."""
    if max(len(old), len(new)) > ALIGNED_LINES:  # comparing takes the square of it
        return [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    header = 3  # the files' names and the place, which nobody knows yet
    lines = unified_diff(old, new, n=max(len(old), len(new)), lineterm="")
    return list(lines)[header:]


def _lines(text: str) -> int:
    """How many lines a text has; the last may end without a line break."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def _left_out(ctx: ToolContext, text: str) -> str:
    """A word where a credential may be missing: neither the model nor the log was shown it."""
    if HIDDEN not in text:
        return ""
    return TEXTS.say(ctx.locale, "previews.left_out", hidden=isolated(HIDDEN))


def _bounded(ctx: ToolContext, lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    left_out = TEXTS.say(
        ctx.locale,
        "previews.characters_are_not_shown",
        count=f"{len(text) - HEAD_CHARS - TAIL_CHARS:,}",
    )
    return f"{text[:HEAD_CHARS]}\n{left_out}\n{text[-TAIL_CHARS:]}"
