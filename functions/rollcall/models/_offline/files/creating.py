"""Files made from a given content, and lines added to files."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.choosing import agrees, chosen
from rollcall.models._offline.files.hands import call
from rollcall.models._offline.files.locating import entries, located
from rollcall.models._offline.files.looking import which_file
from rollcall.models._offline.files.masked import masked
from rollcall.models._offline.files.paths import folder_of, same, tidy
from rollcall.models._offline.files.places import is_once
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import count, say
from rollcall.models._offline.files.work import Asking, Move, Work, content_of, output
from rollcall.models._offline.history import Step


class Create(Struct, frozen=True):
    """A file with a given content.

    Args:
        overwrites: Whether it takes the place of a file that is there; where it is open, it is
            asked.
    """

    path: str | None
    content: str | None
    overwrites: bool | None = None
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        language = work.language
        if work.hands.writes is None:
            return Move(text=say("not_offered", language, what=self.path or ""), done=False)
        if self.overwrites is False:
            return Move(text=say("cancelled", language), done=False)
        if self.path is None:
            return Move(asking=Asking(say("ask_path", language)))
        path = shown.plain(self.path)
        if self.content is None:
            return Move(asking=Asking(say("ask_content", language, path=path)))
        made = work.step(work.hands.writes, path=self.path)
        if made is not None:
            return _told(made, self.path, language)
        return self._look(work)

    def _look(self, work: Work) -> Move:
        """See first whether the file is there: nobody is asked about a write that cannot be."""
        assert self.path is not None
        folder, lists = folder_of(self.path), work.hands.lists
        step = work.step(lists, path=folder) if lists else None
        if lists and step is None:
            return Move((call(lists, path=folder),))
        listed = entries(output(step)) if step else []
        kind = next((kind for path, kind in listed if same(path, self.path)), None)
        if kind == "directory":
            told = say("is_folder", work.language, path=shown.plain(self.path))
            return Move(text=told, done=False)
        if kind is None and not self.overwrites:
            return self._write(work)
        if kind is not None and self.overwrites is None:
            asked = say("ask_replace", work.language, path=shown.plain(self.path))
            yes_no = ("כן", "לא") if work.language == "he" else ("Yes", "No")
            return Move(asking=Asking(asked, yes_no))
        # It is read, so that nothing is lost that was changed in the meantime.
        reads = work.hands.reads
        read = work.step(reads, path=self.path) if reads else None
        if reads and kind is not None and read is None:
            return Move((call(reads, path=self.path),))
        return self._write(work)

    def _write(self, work: Work) -> Move:
        assert work.hands.writes is not None and self.content is not None
        return Move((call(work.hands.writes, path=self.path, content=_ended(self.content)),))

    def answered(self, text: str, work: Work) -> Create | None:
        if self.path is None:
            said = masked(text).value(masked(text).text.strip().rstrip(".!"))
            return replace(self, path=tidy(said)) if said and " " not in said else None
        if self.content is None:
            of = masked(text)
            blocks = [held.value for held in of.held if held.is_block]
            return replace(self, content=blocks[0] if blocks else of.value(of.text))
        said_yes = agrees(text)
        return None if said_yes is None else replace(self, overwrites=said_yes)


def _told(made: Step, path: str, language: str) -> Move:
    if made.failed:
        return Move(text=trouble(made, "write", language, path=shown.plain(path)), done=False)
    found = output(made)
    number = found.get("size")
    size = count(number if isinstance(number, int) else 0, "bytes", language)
    key = "rewritten" if found.get("created") is False else "created"
    return Move(text=say(key, language, path=shown.plain(path), size=size))


def _ended(content: str) -> str:
    """A file's text, whose last line is ended as the others are."""
    return content if not content or content.endswith("\n") else f"{content}\n"


class Append(Struct, frozen=True):
    """Lines to be added at the end of a file."""

    path: str
    content: str
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        edits, writes, reads = work.hands.edits, work.hands.writes, work.hands.reads
        assert reads is not None
        if edits is None or writes is None:
            return Move(text=say("not_offered", work.language, what=self.path), done=False)
        made = work.step(edits, path=self.path) or work.step(writes, path=self.path)
        if made is not None:
            path = shown.plain(self.path)
            if made.failed:
                return Move(text=trouble(made, "edit", work.language, path=path), done=False)
            return Move(text=say("appended", work.language, path=path))
        read = work.step(reads, path=self.path)
        if read is None:
            return Move((call(reads, path=self.path),))
        if content_of(read) is None:
            return self._elsewhere(read, work)
        return self._add(read, work)

    def _elsewhere(self, read: Step, work: Work) -> Move:
        found = located(work, self.path, "file")
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != self.path:
            return replace(self, path=found.paths[0]).move(work)
        if len(found.paths) > 1:
            return Move(asking=which_file(found.paths, work.language))
        path = shown.plain(self.path)
        return Move(text=trouble(read, "look", work.language, path=path), done=False)

    def _add(self, read: Step, work: Work) -> Move:
        edits, writes = work.hands.edits, work.hands.writes
        assert edits is not None and writes is not None
        content = content_of(read) or ""
        if output(read).get("truncated"):
            told = say("cut_file", work.language, path=shown.plain(self.path))
            return Move(text=told, done=False)
        if not content:
            return Move((call(writes, path=self.path, content=_ended(self.content)),))
        tail = _tail(content)
        new = f"{_ended(tail)}{_ended(self.content)}"
        return Move((call(edits, path=self.path, old_text=tail, new_text=new),))

    def answered(self, text: str, work: Work) -> Append | None:
        path = chosen(text, located(work, self.path, "file").paths)
        return replace(self, path=path) if path else None


def _tail(content: str) -> str:
    """The last lines of a file, as many as it takes for them to be there once."""
    start = content.rstrip("\n").rfind("\n") + 1
    while start > 0 and not is_once(content[start:], content):
        start = content.rfind("\n", 0, start - 1) + 1
    return content[start:]
