"""Field names and values as people read them, in English and Hebrew."""

from __future__ import annotations

import re
from datetime import datetime

from rollcall.core.messages import Json
from rollcall.models._offline.lexicon import spaced, wordset
from rollcall.models._offline.units import printed, unit_in_name

_HEBREW = {
    "messages": "הודעות", "conversations": "שיחות", "action items": "משימות", "tasks": "משימות",
    "decisions": "החלטות", "results": "תוצאות", "items": "פריטים", "files": "קבצים",
    "documents": "מסמכים", "lessons": "שיעורים", "questions": "שאלות", "students": "תלמידים",
    "circuits": "מעגלים", "panels": "לוחות", "issues": "ממצאים", "warnings": "אזהרות",
    "assumptions": "הנחות", "entries": "רשומות", "matches": "התאמות", "standards": "תקנים",
    "priority messages": "הודעות בעדיפות גבוהה", "summary": "סיכום", "user conversations": "שיחות",
    "conversation action items": "משימות", "conversation decisions": "החלטות",
    "priority": "עדיפות", "assignee": "אחראי", "deadline": "מועד", "due date": "מועד",
    "context": "הקשר", "impact level": "השפעה", "status": "מצב", "date": "תאריך", "grade": "כיתה",
    "subject": "מקצוע", "topic": "נושא", "total": "סך הכול", "count": "כמות", "score": "ציון",
    "panel": "לוח", "circuit": "מעגל", "load watts": "הספק", "load": "עומס", "project": "פרויקט",
    "name": "שם", "title": "כותרת", "type": "סוג", "level": "רמה", "category": "קטגוריה",
    "recommendation": "המלצה", "compliant": "עומד בדרישות", "message count": "הודעות",
    "participant names": "משתתפים", "confidence": "ודאות", "limit": "מגבלה", "query": "חיפוש",
    "conversation": "שיחה", "message": "הודעה", "decision maker": "החליט", "content": "תוכן",
    "content type": "סוג התוכן", "description": "תיאור", "voltage drop": "מפל מתח",
    "urgent": "דחוף", "high": "גבוהה", "medium": "בינונית", "low": "נמוכה", "file": "קובץ",
    "last message at": "הודעה אחרונה", "severity": "חומרה", "keywords": "מילות חיפוש",
    "critical": "קריטי", "conversation id": "שיחה", "participants": "משתתפים",
    "arc flash": "חישוב קשת חשמלית", "short circuit": "חישוב זרם קצר",
    "conductor sizing": "בדיקת חתך המוליכים", "panel capacity": "בדיקת קיבולת הלוח",
    "service upgrade": "בדיקת הגדלת החיבור", "inspection": "בדיקת התאמה לתקן",
    "add circuit": "הוספת מעגל", "update circuit": "שינוי מעגל", "remove circuit": "הסרת מעגל",
    "nec": "חיפוש בתקן NEC", "lookup nec table": "חיפוש בטבלת NEC", "projects": "פרויקטים",
    "export panel schedule": "ייצוא טבלת המעגלים", "export project": "ייצוא הפרויקט",
    "import project": "ייבוא פרויקט", "share project": "שיתוף הפרויקט",
    "delete project": "מחיקת הפרויקט", "delete document": "מחיקת המסמך", "document": "מסמך",
    "feeder": "קו הזנה", "feeders": "קווי הזנה", "transformer": "שנאי", "motor": "מנוע",
    "breaker": "מפסק", "voltage": "מתח", "length": "אורך", "conductor": "מוליך", "pole": "קטבים",
    "conductor size": "חתך המוליך", "working distance": "מרחק עבודה", "edition": "מהדורה",
    "pages": "עמודים", "passages": "קטעים", "scope": "שייכות", "role": "תפקיד", "table": "טבלה",
    "queued": "ממתין בתור", "reading": "בקריאה", "ready": "מוכן", "failed": "נכשל",
    "progress": "התקדמות", "reason": "סיבה", "is searchable": "זמין לחיפוש", "is mine": "שלי",
    "sources": "מקורות", "grade level": "כיתה", "product type": "סוג התוצר", "encrypted": "מוצפנות",
}  # fmt: skip

_HEBREW_MONTHS = (
    "ינואר",
    "פברואר",
    "מרץ",
    "אפריל",
    "מאי",
    "יוני",
    "יולי",
    "אוגוסט",
    "ספטמבר",
    "אוקטובר",
    "נובמבר",
    "דצמבר",
)  # fmt: skip
_MONTHS = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?")
_MOST_CHARS = 280


def label(name: str, language: str) -> str:
    """Return a field's or list's name for a person."""
    words = spaced(name)
    return _HEBREW.get(words, words) if language == "he" else words


def which_word(noun: str) -> str:
    """The Hebrew "which" that agrees with a Hebrew noun, by the ending of its first word."""
    first = noun.split(" ")[0]
    if first.endswith(("ים", "ות")) and first != "כמות":
        return "לאילו"
    return "לאיזו" if first.endswith(("ה", "ת")) else "לאיזה"


def is_labelled(name: str) -> bool:
    """Tell whether a name is one that people know."""
    return spaced(name) in _HEBREW


def measured(name: str, value: Json, language: str) -> tuple[str, str]:
    """Return a field's label and value, the unit moved from the name to the value; the label is
    empty where the name is a unit alone, such as "usd"."""
    words = spaced(name)
    unit = unit_in_name(words)
    if unit is None or isinstance(value, bool) or not isinstance(value, int | float):
        return label(name, language), shown(value, language)
    rest = " ".join(words.split()[:-1])
    if printed(unit) == "$":
        return label(rest, language), f"{'-' if value < 0 else ''}${number(abs(value))}"
    gap = "" if printed(unit) in ("%", "°") else " "
    return label(rest, language), f"{number(value)}{gap}{printed(unit)}"


def shown(value: Json, language: str) -> str:
    """Return a value for a person: short dates, "yes" and "no", lists with commas."""
    if isinstance(value, bool):
        return {"en": ("no", "yes"), "he": ("לא", "כן")}["he" if language == "he" else "en"][value]
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list):
        return ", ".join(shown(item, language) for item in value if not isinstance(item, dict))
    if isinstance(value, str) and _ISO.fullmatch(value):
        return day(value, language)
    text = one_line(str(value))
    return _HEBREW.get(text, text) if language == "he" else text


def number(value: float) -> str:
    """Return a number with thousands separated, at most four decimals."""
    if isinstance(value, float) and not value.is_integer():
        text = f"{value:,.4f}".rstrip("0") if abs(value) >= 0.001 else f"{value:.3g}"
        return text.rstrip(".")
    return f"{int(value):,}"


def day(iso: str, language: str) -> str:
    """Return a short date, such as "3 Nov" or "3 בנובמבר"."""
    try:
        when = datetime.fromisoformat(iso.replace("Z", "+00:00"))
    except ValueError:
        return iso
    if language == "he":
        return f"{when.day} ב{_HEBREW_MONTHS[when.month - 1]}"
    return f"{when.day} {_MONTHS[when.month - 1]}"


def one_line(text: str, *, most: int | None = _MOST_CHARS) -> str:
    """Return untrusted text on one line, bounded, with nothing a reader would click or believe."""
    flat = defanged(" ".join(text.split()))
    return flat if most is None or len(flat) <= most else f"{flat[: most - 1].rstrip()}…"


_COUNTERS = wordset("read shards scanned searched summarized processed examined tokens attempts")
_INNER = wordset(
    "confidence score relevance similarity embedding hash digest url context version schema ms"
)
_MAKERS = wordset("summarized generated computed extracted classified")
_WHOLE = wordset("searched scanned complete read listed")
_CUT = wordset("truncated partial incomplete")
_HANDLE = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])[\w-]{12,}")


def unread(name: str, value: Json) -> bool:
    """Tell whether a field is machinery: ids, digests, counters of work, flags that all is well."""
    said = set(spaced(name).split())
    if name == "id" or name.endswith(("Id", "Ids", "_id", "_ids")) or said & _INNER:
        return True
    if isinstance(value, bool):
        return covers(name, value) is not None or bool(said & {"ok", "success", "more"})
    if isinstance(value, int | float):
        return (not value and name.endswith("Count")) or bool(said & _COUNTERS)
    made = "by" in said and bool(said & _MAKERS)
    return made or (isinstance(value, str) and _HANDLE.fullmatch(value) is not None)


def covers(name: str, value: Json) -> bool | None:
    """Return whether a flag says that everything was looked at; None where it is no such flag."""
    said = set(spaced(name).split())
    if isinstance(value, bool) and said & _WHOLE and said & {"all", "everything", "complete"}:
        return value
    return not value if isinstance(value, bool) and said & _CUT else None


def isolated(text: str) -> str:
    """Return somebody's words so that their direction moves nothing around them."""
    return f"\u2068{text}\u2069" if any("\u0590" <= char <= "\u08ff" for char in text) else text


def defanged(text: str) -> str:
    """Return untrusted text without links, images, HTML or citation marks of its own.

    A result could otherwise make the reader's client load an address, or pass for a source.
    """
    text = re.sub(r"\]\s*\(", "] (", text)
    text = re.sub(r"\[(\d+)\]", r"(\1)", text)
    return re.sub(r"<(?=[A-Za-z/!])", "‹", text)
