"""Requests to make files from a given content, and to add lines to files."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.creating import Append, Create
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import first_path, paths_in, tidy

_CREATES = compiled(
    r"^(?:create|make|write|save|start|add|put|generate|new|touch)\b|"
    r"^(?:שימי?|תשימי?|לשים|צור|צרי|תיצור|תיצרי|תצור|ליצור|כתוב|כתבי|תכתוב|תכתבי|לכתוב|"
    r"שמור|שמרי|תשמור|תשמרי|לשמור|הכן|הכיני|"
    r"תכין|תכיני|פתח קובץ|פתחי קובץ|תפתח קובץ|הוסף|תוסיף|קובץ חדש)(?![א-ת])",
    re.IGNORECASE,
)
_A_FILE = compiled(
    r"\b(?:an?|the|this|new|empty|another|text)\s+(?:\w+\s+)?files?\b|\bfile\b|"
    r"(?<![א-ת])[הל]?קובץ(?![א-ת])",
    re.IGNORECASE,
)
_NAMED = compiled(
    rf"(?:\b(?:called|named)|\bfile|(?<![א-ת])(?:בשם|שנקרא|ששמו|קובץ))\s+(?P<name>{HELD}|"
    rf"[\w./-]+\.\w+)"
)
_EMPTY = compiled(r"\b(?:empty|blank)\b|(?<![א-ת])ריק(?![א-ת])|^touch\b", re.IGNORECASE)
_OVERWRITES = compiled(
    r"^(?:overwrite|(?:replace|set)\s+(?:all (?:of )?)?(?:the )?(?:whole |entire )?contents?)\b|"
    r"^(?:דרוס|דרסי|תדרוס|תדרסי|לדרוס|(?:החלף|החליפי|תחליף|תחליפי|להחליף)\s+את\s+(?:כל\s+)?תוכן)",
    re.IGNORECASE,
)
_CONTENT = compiled(
    r"\b(?:with|containing|that (?:says|contains|reads|has)|which (?:says|contains)|saying|having|"
    r"holding)\s+"
    r"(?P<label>(?:the |this |these |just |only )*(?:following )?(?:content|contents|text|"
    r"line|lines|words?|string"
    r"|body|code)?(?: of)?(?: in it)?)\s*(?P<content>\S.*)$|"
    r"(?<![א-ת])(?:עם|שמכיל|המכיל|שכתוב בו|שיש בו|ובו|ותוכנו|שתוכנו)\s+"
    r"(?P<label_he>(?:ה?(?:תוכן|טקסט|שורה|מילים|מילה|שורות|קוד)(?: ה(?:בא|באה|זה|"
    r"זאת))?)?)\s*(?P<content_he>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_INTO = compiled(
    rf"^(?:write|put|save|שימי?|תשימי?|לשים|כתוב|כתבי|תכתוב|תכתבי|לכתוב|שמור|שמרי|תשמור|"
    rf"תשמרי)\s+(?:the (?:text|words?|line)\s+)?"
    rf"(?:את\s+)?(?:הטקסט\s+|המילים\s+|המילה\s+)?(?P<content>{HELD})\s+"
    r"(?:(?:in|into|to|as)\b|ל|ב|אל)",
    re.IGNORECASE,
)
_APPENDS = compiled(
    r"^(?:add|append|insert|put|write)\b(?=.*\b(?:to|at|in|into|onto|end)\b)|"
    r"^(?:הוסף|הוסיפי|תוסיף|תוסיפי|להוסיף|כתוב|כתבי|תכתוב|תכתבי)(?![א-ת])",
    re.IGNORECASE | re.DOTALL,
)
_ADDS = compiled(
    r"^(?:add|append|insert)\b|\bend of\b|^(?:הוסף|הוסיפי|תוסיף|תוסיפי|להוסיף)|בסוף", re.IGNORECASE
)
_NOT_AT_END = compiled(
    r"\b(?:at|to|on|in) (?:the )?(?:very )?(?:top|beginning|start|head|first line)\b|"
    r"\b(?:before|after|above|below|under)\s+(?:the\s+)?(?:line|function|class|import|first|last|"
    r"\d|[\ue000-\uf8ff])|\b(?:at|on|in|as) (?:the )?(?:\w+ )?line(?: number)? \d|"
    r"(?<![א-ת])(?:בתחילת|לתחילת|בהתחלה|בראש|לראש|(?:לפני|אחרי|מעל|מתחת ל?)\s*ה?(?:שור|פונקצי|"
    r"מחלק|[\ue000-\uf8ff])|ב?שורה\s+(?:מספר\s+)?\d)",
    re.IGNORECASE,
)
_LINE = compiled(
    rf"^(?:add|append|insert)\s+(?:(?:the|a|this)\s+)*(?:line|text|words?|entry)\s+"
    rf"(?P<line>{HELD}|\S.*?)\s+(?:to|at|into|onto|in)\s|"
    rf"^(?:הוסף|הוסיפי|תוסיף|תוסיפי|להוסיף)\s+(?:את\s+)?(?:ה?שורה|ה?טקסט|ה?מילה|ה?מילים)\s+"
    rf"(?P<line_he>{HELD}|\S.*?)\s+(?:ל|אל|בסוף)",
    re.IGNORECASE | re.DOTALL,
)


def creating(clause: Clause) -> Create | None:
    """Read "create notes.txt with: …", "write `x` to a.txt" and "an empty file b.py"."""
    text = clause.text
    overwrites = True if _OVERWRITES.match(text) else None
    if not overwrites and not _CREATES.match(text):
        return None
    path, content = _path(clause), _content(clause)
    says_file = _A_FILE.search(text) is not None
    if path is None and not (says_file and (content is not None or _EMPTY.search(text))):
        return Create(None, None) if _is_bare(clause) else None
    if content is None and _EMPTY.search(text):
        content = ""
    return Create(path, content, overwrites)


def _is_bare(clause: Clause) -> bool:
    """Whether a file is wanted and nothing is said of it."""
    return bool(
        re.fullmatch(
            r"(?:create|make|start|add|צור|צרי|תיצור|תיצרי|תצור|הוסף|הכן)\s+(?:a |an |"
            r"me a |לי )?(?:new )?"
            r"(?:file|קובץ)(?: חדש)?",
            clause.text.rstrip(".!"),
            re.IGNORECASE,
        )
    )


def _path(clause: Clause) -> str | None:
    if named := _NAMED.search(clause.text):
        name = clause.of.value(named["name"])
        if " " not in name.strip():
            return tidy(name.strip())
    content = _CONTENT.search(clause.text)
    before = clause.text[: content.start()] if content else clause.text
    return first_path(before, clause.of) or first_path(clause.text, clause.of)


def _content(clause: Clause) -> str | None:
    """What a file is to hold, where it is given word for word."""
    if clause.rest is not None:
        return clause.rest if clause.is_quoted or not describes(clause.rest) else None
    blocks = [
        held.value for held in clause.of.held if held.is_block and _holds(clause, held.source)
    ]
    if blocks:
        return blocks[0]
    if into := _INTO.match(clause.text):
        return clause.of.value(into["content"])
    found = _CONTENT.search(clause.text)
    if not found:
        return None
    said = (found["content"] or found["content_he"]).strip()
    if len(said.rstrip(".!")) == 1 and clause.of.find(said[0]):
        return clause.of.value(said[0])
    labelled = found["label"] or found["label_he"]
    return None if describes(said) and not labelled else clause.of.source(said)


def _holds(clause: Clause, source: str) -> bool:
    return source in clause.said


_MADE = (
    r"function|class|method|test|tests|script|program|module|component|page|server|"
    r"endpoint|api|cli|"
    r"code|implementation|parser|loop|decorator|helper|list of|summary|description|explanation|"
    r"documentation|docs|example|examples|hello world program|game|schema|template|table|report|"
    r"configuration|feature|support|validation|logging|docstrings?|comments?|type hints?|"
    r"error handling"
)
_DESCRIBES = compiled(
    rf"^(?:(?:a|an|the|some|all|two|three|several|good|basic|simple|small|new|my|unit|"
    rf"more)\s+)*(?:\w+\s+){{0,2}}"
    rf"(?:{_MADE})\b|^(?:it|this|that|which|code|something|everything|whatever)\b(?!\s*[=(])|"
    r"^(?:ה?פונקצי|ה?מחלק|ה?בדיק|טסט|סקריפט|תוכנית|תכנית|קוד ש|רשימה של|תיאור|סיכום|הסבר|"
    r"דוגמ|משהו ש|ש(?!מונה)(?:[מת][א-ת]{3,}|יש|יהיה|עוש[הי]|קורא|כותב|בודק|סופר|טוען|שולח)\s)",
    re.IGNORECASE,
)


def describes(text: str) -> bool:
    """Whether words describe a content rather than being it: "a function that adds numbers"."""
    return "\n" not in text.strip() and bool(_DESCRIBES.match(text.strip()))


def appending(clause: Clause) -> Append | None:
    """Read "add the line "x" to .gitignore" and "append to notes.txt: …"."""
    if not _APPENDS.match(clause.text) or not _ADDS.search(clause.text):
        return None
    if _NOT_AT_END.search(clause.text):
        return None
    paths = paths_in(clause.text, clause.of)
    content = _added(clause)
    paths = [path for path in paths if path != content]
    return Append(paths[-1], content) if paths and content else None


def _added(clause: Clause) -> str | None:
    if clause.rest is not None:
        return clause.rest if clause.is_quoted or not describes(clause.rest) else None
    if line := _LINE.match(clause.text):
        return clause.of.value(line["line"] or line["line_he"])
    held = [found for char in clause.text if (found := clause.of.find(char)) is not None]
    blocks = [each.value for each in held if each.is_block]
    return next(iter((*blocks, *(each.value for each in held))), None)
