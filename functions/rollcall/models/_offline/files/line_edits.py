"""Changing whole lines of a file: some are taken out or replaced, others put in beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.choosing import chosen
from rollcall.models._offline.files.hands import argument, call
from rollcall.models._offline.files.lines import Deed, Having, NoSuchLine, Numbered, edit
from rollcall.models._offline.files.locating import located
from rollcall.models._offline.files.looking import which_file
from rollcall.models._offline.files.masked import masked
from rollcall.models._offline.files.paths import first_path
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import count, say
from rollcall.models._offline.files.work import Asking, Move, Work, content_of, output
from rollcall.models._offline.history import Step

_MOST_NUMBERS = 8
_TOLD = {Deed.REMOVE: "lines_removed", Deed.REPLACE: "lines_replaced"}


class EditLines(Struct, frozen=True):
    """A change to the lines of a file that are meant, made by one exact replacement.

    Args:
        which: The lines; those beside which `text` is put, where `deed` says so.
        text: What is put in.
        file: Where it is open, it is asked.
    """

    which: Numbered | Having
    deed: Deed
    text: str = ""
    file: str | None = None
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        reads, edits = work.hands.reads, work.hands.edits
        assert reads is not None  # there are no hands without
        if self.file is None:
            return Move(asking=Asking(say("ask_lines_of", work.language)))
        path = shown.plain(self.file)
        if edits is None:
            return Move(text=say("not_offered", work.language, what=path), done=False)
        if made := work.step(edits, path=self.file):
            return self._told(made, path, work)
        read = work.step(reads, path=self.file)
        if read is None:
            return Move((call(reads, path=self.file),))
        content = content_of(read)
        if content is None:
            return self._elsewhere(read, work)
        if output(read).get("truncated"):
            return Move(text=say("cut_file", work.language, path=path), done=False)
        return self._edit(content, work)

    def answered(self, text: str, work: Work) -> EditLines | None:
        if self.file is None:
            of = masked(text)
            said = first_path(of.text, of) or (text.strip() if " " not in text.strip() else None)
            return replace(self, file=said) if said else None
        path = chosen(text, located(work, self.file, "file").paths)
        return replace(self, file=path) if path else None

    def _edit(self, content: str, work: Work) -> Move:
        edits = work.hands.edits
        assert edits is not None and self.file is not None
        lines = content.splitlines(keepends=True)
        try:
            at = self.which.places(lines)
        except NoSuchLine:
            numbers = count(len(lines), "lines", work.language)
            path = shown.plain(self.file)
            told = say("no_such_line", work.language, path=path, lines=numbers)
            return Move(text=told, done=False)
        if unclear := self._unclear(at, work.language):
            return Move(text=unclear, done=False)
        old, new = edit(content, at, self.deed, self.text)
        if old == new:
            return Move(text=say("same_text", work.language), done=False)
        return Move((call(edits, path=self.file, old_text=old, new_text=new),))

    def _unclear(self, at: Sequence[int], language: str) -> str:
        """Why it is not plain which lines are meant; "" where it is."""
        if isinstance(self.which, Numbered):
            return ""
        told = {"path": shown.plain(self.file or ""), "old": shown.plain(self.which.text)}
        if not at:
            return say("no_line_has" if self.which.text else "no_line_is_empty", language, **told)
        if len(at) == 1 or self.which.every:
            return ""
        numbers = ", ".join(str(place + 1) for place in at[:_MOST_NUMBERS])
        return say("many_lines", language, **told, lines=numbers)

    def _told(self, made: Step, path: str, work: Work) -> Move:
        if made.failed:
            return Move(text=trouble(made, "edit", work.language, path=path), done=False)
        number = self._number(made, work)
        lines = count(number, "lines", work.language)
        key = _TOLD.get(self.deed, "lines_added")
        return Move(text=say(key, work.language, path=path, lines=lines))

    def _number(self, made: Step, work: Work) -> int:
        """How many lines were put in, taken out or replaced."""
        edits = work.hands.edits
        assert edits is not None
        given = (argument(edits, made.call.arguments, name) for name in ("old_text", "new_text"))
        old, new = (len(str(text or "").splitlines()) for text in given)
        put = len(self.text.split("\n"))
        return {Deed.REMOVE: old - new, Deed.REPLACE: old - new + put}.get(self.deed, put)

    def _elsewhere(self, read: Step, work: Work) -> Move:
        """Look in the file of that name, where it lies in another folder."""
        assert self.file is not None
        found = located(work, self.file, "file")
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != self.file:
            return replace(self, file=found.paths[0]).move(work)
        if len(found.paths) > 1:
            return Move(asking=which_file(found.paths, work.language))
        told = trouble(read, "look", work.language, path=shown.plain(self.file))
        return Move(text=told, done=False)
