"""Replacing a text by another: in one file, or in all that have it.

A name is replaced where it stands by itself: `total` is no part of `subtotal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.choosing import agrees, chosen
from rollcall.models._offline.files.hands import argument, call
from rollcall.models._offline.files.locating import Located, located
from rollcall.models._offline.files.looking import which_file
from rollcall.models._offline.files.paths import same
from rollcall.models._offline.files.places import (
    WORD,
    longer_names,
    names_file,
    passage_of,
    places_of,
)
from rollcall.models._offline.files.searching import Match, is_cut, matches, place, widest
from rollcall.models._offline.files.troubles import is_refused, trouble
from rollcall.models._offline.files.words import count, say
from rollcall.models._offline.files.work import Asking, Move, Work, content_of, output
from rollcall.models._offline.history import Step
from rollcall.models._offline.plan import Call
from rollcall.models.base import ToolSpec

_AT_ONCE = 16


class Replace(Struct, frozen=True):
    """A text that takes another's place.

    Args:
        file: The one file that is meant; None for all files in `path` that `glob` fits.
        every: Whether all places of one file are meant; where it is open, it is asked.
    """

    old: str
    new: str
    file: str | None = None
    path: str = "."
    glob: str | None = None
    every: bool = True
    stops: bool = False
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        language = work.language
        if self.stops:
            return Move(text=say("cancelled", language), done=False)
        if self.old == self.new:
            return Move(text=say("same_text", language), done=False)
        if work.hands.edits is None or (self.file is None and work.hands.searches is None):
            return Move(text=say("not_offered", language, what=shown.said(self.old)), done=False)
        return self._in_file(self.file, work) if self.file else self._everywhere(work)

    def answered(self, text: str, work: Work) -> Replace | None:
        path = chosen(text, located(work, self.file).paths) if self.file else None
        if path:
            return replace(self, file=path)
        said = agrees(text)
        return None if said is None else replace(self, every=said, stops=not said)

    # Everywhere

    def _everywhere(self, work: Work) -> Move:
        search = self._search(work, self.old)
        names = self._search(work, self.new) if WORD.fullmatch(self.new) else None
        missing = [each for each in (search, names) if isinstance(each, Call)]
        if missing:
            return Move(tuple(missing))
        assert isinstance(search, Step)
        if search.failed:
            return self._elsewhere_all(search, work)
        return self._edit_all(search, names if isinstance(names, Step) else None, work)

    def _elsewhere_all(self, search: Step, work: Work) -> Move:
        """Look in the folder of that name, where it lies in another folder."""
        found = located(work, self.path) if self.path != "." else Located()
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != self.path:
            return replace(self, path=found.paths[0])._everywhere(work)
        told = trouble(search, "search", work.language, query=shown.said(self.old))
        return Move(text=told, done=False)

    def _search(self, work: Work, query: str) -> Step | Call:
        tool = work.hands.searches
        assert tool is not None
        given = {
            "query": query.split("\n")[0],
            "path": self.path,
            "glob": self.glob,
            "case_sensitive": True,
            "max_matches": widest(work),
        }
        return work.step(tool, **given) or call(tool, **given)

    def _edit_all(self, search: Step, names: Step | None, work: Work) -> Move:
        found = matches(search)
        plans = [self._plan(path, found, search, work) for path in _paths(found)]
        wanted = [plan for plan in plans if plan is not None]
        reads = [plan for plan in wanted if isinstance(plan, Call) and plan.name != _edits(work)]
        if reads:
            return Move(tuple(reads))
        edits = [plan for plan in wanted if isinstance(plan, Call)]
        steps = [plan for plan in wanted if isinstance(plan, Step)]
        refused = bool(steps) and all(is_refused(step) for step in steps)
        if edits and not refused:
            aside = self._taken(names, work.language) if not steps else ""
            return Move(tuple(edits[:_AT_ONCE]), aside=aside)
        return self._told(search, steps, edits, work)

    def _plan(
        self, path: str, found: Sequence[Match], search: Step, work: Work
    ) -> Step | Call | None:
        """The edit of a file, as made or to be made; the reading it takes; None without a place."""
        tool = work.hands.edits
        assert tool is not None
        if made := work.step(tool, path=path):
            return made
        lines = [match.text for match in found if same(match.path, path)]
        alone = sum(len(places_of(self.old, line)) for line in lines)
        within = sum(line.count(self.old) for line in lines) - alone
        is_open = is_cut(search) or any(self.old not in line for line in lines)
        if not within and not is_open and "\n" not in self.old:
            return call(tool, path=path, old_text=self.old, new_text=self.new, replace_all=True)
        if not alone and not is_open:
            return None
        return self._careful(path, work)

    def _careful(self, path: str, work: Work) -> Step | Call | None:
        """An edit that leaves longer names alone, made from the whole of the file."""
        tool, reads = work.hands.edits, work.hands.reads
        assert tool is not None and reads is not None
        read = work.step(reads, path=path)
        if read is None:
            return call(reads, path=path)
        content = content_of(read)
        if content is None or output(read).get("truncated"):
            return read
        passage = passage_of(content, self.old, self.new)
        if passage is None:
            return None
        return call(tool, path=path, old_text=passage[0], new_text=passage[1])

    def _taken(self, names: Step | None, language: str) -> str:
        """A word of warning where the new name is in use already."""
        found = matches(names) if names is not None else []
        used = [match for match in found if places_of(self.new, match.text)]
        if not used:
            return ""
        places = ", ".join(shown.code(f"{match.path}:{match.line}") for match in used[:3])
        return say("taken", language, new=shown.plain(self.new), places=places)

    def _told(self, search: Step, steps: Sequence[Step], left: Sequence[Call], work: Work) -> Move:
        language, tool = work.language, work.hands.edits
        assert tool is not None
        done = [step for step in steps if step.call.name == tool.name and not step.failed]
        parts = [self._head(done, search, work), *_failures(steps, tool, language)]
        if left:
            paths = ", ".join(shown.code(str(argument(tool, c.arguments, "path"))) for c in left)
            parts.append(say("not_begun", language, paths=paths))
        lines = [match.text for match in matches(search)]
        if names_file(self.old, lines):
            parts.append(say("module", language, old=shown.plain(self.old)))
        if longer := longer_names(self.old, lines):
            names = ", ".join(shown.code(name) for name in longer[:5])
            parts.append(say("longer", language, names=names))
        if is_cut(search):
            parts.append(say("maybe_more", language))
        whole = bool(done) and len(done) == len(steps) and not left
        return Move(text="\n\n".join(filter(None, parts)), done=whole)

    def _head(self, done: Sequence[Step], search: Step, work: Work) -> str:
        language = work.language
        old, new = shown.plain(self.old), shown.plain(self.new)
        if not done:
            where = place(self.path, self.glob, language)
            none = not any(places_of(self.old, each.text) for each in matches(search))
            return say("none_to_rename", language, old=old, where=where) if none else ""
        numbers = [self._replaced(step, work) for step in done]
        head = say(
            "renamed",
            language,
            old=old,
            new=new,
            files=count(len(done), "files", language),
            places=count(sum(numbers), "places", language),
        )
        lines = [
            f"- {shown.name(_path(step, work), language)}: {count(number, 'places', language)}"
            for step, number in zip(done, numbers, strict=True)
        ]
        return "\n\n".join((head, "\n".join(lines)))

    def _replaced(self, step: Step, work: Work) -> int:
        """The number of places that an edit changed: a passage has several of them."""
        tool = work.hands.edits
        assert tool is not None
        old = argument(tool, step.call.arguments, "old_text")
        if isinstance(old, str) and old != self.old:
            return max(len(places_of(self.old, old)), 1)
        said = output(step).get("replaced")
        return said if isinstance(said, int) else 1

    # In one file

    def _in_file(self, file: str, work: Work) -> Move:
        tool, reads = work.hands.edits, work.hands.reads
        assert tool is not None and reads is not None
        made = work.step(tool, path=file)
        if made is not None:
            return self._told_of_one(made, file, work)
        read = work.step(reads, path=file)
        if read is None:
            return Move((call(reads, path=file),))
        if content_of(read) is None:
            return self._elsewhere(read, file, work)
        return self._edit_one(read, file, work)

    def _elsewhere(self, read: Step, file: str, work: Work) -> Move:
        found = located(work, file, "file")
        if found.call:
            return Move((found.call,))
        if len(found.paths) == 1 and found.paths[0] != file:
            return self._in_file(found.paths[0], work)
        if len(found.paths) > 1:
            return Move(asking=which_file(found.paths, work.language))
        return Move(text=trouble(read, "look", work.language, path=shown.plain(file)), done=False)

    def _edit_one(self, read: Step, file: str, work: Work) -> Move:
        language, tool = work.language, work.hands.edits
        assert tool is not None
        content = content_of(read) or ""
        if output(read).get("truncated"):
            # What is not seen is for the client to judge: it refuses a text that is there twice.
            given = {"path": file, "old_text": self.old, "new_text": self.new}
            return Move((call(tool, **given, replace_all=self.every and _is_long(self.old)),))
        at = places_of(self.old, content)
        if not at:
            told = say("not_in_file", language, old=shown.plain(self.old), path=shown.plain(file))
            return Move(text=told, done=False)
        if len(at) > 1 and not self.every:
            return Move(asking=self._ask_all(content, at, file, language))
        if len(at) == content.count(self.old):
            given = {"path": file, "old_text": self.old, "new_text": self.new}
            return Move((call(tool, **given, replace_all=len(at) > 1),))
        passage = passage_of(content, self.old, self.new)
        assert passage is not None  # there are places
        return Move((call(tool, path=file, old_text=passage[0], new_text=passage[1]),))

    def _ask_all(self, content: str, at: Sequence[int], file: str, language: str) -> Asking:
        lines = dict.fromkeys(str(content.count("\n", 0, place) + 1) for place in at)
        asked = say(
            "all_of_them",
            language,
            old=shown.plain(self.old),
            places=count(len(at), "places", language),
            path=shown.plain(file),
            lines=", ".join(list(lines)[:8]),
        )
        return Asking(asked, ("כן", "לא") if language == "he" else ("Yes", "No"))

    def _told_of_one(self, made: Step, file: str, work: Work) -> Move:
        language = work.language
        if made.failed:
            text = trouble(made, "edit", language, path=shown.plain(file))
            return Move(text=text, done=False)
        places = count(self._replaced(made, work), "places", language)
        return Move(text=say("edited", language, path=shown.plain(file), places=places))


def _is_long(text: str) -> bool:
    return len(text) > 2


def _edits(work: Work) -> str:
    return work.hands.edits.name if work.hands.edits else ""


def _path(step: Step, work: Work) -> str:
    tool = work.hands.edits
    assert tool is not None
    return str(argument(tool, step.call.arguments, "path"))


def _paths(found: Sequence[Match]) -> list[str]:
    return list(dict.fromkeys(match.path for match in found))


def _failures(steps: Sequence[Step], tool: ToolSpec, language: str) -> list[str]:
    """What was not changed and why, a line each; a file that could not be read whole too."""
    told = []
    for step in steps:
        path = shown.plain(str((step.call.arguments or {}).get("path") or ""))
        if step.call.name != tool.name and not step.failed:
            told.append(say("cut_file", language, path=path))
        elif step.failed:
            deed = "edit" if step.call.name == tool.name else "look"
            told.append(trouble(step, deed, language, path=path))
    return told
