"""Requests about whole lines: take them out, replace them, put others in beside them."""

from __future__ import annotations

import re

from rollcall.models._offline.files.changing import describes
from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.creating import Append
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.line_edits import EditLines
from rollcall.models._offline.files.line_sweep import SweepLines
from rollcall.models._offline.files.lines import Deed, Numbered
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.meant_lines import (
    BEGINNING,
    END,
    ENDS,
    MARKED,
    NUMBERED,
    having,
    numbered,
)
from rollcall.models._offline.files.paths import PATH, is_path, tidy
from rollcall.models._offline.files.scopes import scope

_ALL_FILES = compiled(
    r"\s(?:(?:in|from|across|out of)\s)?(?:(?:all|of|every|whole|the|this|any)\s){0,4}"
    r"(?:files?|project|folder|code|repo(?:sitory)?|everywhere|anywhere)$|"
    r"\s(?:in|from|under)\s(?:the\s)?(?:folder\s)?[\w./-]+(?:\sfolder)?$|"
    r"\s(?:ב|מ)(?:כל\s)?ה?(?:קבצים|פרויקט|תיקייה|תיקיה|קוד|מקום)$"
)
_IN = compiled(
    rf"(?:^|\s)(?:(?:in|of|from|inside|within|into|to|on|out of)\s+(?:the\s+)?(?:file\s+)?"
    rf"|(?:(?:מן\s+ה|מתוך\s+ה?|בתוך\s+ה?|מה|ב|ל|מ)(?:קובץ\s+)?|(?:של\s+)?ה?קובץ\s+|של\s+)[-־]?\s*)"
    rf"(?P<path>{PATH}|{HELD}|readme(?![\w.]))"
)
_ALONE = compiled(PATH)
_PROSE = compiled(r".*\.(?:md|txt|rst)")
_REMOVE = (
    r"(?:remove|delete|erase|drop|cut|take out|get rid of|"
    r"העי?פי?|תעי?פי?|זרו?קי?|תזרו?קי?|מחקי?|תמחקי?|למחוק|הס(?:ר|ירי)|תסירי?|להסיר|הור(?:ד|ידי)|תורידי?|להוריד)\s+(?:לי\s+)?"
)
_REPLACE = (
    r"(?:replace|change|set|overwrite|rewrite|update|make|edit|"
    r"החל(?:ף|יפי)|תחליפי?|להחליף|שנ[הי]|תשנ[הי]|לשנות|עדכני?|תעדכני?|לעדכן)\s+(?:לי\s+)?"
)
_INSERT = (
    r"(?:insert|add|put|write|append|place|prepend|"
    r"הוס(?:ף|יפי)|תוסיפי?|להוסיף|הכנ(?:ס|יסי)|תכניסי?|להכניס|שימי?|תשימי?|לשים|כתו?בי?|תכתו?בי?|"
    r"לכתוב)\s+(?:לי\s+)?"
)
_A_LINE = (
    r"(?P<line>(?:(?:the|a|an|this|another|new|את|עוד)\s+)*(?:lines?|text|ה?שורה|ה?שורות|ה?טקסט)\s+)?"
    r"(?:את\s+)?"
)
_BESIDE = r"(?:before|above|over|after|below|under|beneath|at|on|as|to|לפני|מעל|אחרי|מתחת ל?|ב|כ|ל)"
_BEFORE = compiled(r"before|above|over|לפני|מעל")
_AT = compiled(r"at|on|as|to|ב|כ|ל")
_REMOVES_NUMBERED = compiled(rf"^{_REMOVE}{NUMBERED}$")
_REMOVES_MARKED = compiled(rf"^{_REMOVE}{MARKED}$")
_REPLACES = compiled(
    rf"^{_REPLACE}(?:(?:the )?(?:contents?|text) of\s+)?{NUMBERED}"
    rf"(?P<by>\s*(?:with|by|to be|to read|to say|to|into|עם|להיות|שתהיה|ל[-־:]|ב[-־:]|"
    rf"[בל](?=[\ue000-\uf8ff]))"
    rf"\s*:?)\s*(?P<new>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_REPLACES_REST = compiled(rf"^{_REPLACE}{NUMBERED}(?:\s+(?:with|by|to|into|עם|ב|ל)[-־]?)?$")
_INSERTS = compiled(
    rf"^{_INSERT}{_A_LINE}(?P<new>\S.*?)\s+(?P<side>{_BESIDE})[-־]?\s*"
    rf"(?:{NUMBERED}|{ENDS}|{MARKED})$",
    re.IGNORECASE | re.DOTALL,
)
_INSERTS_REST = compiled(
    rf"^{_INSERT}{_A_LINE}(?P<side>{_BESIDE})[-־]?\s*(?:{NUMBERED}|{ENDS}|{MARKED})"
    rf"(?:\s+(?P<new>\S.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_BLANK = compiled(r"(?:an? |one )?(?:blank|empty|new)(?: line)?|(?:שורה )?(?:ריקה|חדשה)|ריק")
_IN_WORDS = compiled(
    r"^(?:(?:an?|the|some|another|my|its?|this|that|these|two|three|something|what|whatever|"
    r"lines?|be|shorter|longer|better)\b|(?:משהו|זה|אותה?|שורה|עוד|הערה|פונקציה)(?![א-ת]))"
)

_ABOUT_A_LINE = compiled(
    rf"^(?:{_REMOVE}|{_REPLACE}|(?:swap|exchange|move|join|merge|indent|comment out)\s+|"
    rf"{_REPLACE}בין\s+|(?:העב(?:ר|ירי)|תעבירי?)\s+){NUMBERED}|"
    rf"^{_INSERT}.*\s{_BESIDE}[-־]?\s*{NUMBERED.replace('P<', 'P<_')}"
)

LineChange = EditLines | SweepLines | Append


def changing_lines(clause: Clause, last: str | None) -> LineChange | None:
    """Read "remove line 3 of a.txt", "delete all TODO lines" and "insert "x" after line 5".

    Args:
        last: The file that was spoken of last, which is meant where none is named.
    """
    text = re.sub(r"\s+", " ", clause.text).strip().rstrip(".!?").strip()
    file, bare = _without_file(text, clause)
    at = file or last
    return (
        _removing(bare, text, clause, file, at)
        or _replacing(bare, clause, at)
        or _inserting(bare, clause, at)
    )


def touches_line(clause: Clause) -> bool:
    """Whether a clause would change a line by its number, in whatever words."""
    return _ABOUT_A_LINE.match(" ".join(clause.text.split())) is not None


def _without_file(text: str, clause: Clause) -> tuple[str | None, str]:
    """The file that a text says it is about, and the text without it."""
    for found in _IN.finditer(text):
        said = clause.of.value(found["path"])
        if said.lower() == "readme":
            return "README.md", _cut(text, found)
        if is_path(said) or len(found["path"]) > 1:
            return tidy(said), _cut(text, found)
    if alone := _ALONE.search(text):
        return tidy(alone[0]), _cut(text, alone)
    return None, text


def _cut(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :].lstrip(' ,:')}".strip()


def _removing(
    bare: str, text: str, clause: Clause, file: str | None, last: str | None
) -> LineChange | None:
    if clause.rest is not None:
        return None
    if found := _REMOVES_NUMBERED.match(bare):
        return EditLines(numbered(found), Deed.REMOVE, file=last)
    everywhere = _ALL_FILES.search(bare)
    found = _REMOVES_MARKED.match(bare[: everywhere.start()] if everywhere else bare)
    is_text = found is None or found["alone"] or found["alone_he"]  # "remove "x" from a.txt"
    which = having(found, clause.of) if found and not is_text else None
    if which is None:
        return None
    if file and "." in file:
        return EditLines(which, Deed.REMOVE, file=file)
    if not which.text:  # empty lines of all files are in nobody's way
        return EditLines(which, Deed.REMOVE, file=None if everywhere else last)
    if not which.every and not everywhere:
        return EditLines(which, Deed.REMOVE, file=last)
    place = scope(text, clause.of)
    return SweepLines(which.text, file or place.folder, place.glob)


def _replacing(bare: str, clause: Clause, file: str | None) -> EditLines | None:
    if clause.rest is not None:
        found = _REPLACES_REST.match(bare)
        new = _rest(clause)
    else:
        found = _REPLACES.match(bare)
        given = found is not None and not re.search(r"\bto\b", found["by"])
        new = _new(found["new"], clause, given=given) if found else None
    if found is None or new is None:
        return None
    return EditLines(numbered(found), Deed.REPLACE, new, file)


def _inserting(bare: str, clause: Clause, file: str | None) -> LineChange | None:
    if clause.rest is not None:
        found, new = _INSERTS_REST.match(bare), _rest(clause)
        if found and found["new"]:
            return None
    elif found := _INSERTS.match(bare):
        is_prose = bool(file and _PROSE.fullmatch(file))
        new = _new(found["new"], clause, given=bool(found["line"]) or is_prose)
    else:
        found = _INSERTS_REST.match(bare)
        new = _new(found["new"], clause, given=False) if found and found["new"] else None
    if found is None or new is None:
        return None
    return _beside(found, clause, new, file)


def _beside(found: re.Match[str], clause: Clause, new: str, file: str | None) -> LineChange | None:
    is_at = _AT.fullmatch(found["side"].strip()) is not None
    side = Deed.BEFORE if _BEFORE.fullmatch(found["side"].strip()) else Deed.AFTER
    if said := found["ends"]:
        if END.fullmatch(said):
            return Append(file, new) if file else EditLines(Numbered(((-1, -1),)), Deed.AFTER, new)
        assert BEGINNING.fullmatch(said)
        return EditLines(Numbered(((1, 1),)), Deed.BEFORE, new, file)
    if found["numbers"] or found["place"] or found["place_he"] or found["some_he"]:
        where = numbered(found)
        if is_at:
            side = Deed.AFTER if where.ranges == ((-1, -1),) else Deed.BEFORE
        return EditLines(where, side, new, file)
    which = None if is_at else having(found, clause.of)
    return EditLines(which, side, new, file) if which else None


def _rest(clause: Clause) -> str | None:
    """What was said after the colon, where it is a text and no description of one."""
    assert clause.rest is not None
    is_text = clause.is_quoted or not (describes(clause.rest) or _IN_WORDS.match(clause.rest))
    return clause.rest.rstrip("\n") if is_text else None


def _new(said: str, clause: Clause, *, given: bool) -> str | None:
    """The text to put in; None where it is only described.

    Args:
        given: Whether a text in plain words is one by what stands before it.
    """
    bare = said.strip()
    if len(bare) == 1 and (held := clause.of.find(bare)):
        return held.value.rstrip("\n")
    if _BLANK.fullmatch(bare):
        return ""
    if describes(bare) or _IN_WORDS.match(bare):
        return None
    return clause.of.source(bare) if given or _is_code(bare) else None


def _is_code(text: str) -> bool:
    """Whether words are a text by their looks: "import os", "# My basket", "- milk"."""
    return bool(re.match(r"(?:import|from|def|class|return|print|const|let)\b|[^\w\s]", text))
