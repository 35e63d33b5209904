"""Previews and summaries of the workspace's writes: the whole call, for a person to approve.

Characters that reverse a line, have no width or control a terminal are shown by code point.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import unified_diff
from typing import Any

from packs.workspace.wording import TEXTS
from rollcall.core.capability import Preview
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.guarded_files import guarded_file
from rollcall.core.readable import marked
from rollcall.core.redaction import HIDDEN
from rollcall.core.shapes import Display
from rollcall.core.texts import TEXTS as ENGINE_TEXTS
from rollcall.core.texts import isolated

_WRITES = ("write_file", "edit_file")
_TOOLS = ("read_file", *_WRITES)
_DIGEST = re.compile("[0-9a-f]{16}")


def known_digest(ctx: ToolContext, path: str) -> dict[str, str]:
    """Return `{digest}` from the newest result about this file; empty where no result has one, or
    where another open call may change the file first."""
    for call in ctx.earlier():
        if call.tool not in _TOOLS or _normalized(call.arguments.get("path")) != _normalized(path):
            continue
        if call.is_open and call.tool in _WRITES:
            return {}
        digest: Any = call.result.get("digest") if isinstance(call.result, dict) else None
        if isinstance(digest, str) and _DIGEST.fullmatch(digest):
            return {"digest": digest}
    return {}


def _normalized(path: Any) -> str | None:
    """Return a path in the form that is compared: `a/b` for `./a//b`."""
    if not isinstance(path, str):
        return None
    return "/".join(part for part in path.split("/") if part not in ("", "."))


HEAD_CHARS, TAIL_CHARS = 30_000, 10_000
"""A longer text is shown by its beginning, its end and the number of characters between them."""
ALIGNED_LINES = 500
"""Most lines that are compared one by one; beyond it, all removed lines precede all added ones."""


def preview_write(
    ctx: ToolContext, *, path: str, content: str, digest: str | None = None
) -> Preview:
    """Show the whole content, with its size."""
    # The last line may end without a line break.
    lines = content.count("\n") + (content != "" and not content.endswith("\n"))
    title = TEXTS.say(
        ctx.locale,
        "previews.write",
        path=isolated(path),
        lines=TEXTS.say(ctx.locale, "previews.lines", count=lines),
        size=TEXTS.say(ctx.locale, "previews.bytes", count=len(content.encode())),
    )
    title += _warnings(ctx, path, content)
    text, is_whole = _bounded(ctx, marked(content).split("\n"))
    arguments = {"path": path, "content": content, **known_digest(ctx, path)}
    display = Display(type="code", title=title, text=text)
    shows = ("path", "content", "digest") if is_whole else ("path", "digest")
    return Preview(display, arguments=arguments, shows=shows)


def preview_edit(
    ctx: ToolContext,
    *,
    path: str,
    old_text: str,
    new_text: str,
    replace_all: bool = False,
    digest: str | None = None,
) -> Preview:
    """Show the difference as unchanged, removed and added lines.

    Raises:
        InvalidArgument: The two texts are the same.
    """
    if old_text == new_text:
        raise InvalidArgument(TEXTS.text("errors.same_text"))
    every = TEXTS.say(ctx.locale, "previews.at_every_place_that")
    title = TEXTS.say(
        ctx.locale, "previews.change", path=isolated(path), where=every if replace_all else ""
    )
    title += _warnings(ctx, path, new_text)
    lines = difference(marked(old_text).split("\n"), marked(new_text).split("\n"))
    text, is_whole = _bounded(ctx, lines)
    display = Display(type="diff", title=title, text=text)
    arguments: dict[str, Any] = {"path": path, "oldText": old_text, "newText": new_text}
    arguments |= {"replaceAll": True} if replace_all else {}
    arguments |= known_digest(ctx, path)
    shows = tuple(arguments) if is_whole else ("path", "replaceAll", "digest")
    return Preview(display, arguments=arguments, shows=shows)


def preview_command(ctx: ToolContext, *, command: str, timeout_s: int = 60) -> Preview:
    """Show the exact command and its time limit."""
    title = TEXTS.say(
        ctx.locale,
        "previews.run_this_for_at",
        time=TEXTS.say(ctx.locale, "previews.seconds", count=timeout_s),
    )
    display = Display(type="code", title=title, text=marked(command))
    return Preview(display, shows=("command", "timeoutS"))


def difference(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return lines that begin with a space (unchanged), "-" (removed) or "+" (added)."""
    if max(len(old), len(new)) > ALIGNED_LINES:  # the comparison takes quadratic time
        return [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    header = 3  # file names and line numbers, which are not known yet
    lines = unified_diff(old, new, n=max(len(old), len(new)), lineterm="")
    return list(lines)[header:]


def _warnings(ctx: ToolContext, path: str, text: str) -> str:
    """Return notes for the title: where a credential may be missing, which the model and the log
    never saw, and why a guarded file is dangerous to change, such as that a build runs it."""
    notes = ""
    if HIDDEN in text:
        notes = TEXTS.say(ctx.locale, "previews.left_out", hidden=isolated(HIDDEN))
    if guarded := guarded_file(path):
        notes += f" ({ENGINE_TEXTS.say(ctx.locale, f'guarded_files.{guarded.reason}')})"
    return notes


def _bounded(ctx: ToolContext, lines: Sequence[str]) -> tuple[str, bool]:
    """Return the lines as one text, and whether it is complete."""
    text = "\n".join(lines)
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text, True
    left_out = TEXTS.say(
        ctx.locale,
        "previews.characters_are_not_shown",
        count=f"{len(text) - HEAD_CHARS - TAIL_CHARS:,}",
    )
    return f"{text[:HEAD_CHARS]}\n{left_out}\n{text[-TAIL_CHARS:]}", False


def summary(key: str, argument: str) -> Callable[[dict[str, Any]], dict[str, str]]:
    """Return the function that summarizes a call by one argument, by language."""
    return lambda arguments: TEXTS.by_language(
        f"summaries.{key}", **{argument: isolated(str(arguments[argument]))}
    )


def summarize_edit(arguments: dict[str, Any]) -> dict[str, str]:
    """Return the summary of a call of edit_file, by language."""
    key = "change_at_every_place" if arguments.get("replaceAll") else "change"
    return summary(key, "path")(arguments)
