"""What reading a file gives: its pages, or why it cannot be read."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

MOST_PAGES = 500
MOST_PAGE_CHARS = 200_000
MOST_CHARS = 6_000_000
"""Of all pages together: some 2,000 densely printed ones."""

Problem = Literal[
    "empty",
    "wrong_type",
    "encrypted",
    "too_many_pages",
    "too_much_text",
    "too_many_passages",
    "too_heavy",
    "malformed",
    "no_text",
    "no_reader",
    "gone",
    "failed",
]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)


class Page(Struct, frozen=True):
    """The text of a page.

    Attributes:
        number: Counted from 1; None where the file has no pages: its text then comes in pieces
            that end where lines do.
        large: Which of its lines are set in larger letters than the rest, counted from 0.
    """

    number: int | None
    text: str
    large: frozenset[int] = frozenset()


class CannotRead(Exception):
    """A file that gives no text, and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem: Problem = problem


_REASONS: dict[Problem, tuple[str, str]] = {
    "empty": ("the file is empty", "הקובץ ריק"),
    "wrong_type": (
        "the content is not of the type that was announced",
        "התוכן אינו מהסוג שהוצהר עליו",
    ),
    "encrypted": (
        "the PDF is protected by a password; upload it without one",
        "קובץ ה-PDF מוגן בסיסמה; יש להעלות אותו ללא סיסמה",
    ),
    "too_many_pages": (
        f"the PDF has more than {MOST_PAGES} pages; upload it in parts",
        f"בקובץ ה-PDF יש יותר מ-{MOST_PAGES} עמודים; יש להעלות אותו בחלקים",
    ),
    "too_much_text": (
        f"the file has more than {MOST_CHARS:,} characters of text; upload it in parts",
        f"בקובץ יש יותר מ-{MOST_CHARS:,} תווים של טקסט; יש להעלות אותו בחלקים",
    ),
    "too_many_passages": (
        "the file has too many short sections; upload it in parts",
        "בקובץ יש יותר מדי סעיפים קצרים; יש להעלות אותו בחלקים",
    ),
    "no_reader": (
        "PDFs cannot be read here: the app was installed without the extra [documents]",
        "אי אפשר לקרוא כאן קובצי PDF: האפליקציה הותקנה בלי התוספת [documents]",
    ),
    "too_heavy": (
        "reading the file takes more memory or time than is allowed; save it anew, without "
        "drawings and attachments, or in parts",
        "קריאת הקובץ דורשת יותר זיכרון או זמן מהמותר; יש לשמור אותו מחדש ללא שרטוטים וקבצים "
        "מצורפים, או בחלקים",
    ),
    "malformed": (
        "the file is damaged or cut off; save it anew and upload it again",
        "הקובץ פגום או קטוע; יש לשמור אותו מחדש ולהעלות שוב",
    ),
    "no_text": (
        "no text was found; of scanned pages, upload a version with recognised text (OCR)",
        "לא נמצא טקסט; עמודים סרוקים יש להעלות אחרי זיהוי תווים (OCR)",
    ),
    "gone": ("the file was removed meanwhile", "הקובץ הוסר בינתיים"),
    "failed": (
        "reading broke off several times; upload the file again",
        "הקריאה נקטעה כמה פעמים; יש להעלות את הקובץ שוב",
    ),
}


def reason(problem: Problem) -> dict[str, str]:
    """Why a file could not be read, as its record says it: a code, and a sentence in each
    language."""
    english, hebrew = _REASONS[problem]
    return {"code": problem, "en": english, "he": hebrew}
