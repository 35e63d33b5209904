"""Files that are not where the request says: looked for by their names."""

from __future__ import annotations

import re

from msgspec import Struct

from rollcall.models._offline.files.hands import call
from rollcall.models._offline.files.paths import name_of, same
from rollcall.models._offline.files.work import Work, output
from rollcall.models._offline.plan import Call

DEEPEST = 5
_PREFIXED = re.compile("[בהוכלמש][א-ת]")
"""A Hebrew name may have "in", "to" or "from" before it, as one word: בקניות.txt."""


class Located(Struct, frozen=True):
    """Where something may lie: a call to make first, or the paths that are found."""

    call: Call | None = None
    paths: tuple[str, ...] = ()


def located(work: Work, path: str, *kinds: str) -> Located:
    """Look for a file or folder by its name: `calc.py` and `calc` for src/calc.py.

    Args:
        kinds: What is looked for, "file" or "directory"; both without any.
    """
    lists = work.hands.lists
    if lists is None:
        return Located()
    step = work.step(lists, path=".", depth=DEEPEST)
    if step is None:
        return Located(call(lists, path=".", depth=DEEPEST))
    every = [path for path, kind in entries(output(step)) if not kinds or kind in kinds]
    exact = [each for each in every if same(each, path)]
    ends = [each for each in every if f"/{each}".lower().endswith(f"/{path}".lower())]
    named = [each for each in every if name_of(each).lower() == name_of(path).lower()]
    stems = [each for each in every if _stem(each) == path.lower()]
    found = exact or ends or named or stems
    if not found and _PREFIXED.match(path):
        return located(work, path[1:], *kinds)
    return Located(paths=tuple(found))


def entries(listing: dict[str, object]) -> list[tuple[str, str]]:
    """The (path, type) of what a folder's listing names."""
    found = listing.get("entries")
    return [
        (entry["path"], str(entry.get("type") or "file"))
        for entry in (found if isinstance(found, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("path"), str)
    ]


def sizes(listing: dict[str, object]) -> dict[str, int]:
    """The bytes of the files that a folder's listing names, by their paths."""
    found = listing.get("entries")
    return {
        str(entry["path"]): entry["size"]
        for entry in (found if isinstance(found, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("size"), int) and entry.get("path")
    }


def _stem(path: str) -> str:
    return name_of(path).rpartition(".")[0].lower()
