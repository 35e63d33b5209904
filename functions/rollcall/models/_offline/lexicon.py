"""Words that mean the same to a planner, in English and in Hebrew.

`features` reads a text as a list of features: the stems of its topic words, each replaced by the
concept it belongs to where a group below has it. So "משימות", "tasks" and "action items" are one
feature, and a Hebrew question finds a tool that is described in English. The groups are everyday
words that tools of any domain use; the words of a domain come from its tools' own keywords.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rollcall.core.text import fold, terms, tokens, words

# A group a line; words of one group count as the same word. Phrases are joined with "_".
_GROUPS = """
priority priorities important חשוב חשובה חשובות עדיפות עדיפויות
urgent critical קריטי קריטית קריטיים קריטיות דחוף דחופה דחופות דחופים
high גבוה גבוהה גבוהות
task tasks todo action_item action_items to_do assignment משימה משימות מטלה מטלות
decision decisions decide decided החלטה החלטות החלטנו הוחלט החליטו
conversation conversations chat chats שיחה שיחות צ'אט
message messages הודעה הודעות
summary summarize summarise summarization recap overview analyze analyse analysis סיכום סכם סכמי \
תקציר לסכם תסכם תסכמי תמצת נתח נתחי ניתוח לנתח תנתח תנתחי
search searching lookup look_up חפש חפשי חיפוש לחפש תחפש תחפשי
find locate discover מצא מצאי למצוא תמצא תמצאי
list show display הצג הציגי רשימה רשימת הראה הראי תראה תראי תציג תציגי
get fetch retrieve obtain הבא הביאי קבל שלוף
create make generate build compose produce צור צרי יצירה יצירת ליצור הכן הכיני להכין בנה
write draft כתוב כתבי כתיבה לכתוב
add insert append הוסף הוסיפי להוסיף הוספה
update edit change modify set עדכן עדכני תעדכן תעדכני ערוך שנה לעדכן
delete remove erase cancel מחק מחקי תמחק תמחקי הסר בטל למחוק
send שלח שלחי תשלח תשלחי לשלוח
read open קרא קראי לקרוא פתח פתחי
run execute launch_command הרץ הריצי להריץ
check verify validate inspect inspection בדוק בדקי בדיקה לבדוק
calculate compute determine calculation estimate חשב חשבי חישוב לחשב
convert conversion exchange המר המרה להמיר
compare comparison השווה השוואה להשוות
book reserve reservation booking הזמן הזמנה להזמין
buy purchase order קנה לקנות רכישה
play נגן השמע לנגן
translate translation תרגם תרגום
file files document documents קובץ קבצים מסמך מסמכים
folder directory directories תיקייה תיקיה
command shell terminal פקודה
code source קוד
price cost fee מחיר עלות
weather forecast מזג תחזית
temperature טמפרטורה
restaurant restaurants מסעדה מסעדות
news headlines חדשות
stock share shares מניה מניות
area שטח
volume נפח
distance מרחק
probability הסתברות
average mean ממוצע ממוצעת
triangle משולש
circle עיגול
radius רדיוס
height גובה
base בסיס
width רוחב
length אורך
weight משקל
speed velocity מהירות
date day days תאריך יום ימים
time hour שעה זמן
meeting meetings פגישה פגישות ישיבה
deadline due overdue דדליין מועד
report reports דוח דו"ח
student students pupil תלמיד תלמידים תלמידה
teacher teachers מורה מורים
lesson lessons שיעור שיעורים
class grade classroom כיתה כיתות
subject topic נושא מקצוע
question questions שאלה שאלות
exam test quiz מבחן מבחנים בוחן
worksheet worksheets דף_עבודה דפי_עבודה
exercise practice תרגיל תרגילים תרגול
activity activities פעילות פעילויות
curriculum syllabus תוכנית_לימודים תכנית_לימודים
knowledge ידע
image picture photo illustration תמונה תמונות איור
video סרטון וידאו
audio recording שמע הקלטה
infographic אינפוגרפיקה
letter מכתב
feedback משוב
game משחק משחקים
user users משתמש משתמשים
profile פרופיל
name שם
voltage מתח
current זרם
circuit circuits ckt cct מעגל מעגלים
panel panels לוח לוחות
load עומס
conductor wire מוליך חוט
drop מפל
fault קצר
breaker מפסק
grounding ground הארקה
error errors mistake mistakes שגיאה שגיאות טעות טעויות
note notes הערה הערות
budget budgets תקציב
project projects פרויקט פרויקטים
math mathematics maths מתמטיקה חשבון
hebrew עברית
english אנגלית
history היסטוריה
science sciences מדעים מדע
bible תנ"ך תנך
geography גאוגרפיה גיאוגרפיה
literature ספרות
physics פיזיקה
chemistry כימיה
biology ביולוגיה
civics אזרחות
podcast פודקאסט
grammar דקדוק
vocabulary מילים
worst גרוע גרועה
longest ארוך ארוכה
employee worker עובד עובדים
city town עיר
country מדינה
level רמה
number amount quantity מספר כמות
player שחקן
character דמות
resonant resonance תהודה
frequency תדר
capacity קיבולת
heat חום
pressure לחץ
final סופית סופי
electrostatic אלקטרוסטטי
potential פוטנציאל
sum total סכום סך
mark סמן סמני לסמן
complete completed finish done הושלם השלם סיים סיימתי
review חזרה סקירה
statistics analytics stats סטטיסטיקה נתונים
export download ייצוא ייצא הורד
upload העלה העלאה להעלות
help assist עזרה עזור
"""

_IDENTIFIER = re.compile(r"[_.\-/$\s]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# Verbs and nouns that nearly every tool has: they say little about which one is meant.
_WEAK = """
search find list get create add update run check calculate open read write number date time
name user set question help show data information details use provide specify need want please
give tell know value type result specific certain look try return available using given based
new request function method api system service support perform current let thing way
צריך רוצה תן תני ספר מידע פרטים נתון איזה
"""


def wordset(text: str) -> frozenset[str]:
    """Return the words of a list written as one text, spelled as `tokens` spells them."""
    return frozenset(fold(text).split())


@cache
def _concepts() -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for line in _GROUPS.strip().splitlines():
        members = line.split()
        concept = words(members[0])[0]
        for member in members:
            found.setdefault(tuple(words(member.replace("_", " "))), concept)
    return found


@cache
def weak_features() -> frozenset[str]:
    """Return the features that hardly tell one tool from another."""
    return frozenset(feature for word in _WEAK.split() for feature in features(word))


@lru_cache(maxsize=8192)
def features(text: str) -> tuple[str, ...]:
    """Return the features of a text's topic words, in order."""
    return _joined(text, tuple(terms(text)))


@lru_cache(maxsize=8192)
def all_features(text: str) -> tuple[str, ...]:
    """Return the features of all words of a text, stopwords included, in order."""
    return _joined(text, tuple(words(text)))


def _joined(text: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    concepts = _concepts()
    found: list[str] = []
    at = 0
    while at < len(stems):
        pair = concepts.get(stems[at : at + 2]) if at + 1 < len(stems) else None
        found.append(pair or concepts.get(stems[at : at + 1]) or stems[at])
        at += 2 if pair else 1
    return tuple(found)


def name_features(name: str) -> tuple[str, ...]:
    """Return the features of an identifier, snake_case or camelCase."""
    return features(spaced(name))


@lru_cache(maxsize=8192)
def spaced(name: str) -> str:
    """Write an identifier as words: "maxResults" and "max_results" read "max results"."""
    words_ = _IDENTIFIER.sub(" ", name).split()
    return " ".join(word if word[:2].isupper() else word.lower() for word in words_)


@cache
def concept_words() -> frozenset[str]:
    """Return every single word that belongs to a group."""
    members = (member for line in _GROUPS.split() for member in (line,) if member != "\\")
    return frozenset(token for member in members for token in tokens(member))
