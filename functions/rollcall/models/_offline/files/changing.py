"""Requests to change files: what is to be made, replaced or added, and where."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.creating import Append, Create
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import first_path, paths_in, tidy
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
_LINE = compiled(
    rf"^(?:add|append|insert)\s+(?:(?:the|a|this)\s+)*(?:line|text|words?|entry)\s+"
    rf"(?P<line>{HELD}|\S.*?)\s+(?:to|at|into|onto|in)\s|"
    rf"^(?:הוסף|הוסיפי|תוסיף|תוסיפי|להוסיף)\s+(?:את\s+)?(?:ה?שורה|ה?טקסט|ה?מילה|ה?מילים)\s+"
    rf"(?P<line_he>{HELD}|\S.*?)\s+(?:ל|אל|בסוף)",
    re.IGNORECASE | re.DOTALL,
)


def replacing(clause: Clause) -> Replace | None:
    """Read "rename a to b in all files" and "in app.py replace "a" with "b""."""
    text = _joined(clause)
    first = _WHERE_FIRST.match(text)
    where = (first["where"] or first["where_he"]) if first else ""
    text = (first["rest"] or first["rest_he"]) if first else text
    match = next((m for like in (*_LIKE, *_LIKE_HE) if (m := like.match(text))), None)
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
    """Read "remove "x" from a.txt" and "delete the line "x" in a.txt"."""
    text = _joined(clause)
    found = _REMOVES.match(text)
    where = (found["where"] or found["where_he"]) if found else ""
    if not found or not first_path(where, clause.of):
        return None
    old = clause.of.value(found["old"] or found["old_he"])
    whole = f"{old}\n" if _A_LINE.match(text) else old
    return Replace(whole, "", file=first_path(where, clause.of), every=bool(found["every"]))


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
    r"דוגמ|משהו ש|ש[א-ת]{2,}\s)",
    re.IGNORECASE,
)


def describes(text: str) -> bool:
    """Whether words describe a content rather than being it: "a function that adds numbers"."""
    return "\n" not in text.strip() and bool(_DESCRIBES.match(text.strip()))


def appending(clause: Clause) -> Append | None:
    """Read "add the line "x" to .gitignore" and "append to notes.txt: …"."""
    if not _APPENDS.match(clause.text) or not _ADDS.search(clause.text):
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
