"""Searching files, and telling what was found where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.hands import call, most
from rollcall.models._offline.files.locating import Located, located
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import count, say
from rollcall.models._offline.files.work import Move, Work, output
from rollcall.models._offline.history import Step

_MOST_TOLD = 30
_WORD = re.compile(r"[\w$]+")
_DEFINES = (
    r"\b(?:def|class|function|func|fn|const|let|var|val|fun|struct|enum|interface|type|trait|"
    r"module|macro)\s+{name}\b|^\s*{name}\s*(?::[^=]+)?="
)


class Match(Struct, frozen=True):
    """A line of a file in which something was found."""

    path: str
    line: int
    text: str


class Search(Struct, frozen=True):
    """The places where a text is, or where a name is defined.

    Args:
        path: The folder or file to look in.
        glob: What the names of files look like.
        is_name: Whether a name is meant, so that longer names that hold it are not.
    """

    query: str
    path: str = "."
    glob: str | None = None
    is_regex: bool = False
    defines: bool = False
    is_name: bool = False
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        tool = work.hands.searches
        if tool is None:
            return Move(text=say("not_offered", work.language, what=self.query), done=False)
        given = {
            "query": self._pattern(),
            "path": self.path,
            "glob": self.glob,
            "is_regex": self.defines or self.is_regex,
        }
        step = work.step(tool, **given)
        if step is None:
            return Move((call(tool, **given),))
        if step.failed:
            return self._elsewhere(step, work)
        return Move(text=self._told(step, work.language))

    def _elsewhere(self, step: Step, work: Work) -> Move:
        """Search the folder or file of that name, where it lies in another folder."""
        found = located(work, self.path) if self.path != "." else Located()
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != self.path:
            return replace(self, path=found.paths[0]).move(work)
        told = trouble(step, "search", work.language, query=shown.said(self.query))
        return Move(text=told, done=False)

    def answered(self, text: str, work: Work) -> None:
        return None

    def _pattern(self) -> str:
        if not self.defines:
            return self.query
        return _DEFINES.replace("{name}", re.escape(self.query))

    def _told(self, step: Step, language: str) -> str:
        found, total, files = self._meant(step)
        query, where = shown.said(self.query), place(self.path, self.glob, language)
        if not found:
            key = "not_defined" if self.defines else "not_found"
            return say(key, language, query=query, where=where)
        numbers = {
            "lines": count(total, "lines", language),
            "files": count(files, "files", language),
        }
        head = say("defined" if self.defines else "found", language, query=query, **numbers)
        lines = [
            f"{shown.name(f'{each.path}:{each.line}', language)} {shown.code(each.text)}"
            for each in found
        ]
        more = say("more", language, count="{count}")
        told = shown.listed(lines, most=_MOST_TOLD, more=more)
        cut = [say("cut", language)] if is_cut(step) else []
        return "\n\n".join((head, "\n".join(told), *cut))

    def _meant(self, step: Step) -> tuple[list[Match], int, int]:
        """The lines that are meant, with the number of lines and of files that there are."""
        found = matches(step)
        if not self.is_name or is_cut(step) or not _WORD.fullmatch(self.query):
            return found, _total(step, len(found)), _files(step, found)
        alone = re.compile(rf"(?<![\w$]){re.escape(self.query)}(?![\w$])", re.IGNORECASE)
        meant = [match for match in found if alone.search(match.text)] or found
        return meant, len(meant), len({match.path for match in meant})


def matches(step: Step) -> list[Match]:
    """The lines that a search found."""
    found = output(step).get("matches")
    return [
        Match(item["path"], item.get("line") or 0, str(item.get("text") or ""))
        for item in (found if isinstance(found, list) else ())
        if isinstance(item, dict) and isinstance(item.get("path"), str)
    ]


def is_cut(step: Step) -> bool:
    """Whether a search found more than it tells."""
    found = output(step)
    total = found.get("total")
    return bool(found.get("truncated")) or (
        isinstance(total, int) and total > len(found.get("matches") or ())
    )


def place(path: str, glob: str | None, language: str) -> str:
    """Where was looked, for the end of a sentence; "" for everywhere."""
    named = [each for each in (path if path != "." else None, glob) if each]
    return say("within", language, path=shown.plain("/".join(named))) if named else ""


def widest(work: Work) -> int | None:
    """The most lines that a search can be asked for."""
    return most(work.hands.searches, "max_matches") if work.hands.searches else None


def _total(step: Step, told: int) -> int:
    total = output(step).get("total")
    return total if isinstance(total, int) and not isinstance(total, bool) else told


def _files(step: Step, found: Sequence[Match]) -> int:
    files = output(step).get("files")
    seen = len({each.path for each in found})
    return files if isinstance(files, int) and not isinstance(files, bool) else seen
