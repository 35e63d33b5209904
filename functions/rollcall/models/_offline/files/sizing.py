"""Which file is the biggest, or the smallest."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.hands import call
from rollcall.models._offline.files.locating import DEEPEST, sizes
from rollcall.models._offline.files.scopes import scope
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import count, say
from rollcall.models._offline.files.work import Move, Work, output

_BIGGEST = r"biggest|largest|longest|heaviest|הכי\s+(?:גדול|ארוך|כבד)|ה?גדול\s+ביותר|ה?ארוך\s+ביותר"
_SMALLEST = r"smallest|shortest|tiniest|הכי\s+(?:קטן|קצר)|ה?קטן\s+ביותר|ה?קצר\s+ביותר"
_ASKS = compiled(
    rf"^(?:(?:which|what|show(?: me)?|find|open|tell me(?: which| "
    rf"what)?)\b.{{0,40}}?\bfile\b.{{0,30}}?"
    rf"(?<!\w)(?:(?P<most>{_BIGGEST})|{_SMALLEST})|"
    rf"(?:(?:which|what(?:'s| is)?|show(?: me)?|find|open|tell me)\b.{{0,30}}?|)(?:the\s+)?"
    rf"(?:(?P<most_first>{_BIGGEST})|(?:{_SMALLEST}))\s+\w{{0,20}}\s?file\b|"
    rf"(?:(?:מה|מהו|איזה|תרא[הי]|הרא[הי]|מצאי?|תמצאי?)(?![א-ת]).{{0,20}}?)?ה?קובץ\s+.{{0,20}}?"
    rf"(?:(?P<most_he>{_BIGGEST})|{_SMALLEST}))"
)


class Sized(Struct, frozen=True):
    """The biggest file of a folder, by its bytes, or the smallest; with its number of lines."""

    biggest: bool
    folder: str = "."
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        lists, reads, language = work.hands.lists, work.hands.reads, work.language
        assert reads is not None  # there are no hands without
        if lists is None:
            return Move(text=say("not_offered", language, what=self.folder), done=False)
        step = work.step(lists, path=self.folder, depth=DEEPEST)
        if step is None:
            return Move((call(lists, path=self.folder, depth=DEEPEST),))
        if step.failed:
            return Move(text=trouble(step, "list", language, path=self.folder), done=False)
        found = sizes(output(step))
        if not found:
            return Move(text=say("no_sizes", language), done=False)
        path = (max if self.biggest else min)(found, key=lambda each: found[each])
        first = {"path": path, "start_line": 1, "end_line": 1}
        read = work.step(reads, **first)
        if read is None:
            return Move((call(reads, **first),))
        lines = output(read).get("lines")
        told = say(
            "biggest" if self.biggest else "smallest",
            language,
            path=shown.plain(path),
            size=shown.size(found[path], language),
            lines=count(lines if isinstance(lines, int) else 0, "lines", language),
        )
        cut = [say("cut", language)] if output(step).get("truncated") else []
        return Move(text="\n\n".join((told, *cut)))

    def answered(self, text: str, work: Work) -> None:
        return None


def sized(clause: Clause) -> Sized | None:
    """Read "which file is the biggest?" and "what's the smallest file in src?"."""
    found = _ASKS.match(" ".join(clause.text.split()))
    if not found:
        return None
    most = found["most"] or found["most_first"] or found["most_he"]
    return Sized(bool(most), scope(clause.text, clause.of).folder)
