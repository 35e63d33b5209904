"""The capability `get_analytics`: figures about the pupils of a teacher's own courses.

Figures describe groups of pupils. A group of fewer than `MIN_PUPILS` is suppressed, and so is a
figure from which the reader could derive one by subtraction: from a total, several courses, or a
longer time. A pupil is named by id only, when the teacher asks for that pupil; names are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Annotated, Any, Literal, get_args

from msgspec import Struct
from pydantic import Field

from packs.education.blocks import Bloom
from packs.education.contents import ATTEMPTS
from packs.education.courses import Course, is_student, open_course, own_courses
from packs.education.publishing import CourseId
from packs.education.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated
from rollcall.store.batches import where

MIN_PUPILS = 5
MAX_ATTEMPTS = 5_000
"""Most attempts of one course that are read, the newest ones."""
MAX_COURSES = 20
TimeRange = Literal["week", "month", "semester", "year"]
DAYS: dict[TimeRange, int] = {"year": 365, "semester": 150, "month": 30, "week": 7}
"""Longest first."""
VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"


class AnswerRecord(Struct, frozen=True):
    """A checked answer.

    Attributes:
        title: The title of its content when the pupil began.
        max_points: The points of its question.
    """

    uid: str
    course_id: str
    content_id: str
    title: str
    bloom: str
    at: datetime
    points: float
    max_points: float


Answers = Sequence[AnswerRecord]
_GROUPINGS = ("bloom", "content_id", "course_id")
"""The fields by whose values answers are grouped."""


class Figure(Wire):
    """Figures of a group of answers: how many students gave them, and the percent of points."""

    name: str
    students: int
    answers: int
    percent: int


class Analytics(Wire):
    """What get_analytics returns.

    Attributes:
        answer: The result in words.
        total: None where it is suppressed, or nothing was answered.
        suppressed: How many groups are left out because they have too few pupils.
        looked_at_all: Whether every attempt of the courses was read.
    """

    answer: str
    course_ids: list[str]
    student_id: str | None = None
    time_range: TimeRange | None = None
    total: Figure | None = None
    by_bloom: list[Figure]
    by_content: list[Figure]
    by_course: list[Figure]
    suppressed: int
    looked_at_all: bool


@capability(related=["export_data"], min_role="teacher")
def get_analytics(
    ctx: ToolContext,
    *,
    student_id: Annotated[str, Field(min_length=1, max_length=128)] | None = None,
    course_id: CourseId | None = None,
    time_range: TimeRange | None = None,
) -> Analytics:
    """Show how the pupils of the teacher's own courses are doing, by Bloom level and by material.

    Groups of fewer than five pupils are not told. Pupils' names are never given.

    Args:
        student_id: One pupil alone, by id; only where the teacher asks for that pupil.
        course_id: One course; leave out for the one at hand, or for all that the teacher teaches.
        time_range: How far back; leave out for everything.
    """
    courses = _courses(ctx, course_id)
    if student_id is not None:
        courses = [each for each in courses if is_student(ctx, each.id, student_id)]
        if not courses:
            raise PermissionDenied(TEXTS.text("errors.not_your_pupil"), field="studentId")
    answers, is_all = _answers(ctx, courses, student_id)
    if student_id is not None:
        reported, hidden = _within(answers, time_range, ctx.now), 0
        groups = {name: _grouped(reported, attrgetter(name)) for name in _GROUPINGS}
    else:
        reported, hidden, groups = _reported_groups(answers, time_range, ctx.now)
    levels = {level: bloom_name(level, ctx.locale) for level in (*get_args(Bloom), "none")}
    # The newest titles in the order of the first answers, which shows the progress of a class.
    titles = {each.content_id: each.title for each in sorted(reported, key=attrgetter("at"))}
    names = {each.id: each.name for each in courses}
    result = Analytics(
        answer="",
        course_ids=[each.id for each in courses],
        student_id=student_id,
        time_range=time_range,
        total=_figure(TEXTS.say(ctx.locale, "analytics.total"), reported) if reported else None,
        by_bloom=_figures(groups["bloom"], levels),
        by_content=_figures(groups["content_id"], titles),
        by_course=_figures(groups["course_id"], names),
        suppressed=hidden,
        looked_at_all=is_all,
    )
    _show(ctx, result)
    return result.model_copy(update={"answer": _answer_text(ctx.locale, result, bool(answers))})


def bloom_name(level: str, locale: str) -> str:
    """Return the name of a Bloom level; "none" stands for questions without one."""
    return TEXTS.say(locale, f"bloom.{level}")


def _courses(ctx: ToolContext, course_id: str | None) -> list[Course]:
    if course_id is not None or ctx.context.get("courseId") is not None:
        return [open_course(ctx, course_id)]
    taught = list(own_courses(ctx).values())
    if not taught:
        raise InvalidArgument(TEXTS.text("errors.teaches_nothing"), field="courseId")
    if len(taught) > MAX_COURSES:
        raise InvalidArgument(TEXTS.text("errors.teaches_many"), field="courseId")
    return taught


def _answers(
    ctx: ToolContext, courses: Iterable[Course], student_id: str | None
) -> tuple[list[AnswerRecord], bool]:
    """Return the checked answers of these courses' attempts, and whether they are all."""
    found: list[AnswerRecord] = []
    is_all = True
    for course in courses:
        query = ctx.db.collection(ATTEMPTS).where(filter=where("courseId", "==", course.id))
        if student_id is not None:
            query = query.where(filter=where("uid", "==", student_id))
        newest = query.order_by("startedAt", direction="DESCENDING").limit(MAX_ATTEMPTS)
        attempts = [each.to_dict() or {} for each in newest.stream()]
        is_all = is_all and len(attempts) < MAX_ATTEMPTS
        for attempt in attempts:
            for answer in attempt["answers"].values():
                if answer.get("points") is None or not answer["maxPoints"]:
                    continue
                found.append(
                    AnswerRecord(
                        uid=attempt["uid"],
                        course_id=course.id,
                        content_id=attempt["contentId"],
                        title=attempt["title"],
                        bloom=answer.get("bloom") or "none",
                        at=attempt["startedAt"],
                        points=answer["points"],
                        max_points=answer["maxPoints"],
                    )
                )
    return found, is_all


def students_of(answers: Answers) -> int:
    """Return how many pupils gave these answers."""
    return len({each.uid for each in answers})


def reportable(answers: Answers, time_range: TimeRange | None, now: datetime) -> Answers | None:
    """Return a group's answers within a time; None where they must be suppressed.

    They are reported if they come from enough pupils and if, for each longer time that is reported,
    its other answers come from enough pupils or none.
    """
    longer: list[Answers] = []
    ranges: tuple[TimeRange | None, ...] = (None, *DAYS)
    for each in ranges:
        within = _within(answers, each, now)
        counted = set(map(id, within))
        beside = [
            students_of([answer for answer in reported if id(answer) not in counted])
            for reported in longer
        ]
        is_reported = students_of(within) >= MIN_PUPILS and not any(
            0 < n < MIN_PUPILS for n in beside
        )
        if each == time_range:
            return within if is_reported else None
        if is_reported:
            longer.append(within)
    raise ValueError(f"no such time: {time_range!r}")


def reportable_groups(
    answers: Answers,
    key: Callable[[AnswerRecord], str],
    time_range: TimeRange | None,
    now: datetime,
) -> tuple[dict[str, Answers], int]:
    """Return the groups that may be reported beside their total, and how many are suppressed.

    The rest of the total must come from enough pupils too: the smallest groups join it until it
    does.
    """
    groups = _grouped(answers, key)
    within = {name: _within(group, time_range, now) for name, group in groups.items()}
    reported = {
        name: found
        for name, group in groups.items()
        if (found := reportable(group, time_range, now)) is not None
    }
    while reported:
        rest = [each for name, group in within.items() if name not in reported for each in group]
        if not 0 < students_of(rest) < MIN_PUPILS:
            break
        del reported[
            min(reported, key=lambda name: (students_of(reported[name]), len(reported[name]), name))
        ]
    return reported, sum(bool(group) for name, group in within.items() if name not in reported)


def _grouped(
    answers: Answers, key: Callable[[AnswerRecord], str]
) -> dict[str, Sequence[AnswerRecord]]:
    groups: dict[str, list[AnswerRecord]] = {}
    for each in answers:
        groups.setdefault(key(each), []).append(each)
    return dict(groups)


def _reported_groups(
    answers: Answers, time_range: TimeRange | None, now: datetime
) -> tuple[Answers, int, dict[str, dict[str, Answers]]]:
    """Return the answers of the total, the number of suppressed groups, and the others."""
    of_courses = _grouped(answers, attrgetter("course_id"))
    reported_courses = {
        id for id, group in of_courses.items() if reportable(group, time_range, now) is not None
    }
    # A total over courses counts only those that are reported by themselves.
    counted = [each for each in answers if each.course_id in reported_courses]
    total = reportable(counted, time_range, now) if counted else None
    hidden = sum(
        bool(_within(of_courses[id], time_range, now))
        for id in of_courses.keys() - reported_courses
    )
    groups: dict[str, dict[str, Answers]] = {name: {} for name in _GROUPINGS}
    for name in _GROUPINGS if total is not None else ():
        groups[name], more = reportable_groups(counted, attrgetter(name), time_range, now)
        hidden += more
    return total or (), hidden, groups


def _figures(groups: Mapping[str, Answers], names: Mapping[str, str]) -> list[Figure]:
    """Return the figures of groups, in the order of their names."""
    return [_figure(name, groups[id]) for id, name in names.items() if id in groups]


def _within(answers: Answers, time_range: TimeRange | None, now: datetime) -> Answers:
    if time_range is None:
        return answers
    since = now - timedelta(days=DAYS[time_range])
    return [each for each in answers if each.at >= since]


def _figure(name: str, answers: Answers) -> Figure:
    points, most = sum(each.points for each in answers), sum(each.max_points for each in answers)
    return Figure(
        name=name,
        students=students_of(answers),
        answers=len(answers),
        percent=round(100 * points / most),
    )


def _answer_text(locale: str, result: Analytics, has_answers: bool) -> str:
    parts = []
    if result.total is not None:
        values = result.total.model_dump(exclude={"name"})
        key = "analytics.found_one" if result.student_id else "analytics.found"
        parts.append(TEXTS.say(locale, key, count=values["answers"], **values))
    elif has_answers and result.student_id is None:
        parts.append(TEXTS.say(locale, "analytics.too_few", fewest=MIN_PUPILS))
    else:
        parts.append(TEXTS.say(locale, "analytics.nothing"))
    if result.suppressed and result.total is not None:
        parts.append(TEXTS.say(locale, "analytics.suppressed", count=result.suppressed))
    if not result.looked_at_all:
        parts.append(TEXTS.say(locale, "analytics.newest", most=MAX_ATTEMPTS))
    return " ".join(parts)


def _show(ctx: ToolContext, result: Analytics) -> None:
    """Show the figures as a table, with a chart of the Bloom levels."""
    if result.total is None:
        return
    words: dict[str, Any] = TEXTS.data(ctx.locale, "analytics.columns")
    figures = [result.total, *result.by_bloom, *result.by_content, *result.by_course]
    rows = [
        {words["name"]: isolated(each.name)}
        | {words[name]: getattr(each, name) for name in ("students", "answers", "percent")}
        for each in figures
    ]
    bars = [{"name": each.name, "percent": each.percent} for each in result.by_bloom]
    chart = {
        "$schema": VEGA_LITE,
        "title": TEXTS.say(ctx.locale, "analytics.chart"),
        "data": {"values": bars},
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": "name", "type": "nominal", "title": words["name"], "sort": None},
            "y": {
                "field": "percent",
                "type": "quantitative",
                "title": words["percent"],
                "scale": {"domain": [0, 100]},
            },
        },
    }
    ctx.show(
        Display(
            type="chart" if bars else "table",
            title=TEXTS.say(ctx.locale, "analytics.title"),
            columns=list(words.values()),
            rows=rows,
            chart=chart if bars else None,
        )
    )
