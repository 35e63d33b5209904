"""Requests to search files: for a text, for the uses of a name, for where it is defined."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import is_path
from rollcall.models._offline.files.scopes import scope
from rollcall.models._offline.files.searching import Search

_ONE = rf"(?:{HELD}|[A-Za-z0-9_$@#][\w$@#./:-]*)"
_WORD_HE = (
    r"(?!ה?(?:באג|בעי|שגיא|טעו|קבצ|קוב|תיקי|מקומ|מופע|שימוש|שורות|כ?ל$|הכו?ל))"
    r"[א-ת][א-ת0-9_\"'׳״-]{1,60}"
)
"""A word of a text, and no kind of thing that has to be understood or is a file."""
_MANY = r"\S.*?"
_FOR = (
    r"(?:the\s+)?(?:(?:word|text|string|name|phrase|function|class|method|variable|constant|"
    r"symbol|identifier|term)\s+)?"
)
_FOR_HE = (
    r"(?:את\s+|על\s+)?(?:כל\s+)?"
    r"(?:ה?(?:מילה|מילים|טקסט|שם|מחרוזת|פונקציה|מחלקה|משתנה|קבוע|מתודה|ביטוי)\s+)?"
)
_END = (
    r"(?P<where>\s+(?:in|within|inside|under|across|throughout|over|from|anywhere|everywhere)\b.*)?"
    r"\s*[?.!]*$"
)
_END_HE = r"(?P<where>\s+(?:ב[א-תA-Za-z\ue000-\uf8ff-]|מתוך|תחת|בתוך).*)?\s*[?.!]*$"
_DEFINES = compiled(
    rf"^(?:show me |find |tell me |find out )?(?:where|in (?:which|what) (?:file|"
    rf"module))\s+(?:is|are)\s+{_FOR}(?P<q>{_ONE})\s+"
    rf"(?:defined|declared|implemented|created|located){_END}|"
    rf"^(?:show|find|locate|go to|print|where is|see)\s+(?:me\s+)?(?:the\s+)?(?:definition|"
    rf"declaration|source|implementation)\s+of\s+"
    rf"{_FOR}(?P<q2>{_ONE}){_END.replace('where', 'where2')}|"
    rf"^(?:where)\s+(?:does|do|did) (?:we|you|they|it|the (?:code|project)) (?:define|"
    rf"declare)\s+{_FOR}(?P<q4>{_ONE}){_END.replace('where', 'where4')}|"
    rf"^(?:show me|find|locate|where is|where's)\s+(?:the\s+)?(?:function|class|method|"
    rf"def)\s+(?P<q3>{_ONE})\s*[?.!]*$|"
    rf"^(?:(?:tell|show) me\s+)?(?:which|what)\s+(?:of the\s+)?(?:files?|modules?)\s+"
    rf"(?:defines?|declares?|implements?|(?:has|contains?) the definition of)\s+"
    rf"{_FOR}(?P<q5>{_ONE}){_END.replace('where', 'where5')}|"
    rf"^(?:איזה|מה)\s+ה?(?:קובץ|מודול)\s+(?:ש?מגדיר|ש?מממש)\s+(?:את\s+)?"
    rf"{_FOR_HE}(?P<he3>{_ONE}){_END_HE.replace('where', 'where_he3')}|"
    rf"^(?:(?:תראה|תראי|הראה|הראי|מצא|תמצא|תגיד|תגידי)\s+(?:לי\s+)?)?(?:איפה|היכן|"
    rf"באיזה קובץ|באיזו קובץ|איפה זה)\s+(?:מוגדר(?:ת|ים|ות)?|מוכרז(?:ת)?|"
    rf"הוגדר(?:ה)?|נמצאת? ההגדרה של|ההגדרה של|ממומש(?:ת)?|"
    rf"מגדירים)\s+{_FOR_HE}(?P<he>{_ONE}){_END_HE.replace('where', 'where_he')}|"
    rf"^(?:מצא|מצאי|תמצא|תמצאי|הראה|הראי|תראה|תראי|"
    rf"הצג)\s+(?:לי\s+)?את\s+ה?הגדרה\s+של\s+{_FOR_HE}(?P<he2>{_ONE})\s*[?.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_SEARCHES = (
    compiled(
        rf"^(?:search|grep|scan|look)(?:\s+(?P<where0>(?:in|through|inside|within|"
        rf"under)?\s*(?:the |all |my )?[^\s].{{0,80}}?))?"
        rf"\s+for\s+(?:all |any |every )*(?:(?:uses?|usages?|occurrences?|mentions?|"
        rf"references?|calls?|instances?)\s+(?:of|to)\s+)?{_FOR}(?P<q>{_MANY}){_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(rf"^(?:grep|search|find text)\s+{_FOR}(?P<q>{_ONE}){_END}", re.IGNORECASE | re.DOTALL),
    compiled(
        rf"^(?:find|locate|list|show|get|give)\s+(?:me\s+)?(?:all\s+|every\s+|any\s+|"
        rf"the\s+|each\s+)*(?:of\s+)?(?:the\s+)?"
        rf"(?:uses?|usages?|references?|occurrences?|mentions?|calls?|call sites|callers?|"
        rf"places?|lines?|files?|instances?|imports?)\s+"
        rf"(?:of|to|for|where|that|which|with|containing|mentioning|using|importing|calling)\s+"
        rf"(?:(?:we|you|they|it|the code|is|are|use|uses|mention|mentions|contain|contains|"
        rf"call|calls|import|imports|have|has|say|says|reference|references)\s+)*{_FOR}"
        rf"(?P<q>{_ONE})(?:\s+(?:is|are|gets?)\s+\w+|\s+appears?|\s+occurs?)?{_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:(?:tell|show) me\s+)?(?:where|in (?:which|what) (?:files?|places?|"
        rf"modules?))\s+(?:is|are|do|does|did|in the code is)\s+(?:(?:we|you|they|it|i|"
        rf"the code|the project)\s+(?:use|call|mention|import|have|set|read|say)\s+)?"
        rf"{_FOR}(?P<q>{_ONE})(?:\s+(?:being\s+)?(?:used|called|mentioned|referenced|"
        rf"imported|set|found|appear|appears|occur|occurs|come up|show up|turn up|stand|"
        rf"printed|raised|read)(?:\s+from)?)?{_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:(?:tell|show) me\s+)?where\s+{_FOR}(?P<q>{_ONE})\s+(?:is|are|gets?|appears?|"
        rf"occurs?)(?:\s+(?:used|called|mentioned|referenced|imported|set))?{_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:(?:tell|show) me\s+)?(?:which|what)\s+(?:of the )?(?:\w+\s+)?(?:files?|"
        rf"modules?|lines?|places?|code|tests?)\s+(?:in \S+ )?(?:all\s+|that\s+)?(?:do\s+)?"
        rf"(?:uses?|mentions?|contains?|imports?|calls?|ha(?:ve|s)|says?|references?|"
        rf"reads?|includes?|refers? to)\s+"
        rf"(?:the\s+)?{_FOR}(?P<q>{_ONE}){_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:who|what)\s+(?:calls|uses|imports|references|mentions)\s+{_FOR}(?P<q>{_ONE}){_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:count|how (?:many|often)(?: times)?(?: (?:files|places|lines))?)\s+(?:(?:is|"
        rf"are|do|does|use|mention|contain|call|have|of|we|you|the|all|times|occurrences|"
        rf"uses|mentions)\s+)*{_FOR}"
        rf"(?P<q>{_ONE})(?:\s+(?:used|called|mentioned|referenced|imported|occurs?|"
        rf"appears?|come up|are there|is there|do we have|do i have|have we|we have|"
        rf"there are))?{_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:is|are|does|"
        rf"do)\s+(?:there\s+)?(?:any\s+)?{_FOR}(?P<q>{_ONE})(?:\s+(?:still\s+)?(?:used|"
        rf"called|mentioned|referenced|imported|occur|appear|left|anywhere|exist)s?)"
        rf"{_END}",
        re.IGNORECASE | re.DOTALL,
    ),
    compiled(
        rf"^(?:find|locate|show me|list|are there|do we have|is there|any)\s+(?:all\s+|"
        rf"any\s+|the\s+|every\s+|a\s+)*(?:the\s+)?(?P<q>{HELD}|[\w$]*[a-z][A-Z_]\w*|"
        rf"[A-Z][A-Z0-9_]{{2,}}?|\w+_\w+)(?:s|'s)?"
        rf"(?:\s+(?:comments?|notes?|markers?|lines?|entries|left|statements?|calls?))?{_END}",
        re.DOTALL,
    ),
    compiled(rf"^find\s+{_FOR}(?P<q>{_ONE}){_END}", re.IGNORECASE | re.DOTALL),
)
_SEARCHES_HE = (
    compiled(
        rf"^(?:חפשי?|תחפשי?|לחפש|מצאי?|תמצאי?|למצוא|אתרי?|תאתרי?|לאתר|"
        rf"חיפוש(?: של)?)\s+(?:לי\s+)?(?:(?P<where0>ב(?!עי|אג)[^\s]+(?:\s+ה[א-ת]+)?)\s+)?(?:את\s+)?"
        rf"(?:כל\s+)?(?:(?:ה?(?:מקומות|מופעים|שימושים|שורות|קבצים|קריאות)|"
        rf"מופעי)\s*(?:(?:ש(?:בהם|משתמשים|יש|קוראים)\s*)+|של\s+|עם\s+|ל|"
        rf"ב)?\s*[-־]?\s*(?:בהם\s+|מופיעה?\s+|יש\s+|משתמשים\s+ב[-־]?\s*)?)?"
        rf"{_FOR_HE}(?P<q>{_ONE}|{HELD}|{_WORD_HE}){_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:איפה|היכן|באילו|באיזה|באיזו|באלו)\s+(?:קבצים\s+|קובץ\s+|מקומות\s+|מקום\s+)?"
        rf"(?:מופיע(?:ה|ים|ות)?|כתוב(?:ה|ים|ות)?|מוזכר(?:ת|ים|ות)?)\s+"
        rf"{_FOR_HE}(?P<q>{_WORD_HE}){_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:(?:תגידי?|הרא[הי]|תרא[הי])\s+(?:לי\s+)?)?(?:איפה|היכן|באילו|באיזה|באיזו|"
        rf"באלו)\s*(?:ב?קבצים|ב?קבצי\s+[א-ת]+|קובץ|מקומות|מקום|מודולים|"
        rf"שורות)?\s*(?:בקוד\s+|בפרויקט\s+)?"
        rf"(?:משתמשים|קוראים|נעשה שימוש|מופיע(?:ה|ים|ות)?|נמצא(?:ת|ים)?|יש|כתוב(?:ה)?|"
        rf"נקרא(?:ת)?|מוזכר(?:ת|ים)?|מיובא(?:ת)?|מייבאים|בשימוש)\s*(?:ב|ל|"
        rf"את)?[-־]?\s*{_FOR_HE}(?P<q>{_ONE})"
        rf"(?:\s+(?:מופיע(?:ה)?|בשימוש|נמצא(?:ת)?))?{_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:אילו|איזה|מה)\s+ה?קבצי[םן]?\s*(?:[א-ת]+\s+)?(?:ש?משתמשים|ש?מכילים|ש?מזכירים|"
        rf"ש?קוראים|ש?מייבאים|שיש בהם|שבהם(?: מופיע(?:ה)?)?|עם)\s*(?:ב|ל|"
        rf"את)?[-־]?\s*{_FOR_HE}(?P<q>{_ONE}){_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:מי|מה)\s+(?:קורא(?:ת)?|משתמש(?:ת)?|מייבא(?:ת)?)\s+(?:ל|ב|"
        rf"את)?[-־]?\s*{_FOR_HE}(?P<q>{_ONE}){_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:כמה\s+(?:פעמים\s+)?|ספרי?\s+)(?:(?:מופיע(?:ה|ים|ות)?|יש|נמצא(?:ת)?|משתמשים|"
        rf"קוראים|כתוב|את|כמה|פעמים|מופעים|הופעות|של|לנו)\s*)*(?:ב|ל|"
        rf"של)?[-־]?\s*{_FOR_HE}(?P<q>{_ONE})"
        rf"(?:\s+(?:מופיע(?:ה)?|יש|נמצא(?:ת)?))?{_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:האם\s+)?(?:יש\s+(?:עוד\s+)?|"
        rf"משתמשים\s+(?:עדיין\s+)?(?:ב[-־]?)?\s*)(?P<q>{HELD}|[A-Z][A-Z0-9_]{{2,}}|"
        rf"\w+_\w+)(?:\s+בקוד)?{_END_HE}",
        re.DOTALL,
    ),
    compiled(
        rf"^(?:הרא[הי]|תרא[הי]|הצ(?:ג|יגי)|"
        rf"תציגי?)\s+(?:לי\s+)?(?:את\s+)?(?:כל\s+)?(?:ה?(?:הערות|מופעים|שורות|"
        rf"מופעי)\s*(?:ה[-־]?|של\s+|עם\s+)?|ה[-־])(?P<q>{HELD}|[A-Z][A-Z0-9_]{{2,}}|"
        rf"\w+_\w+){_END_HE}",
        re.DOTALL,
    ),
)
_MARKERS = compiled(r"^(?P<name>TODO|FIXME|XXX|HACK)s?$", re.IGNORECASE)
_REGEX = compiled(r"\b(?:regex|regexp|regular expression|pattern)\b|ביטוי רגולרי", re.IGNORECASE)


def searching(clause: Clause) -> Search | None:
    """Read "search for TODO in src" and "where is load defined?"."""
    text = " ".join(clause.text.split())
    if clause.rest is not None:
        return None
    found = _DEFINES.match(text)
    if found:
        names = found.groupdict()
        keys = ("q", "q2", "q3", "q4", "q5", "he", "he2", "he3")
        name = next(names[key] for key in keys if names[key])
        where = next((v for k, v in names.items() if k.startswith("where") and v), "")
        if not is_path(clause.of.value(name)):
            return _search(clause, name, where, defines=True)
    for pattern in (*_SEARCHES, *_SEARCHES_HE):
        match = pattern.match(text)
        if match and _is_query(match["q"], clause):
            groups = match.groupdict()
            where = f"{groups.get('where0') or ''} {groups['where'] or ''}"
            return _search(clause, match["q"], where)
    return None


_ANY_TEXT = compiled(r"(?:search|grep|scan|look|find text)\b|[לת]?חפש|חיפוש", re.IGNORECASE)
_NO_QUERY = compiled(
    r"^(?:the|a|an|it|this|that|them|there|any|all|files?|folders?|tests?|is|are|errors?|"
    r"bugs?|problems?|out|in|lines?|why|how)$",
    re.IGNORECASE,
)


def _is_query(text: str, clause: Clause) -> bool:
    said = clause.of.value(text)
    return not _NO_QUERY.match(said) and not (is_path(said) and len(text) > 1)


def _search(clause: Clause, query: str, where: str, *, defines: bool = False) -> Search:
    said = clause.of.value(query).strip().rstrip("?.!,").removesuffix("()")
    if marker := _MARKERS.match(said):
        said = marker["name"]
    found = scope(where if where.strip() else "", clause.of)
    is_regex = not defines and bool(_REGEX.search(clause.text))
    is_name = not _ANY_TEXT.match(clause.text)
    path = found.file or found.folder
    return Search(said, path, found.glob, is_regex=is_regex, defines=defines, is_name=is_name)
