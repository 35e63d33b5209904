"""Taking one line out of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.choosing import chosen
from rollcall.models._offline.files.hands import call
from rollcall.models._offline.files.locating import located
from rollcall.models._offline.files.looking import which_file
from rollcall.models._offline.files.places import places_of
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import say
from rollcall.models._offline.files.work import Move, Work, content_of, output
from rollcall.models._offline.history import Step


@dataclass(frozen=True, slots=True)
class RemoveLine:
    """A line to take out of a file: the one that is `text`, or the only one that has it."""

    text: str
    file: str
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        reads, edits = work.hands.reads, work.hands.edits
        assert reads is not None  # there are no hands without
        if edits is None:
            told = say("not_offered", work.language, what=shown.said(self.text))
            return Move(text=told, done=False)
        path = shown.plain(self.file)
        if made := work.step(edits, path=self.file):
            if made.failed:
                return Move(text=trouble(made, "edit", work.language, path=path), done=False)
            return Move(text=say("line_removed", work.language, path=path))
        read = work.step(reads, path=self.file)
        if read is None:
            return Move((call(reads, path=self.file),))
        content = content_of(read)
        if content is None:
            return self._elsewhere(read, work)
        if output(read).get("truncated"):
            return Move(text=say("cut_file", work.language, path=path), done=False)
        return self._cut(content, work)

    def answered(self, text: str, work: Work) -> RemoveLine | None:
        path = chosen(text, located(work, self.file, "file").paths)
        return replace(self, file=path) if path else None

    def _cut(self, content: str, work: Work) -> Move:
        """The edit, where it is plain which line is meant."""
        edits, language = work.hands.edits, work.language
        assert edits is not None
        lines = content.splitlines(keepends=True)
        told = {"old": shown.plain(self.text), "path": shown.plain(self.file)}
        at = _at(self.text, lines)
        if not at:
            return Move(text=say("not_in_file", language, **told), done=False)
        passage = _passage(lines, at[0], content) if len(at) == 1 else None
        if passage is None:
            numbers = ", ".join(str(place + 1) for place in at[:8])
            return Move(text=say("many_lines", language, **told, lines=numbers), done=False)
        old, new = passage
        return Move((call(edits, path=self.file, old_text=old, new_text=new),))

    def _elsewhere(self, read: Step, work: Work) -> Move:
        """Look in the file of that name, where it lies in another folder."""
        found = located(work, self.file, "file")
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != self.file:
            return replace(self, file=found.paths[0]).move(work)
        if len(found.paths) > 1:
            return Move(asking=which_file(found.paths, work.language))
        told = trouble(read, "look", work.language, path=shown.plain(self.file))
        return Move(text=told, done=False)


def _at(text: str, lines: Sequence[str]) -> list[int]:
    """The places of the lines that are `text`, or of those that have it."""
    whole = [at for at, line in enumerate(lines) if line.strip() == text.strip()]
    return whole or [at for at, line in enumerate(lines) if places_of(text, line)]


def _passage(lines: Sequence[str], at: int, content: str) -> tuple[str, str] | None:
    """A text that is there once, and the same without the line; None without one."""
    line = lines[at]
    before = lines[at - 1] if at else ""
    if line.endswith("\n") and content.count(line) == 1:
        return line, ""
    if before and content.count(before + line) == 1:
        return before + line, before if line.endswith("\n") else before.rstrip("\r\n")
    return (line, "") if content.count(line) == 1 else None
