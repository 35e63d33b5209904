"""A request's clauses: the stretches that each ask for one thing, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import Masked, masked

_MOST, _MOST_COLONS = 8, 6
_LONGEST = 1_000
_ENGLISH = (
    "list|show|read|open|print|display|cat|view|search|find|grep|look|locate|rename|replace|change|"
    "swap|substitute|create|make|write|save|add|append|insert|put|run|rerun|execute|launch|start|"
    "test|tell|report|say|let|give|check|verify|see|count|fix|debug|refactor|rewrite|implement|"
    "explain|summari[sz]e|improve|optimi[sz]e|delete|remove|erase|drop|move|copy|overwrite|build|lint|format|"
    "what|which|where|how|do|does|is|are|commit|ensure|update|document|translate"
)
_HEBREW = (
    "הרא[הי]|תרא[הי]|להראות|הצ(?:ג|יגי)|תציגי?|להציג|פתחי?|תפתחי?|לפתוח|קראי?|תקראי?|לקרוא|"
    "הדפ(?:ס|יסי)|"
    "תדפיסי?|חפשי?|תחפשי?|לחפש|מצאי?|תמצאי?|למצוא|אתרי?|תאתרי?|שנ[הי]|תשנ[הי]|לשנות|החל(?:ף|יפי)|"
    "תחליפי?|להחליף|צור|צרי|תיצור|תיצרי|תצור|ליצור|כתבי?|כתוב|תכתוב|תכתבי|לכתוב|שמור|שמרי|"
    "תשמור|תשמרי|"
    "הוס(?:ף|יפי)|תוסיפי?|להוסיף|הר(?:ץ|יצי)|תריצי?|להריץ|הפע(?:ל|ילי)|תפעילי?|להפעיל|ספרי?|תספרי?|"
    "תגידי?|אמור|אמרי|דווחי?|תדווחי?|בד(?:וק|קי)|תבדו?קי?|לבדוק|תקני?|תתקני?|לתקן|שכתבי?|תשכתבי?|"
    "לשכתב|הסב(?:ר|ירי)|תסבירי?|להסביר|סכמי?|סכם|תסכמי?|תסכם|מחקי?|תמחקי?|למחוק|העב(?:ר|"
    "ירי)|תעבירי?|"
    "שפרי?|תשפרי?|לשפר|מה|אילו|איזה|איפה|היכן|כמה|האם|באילו|ציין|תן|תני|תקן|ממשי?|לממש"
)
_CUT = compiled(
    rf"(?:(?<=[.!?;\n])\s{{1,20}}(?:and\s+|then\s+|ואז\s+|אחר כך\s+|לאחר מכן\s+)?"
    rf"|[,;]?\s{{1,20}}(?:and\s+(?:then|also|after that|afterwards|finally)|then|"
    rf"after that|afterwards|and|also"
    rf"|finally|ואז|ואחר כך|אחר כך|ולאחר מכן|לאחר מכן|וגם|ולבסוף|בסוף)[,\s]\s{{0,20}}|,\s{{1,20}})"
    rf"(?=(?:please\s+|בבקשה\s+)?(?:{_ENGLISH})(?![\w-])|ו?(?:{_HEBREW})(?![א-ת]))"
    rf"|[,;.]?\s{{1,20}}(?=ו(?:{_HEBREW})(?![א-ת]))",
    re.IGNORECASE,
)
_POLITE = compiled(
    r"^[\s,.;:!?–-]*(?:(?:hi|hey|hello|ok|okay|so|well|now|then|and|also|first|next|finally|just|"
    r"please|pls|plz|kindly|quickly|(?:can|could|would|will) (?:you|u|we|i)|i(?:'d| would) "
    r"like(?: you)? to|"
    r"i (?:want|need)(?: you)? to|let'?s|go ahead and|help me(?: to)?|try to|we (?:should|need to)|"
    r"you (?:should|can|need to)|"
    r"היי|הי|שלום|אוקיי|טוב|עכשיו|קודם(?: כל)?|ואז|אז|אחר כך|לאחר מכן|ולאחר מכן|ואחר כך|"
    r"וגם|גם|רק|בבקשה|נא|"
    r"תוכל|תוכלי|אפשר|אתה יכול|את יכולה|אני רוצה(?: ש)?|אני צריכה?(?: ש)?|הייתי רוצה|בוא|בואי|בואו|"
    r"צריך|כדאי)(?=[\s,.:!])[\s,.:!]*)+",
    re.IGNORECASE,
)
_PLEASE = compiled(
    r",?\s{1,5}(?:please|pls|plz|thx|thanks|בבקשה|תודה|exactly|actually|בדיוק)(?![\w-])"
)
_AND = compiled(rf"^ו(?=(?:{_HEBREW})(?![א-ת]))")
_ONLY_WHERE = compiled(
    r"everywhere|(?:in|within|inside|across|throughout|under)\s+"
    r"(?:(?:the|all|of|every|each|this|our|file|folder|directory)\s+){0,4}[^\s,;!?]{1,200}"
    r"(?:\s+(?:files?|folder|directory|project|code|package))?|"
    r"ב[-־]?[^\s,;!?]{1,200}(?:\s+(?:ה[א-ת]+|[^\sא-ת,;!?]{1,200})){0,2}"
)
_AFTER_COLON = compiled(r":(?:[ \t]+|[ \t]*\n)(?=\S)")
# What such a clause says after its colon is content or a command, and not looked into.
_TAKES_REST = compiled(
    r"^(?:(?:create|make|write|save|add|append|insert|put|overwrite|new file|start a file)\b"
    r"|replace (?:all (?:of )?)?(?:the )?(?:whole |entire )?contents?\b|set the contents?\b"
    r"|run\b(?! the tests)|execute\b"
    r"|in(?:to)? .{1,120}\b(?:write|put|add|append|insert)\b"
    r"|(?:צור|צרי|תיצור|תיצרי|תצור|ליצור|כתוב|כתבי|תכתוב|תכתבי|לכתוב|שמור|שמרי|תשמור|תשמרי|"
    r"הוסף|הוסיפי|"
    r"תוסיף|תוסיפי|להוסיף|הרץ|הריצי|תריץ|תריצי|להריץ|קובץ חדש|הכן|הכיני|תכין|דרוס|תדרוס)(?![א-ת])"
    r"|החלף את (?:כל )?תוכן|תחליף את (?:כל )?תוכן)",
    re.IGNORECASE,
)


class Clause(Struct, frozen=True):
    """One thing that is asked for.

    Args:
        text: Without "please" and the like; with a character for what is quoted.
        of: What the characters stand for.
        rest: What was said after a colon, as it was written; None without one.
        is_quoted: Whether the rest stood in quotes or in a block of code.
        is_cut: Whether it is too long to be read, and this is its beginning.
    """

    text: str
    of: Masked
    rest: str | None = None
    is_quoted: bool = False
    is_cut: bool = False

    @property
    def said(self) -> str:
        """The clause as it was written."""
        return self.of.source(self.text)


def clauses(text: str) -> list[Clause]:
    """Cut a request into its clauses."""
    of = masked(text.strip())
    return list(islice((clause for clause in _cut(of.text, of) if clause.text), _MOST))


def _cut(text: str, of: Masked) -> Iterator[Clause]:
    for colon in islice(_AFTER_COLON.finditer(text, 0, _LONGEST), _MOST_COLONS):
        *before, last = _pieces(text[: colon.start()])
        if _TAKES_REST.match(last):
            for piece in before:
                yield Clause(piece, of)
            yield from _with_rest(last, text[colon.end() :], of)
            return
    if len(text) > _LONGEST:
        yield Clause(text[:_LONGEST], of, is_cut=True)
        return
    for piece in _pieces(text):
        yield Clause(piece, of)


def _pieces(text: str) -> list[str]:
    """The stretches between the places to cut; one that only says where goes with the next."""
    pieces: list[str] = []
    for piece in _CUT.split(text):
        bare = _bare(piece)
        if pieces and _ONLY_WHERE.fullmatch(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {bare}"
        else:
            pieces.append(bare)
    return pieces


def _with_rest(clause: str, rest: str, of: Masked) -> Iterator[Clause]:
    held = of.find(rest[0])
    if held is None:
        yield Clause(clause, of, rest=of.source(rest).rstrip())
        return
    after = rest[1:]
    if not after.strip(" \n.!") or after[0] in " \n,.;":
        yield Clause(clause, of, rest=held.value, is_quoted=True)
        if _bare(after):
            yield from _cut(after, of)
        return
    yield Clause(clause, of, rest=of.source(rest).rstrip())


def _bare(piece: str) -> str:
    bare = _POLITE.sub("", _PLEASE.sub("", piece.strip())).strip()
    return _AND.sub("", bare)
