"""Requests to look: list folders, read files, search them."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.looking import FindFile, ListFolder, ReadFile
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import is_path, paths_in
from rollcall.models._offline.files.scopes import scope
from rollcall.models._offline.files.searching import Search

_ONE = rf"(?:{HELD}|[A-Za-z0-9_$@#][\w$@#./:-]*)"
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
        rf"חיפוש(?: של)?)\s+(?:לי\s+)?(?:(?P<where0>ב[^\s]+(?:\s+ה[א-ת]+)?)\s+)?(?:את\s+)?"
        rf"(?:כל\s+)?(?:(?:ה?(?:מקומות|מופעים|שימושים|שורות|קבצים|קריאות)|"
        rf"מופעי)\s*(?:(?:ש(?:בהם|משתמשים|יש|קוראים)\s*)+|של\s+|עם\s+|ל|"
        rf"ב)?\s*[-־]?\s*(?:בהם\s+|מופיעה?\s+|יש\s+|משתמשים\s+ב[-־]?\s*)?)?"
        rf"{_FOR_HE}(?P<q>{_ONE}|{HELD}){_END_HE}",
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
_READS = compiled(
    r"\b(?:show|read|open|print|display|cat|view|see|look at|give|get|let me see|what(?:'s|"
    r" is| does)|what|contents?|"
    r"content|dump|inspect|check|how many lines|say|says|tell|lines?|head|tail|type)\b|"
    r"(?<![א-ת])(?:הרא[הי]|תרא[הי]|להראות|לראות|הצ(?:ג|יגי)|תציגי?|להציג|פתחי?|תפתחי?|"
    r"לפתוח|קראי?|תקראי?|לקרוא|"
    r"הדפ(?:ס|יסי)|תדפיסי?|מה|תוכן|תן|תני|שורות|שורה|כמה שורות|תוכנו|אומר|הביאי?|תביאי?|"
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
_COUNTS = compiled(
    r"how (?:many lines|long)|number of lines|count the lines|כמה שורות|מספר ה?שורות", re.IGNORECASE
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


def searching(clause: Clause) -> Search | None:
    """Read "search for TODO in src" and "where is load defined?"."""
    text = " ".join(clause.text.split())
    if clause.rest is not None:
        return None
    found = _DEFINES.match(text)
    if found:
        names = found.groupdict()
        name = next(names[key] for key in ("q", "q2", "q3", "q4", "he", "he2") if names[key])
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
    return [ReadFile(path, start, end, counts) for path in paths]


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
