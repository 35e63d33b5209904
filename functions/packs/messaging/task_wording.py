"""The wording of a task that stands by itself, away from the chat: an infinitive, without asides."""

import re
from datetime import datetime
from functools import cache

from packs.messaging.dates import Deadline, find_deadline
from packs.messaging.patterns import Pattern

# The infinitive | stems of the future | the masculine present.
_VERBS = """
לשלוח|שלח|שולח
לטפל|טפל|מטפל
לבדוק|בדוק בדק|בודק
להכין|כין כינ|מכין
לעדכן|עדכן עדכנ|מעדכן
לסגור|סגור סגר|סוגר
להתקשר|תקשר|מתקשר
לקבוע|קבע|קובע
להזמין|זמין זמינ|מזמין
להביא|ביא|מביא
לכתוב|כתוב כתב|כותב
להעביר|עביר|מעביר
לתאם|תאם תאמ|מתאם
לסיים|סיים סיימ|מסיים
לקנות|קנה קנ|קונה
לארגן|ארגן ארגנ|מארגן
לשאול|שאל|שואל
לדבר|דבר|מדבר
לברר|ברר|מברר
לתקן|תקן תקנ|מתקן
לעשות|עשה עש|עושה
לקחת|קח|לוקח
לחזור|חזור חזר|חוזר
לפרסם|פרסם פרסמ|מפרסם
להוסיף|וסיף|מוסיף
למלא|מלא|ממלא
להגיש|גיש|מגיש
לענות|ענה ענ|עונה
לשתף|שתף שתפ|משתף
לפתוח|פתח|פותח
לחתום|חתום חתמ|חותם
לשלם|שלם שלמ|משלם
להחליף|חליף חליפ|מחליף
לצרף|צרף צרפ|מצרף
לסדר|סדר|מסדר
להוציא|וציא|מוציא
להכניס|כניס|מכניס
להוריד|וריד|מוריד
לבטל|בטל|מבטל
לנסח|נסח|מנסח
לתרגם|תרגם תרגמ|מתרגם
להציג|ציג|מציג
לאשר|אשר|מאשר
להודיע|ודיע|מודיע
להזכיר|זכיר|מזכיר
לבנות|בנה בנ|בונה
להריץ|ריץ ריצ|מריץ
למצוא|מצא|מוצא
לחפש|חפש|מחפש
לוודא|וודא|מוודא
לבצע|בצע|מבצע
לרכז|רכז|מרכז
לסכם|סכם סכמ|מסכם
לשדרג|שדרג|משדרג
להגדיל|גדיל|מגדיל
לנקות|נקה נק|מנקה
למחוק|מחק|מוחק
לחבר|חבר|מחבר
להתקין|תקין תקינ|מתקין
לצלם|צלם צלמ|מצלם
להדפיס|דפיס|מדפיס
לראיין|ראיין ראיינ|מראיין
לאסוף|אסוף אספ|אוסף
להחזיר|חזיר|מחזיר
לסמן|סמן סמנ|מסמן
לדאוג|דאג|דואג
לעבור|עבור עבר|עובר
להעלות|עלה על|מעלה
להתחיל|תחיל|מתחיל
לעזור|עזור עזר|עוזר
לגבות|גבה גב|מגבה
"""
_FUTURE_OF = ("א", "ת", "י", "נ")
_FUTURE_ENDS = ("", "י", "ו")
_FINAL = str.maketrans("ךםןףץ", "כמנפצ")


def with_infinitives(task: str) -> str:
    """Return a task with the verb it begins with, and verbs joined by ו, as infinitives.

    Verbs that are not known stay as they were said.
    """
    first, *rest = task.split(" ")
    if first not in _infinitives():
        return task
    joined = [
        f"ו{_infinitives()[word[1:]]}" if word[:1] == "ו" and word[1:] in _infinitives() else word
        for word in rest
    ]
    return " ".join([_infinitives()[first], *joined])


@cache
def _infinitives() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _VERBS.split("\n"):
        if not line:
            continue
        infinitive, stems, present = line.split("|")
        for form in (*_futures(stems.split()), *_presents(present)):
            found.setdefault(form, infinitive)
    return found


def _futures(stems: list[str]) -> list[str]:
    return [f"{of}{stem}{end}" for stem in stems for of in _FUTURE_OF for end in _FUTURE_ENDS]


def _presents(masculine: str) -> list[str]:
    if masculine.endswith("ה"):
        return [masculine, masculine[:-1] + "ים", masculine[:-1] + "ות"]
    stem = masculine[:-1] + masculine[-1].translate(_FINAL)
    return [masculine, *(stem + end for end in ("ת", "ה", "ים", "ות"))]


# ruff: noqa: E501 - patterns are easier to read unbroken.


# What a sentence goes on to say once the task has been named.
_ASIDE = Pattern(
    r"\s*(?:,|\s-)\s+(?:otherwise|or else|because|since|as (?:i|we|you|they|he|she)|so (?:i|we|you|they|he|she|it|that)\b|i|i'(?:ll|m|ve|d)"
    r"|we(?:'(?:ll|re|ve|d))?|you(?:'(?:ll|re|ve|d))?|he(?:'s|'ll)?|she(?:'s|'ll)?|they(?:'re|'ll|'ve)?|it(?:'s|'ll)?|that(?:'s)? (?:is|was|way)|this is|their|thanks"
    r"|אחרת|כי|מפני|זה|זאת|הוא|היא|הם|אני|אנחנו|אתה|את(?= [א-ת]+[הת]\b)|חסר(?:ה|ים|ות)?|תודה)(?![\w'א-ת]).*$",
    re.I | re.S,
)
_ADDRESSEE = Pattern(r"^(Provide .+?) from (?:you|your side)(?: (?:guys|both|all))?(?![\w'])", re.I)
_SOFTENED = Pattern(r"^(?:(?:please|kindly|quickly|just|also|again|בבקשה|רק|גם|שוב)[ ,]+)+", re.I)

_EXTRA = Pattern(r" (?:too|as well|also|בבקשה)(?= את |$)", re.I)

# Verbs that say nothing alone: what is confirmed, finished or tried stands elsewhere.
_EMPTY_ALONE = Pattern(
    r"^(?:let (?:him|her|them|you|me|us|everyone|everybody) know|confirm|finish|try|check|help|answer|reply|respond|update(?: (?:you|everyone|all))?|keep (?:you|everyone) (?:posted|updated)"
    r"|back (?:you|him|her|them)|call(?:ing)? it\b.*|לסיים|לאשר|לנסות|לעזור|לענות|לעדכן(?: (?:אותי|אותנו|אותך|אתכם|אותכם|בהמשך))?)$",
    re.I,
)
_TRIVIAL = Pattern(
    r"^(?:(?:tell|ask|call|text|ping) (?:him|her|them|you)(?: (?:nicely|later|that|so|when \w+ \w+))?"
    r"|(?:update|tell|ping|message|text|call) (?:you|everyone|all) (?:when|once|as soon as|later|soon|after)\b.*"
    r"|(?:write|say|do|call|ask) only if\b.*|(?:bring|buy|get) (?:you )?(?:a )?(?:coffee|beers?|cake|snacks?)"
    r"|opening (?:a|this|the) (?:group|thread|channel|chat)\b.*"
    r"|(?:לשאול|לספר ל|להגיד ל)(?: ?(?:אותו|אותה|אותם|לו|לה|להם))(?: (?:יפה|אחר כך)\b.*)?"
    r"|לעדכן (?:כש|ברגע ש|אחרי ש|בהמשך|אותך כש|אתכם כש).*|לפתוח (?:קבוצה|צ'אט|שרשור|ערוץ)(?![א-ת]).*)$",
    re.I,
)


def without_deadline(task: str, said_at: datetime) -> tuple[str, Deadline | None]:
    """Return a task tidied, without the date it names, and that date."""
    task = re.sub(
        r"\s*(?:,?\s*(?:please|pls|thanks|ok\?|בבקשה|תודה))*\s*[.!?]*$", "", task, flags=re.I
    )
    due = find_deadline(task, said_at=said_at)
    if due:
        task = _without(task, due.phrase)
    task = task.strip(" ,;:-.!?")
    return (task[:1].upper() + task[1:], due)


def out_of_context(task: str) -> str:
    """Return a task as somebody reads it who was not there."""
    short = _ADDRESSEE.sub(lambda match: match[1], _SOFTENED.sub("", _ASIDE.sub("", task)))
    short = with_infinitives(_EXTRA.sub("", short)).strip(" ,;:-.!?")
    return short[:1].upper() + short[1:] if len(short.split()) > 1 else with_infinitives(task)


def is_trivial(task: str) -> bool:
    """Tell whether a task is mere courtesy, or says nothing without the chat around it."""
    return _EMPTY_ALONE.match(task) is not None or _TRIVIAL.match(task) is not None


def _without(task: str, phrase: str) -> str:
    """Cut a date out: at the end, or before a colon or comma, with the word that leads to it."""
    at = task.rfind(phrase)
    rest = task[at + len(phrase) :]
    if at < 0 or (rest and rest[0] not in ":,"):
        return task
    return (
        re.sub(r"[\s,]+(?:by|on|at|for|in|before|until|ב|עד|ל|לפני)?-?\s*$", "", task[:at]) + rest
    )
