"""Listing folders and reading files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.choosing import chosen
from rollcall.models._offline.files.hands import call
from rollcall.models._offline.files.locating import DEEPEST, entries, located
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import count, say
from rollcall.models._offline.files.work import Asking, Move, Work, content_of, output
from rollcall.models._offline.history import Step

_MOST_ENTRIES = 60
MOST_LINES = 80
_MOST_CHARS = 6_000


class ListFolder(Struct, frozen=True):
    """What lies in a folder, `depth` levels down."""

    path: str = "."
    depth: int = 1
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        tool = work.hands.lists
        if tool is None:
            return Move(text=say("not_offered", work.language, what=self.path), done=False)
        step = work.step(tool, path=self.path, depth=self.depth)
        if step is None:
            return Move((call(tool, path=self.path, depth=self.depth),))
        if not step.failed:
            return Move(text=_told_listing(step, self.path, work.language))
        elsewhere = located(work, self.path)
        if elsewhere.call:
            return Move((elsewhere.call,))
        if len(elsewhere.paths) == 1 and elsewhere.paths[0] != self.path:
            return replace(self, path=elsewhere.paths[0]).move(work)
        if len(elsewhere.paths) == 1:  # it is there, and no folder
            return ReadFile(self.path).move(work)
        return Move(text=trouble(step, "list", work.language, path=self.path), done=False)

    def answered(self, text: str, work: Work) -> None:
        return None


def _told_listing(step: Step, path: str, language: str) -> str:
    found = entries(output(step))
    kinds = [kind for _, kind in found]
    folders, files = kinds.count("directory"), len(kinds) - kinds.count("directory")
    counts = [
        *([count(folders, "folders", language)] if folders else []),
        *([count(files, "files", language)] if files else []),
    ]
    what = ", ".join(counts) or say("empty_folder", language)
    key = "root" if path == "." else "listed"
    lines = [_entry(each, kind, size, language) for each, kind, size in _sized(output(step))]
    more = say("more", language, count="{count}")
    head = f"**{say(key, language, path=path, what=what)}**"
    cut = [say("cut", language)] if output(step).get("truncated") else []
    body = "\n".join(shown.listed(lines, most=_MOST_ENTRIES, more=more))
    return "\n\n".join(filter(None, (head, body, *cut)))


def _sized(listing: dict[str, Any]) -> list[tuple[str, str, Any]]:
    sizes = {
        str(entry.get("path")): entry.get("size")
        for entry in listing.get("entries") or ()
        if isinstance(entry, dict)
    }
    return [(path, kind, sizes.get(path)) for path, kind in entries(listing)]


def _entry(path: str, kind: str, size: Any, language: str) -> str:
    told = shown.name(f"{path}/" if kind == "directory" else path, language)
    if not isinstance(size, int) or kind != "file":
        return told
    return f"{told} ({shown.size(size, language)})"


class ReadFile(Struct, frozen=True):
    """A file's lines, or how many it has.

    Args:
        counts: Whether its size is wanted, and not its text.
        tail: How many of its last lines are wanted.
    """

    path: str
    start: int | None = None
    end: int | None = None
    counts: bool = False
    tail: int | None = None
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        tool = work.hands.reads
        assert tool is not None  # there are no hands without
        given = {"path": self.path, "start_line": self.start or 1, "end_line": self.end}
        step = work.step(tool, **given)
        if step is None:
            return Move((call(tool, **given),))
        content = content_of(step)
        if content is None:
            return self._elsewhere(step, work)
        lines = _number(output(step).get("lines"))
        if self.tail and lines and lines > self.tail and self.start is None:
            last = replace(self, start=lines - self.tail + 1, end=lines)
            return last.move(work)
        return Move(text=self._told(content, output(step), work.language))

    def _elsewhere(self, step: Step, work: Work) -> Move:
        """Read the file of that name, where it lies in another folder."""
        found = located(work, self.path)
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != self.path:
            return replace(self, path=found.paths[0]).move(work)
        if len(found.paths) > 1:
            return Move(asking=which_file(found.paths, work.language))
        return Move(text=trouble(step, "look", work.language, path=self.path), done=False)

    def answered(self, text: str, work: Work) -> ReadFile | None:
        path = chosen(text, located(work, self.path).paths)
        return replace(self, path=path) if path else None

    def _told(self, content: str, found: dict[str, Any], language: str) -> str:
        lines = _number(found.get("lines"))
        path = str(found.get("path") or self.path)
        total = lines if lines is not None else len(content.splitlines())
        if self.counts:
            size = _number(found.get("size"))
            told = shown.size(len(content.encode()) if size is None else size, language)
            lines_ = count(total, "lines", language)
            return say("has_lines", language, path=path, lines=lines_, size=told)
        if not content:
            return say("empty_file", language, path=path)
        start = _number(found.get("startLine")) or 1
        body = _first(content.split("\n"))
        end = start + len(body) - 1
        whole = start == 1 and end >= total
        key = "read" if whole else "read_some"
        of = count(total, "lines", language) if whole else total
        head = say(key, language, path=path, lines=of, start=start, end=min(end, total))
        wanted = self.end or total
        rest = {"end": end, "next": end + 1, "lines": min(wanted, total), "path": path}
        note = [say("shown_to", language, **rest)] if end < min(wanted, total) else []
        return "\n\n".join((head, shown.block("\n".join(body), path=path), *note))


def _first(lines: list[str]) -> list[str]:
    """As many lines as an answer has room for, at least one."""
    if lines and not lines[-1]:
        lines = lines[:-1]
    kept: list[str] = []
    room = _MOST_CHARS
    for line in lines[:MOST_LINES]:
        room -= len(line) + 1
        if kept and room < 0:
            break
        kept.append(line if room >= 0 else line[:_MOST_CHARS])
    return kept


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class FindFile(Struct, frozen=True):
    """Where the files of a name are."""

    name: str
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        found = located(work, self.name)
        if found.call:
            return Move((found.call,))
        name = shown.said(self.name)
        step = work.step(work.hands.lists, path=".", depth=DEEPEST) if work.hands.lists else None
        if step is not None and step.failed:
            return Move(text=trouble(step, "list", work.language, path="."), done=False)
        if not found.paths:
            return Move(text=say("no_file", work.language, name=name))
        lines = [shown.name(path, work.language) for path in found.paths]
        more = say("more", work.language, count="{count}")
        told = shown.listed(lines, most=_MOST_ENTRIES, more=more)
        return Move(
            text="\n\n".join((say("files_named", work.language, name=name), "\n".join(told)))
        )

    def answered(self, text: str, work: Work) -> None:
        return None


class FindEnding(Struct, frozen=True):
    """The files whose names end in the same way, such as ".py"."""

    ending: str
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        tool, language, name = work.hands.lists, work.language, shown.said(self.ending)
        if tool is None:
            return Move(text=say("not_offered", language, what=name), done=False)
        step = work.step(tool, path=".", depth=DEEPEST)
        if step is None:
            return Move((call(tool, path=".", depth=DEEPEST),))
        if step.failed:
            return Move(text=trouble(step, "list", language, path="."), done=False)
        files = [path for path, kind in entries(output(step)) if kind == "file"]
        found = [path for path in files if path.lower().endswith(self.ending.lower())]
        if not found:
            return Move(text=say("no_ending", language, name=name))
        lines = [shown.name(path, language) for path in found]
        told = shown.listed(lines, most=_MOST_ENTRIES, more=say("more", language, count="{count}"))
        head = say("with_ending", language, name=name, files=count(len(found), "files", language))
        cut = [say("cut", language)] if output(step).get("truncated") else []
        return Move(text="\n\n".join((head, "\n".join(told), *cut)))

    def answered(self, text: str, work: Work) -> None:
        return None


def which_file(paths: Sequence[str], language: str) -> Asking:
    """Ask which of several files is meant."""
    named = ", ".join(shown.name(path, language) for path in paths[:6])
    return Asking(say("which_file", language, paths=named), tuple(paths[:6]))
