"""Requests to look: list folders, read files, find a file by its name."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.looking import FindEnding, FindFile, ListFolder, ReadFile
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import is_path, paths_in
from rollcall.models._offline.files.scopes import scope

_READS = compiled(
    r"\b(?:show|read|open|print|display|cat|view|see|look at|give|get|let me see|what(?:'s|"
    r" is| does)|what|contents?|"
    r"content|dump|inspect|check|how many lines|how big|how large|how long|size|say|says|tell|"
    r"lines?|head|tail|type)\b|"
    r"(?<![א-ת])(?:הרא[הי]|תרא[הי]|להראות|לראות|הצ(?:ג|יגי)|תציגי?|להציג|פתחי?|תפתחי?|"
    r"לפתוח|קראי?|תקראי?|לקרוא|"
    r"הדפ(?:ס|יסי)|תדפיסי?|מה|תוכן|תן|תני|שורות|שורה|כמה שורות|כמה|ה?גודל|תוכנו|אומר|הביאי?|תביאי?|"
    r"ה?קובץ)(?![א-ת])",
    re.IGNORECASE,
)
_LISTS = compiled(
    r"^(?:ls|dir|tree|list)\b|\b(?:files|folders?|director(?:y|ies)|structure|layout|tree)\b|"
    r"^(?:what(?:'s| is)|what do we have|what have we got|show me what(?:'s|"
    r" is))\s+(?:here|there|in (?:here|there|this (?:project|repo\w*|workspace)|"
    r"the (?:project|repo\w*|workspace|root)))|"
    r"(?<![א-ת])(?:ה?קבצים|ה?תיקיי?[הת]|ה?תיקיות|בתיקיי?[הת]|ה?מבנה|ה?עץ|"
    r"לתיקיי?[הת])(?![א-ת])|^מה יש (?:כאן|פה|בפרויקט|במאגר)",
    re.IGNORECASE,
)
_SHOWS = compiled(
    r"^(?:ls|dir|tree|list|show|what|which|display|print|give|see|let me see|tell|view|how|"
    r"look|open|are there|get|the )\b|"
    r"^(?:הרא[הי]|תרא[הי]|לראות|להראות|לפרט|הצ(?:ג|יגי)|תציגי?|להציג|מה|אילו|איזה|אלו|תן|"
    r"תני|רשימת|רשימה|פרטי?|תפרטי?|מנה|הבא|תביאי?|כמה|יש|איך|ספר|ספרי|מבנה|עץ|הדפ(?:ס|יסי)|"
    r"פתח|פתחי|תפתחי?)(?![א-ת])",
    re.IGNORECASE,
)
_DEEP = compiled(
    r"\b(?:all|every|recursive(?:ly)?|tree|structure|layout|whole|entire|sub-?folders?|"
    r"sub-?director(?:y|ies)|nested|everything|deep)\b|"
    r"(?<![א-ת])(?:כל|עץ|ה?מבנה|תתי|תת|כולל|רקורסיבי(?:ת)?|לעומק|הכל|הכול)(?![א-ת])",
    re.IGNORECASE,
)
_DEPTH = compiled(
    r"\b(?:depth(?: of)?|down)\s+(?P<n>[1-5])\b|\b(?P<m>[1-5]|two|three|four|five)\s+levels?\b|"
    r"(?P<k>[1-5]|שתי|שלוש|ארבע|חמש)\s+רמות|עומק\s+(?:של\s+)?(?P<j>[1-5])",
    re.IGNORECASE,
)
_LEVELS = {"two": 2, "three": 3, "four": 4, "five": 5, "שתי": 2, "שלוש": 3, "ארבע": 4, "חמש": 5}
_RANGE = compiled(
    r"(?:\blines?|שורות|שורה|בשורות|משורה)\s+(?P<a>\d{1,7})(?:\s*(?:-|–|to|through|until|"
    r"till|and|עד(?:\s+שורה)?|ל[-־]?)\s*(?P<b>\d{1,7}))?",
    re.IGNORECASE,
)
_FIRST = compiled(
    r"\b(?:first|top)\s+(?P<n>\d{1,5})\s+lines?|(?:^|\s)head -n? ?(?P<m>\d{1,5})|"
    r"(?P<k>\d{1,5})\s+ה?שורות\s+הראשונות",
    re.IGNORECASE,
)
_TAIL = compiled(
    r"\b(?:last|final|bottom)\s+(?P<n>\d{1,5})\s+lines?|(?:^|\s)tail -n? ?(?P<m>\d{1,5})|"
    r"(?P<k>\d{1,5})\s+ה?שורות\s+האחרונות"
)
_COUNTS = compiled(
    r"how (?:many lines|long|big|large)\b|(?:number of lines|size of)\b|count the lines|"
    r"כמה שורות|מספר ה?שורות|(?<![א-ת])(?:ה?גודל|כמה (?:גדול|שוקל|ארוך))(?![א-ת])",
    re.IGNORECASE,
)
_WHERE_FILE = compiled(
    r"^(?:where(?:'s| is| are)|find|locate|is there|do we have|which folder)|^(?:איפה|היכן|"
    r"מצאי?|תמצאי?|אתרי?|האם יש|יש)(?![א-ת])",
    re.IGNORECASE,
)
_PLAIN_FOLDER = compiled(
    r"^(?:ls|dir|tree|list|open|show(?: me)?)\s+(?:the\s+)?(?P<name>[\w.-]+)/?$|"
    r"^(?:what(?:'s| is)|what do we have)\s+in(?:side)?\s+(?:the\s+)?(?P<in>[\w.-]+)/?\??$|"
    r"^(?:מה יש|אילו קבצים יש|הצג את|הראה את|תראה את)\s+(?:ב[-־]?)?(?P<he>[A-Za-z0-9_.-]+)/?\??$",
    re.IGNORECASE,
)
_ENDING = compiled(
    rf"^(?:(?:find|list|show|get|give|locate|which|what|are there|any|all)\s+)"
    rf"(?:(?:me|all|every|any|the|of)\s+)*(?:the\s+)?files?\s+"
    rf"(?:(?:that|which|whose|names?|are)\s+)*"
    rf"(?:end(?:s|ing)?\s+(?:with|in|on)|(?:with|having)\s+(?:the\s+)?(?:extension|ending|suffix))"
    rf"\s+(?P<ending>{HELD}|\*?\.?[\w.-]{{1,40}})[?!.]*$|"
    rf"^(?:מצאי?|תמצאי?|הצ(?:ג|יגי)|תציגי?|הרא[הי]|תרא[הי]|אילו|איזה|חפשי?|תחפשי?)\s+(?:לי\s+)?(?:את\s+)?"
    rf"(?:כל\s+)?ה?קבצים\s+(?:ה|ש)?(?:(?:שמם\s+)?(?:מסתיימים|נגמרים)\s+ב|עם\s+ה?סיומת\s+)[-־]?\s*"
    rf"(?P<he>{HELD}|\*?\.?[\w.-]{{1,40}})[?!.]*$",
    re.IGNORECASE,
)
_NAMED_FOLDER = compiled(
    r"(?<!\S)(?P<folder>(?:[א-תA-Za-z0-9_.-]{1,100}/){0,20}[א-ת][א-ת0-9_-]*)/\??$"
)


def reading(clause: Clause) -> list[ReadFile | FindFile]:
    """Read "show me a.py and b.py", "lines 10-20 of main.ts" and "where is conf.toml?"."""
    text = clause.text
    paths = [path for path in paths_in(text, clause.of) if "." in path or path[:1].isupper()]
    if not paths or not (_READS.search(text) or _WHERE_FILE.match(text) or _is_path_alone(clause)):
        return []
    if _WHERE_FILE.match(text) and not re.search(r"content|lines|תוכן|שורות", text):
        return [FindFile(path) for path in paths]
    start, end = _lines(text)
    counts = bool(_COUNTS.search(text))
    last = _TAIL.search(text)
    tail = int(next(filter(None, last.groups()))) if last else None
    return [ReadFile(path, start, end, counts, tail) for path in paths]


def ending(clause: Clause) -> FindEnding | None:
    """Read "find files that end with .py"."""
    found = _ENDING.match(" ".join(clause.text.split()))
    if not found:
        return None
    said = clause.of.value(found["ending"] or found["he"]).strip().lstrip("*")
    is_bare = said.isalnum()  # an ending, as people say it: "py"
    return FindEnding(f".{said}" if is_bare else said) if said else None


def _is_path_alone(clause: Clause) -> bool:
    return is_path(clause.said.strip(' ?.!`"'))


def _lines(text: str) -> tuple[int | None, int | None]:
    if first := _FIRST.search(text):
        return 1, int(first["n"] or first["m"] or first["k"])
    found = _RANGE.search(text)
    if not found:
        return None, None
    start = max(int(found["a"]), 1)
    end = int(found["b"]) if found["b"] else start
    return (start, end) if start <= end else (end, start)


def listing(clause: Clause) -> ListFolder | None:
    """Read "list the files in src" and "show me the project's structure"."""
    text = " ".join(clause.text.split())
    if plain := _PLAIN_FOLDER.match(text):
        name = plain["name"] or plain["in"] or plain["he"]
        if name.lower() not in (
            "files",
            "everything",
            "all",
            "here",
            "folder",
            "directory",
            "it",
            "structure",
            "tree",
            ".",
        ):
            is_open = text.lower().startswith(("open", "show"))
            return None if is_open and "/" not in text else ListFolder(name, _depth(text))
    if (named := _NAMED_FOLDER.search(text)) and _SHOWS.match(text):
        return ListFolder(named["folder"], _depth(text))
    if not _LISTS.search(text) or not _SHOWS.match(text):
        return None
    found = scope(text, clause.of)
    path = found.file if found.file and "." not in found.file else found.folder
    return ListFolder(path or ".", _depth(text))


def _depth(text: str) -> int:
    if found := _DEPTH.search(text):
        said = next(group for group in found.groups() if group).lower()
        return _LEVELS.get(said) or int(said)
    return 5 if _DEEP.search(text) else 1
