"""Why a call did not work, in the user's language: tools say it in English."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rollcall.core.text import language

# What tools on the user's side say in plain words, the more telling first.
_SAID = (
    (r"changed since it was approved", "הקובץ השתנה מאז שהתקבל האישור"),
    (r"changed (?:on disk )?since|changed meanwhile", "הקובץ השתנה מאז שנקרא"),
    (r"created meanwhile", "הקובץ נוצר בינתיים"),
    (r"was not read|not been read", "הקובץ קיים ועדיין לא נקרא"),
    (r"nobody answered", "לא התקבלה תשובה בזמן, וייתכן שזה נעשה"),
    (r"nobody said yes|others than those that were approved", "זה לא אושר כאן"),
    (r"stopped by the user", "זה נעצר לפי בקשה"),
    (r"ambiguous|more than once|occurs \d+ times|\d+ places", "הטקסט מופיע ביותר ממקום אחד"),
    (r"are the same", "שני הטקסטים זהים"),
    (r"hold secrets", "ייתכן שיש בקובץ סודות"),
    (r"by itself when|run by itself", "הקובץ רץ מעצמו, ולכן אין כותבים אותו"),
    (r"version control", "לא נוגעים בקבצים של ניהול הגרסאות"),
    (r"hard link", "לקובץ יש שם נוסף, אולי מחוץ לתיקיית העבודה"),
    (r"symbolic link|\blinks are (?:never|not)", "זה קישור סימבולי, ואין עוקבים אחריו"),
    (
        r"outside|above the root|leaves the (?:root|workspace)|relative to the workspace|"
        r"cannot go up|at the workspace's root|part of the workspace",
        "המקום הוא מחוץ לתיקיית העבודה",
    ),
    (
        r"control characters|joins the parts|a colon|a name cannot|device (?:name )?on Windows|"
        r"short form",
        "השם הזה אינו יכול לשמש כאן",
    ),
    (r"not run on Windows|cannot be run here", "אי אפשר להריץ כאן פקודות"),
    (r"timed? ?out|did not answer", "לא התקבלה תשובה בזמן"),
    (r"(?:took|takes) too long", "זה אורך יותר מדי זמן"),
    (r"regular expression", "הביטוי הרגולרי אינו תקין"),
    (r"read-only", "הקובץ מיועד לקריאה בלבד"),
    (r"no space left", "אין מקום בדיסק"),
    (r"not (?:a )?text|binary|utf-?8|only text is", "זה לא קובץ טקסט"),
    (
        r"too (?:large|long|big)|at most [\d,]+ (?:\w+ )?(?:is|are)\b|longer than [\d,]+",
        "זה גדול מדי",
    ),
    (r"startLine|endLine", "אין בקובץ שורות כאלה"),
    (r"not a regular file|device, pipe or socket", "זה לא קובץ רגיל"),
    (r"not a (?:directory|folder)", "זו לא תיקייה"),
    (r"\ba (?:directory|folder)\b(?!, pipe)", "זו תיקייה ולא קובץ"),
    (r"text\b.*\bnot (?:there|found|in)|not found in|nowhere in", "הטקסט לא נמצא בקובץ"),
    (
        r"no such|not found|does not exist|is not there|there is no|cannot find|no file|no folder|"
        r"folder is gone",
        "לא נמצא",
    ),
    (r"\bexists\b|already there", "כבר קיים"),
    (r"not allowed|permission|denied|refused|forbidden|may not", "הגישה נדחתה"),
    (
        r"takes part in this dialogue|client has no tool",
        "אין כרגע תוכנה מחוברת שיכולה לעשות זאת",
    ),
)
_BY_CODE = {
    "not-found": "לא נמצא",
    "already-exists": "כבר קיים",
    "permission-denied": "אין הרשאה לכך",
    "unauthenticated": "דרושה כניסה מחדש לחשבון",
    "invalid-argument": "אחד הפרטים אינו מתאים",
    "out-of-range": "אחד הפרטים אינו בטווח המותר",
    "failed-precondition": "אי אפשר לעשות זאת במצב הנוכחי",
    "resource-exhausted": "הגענו למגבלת השימוש",
    "unavailable": "השירות לא זמין כרגע",
    "deadline-exceeded": "הפעולה ארכה יותר מדי זמן",
    "aborted": "הפעולה נקטעה",
    "cancelled": "הפעולה בוטלה",
    "data-loss": "חלק מהנתונים חסרים",
    "unimplemented": "הפעולה אינה נתמכת",
    "internal": "אירעה תקלה",
}
_PATTERNS = tuple((re.compile(said, re.IGNORECASE), told) for said, told in _SAID)


def in_hebrew(error: Mapping[str, object], *, message: str, by_words: bool = False) -> str:
    """A reason for a Hebrew sentence: what is known of it in Hebrew, then the tool's own words,
    marked as such.

    Args:
        by_words: Whether plain words tell what it is, as those of tools on the user's side do.
    """
    known = translated(message) if by_words else ""
    told = known or _BY_CODE.get(str(error.get("code") or ""), "")
    said = quoted(message)
    if not told or language(message) == "he":
        return said or told
    return f"{told} ({said})" if said else told


def translated(message: str) -> str:
    """What plain English words of a tool say, in Hebrew; "" for words that are not known."""
    return next((told for pattern, told in _PATTERNS if pattern.search(message)), "")


def quoted(text: str) -> str:
    """A tool's words inside a Hebrew sentence; English ones keep their direction."""
    if not text or language(text) == "he":
        return text
    return f"\u2066{text}\u2069"
