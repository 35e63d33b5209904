"""The unified diff of a change, for the person who approves it.

Comparing takes bounded time: equal lines at both ends are set aside first. Where too many lines
remain between them, all of these are shown as removed and added, without a comparison.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from rollcall_cli.workspace.control_chars import visible
from rollcall_cli.workspace.write_tools import Change

CONTEXT_LINES = 3
_MAX_COMPARED = 250_000  # lines before times lines after


def unified_diff(change: Change) -> str:
    """The whole diff, safe to print; empty where nothing would change."""
    before = [] if change.before is None else _lines(change.before)
    after = _lines(change.after)
    if before == after and change.before is not None:
        return ""
    return "\n".join(visible(line) for line in _diff(change, before, after)) + "\n"


def _diff(change: Change, before: list[str], after: list[str]) -> Iterator[str]:
    yield f"--- {'/dev/null' if change.before is None else 'a/' + change.path}"
    yield f"+++ b/{change.path}"
    start, end = _same_ends(before, after)
    top = max(start - CONTEXT_LINES, 0)
    bottom = max(end - CONTEXT_LINES, 0)
    old = before[top : len(before) - bottom]
    new = after[top : len(after) - bottom]
    yield from _hunks(old, new, start - top, end - bottom, top)


def _hunks(old: list[str], new: list[str], start: int, end: int, top: int) -> Iterator[str]:
    if len(old) * len(new) > _MAX_COMPARED:
        yield f"@@ -{top + 1},{len(old)} +{top + 1},{len(new)} @@"
        yield from (f" {line}" for line in old[:start])
        yield from (f"-{line}" for line in old[start : len(old) - end])
        yield from (f"+{line}" for line in new[start : len(new) - end])
        yield from (f" {line}" for line in old[len(old) - end :])
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        yield f"@@ -{_range(a, b, top)} +{_range(c, d, top)} @@"
        for tag, one, two, three, four in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[one:two])
                continue
            yield from (f"-{line}" for line in old[one:two])
            yield from (f"+{line}" for line in new[three:four])


def _range(start: int, end: int, top: int) -> str:
    length = end - start
    return f"{top + start + (1 if length else 0)},{length}"


def _same_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning, and how many others at the end."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _lines(text: str) -> list[str]:
    """Lines without their ends; a last one without an end carries git's remark."""
    *lines, rest = text.split("\n")
    return [*lines, f"{rest}\n\\ No newline at end of file"] if rest else lines
