"""Requests that rules cannot do: they take a language model, or a tool that there is not."""

from __future__ import annotations

import re
from typing import ClassVar

from msgspec import Struct

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import PATH, paths_in
from rollcall.models._offline.files.words import say
from rollcall.models._offline.files.work import Move, Work

_CODE = (
    r"functions?|methods?|class(?:es)?|unit tests?|tests?|test cases?|features?|scripts?|"
    r"programs?|endpoints?|"
    r"docstrings?|comments?|type hints?|types|annotations?|validation|logging|"
    r"error handling|documentation|docs|"
    r"readme|modules?|components?|cli|api|code|support|handling|checks?|option|flag|"
    r"parameters?|arguments?|"
    r"decorators?|cache|caching|retries|loops?|implementation|helpers?|command|button|page|"
    r"menu|parser|version|license"
)
_CODE_HE = (
    r"פונקצי(?:ה|ות|ית)|מתוד(?:ה|ות)|מחלק(?:ה|ות)|בדיק(?:ה|ות)(?: יחידה)?|טסט(?:ים)?|"
    r"סקריפט|תוכנית|תכנית|תכונה|"
    r"תיעוד|הערות|הערה|קוד|תמיכה|טיפול|לוגים|אפשרות|פרמטר|מודול|רכיב|ולידציה|מטמון|"
    r"דוקסטרינג|טיפוסים|דגל|מימוש"
)
_THINKS = compiled(
    r"^(?:fix|debug|solve|repair|refactor|rewrite|reorgani[sz]e|restructure|clean|simplify|"
    r"optimi[sz]e|improve|implement|"
    r"document|explain|summari[sz]e|describe|review|translate|convert|port|extend|design|"
    r"comment|annotate|migrate|upgrade|"
    r"moderni[sz]e|speed|handle|complete|finish|teach|suggest|propose|analy[sz]e|"
    r"find (?:the |a |any |all |all the |out )?(?:bugs?|why|issues?|problems?|errors?|"
    r"mistakes?)|"
    r"what(?:'s| is) wrong|why\b|where(?:'s| is) the (?:bug|problem|error|mistake|issue)|"
    r"how (?:does|do|can|should|would|could)|what (?:does|do) .+ (?:do|mean)\b|make (?:it|"
    r"this|the|sure)\b|"
    r"turn|split|merge|extract|inline|deduplicate|tidy|polish|secure|harden|cover|ensure|"
    r"generate|come up|tell me (?:why|how|what .+ does)|"
    r"is (?:the|this) .+ (?:correct|right|good|safe)|compare|update|change|correct|adapt|"
    r"adjust|modify|build me|help|write (?:me )?an? )\b|"
    rf"^(?:add|write|create|make|implement|generate|define|introduce|put|insert|build|"
    rf"code)\s+(?:\w+\s+){{0,3}}?(?:{_CODE})\b|"
    r"^(?:create|make|write|generate|add)\b.*\b(?:that|which|to|for|with)\s+\w+|"
    r"^(?:תקני?|תתקני?|לתקן|שפרי?|תשפרי?|לשפר|ייעלי?|תייעלי?|לייעל|שכתבי?|תשכתבי?|לשכתב|"
    r"ממשי?|תממשי?|לממש|הסב(?:ר|ירי)|תסבירי?|להסביר|"
    r"סכמ?י?|סכם|תסכמי?|תסכם|לסכם|תארי?|תתארי?|לתאר|פשטי?|תפשטי?|לפשט|נקי|נקה|תנק[הי]|"
    r"לנקות|תעדי?|תתעדי?|לתעד|תרגמי?|תרגם|תתרגמי?|תתרגם|לתרגם|"
    r"למה|מדוע|איך|כיצד|מה עוש[הי]|מה לא בסדר|מה הבעיה|מה ההבדל|מה התפקיד|הרח(?:ב|יבי)|"
    r"תרחיבי?|להרחיב|פתור|פתרי|תפתור|לפתור|דבגי?|"
    r"הפו?כי?|הפוך|תהפו?כי?|תהפוך|להפוך|ארגני?|תארגני?|לארגן|נתחי?|נתח|תנתחי?|תנתח|לנתח|"
    r"הצי?עי?|תציעי?|להציע|סקור|סקרי|תסקור|בנ[הי]|תבנ[הי]|לבנות|פצלי?|תפצלי?|לפצל|מזגי?|"
    r"השל(?:ם|ימי)|תשלימי?|להשלים|טפלי?|תטפלי?|לטפל|עדכני?|תעדכני?|לעדכן|שנ[הי]|תשנ[הי]|"
    r"לשנות|התא(?:ם|ימי)|תתאימי?|להתאים)(?![א-ת])|"
    rf"^(?:הוס(?:ף|יפי)|תוסיפי?|להוסיף|כתבי?|כתוב|תכתוב|תכתבי|לכתוב|צור|צרי|תיצור|תיצרי|"
    rf"ליצור|הכ(?:ן|יני)|תכיני?|להכין|הגד(?:ר|ירי)|תגדירי?|להגדיר)\s+(?:לי\s+)?(?:עוד\s+|"
    rf"את\s+)?(?:ה)?(?:{_CODE_HE})(?![א-ת])|"
    r"^(?:הוס(?:ף|יפי)|תוסיפי?|להוסיף|כתבי?|כתוב|תכתוב|תכתבי|לכתוב|צור|צרי|תיצור|תיצרי|"
    r"ליצור)(?![א-ת])",
    re.IGNORECASE | re.DOTALL,
)
_FILES = compiled(
    r"^(?P<verb>delete|remove|erase|move|copy|duplicate|rename|mkdir|commit|push)\b|"
    r"^(?P<make>(?:create|make|add)\s+(?:a |an |the )?(?:new |empty )?(?:folder|directory))|"
    r"^(?P<he>מחקי?|תמחקי?|תמחק|מחק|למחוק|העב(?:ר|ירי)|תעבירי?|להעביר|העתי?קי?|תעתיקי?|"
    r"להעתיק|שנ[הי] את שם הקובץ|תשנ[הי] את שם הקובץ|לשנות את שם הקובץ|הס(?:ר|ירי)|"
    r"תסירי?)(?![א-ת])|"
    r"^(?P<make_he>(?:צור|צרי|תיצור|תיצרי|ליצור|הוס(?:ף|יפי)|תוסיפי?|פתחי?)\s+(?:לי\s+)?תיקיי?ה)",
    re.IGNORECASE,
)
_ABOUT_FILE = compiled(
    rf"\s*(?:(?:the|this|old|a|file|files|folder|directory|called|named|את|ה?קובץ|ה?קבצים|ה?תיקיי?ה|של|לי)\s+)*"
    rf"(?:{PATH}|{HELD})"
)
_CHANGES = compiled(
    r"^(?:remove|delete|erase|drop|cut|strip|rename|replace|change|swap|substitute|insert|append|"
    r"put|place|prepend|add|edit|modify|move|copy|duplicate|overwrite|clear|empty|truncate|"
    r"comment out|"
    r"uncomment)\b|"
    r"^(?:מחקי?|תמחקי?|למחוק|הס(?:ר|ירי)|תסירי?|להסיר|שנ[הי]|תשנ[הי]|לשנות|החל(?:ף|יפי)|"
    r"תחליפי?|להחליף|הוס(?:ף|יפי)|תוסיפי?|להוסיף|ערוך|ערכי|תערוך|תערכי|לערוך|העב(?:ר|ירי)|"
    r"תעבירי?|להעביר|העתי?קי?|תעתיקי?|להעתיק|רוקני?|רוקן|לרוקן|הכנ(?:ס|יסי)|תכניסי?|להכניס|"
    r"הור(?:ד|ידי)|תורידי?|להוריד|הפו?כי?|תהפו?כי?)(?![א-ת])",
    re.IGNORECASE,
)
_LOOKS = compiled(
    r"^(?:show|read|open|print|display|cat|view|see|list|ls|what(?:'s| is)|give|get)\b|"
    r"^(?:הרא[הי]|תרא[הי]|להראות|הצ(?:ג|יגי)|תציגי?|פתחי?|תפתחי?|קראי?|תקראי?|לקרוא|"
    r"הדפ(?:ס|יסי)|מה|אילו)(?![א-ת])",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"(?:(?<=\s)|(?<=[\"'`“„]))(?:[בל][-־])?(?P<path>(?:/|~/|[A-Za-z]:[\\/])[\w./\\-]{1,200})"
)
_COPIES = compiled(
    r"^(?:make|create|save|take)\s+(?:me\s+)?(?:a|another)\s+(?:copy|duplicate)\s+of\b|"
    r"^(?:צור|צרי|תיצור|תיצרי|ליצור|הכ(?:ן|יני)|תכיני?|עש[הי]|תעש[הי])\s+(?:לי\s+)?(?:עותק|העתק)\s+של(?![א-ת])"
)
_COMMANDS = {
    "delete": "rm", "remove": "rm", "erase": "rm", "move": "mv", "rename": "mv", "copy": "cp",
    "duplicate": "cp", "mkdir": "mkdir", "commit": "git commit", "push": "git push",
}  # fmt: skip
_COMMANDS_HE = (
    ("מח", "rm"),
    ("תמח", "rm"),
    ("למח", "rm"),
    ("הס", "rm"),
    ("תס", "rm"),
    ("העת", "cp"),
    ("תעת", "cp"),
    ("להעת", "cp"),
)


class NeedsModel(Struct, frozen=True):
    """What only a language model can do."""

    said: str
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        return Move(text=say("needs_model", work.language, what=shown.said(self.said)), done=False)

    def answered(self, text: str, work: Work) -> None:
        return None


class NeedsCommand(Struct, frozen=True):
    """What takes a command, because no tool does it."""

    said: str
    command: str
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        told = say("no_tool", work.language, what=shown.said(self.said), command=self.command)
        run = f"הרץ `{self.command}`" if work.language == "he" else f"run `{self.command}`"
        return Move(text=told, done=False, offers=(run,))

    def answered(self, text: str, work: Work) -> None:
        return None


class NotUnderstood(Struct, frozen=True):
    """A change that is not understood, so that nothing is changed: it is no request to look."""

    said: str
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        told = say("nothing_changed", work.language, what=shown.said(self.said))
        return Move(text=told, done=False)

    def answered(self, text: str, work: Work) -> None:
        return None


class Outside(Struct, frozen=True):
    """A path that does not begin at the workspace's root."""

    path: str
    acts: ClassVar[bool] = False

    def move(self, work: Work) -> Move:
        told = say("outside", work.language, path=shown.plain(self.path))
        return Move(text=told, done=False)

    def answered(self, text: str, work: Work) -> None:
        return None


def outside(clause: Clause) -> Outside | None:
    """Read a path such as "/etc/passwd" and "~/notes" in a wish to look."""
    found = _OUTSIDE.search(clause.said)
    return Outside(found["path"].rstrip(".?!")) if found and _LOOKS.match(clause.text) else None


def changing_somehow(clause: Clause) -> NotUnderstood | None:
    """Read what begins with a verb of change and is nothing that could be done."""
    return NotUnderstood(clause.said) if _CHANGES.match(clause.text) else None


def needing_command(clause: Clause) -> NeedsCommand | None:
    """Read "delete old.txt", "rename the file a.py to b.py" and "make a copy of a.py as b.py"."""
    if _COPIES.match(clause.text) and len(both := paths_in(clause.text, clause.of)) == 2:
        return NeedsCommand(clause.said, " ".join(("cp", *both)))
    found = _FILES.match(clause.text)
    if not found:
        return None
    paths = paths_in(clause.text, clause.of)
    verb = (found["verb"] or "").lower()
    if found["make"] or found["make_he"]:
        named = re.findall(r"[\w./-]+", clause.said)
        return NeedsCommand(clause.said, f"mkdir {(paths or named)[-1]}")
    if verb in ("commit", "push"):
        return NeedsCommand(clause.said, _COMMANDS[verb])
    if not paths or not _ABOUT_FILE.match(clause.text[found.end() :]):
        return None
    name = _COMMANDS.get(verb) or next(
        (c for start, c in _COMMANDS_HE if (found["he"] or "").startswith(start)), "mv"
    )
    return NeedsCommand(clause.said, " ".join((name, *paths[:2])))


def needing_model(clause: Clause) -> NeedsModel | None:
    """Read "add a function that …", "fix the bug" and "explain app.py"."""
    return NeedsModel(clause.said) if _THINKS.match(clause.text) else None
