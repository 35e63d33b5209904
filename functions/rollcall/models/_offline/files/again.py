"""Messages that want the last request once more, about another file, or the lines after those."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files.creating import Append, Create
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.line_edits import EditLines
from rollcall.models._offline.files.looking import ReadFile
from rollcall.models._offline.files.masked import Masked, masked
from rollcall.models._offline.files.paths import first_path
from rollcall.models._offline.files.replacing import Replace
from rollcall.models._offline.files.work import Want

_LIKEWISE = compiled(
    r"^(?:(?:and|now|then|ok(?:ay)?|please|also)[\s,]+)*(?:"
    r"(?:(?:do|repeat|make|try)\s+)?(?:the\s+)?(?:same|it|that|this)(?:\s+thing)?(?:\s+(?:again|too))?"
    r"|(?:do\s+)?(?:it\s+)?again|likewise|what about|how about)\s+"
    r"(?:(?:for|in|with|on|to|from)\s+)?(?P<file>.{1,200}?)(?:\s+(?:too|as well|please))?$|"
    r"^(?:ו?עכשיו\s+|ו?גם\s+|ו)?(?:(?:תעש[הי]|עש[הי])\s+)?(?:את\s+)?(?:אותו\s+(?:ה?דבר|כנ״ל)|שוב|כנ[\"״]ל|מה\s+(?:לגבי|עם))\s+"
    r"(?:גם\s+)?(?:(?:ב|ל|על|עם|מ)[-־]?\s*)?(?P<file_he>.{1,200}?)(?:\s+בבקשה)?$"
)
_ALSO = compiled(
    r"^(?:and|also)\s+(?:for|in|from|on)\s+(?P<file>.{1,200})$|^וגם\s+[בלמ][-־]?(?P<file_he>.{1,200})$"
)
_INSTEAD = compiled(
    r"^(?:no|nope|sorry|wait|oops|i mean|i meant|actually)[\s,.!]+(?:(?:wait|i mean|i meant|"
    r"sorry|not that one)[\s,.]+)*"
    r"(?:(?:the\s+)?other (?:one|file)[\s,:]*)?(?:the\s+)?(?:file\s+)?"
    r"(?P<file>[\w./-]{0,100})(?:\s+file)?(?:\s+instead)?$|"
    r"^(?:לא|רגע|סליחה|התכוונתי)[\s,.!]+(?:(?:רגע|סליחה|התכוונתי)[\s,.]+)*(?:ל|את\s+)?"
    r"(?:ה?קובץ\s+(?:ה?שני|ה?אחר)[\s,:]*|ה?(?:שני|אחר)[\s,:]+)?(?:את\s+)?(?:ה?קובץ\s+)?(?:[לב][-־])?(?P<file_he>[\w./-]{0,100})$"
)
_OTHER = compiled(r"(?:the\s+)?other (?:one|file)|ה?קובץ\s+ה?(?:שני|אחר)|ה?(?:שני|אחר)")
_NEXT = compiled(
    r"^(?:and\s+)?(?:show\s+(?:me\s+)?)?(?:the\s+)?(?:next|following)(?:\s+(?P<many>\w+))??(?:\s+(?:lines?|ones?))?$|"
    r"^(?:show\s+(?:me\s+)?)?(?:more|the rest|go on|continue|keep going)(?:\s+(?:of it|please|"
    r"lines))?$|"
    r"^ו?(?:עוד|הבאות|השורות\s+הבאות)(?:\s+(?P<many_he>[\wא-ת]+))?(?:\s+(?:שורות|בבקשה))?$|"
    r"^(?:את\s+)?(?:(?P<many_next>[\wא-ת]+)\s+)?השורות\s+הבאות$|^(?:ה?המשך|תמשי[ךכ]י?|המשיכי|את "
    r"השאר)$"
)
_NUMBERS = {
    "five": 5, "ten": 10, "twenty": 20, "fifty": 50, "hundred": 100,
    "חמש": 5, "עשר": 10, "עשרים": 20, "חמישים": 50, "מאה": 100,
}  # fmt: skip


class Page(Struct, frozen=True):
    """The lines of a file that were shown last, and how many it has."""

    path: str
    start: int
    end: int
    lines: int


def next_lines(text: str, page: Page | None) -> ReadFile | None:
    """Read "and the next ten" and "the rest" by the lines that were shown last."""
    found = _NEXT.match(text.strip().rstrip(".!?").strip())
    if not found or page is None or page.end >= page.lines:
        return None
    said = found["many"] or found["many_he"] or found["many_next"] or ""
    many = int(said) if said.isdecimal() else _NUMBERS.get(said.lower())
    if (
        said
        and many is None
        and said.lower() not in ("lines", "ones", "few", "page", "part", "שורות")
    ):
        return None
    end = page.end + many if many else None
    if many is None and said:
        end = page.end + page.end - page.start + 1
    return ReadFile(page.path, page.end + 1, None if end is None else min(end, page.lines))


def once_more(text: str, wants: Sequence[Want | None], known: Sequence[str]) -> Want | None:
    """Read "do it again for b.py" and "no, the other file" as the last want about another file.

    Args:
        wants: What the last message wanted.
        known: The files that were spoken of, the newest last.
    """
    of = masked(text.strip().rstrip(".!?").strip())
    likewise = _LIKEWISE.match(of.text) or _ALSO.match(of.text)
    instead = None if likewise else _INSTEAD.match(of.text)
    found = likewise or instead
    about = [want for want in wants if want is not None and file_of(want)]
    if found is None or len(wants) != 1 or not about:
        return None
    if (
        instead and about[0].acts
    ):  # what was written stays, unless it is said what is to become of it
        return None
    file = _file(found, of, known)
    if not file:
        return None
    if instead and isinstance(about[0], ReadFile):  # its lines were the other file's
        return ReadFile(file, counts=about[0].counts)
    return with_file(about[0], file)


def _file(found: re.Match[str], of: Masked, known: Sequence[str]) -> str | None:
    said = (found["file"] or found["file_he"] or "").strip()
    if path := first_path(said, of):
        return path
    if said and not _OTHER.fullmatch(said):
        return said if re.fullmatch(r"[A-Za-z][\w-]*", said) and found.re is _INSTEAD else None
    others = list(dict.fromkeys(known))
    if not _OTHER.search(of.text) or len(others) != 2:
        return None
    return others[0] if known[-1] == others[1] else others[1]


def file_of(want: Want) -> str | None:
    """The file that a want is about; None where it is about none, or several."""
    if isinstance(want, EditLines | Replace):
        return want.file
    return want.path if isinstance(want, Append | Create | ReadFile) else None


def with_file(want: Want, file: str) -> Want | None:
    """The same want about another file."""
    if isinstance(want, EditLines | Replace):
        return replace(want, file=file)
    return replace(want, path=file) if isinstance(want, Append | Create | ReadFile) else None
