"""Hebrew words: folding to one spelling, and a light stem.

Hebrew glues its little words (and, the, in, to, from, that, as) to the front of
the next word, so "בתקציב" and "והתקציב" must both find "תקציב". Stripping is
repeated until nothing is left to strip: that gives a word and any prefixed form
of it the same stem without a dictionary. Words whose own first letters look
like prefixes ("משימה", "החלטה") are listed, so that they are not cut.
"""

from functools import cache, lru_cache

PREFIXES = frozenset("והבלמשכ")

_FINALS = str.maketrans("ךםןףץ", "כמנפצ")
_FEWEST_LETTERS = 3

# Everyday, work, school and trade words that begin with a prefix letter.
_BASES = """
החלטה החלטנו החליט החליטו הודעה הצעה הצעת הערה הערכה הזמנה הפסקה הצלחה הכנסה הוצאה הנחה הנחיה
הסכם הסבר הרצאה הורים הורה הקלטה השקה השקעה התקנה התקנת התקדמות התחלה המלצה הגשה הדרכה היסטוריה
הארקה הנהלה הוראה התנגדות הבדל הקצאה הרשאה הרשמה הפעלה הכנה הובלה הקמה העלאה הורדה הגדרה הגנה
השוואה בדיקה בדיקת בעיה ביטול ביטוח בוקר בחירה בקשה בקרה ביצוע בניין בנק ביקורת בחינה בטיחות
ביולוגיה בגרות בסיס ברירה בוגר בינוני במאי במה ברזל בלון בדוק בודק בודקת בודקים בוצע בוטל ביטל
ביטלנו ביקש ביקשה לקוח לימוד לימודים לוח למידה לשון לחץ לילה לבוש לומד לומדת לומדים ליווי לקבל
לקחת לשלוח לבדוק לסיים לתקן להכין לעדכן לתאם לקבוע להזמין לסגור להגיש לכתוב לבחור להחליט להעביר
לעשות לדבר לדעת לראות לקנות לשלם לעבוד ללמוד משימה משימת מחיר מכתב משכורת ממשלה מורה מורים מבחן
מבחנים מטרה מסמך מצגת מנהל מנהלת מנהלים מנכל מוצר מוצרים מקום מספר משרד משפחה מתמטיקה מדעים
מדינה מחשב מחשבון מפתח מפסק מפל מתח מוליך מכירה מכירות מכשיר מלאי מלון מסיבה מסלול מסקנה מסר
מועד מזומן מזון מחיקה מחלקה מחנך מחנכת מחקר מידע מיקום מישהו מכונית מנה מניה מסך מענה מערכת מעבר
מעקב מפגש מפה מצב מצגות מקור מקצוע מקרר משבר משוב משוואה משחק משטרה משלוח משמרת משפט משתמש משתתף
מתנה מתכון מתקדם מתקן מתחם מחר מחרת מנוע מודעה מודול מבנה מבצע מבט מגמה מגרש מגדל מדיניות מדד
מדריך מהיר מהירות מהנדס מהפכה מוסד מוכן מוקדם מכה מכרז ממוצע ממשק מילה מינוי מיטה מים מיכל משה
מאיה מיכאל מרים מיטל מאור שולחן שיעור שיעורים שאלה שבוע שבועיים שבועות שבת שיחה שינוי שירות שיטה
שיפור שיווק שמירה שמחה שמאל שליחה שולח שלח שלחתי שולחת שכר שכיר שכבה שכפול שכונה שותף שוק שומר
שונה שורה שוטר שלב שלום שלט שלמה שוברים שובר שבר שברים שביל שביתה שמש שמן שמיים שימוש שימור
שילוב שילם שילמנו שילוח שיר שירן שלומית שושנה כיתה כיתת כסף כביש כבל כוח כותב כותבת כותרת כיוון
כלב כלי כלכלה כללי כמות כמעט כניסה כנס כספים כרטיס כתיבה כתובת כתב כישלון כישור כדור כדורגל
כימיה כושר כוכב כולם כאב ועדה ותק וידאו וטרינר ורד וילון
"""


def fold(word: str) -> str:
    """Return a word with its final letters written as ordinary ones."""
    return word.translate(_FINALS)


@cache
def _bases() -> frozenset[str]:
    return frozenset(_without_suffix(fold(word)) for word in _BASES.split())


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the light stem of a folded Hebrew word without niqqud."""
    bases = _bases()
    while (
        len(word) > _FEWEST_LETTERS and word[0] in PREFIXES and _without_suffix(word) not in bases
    ):
        word = word[1:]
    return _without_suffix(word)


def _without_suffix(word: str) -> str:
    """Drop one ending of number, gender or person that leaves a real word."""
    for ending in ("ימ", "ות", "נו", "ה", "ת"):
        if word.endswith(ending) and len(word) - len(ending) >= _FEWEST_LETTERS:
            return word[: -len(ending)]
    return word
