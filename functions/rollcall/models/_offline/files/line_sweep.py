"""Taking lines out of all files that have them."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.hands import call
from rollcall.models._offline.files.line_edits import EditLines
from rollcall.models._offline.files.lines import Deed, Having
from rollcall.models._offline.files.places import places_of
from rollcall.models._offline.files.searching import is_cut, matches, place, widest
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import say
from rollcall.models._offline.files.work import Move, Work

_AT_ONCE = 16


class SweepLines(Struct, frozen=True):
    """The lines with a text, taken out of all files in a folder that `glob` fits."""

    text: str
    path: str = "."
    glob: str | None = None
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        tool, language, said = work.hands.searches, work.language, shown.said(self.text)
        if tool is None or work.hands.edits is None:
            return Move(text=say("not_offered", language, what=said), done=False)
        given = {
            "query": self.text,
            "path": self.path,
            "glob": self.glob,
            "case_sensitive": True,
            "max_matches": widest(work),
        }
        search = work.step(tool, **given)
        if search is None:
            return Move((call(tool, **given),))
        if search.failed:
            return Move(text=trouble(search, "search", language, query=said), done=False)
        lines = [match for match in matches(search) if places_of(self.text, match.text)]
        if not lines:
            where = place(self.path, self.glob, language)
            return Move(text=say("not_found", language, query=said, where=where), done=False)
        return self._swept(list(dict.fromkeys(line.path for line in lines)), is_cut(search), work)

    def answered(self, text: str, work: Work) -> None:
        return None

    def _swept(self, paths: list[str], cut: bool, work: Work) -> Move:
        """All files are read, then all are changed, so that one yes or no is about all."""
        which = Having(self.text, every=True)
        moves = [EditLines(which, Deed.REMOVE, file=path).move(work) for path in paths[:_AT_ONCE]]
        calls = tuple(each for move in moves for each in move.calls)
        edits = work.hands.edits
        assert edits is not None
        reads = tuple(each for each in calls if each.name != edits.name)
        if calls:
            return Move(reads or calls)
        more = [say("maybe_more", work.language)] if cut or len(paths) > _AT_ONCE else []
        told = "\n\n".join((*(move.text for move in moves), *more))
        return Move(text=told, done=all(move.done for move in moves))
