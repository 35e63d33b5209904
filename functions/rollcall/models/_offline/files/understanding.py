"""What a message wants of the files: a want for each of its clauses, in order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files.again import Page, next_lines, once_more
from rollcall.models._offline.files.changing import (
    appending,
    creating,
    describes,
)
from rollcall.models._offline.files.clauses import Clause, clauses
from rollcall.models._offline.files.creating import Create
from rollcall.models._offline.files.declining import (
    NeedsModel,
    NotUnderstood,
    changing_somehow,
    needing_command,
    needing_model,
    outside,
)
from rollcall.models._offline.files.finding import searching
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.lining import changing_lines, touches_line
from rollcall.models._offline.files.ordering import running
from rollcall.models._offline.files.paths import paths_in
from rollcall.models._offline.files.renaming import renaming_file
from rollcall.models._offline.files.seeking import ending, listing, reading
from rollcall.models._offline.files.sizing import sized
from rollcall.models._offline.files.swapping import removing, replacing
from rollcall.models._offline.files.work import Want
from rollcall.models._offline.follow import place

_REPORTS = compiled(
    r"^(?:tell|say|report|let me know|give me|show|see|summari[sz]e|check)\b.{0,80}$|"
    r"^(?:what|which|how|whether|if)\b.{0,40}\b(?:fail(?:s|ed|ing)?|happens|happened|"
    r"result|went|goes|broke|pass(?:es|ed)?|says?)\b.{0,30}$|"
    r"^(?:תגידי?|ספרי?|תספרי?|אמור|אמרי|דווחי?|תדווחי?|הרא[הי]|תרא[הי]|עדכני?|תעדכני?|"
    r"מה (?:קרה|יצא|נכשל|התוצאה)|ציי?ני?)(?![א-ת]).{0,80}$",
    re.IGNORECASE | re.DOTALL,
)
_LINES = compiled(r"\blines?\b|(?<![א-ת])ה?שור(?:ה|ות)(?![א-ת])")
_SOME_LINES = compiled(
    r"^(?:show|read|print|display|see|view)\b.*\b(?:lines?\s+\d|(?:last|first|top|bottom)\s+\d+\s+lines?)|"
    r"^(?:הרא[הי]|תרא[הי]|הצ(?:ג|יגי)|תציגי?|הדפ(?:ס|יסי))(?![א-ת]).*(?:שור(?:ה|ות)\s+\d|\d\s+ה?שורות)"
)
_IN_SOME = compiled(r"\b(?:in|of|from|it)\b|\.\w+$")
_TELLS = compiled(
    r"^(?:tell|let me know|report|say|תגידי?|ספרי?|תספרי?|דווחי?|תדווחי?)\b"
    r"(?!.*\b(?:why|למה|מדוע)\b)"
)
_MEANS_LAST = compiled(
    r"(?<![\w-])(?:it|that (?:one|file)|this (?:one|file)|the (?:same )?file|"
    r"the new file)(?![\w-])|"
    r"(?<![א-ת])(?:אותו|אותה|הקובץ(?: הזה| ההוא| החדש)?)(?![א-ת])",
    re.IGNORECASE,
)
_INSIDE = compiled(
    r"(?<![א-ת])(?:בקובץ(?: הזה)?|לקובץ(?: הזה)?|מהקובץ(?: הזה)?|אליו|בו|ממנו)(?![א-ת])"
)
_LEANS = compiled(
    r"^(?:show|read|open|print|display|cat|view|append|add|insert|replace|change|rename|"
    r"remove|delete|erase|put|write|what|see|how many|how long|"
    r"מחקי?|תמחקי?|הס(?:ר|ירי)|תסירי?|הכנ(?:ס|יסי)|תכניסי?|"
    r"הרא[הי]|תרא[הי]|קראי?|תקראי?|פתחי?|תפתחי?|הצ(?:ג|יגי)|תציגי?|הוס(?:ף|יפי)|תוסיפי?|"
    r"החל(?:ף|יפי)|תחליפי?|שנ[הי]|תשנ[הי]|מה|כמה|הדפ(?:ס|יסי))(?![א-ת])",
    re.IGNORECASE,
)


class Before(Struct, frozen=True):
    """What was spoken of before a message.

    Args:
        path: The file that was read, written or found last.
        listed: The paths that were told last.
        command: The command that was run last.
        page: The lines that were shown last.
        known: The files that were read or written, the newest last.
        wants: What the message before wanted.
    """

    path: str | None = None
    listed: Sequence[str] = ()
    command: str | None = None
    page: Page | None = None
    known: Sequence[str] = ()
    wants: Sequence[Want | None] = ()


class Wanted(Struct, frozen=True):
    """A clause, as it was written, and what it wants; None where it is not understood."""

    said: str
    want: Want | None


def understood(text: str, before: Before) -> list[Wanted]:
    """Return what a message wants; a part that only asks to be told of the rest wants nothing."""
    last = next_lines(text, before.page) or once_more(text, before.wants, before.known)
    if last:
        return [Wanted(text, last)]
    found: list[Wanted] = []
    for clause in clauses(text):
        wants = [] if clause.is_cut else _wants(_pointed(clause, before), before)
        if found and _TELLS.match(clause.text) and isinstance(next(iter(wants), None), NeedsModel):
            continue
        found += [Wanted(clause.said, want) for want in wants]
        paths = paths_in(clause.text, clause.of)
        before = replace(before, path=paths[-1]) if paths else before
        reports = found and _REPORTS.match(clause.text) and not _LINES.search(clause.text)
        if not wants and not reports:
            found.append(Wanted(clause.said, None))
    return found


def _wants(clause: Clause, before: Before) -> list[Want]:
    """The wants of a clause: several where it names several files."""
    if line := changing_lines(clause, before.path):
        return [line]
    if touches_line(clause):
        return [NotUnderstood(clause.said)]
    if needing := removing(clause) or renaming_file(clause) or needing_command(clause):
        return [needing]
    if extreme := sized(clause):
        return [extreme]
    change = _change(clause)
    if change:
        return [change]
    if ends := ending(clause):
        return [ends]
    ordered = running(clause, before.command) or searching(clause) or needing_model(clause)
    if ordered:
        return [ordered]
    if unclear := changing_somehow(clause) or outside(clause):
        return [unclear]
    read = reading(clause)
    if read:
        return list(read)
    listed = listing(clause)
    return [listed] if listed else []


def _change(clause: Clause) -> Want | None:
    added = appending(clause) or replacing(clause)
    if added:
        return added
    created = creating(clause)
    if created is None:
        return None
    if created.content is None and not created.overwrites and _is_described(clause, created):
        return NeedsModel(clause.said)
    return created


_PLAIN = compiled(
    r"(?:create|make|write|save|start|add|put|generate|touch|a|an|the|new|empty|blank|text|file|files|"
    r"called|named|me|us|my|for me|with|in|into|at|content|contents|"
    r"צור|צרי|תיצור|תיצרי|תצור|ליצור|כתוב|כתבי|"
    r"תכתוב|תכתבי|שמור|שמרי|הכן|הכיני|תכין|תכיני|הוסף|הוסיפי|תוסיף|שימי?|שים|פתח|פתחי|את|לי|קובץ|הקובץ|"
    r"לקובץ|בקובץ|בשם|שנקרא|ששמו|חדש|ריק|טקסט|עם|תוכן|התוכן)"
)


def _is_described(clause: Clause, created: Create) -> bool:
    """Whether a file's content is wanted in other words than its own."""
    if clause.rest is not None:
        return describes(clause.rest)
    if created.path is None:
        return False
    words = clause.said.replace(created.path, " ").split()
    plain = (word.strip(".,:!?\"'`“”") for word in words)
    return not all(_PLAIN.fullmatch(word) for word in plain if word)


def _pointed(clause: Clause, before: Before) -> Clause:
    """The clause with the file that "it" or "the second one" means in its place."""
    if paths_in(clause.text, clause.of) or (clause.rest is not None and len(clause.text) > 60):
        return clause
    which = place(clause.of.source(clause.text)) if before.listed else None
    if which is not None and -len(before.listed) <= which < len(before.listed):
        return replace(clause, text=f"show {before.listed[which]}")
    if before.path is None or not _LEANS.match(clause.text):
        return clause
    if _SOME_LINES.search(clause.text) and not _IN_SOME.search(clause.text):
        return replace(clause, text=f"{clause.text} {before.path}")
    if inside := _INSIDE.search(clause.text):
        return _with_path(clause, inside, f"בקובץ {before.path}")
    last = _MEANS_LAST.search(clause.text)
    return _with_path(clause, last, before.path) if last else clause


def _with_path(clause: Clause, match: re.Match[str], path: str) -> Clause:
    text = f"{clause.text[: match.start()]}{path}{clause.text[match.end() :]}"
    return replace(clause, text=text)
