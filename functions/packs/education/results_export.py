"""The capability `export_data`: a course's results as a spreadsheet for its teacher.

The file has the pupils' names; the result has none, since a model reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from packs.education.analytics import bloom_name
from packs.education.blocks import Bloom
from packs.education.contents import ATTEMPTS
from packs.education.courses import COURSES, STUDENTS, Course, open_course, student_ids
from packs.education.exports import file_name
from packs.education.publishing import CourseId
from packs.education.wording import TEXTS, confirmation
from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import FileRef, Wire
from rollcall.core.texts import isolated
from rollcall.render import spreadsheet
from rollcall.render.sheet import Cell, Sheet, Table, direction
from rollcall.store.batches import where

MAX_ATTEMPTS = 20_000
"""Most attempts of a course that are counted, the newest ones."""
LEVELS: tuple[str, ...] = get_args(Bloom)
Format = Literal["xlsx", "csv"]


class DataExported(Wire):
    """What export_data returns; the file is the first of `files`.

    Attributes:
        counted_all: Whether every attempt of the course was counted.
    """

    done: str
    course_id: str
    file_name: str
    format: Format
    students: int
    attempts: int
    counted_all: bool
    files: list[FileRef]


def _preview(
    ctx: ToolContext, *, course_id: str | None, format: str, include_bloom: bool
) -> Preview:
    course = open_course(ctx, course_id)
    values = {"count": len(student_ids(ctx, course.id)), "format": format}
    arguments = {"courseId": course.id, "format": format, "includeBloom": include_bloom}
    names = {"course": course.name}
    return confirmation(ctx, "export", names, values, shows=arguments, arguments=arguments)


@capability(
    related=["get_analytics"],
    min_role="teacher",
    effect="write",
    preview=_preview,
)
def export_data(
    ctx: ToolContext,
    *,
    course_id: CourseId | None = None,
    format: Format = "xlsx",
    include_bloom: bool = True,
) -> DataExported:
    """Export the results of a course's pupils to a file, Excel or CSV, for the teacher.

    Each pupil is a row: attempts, questions answered, points, percent. The file goes to the
    teacher; names of pupils are in the file alone.

    Args:
        course_id: A course that the teacher teaches; leave out for the one at hand.
        format: The kind of file.
        include_bloom: Whether there is a column for each Bloom level.
    """
    course = open_course(ctx, course_id)
    pupils = ctx.db.collection(COURSES).document(course.id).collection(STUDENTS).stream()
    names = {each.id: str((each.to_dict() or {}).get("name") or "") for each in pupils}
    of_course = where("courseId", "==", course.id)
    query = ctx.db.collection(ATTEMPTS).where(filter=of_course)
    newest = query.order_by("startedAt", direction="DESCENDING").limit(MAX_ATTEMPTS)
    fields = ["uid", "status", "answers"]
    attempts = [each.to_dict() or {} for each in newest.select(fields).stream()]
    table = results(names, attempts, ctx.locale, with_bloom=include_bloom)
    data, content_type = table_file(course, table, ctx.locale, format)
    day = ctx.now.strftime("%Y-%m-%d")
    file = ctx.keep_file(f"{file_name(course.name)}-{day}.{format}", content_type, data)
    done = TEXTS.say(ctx.locale, "export.done", course=isolated(course.name), count=len(names))
    return DataExported(
        done=done,
        course_id=course.id,
        file_name=file.name,
        format=format,
        students=len(names),
        attempts=len(attempts),
        counted_all=len(attempts) < MAX_ATTEMPTS,
        files=[file],
    )


def results(
    names: Mapping[str, str],
    attempts: Iterable[Mapping[str, Any]],
    locale: str,
    *,
    with_bloom: bool,
) -> Table:
    """Return a table with a row for each pupil, by name; percents are of the checked answers'
    points.

    Args:
        names: User id to name of each pupil; attempts of others are left out.
    """
    header = [TEXTS.say(locale, f"export.columns.{each}") for each in _COLUMNS]
    levels = LEVELS if with_bloom else ()
    header += [f"{bloom_name(level, locale)} %" for level in levels]
    attempts_of: dict[str, list[Mapping[str, Any]]] = {uid: [] for uid in names}
    for attempt in attempts:
        if (own := attempts_of.get(str(attempt["uid"]))) is not None:
            own.append(attempt)
    rows: list[list[Cell]] = []
    for uid, name in sorted(names.items(), key=lambda pupil: (pupil[1], pupil[0])):
        own = attempts_of[uid]
        answers = [answer for attempt in own for answer in attempt["answers"].values()]
        checked = [answer for answer in answers if answer.get("points") is not None]
        points, most = _totals(checked)
        finished = sum(attempt.get("status") == "finished" for attempt in own)
        row: list[Cell] = [name or uid, len(own), finished, len(answers)]
        row += [round(points, 2), most, _percent(points, most)]
        for level in levels:
            row.append(_percent(*_totals([each for each in checked if each.get("bloom") == level])))
        rows.append(row)
    return Table(header, rows)


_COLUMNS = ("student", "attempts", "finished", "answers", "points", "max_points", "percent")


def _totals(answers: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the points of checked answers, and the most that they could have."""
    return sum(each["points"] for each in answers), sum(each["maxPoints"] for each in answers)


def _percent(points: float, most: float) -> int | None:
    return round(100 * points / most) if most else None


def table_file(course: Course, table: Table, locale: str, format: Format) -> tuple[bytes, str]:
    """Return a table as a file, and its content type."""
    if format == "csv":
        return spreadsheet.csv(table), spreadsheet.CSV
    sheet = Sheet(course.name, [table], direction=direction(locale), language=locale)
    return spreadsheet.xlsx([sheet]), spreadsheet.XLSX
