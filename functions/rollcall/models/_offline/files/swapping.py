"""Requests to replace a text by another, to rename something, and to take a text out."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import first_path
from rollcall.models._offline.files.replacing import Replace
from rollcall.models._offline.files.scopes import scope

_THING = (
    r"(?:(?:the|all|every|each|any)\s+)*(?:(?:uses?|usages?|occurrences?|instances?|mentions?|"
    r"appearances?|places?)\s+(?:of\s+)?)?(?:(?:the\s+)?(?:old\s+|new\s+|local\s+|"
    r"global\s+)?(?:functions?|"
    r"class(?:es)?|methods?|variables?|constants?|names?|symbols?|identifiers?|fields?|"
    r"propert(?:y|ies)|"
    r"parameters?|params?|arguments?|args?|modules?|types?|text|words?|strings?|phrases?|"
    r"lines?|term|"
    r"expression|value|key|number)\s+(?:called\s+|named\s+|of\s+)?)?"
)
_THING_HE = (
    r"(?:את\s+)?(?:כל\s+)?(?:(?:ה?מופעי(?:ם)?(?:\s+של)?|ה?מקומות(?:\s+של)?|ה?שימושים\s+ב|"
    r"ה?שם\s+של|שמה\s+של|"
    r"שמו\s+של|ה?שם)\s*[-־]?\s*)?(?:ה?(?:פונקצי[הית]|מחלק[הת]|משתנה|קבוע|מתוד[הת]|פרמטר|"
    r"שדה|מודול|טיפוס|"
    r"מזהה|טקסט|מילה|שורה|מחרוזת|ביטוי|ערך|מספר|שם)\s+)?(?:של\s+)?"
)
_ONE = rf"(?:{HELD}|(?![-+])[A-Za-z0-9_$@#%^&*+=<>/\\.\[\](){{}}-]*[A-Za-z0-9_$%\])}}>*])"
_IN = (
    r"(?:(?:\s*,)?\s+(?P<where>(?:in|across|throughout|everywhere|within|inside|all over|project|"
    r"over|from|every|on)\b.*))?"
)
_IN_HE = r"(?:(?:\s*,)?\s+(?P<where>(?:ב|מ(?:תוך|כל)|לכל|לאורך).*))?"
_AS = r"(?:to|into|as|with|by|for|->|=>|→)"
_LIKE = (
    # rename a to b; change "a" to "b"; replace a with b
    compiled(
        rf"^(?P<verb>rename|change|replace|swap(?: out)?|turn|convert|switch|update|substitute|fix|"
        rf"correct|refactor|edit|set)\s+(?:(?P<pre>(?:in|within|inside)\s.{{1,120}}?)\s+)?"
        rf"{_THING}(?P<old>{_ONE})\s+(?:everywhere\s+)?"
        rf"(?:(?P<mid>(?:in|across|within|inside|"
        rf"throughout)\b.{{1,120}}?)\s+)?{_AS}\s+(?:be\s+)?{_THING}"
        rf"(?P<new>{_ONE}){_IN}$",
        re.IGNORECASE | re.DOTALL,
    ),
    # use b instead of a
    compiled(
        rf"^(?P<verb>use|put|write|have|call)\s+(?P<new>{_ONE})\s+(?:instead of|"
        rf"rather than|in place of)"
        rf"\s+{_THING}(?P<old>{_ONE}){_IN}$",
        re.IGNORECASE | re.DOTALL,
    ),
    # a should be called b; call a b
    compiled(
        rf"^{_THING}(?P<old>{_ONE})\s+(?P<verb>should|must|ought to|has to|needs to|"
        rf"is to)\s+(?:now\s+)?be\s+"
        rf"(?:called|named|renamed(?: to)?|replaced (?:by|with)|"
        rf"changed to)\s+(?P<new>{_ONE}){_IN}$",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?P<verb>(?:let's )?call)"
        rf"\s+{_THING}(?P<old>{_ONE})\s+(?P<new>{_ONE})(?:\s+instead)?{_IN}$",
        re.IGNORECASE | re.DOTALL,
    ),
)
_VERB_HE = (
    r"(?:שנ[הי]|תשנ[הי]|לשנות|ה?חל(?:ף|יפי)|תחליפי?|להחליף|המר|המירי|תמירי?|להמיר|עדכני?|"
    r"תעדכני?|לעדכן|"
    r"תקני?|תתקני?|לתקן|קראי?|תקראי?|לקרוא)"
)
_LIKE_HE = (
    compiled(
        rf"^(?P<verb>{_VERB_HE})\s+(?:בכל מקום\s+)?(?:(?P<pre>ב.{{1,120}}?)\s+)?"
        rf"{_THING_HE}(?P<old>{_ONE})\s+"
        rf"(?:(?P<mid>ב.{{1,120}}?)\s+)?(?:ל|ב|אל|עם|להיות|"
        rf"כ)[-־–]?\s*{_THING_HE}(?P<new>{_ONE}){_IN_HE}$",
        re.DOTALL,
    ),
    compiled(
        rf"^(?P<verb>{_VERB_HE}|השתמשי?|תשתמשי?|כתוב|תכתוב|תכתבי|שימי?|"
        rf"תשימי?)\s+(?:ב[-־–]?\s*)?(?P<new>{_ONE})"
        rf"\s+(?:במקום|ולא)\s+{_THING_HE}(?P<old>{_ONE}){_IN_HE}$",
        re.DOTALL,
    ),
    compiled(
        rf"^{_THING_HE}(?P<old>{_ONE})\s+(?P<verb>צריכה?|אמורה?)\s+(?:להיקרא|להיות|"
        rf"להשתנות ל)[-־–]?\s*"
        rf"(?:מעכשיו\s+)?(?P<new>{_ONE}){_IN_HE}$",
        re.DOTALL,
    ),
)
# Where a file is named, what is replaced may be of several words without quotes.
_LONG = compiled(
    rf"^replace\s+{_THING}(?P<old>\S.*?)\s+(?:with|by)\s+(?P<new>\S.*?)(?:\s+in\s+(?P<where>.+))?$",
    re.IGNORECASE | re.DOTALL,
)
_LONG_HE = compiled(
    r"^(?:החלף|החליפי|תחליף|תחליפי|להחליף)\s+את\s+(?P<old>\S.*?)\s+ב[-־–]\s*(?P<new>\S.*?)"
    r"(?:\s+(?P<where>בקובץ\s+.+))?$",
    re.DOTALL,
)
_WORD_HE = r"[א-ת][א-ת׳״'-]{1,40}"
_NO_NEW_HE = r"(?!(?:קובץ|קבצים|קבצי|כל|תיקיי?[הת]|שור(?:ה|ות)|פרויקט|קוד|תוך|הקובץ|שם)(?![א-ת]))"
_NO_OLD_HE = r"(?!(?:של|כל|תוכן|שם|ה?שורה|ה?מילה|ה?טקסט|ה?שם|זה|זאת|אותו|אותה)(?![א-ת]))"
_IN_WORDS_HE = (
    r"(?:\s+(?P<where>(?:בכל|בקובץ|בקבצים|בקבצי|בתיקיי?[הת]|בתוך|בפרויקט|בקוד|ב[-־]?[A-Za-z]).*))?$"
)
# Hebrew words without quotes: only where it is plain that they are texts.
_WORDS_HE = (
    compiled(
        rf"^(?:החל(?:ף|יפי)|תחליפי?|להחליף|המר|המירי|תמירי?|להמיר)\s+את\s+"
        rf"(?:ה?(?:מילה|טקסט|שם)\s+)?{_NO_OLD_HE}(?P<old>{_WORD_HE}|{_ONE})\s+"
        rf"(?:ב|ל)[-־]?{_NO_NEW_HE}(?P<new>{_WORD_HE}|{_ONE}){_IN_WORDS_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:שנ[הי]|תשנ[הי]|לשנות)\s+את\s+(?:ה?(?:מילה|טקסט)|השם(?:\s+של)?)\s+"
        rf"{_NO_OLD_HE}(?P<old>{_WORD_HE}|{_ONE})\s+"
        rf"ל[-־]?{_NO_NEW_HE}(?P<new>{_WORD_HE}|{_ONE}){_IN_WORDS_HE}",
        re.DOTALL,
    ),
)
_NOUN = (
    r"(?:\b(?:word|text|name|string|phrase|line|function|class|method|variable|constant|symbol|"
    r"identifier|field|parameter|value|number)|"
    r"ה?(?:מילה|טקסט|שם|מחרוזת|שורה|פונקציה|מחלקה|מתודה|משתנה|קבוע|שדה|פרמטר|ערך|מספר))"
)
_WHERE_FIRST = compiled(
    rf"^(?P<where>(?:(?:in|across|within|inside|throughout)\s.{{1,120}}?|everywhere))\s*[,:]?\s+"
    rf"(?P<rest>(?:rename|change|replace|swap|use|substitute|update|call|turn)\s.*)$"
    rf"|^(?P<where_he>(?:ב.{{1,120}}?))\s*[,:]?\s+(?P<rest_he>{_VERB_HE}\s.*)$",
    re.IGNORECASE | re.DOTALL,
)
_EVERY = compiled(
    r"\b(?:all|every|each|everywhere|throughout|globally|occurrences|instances|wherever)\b|"
    r"(?<![א-ת])(?:כל|בכל|כולם|המופעים)(?![א-ת])",
    re.IGNORECASE,
)
_NAMES = ("rename", "call", "should", "must")


def replacing(clause: Clause) -> Replace | None:
    """Read "rename a to b in all files" and "in app.py replace "a" with "b""."""
    text = _joined(clause)
    first = _WHERE_FIRST.match(text)
    where = (first["where"] or first["where_he"]) if first else ""
    text = (first["rest"] or first["rest_he"]) if first else text
    match = next((m for like in (*_LIKE, *_LIKE_HE) if (m := like.match(text))), None)
    if match is None and (words := next((m for w in _WORDS_HE if (m := w.match(text))), None)):
        where = f"{where} {words['where'] or ''}"
        return _replace(clause, words["old"], words["new"], where, every=_EVERY.search(text))
    if match is None:
        match = next((m for like in (_LONG, _LONG_HE) if (m := like.match(text))), None)
        said = f"{where} {match['where'] or ''}" if match else ""
        if match is None or not first_path(said, clause.of):
            return None
        return _replace(clause, match["old"], match["new"], said, every=_EVERY.search(text))
    groups = match.groupdict()
    where = " ".join(filter(None, (where, groups["where"], groups.get("mid"), groups.get("pre"))))
    verb = match["verb"].lower()
    if not _is_given(clause, match["old"], verb):
        return None
    named = any(verb.endswith(name) for name in _NAMES) or " שם" in text or " שמ" in text
    every = named or _EVERY.search(clause.text)
    return _replace(clause, match["old"], match["new"], where, every=every)


def _joined(clause: Clause) -> str:
    """A clause on one line, so that "replace: a with: b" reads as without colons."""
    return re.sub(r"\s*:(?=\s)|\s+", " ", clause.text).strip().rstrip(".!?").strip()


def _is_given(clause: Clause, old: str, verb: str) -> bool:
    """Whether the words name a text, and not a thing in words: "change it to Hebrew"."""
    is_held = clause.of.find(old) is not None if len(old) == 1 else False
    if is_held or verb in ("rename", "replace", "use") or verb.startswith(("should", "must")):
        return True
    if compiled(rf"{_NOUN}\s+(?:called\s+|named\s+|של\s+)?{re.escape(old)}").search(clause.text):
        return True
    return bool(re.search(r"[A-Za-z0-9]", old)) and (
        bool(re.search(r"[\d_.$=(/]|[a-z][A-Z]|^[A-Z]{2}", old)) or "א" <= verb[0] <= "ת"
    )


def _replace(clause: Clause, old: str, new: str, where: str, *, every: object) -> Replace:
    found = scope(where, clause.of)
    return Replace(
        clause.of.value(old),
        clause.of.value(new),
        file=found.file,
        path=found.folder,
        glob=found.glob,
        every=bool(every) or found.file is None,
    )


_REMOVES = compiled(
    rf"^(?:remove|delete|erase|drop|cut)\s+(?P<every>(?:all|every|each)\s+)?{_THING}(?P<old>{_ONE})\s+"
    rf"(?P<where>(?:from|in|out of)\s.+)$|"
    rf"^(?:מחקי?|מחק|תמחקי?|תמחק|למחוק|הס(?:ר|ירי)|תסירי?|להסיר)\s+{_THING_HE}(?P<old_he>{_ONE})\s+"
    rf"(?P<where_he>(?:מ|ב).+)$",
    re.IGNORECASE | re.DOTALL,
)
_A_LINE = compiled(r"^\S+\s+(?:(?:all|the|every)\s+)*lines?\b|^\S+\s+את\s+ה?שור(?:ה|ות)(?![א-ת])")


def removing(clause: Clause) -> Replace | None:
    """Read "remove "x" from a.txt"."""
    text = _joined(clause)
    found = _REMOVES.match(text)
    where = (found["where"] or found["where_he"]) if found else ""
    if not found or not first_path(where, clause.of):
        return None
    said = found["old"] or found["old_he"]
    old = clause.of.value(said)
    if _A_LINE.match(text):  # lines are no texts
        return None
    return Replace(old, "", file=first_path(where, clause.of), every=bool(found["every"]))
