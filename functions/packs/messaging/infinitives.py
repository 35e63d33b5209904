"""Hebrew tasks begin with an infinitive: "אשלח את הדוח" and "תשלחי את הדוח" are "לשלוח את הדוח"."""

from functools import cache

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
