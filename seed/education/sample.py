"""The sample's class: two courses of 30 pupils, fourteen weekly activities, 400 attempts.

`courses.json` has the courses and the names. Activities and answers are made from one fixed seed of
chance, so that each loading writes the same but for the dates, which count back from the day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from packs.education.answers import check_answer
from packs.education.blocks import Item, choices, item
from packs.education.contents import CONTENTS, SCHEMA_VERSION, Content, block_id, content_documents
from packs.education.courses import COURSES, STUDENTS
from rollcall.store.seeding import SeedResult, read_seed

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.context import Platform
    from seed.screen import Screen

COLLECTIONS = frozenset({"courses"})
"""Collections whose files are written here, not by the plain loader."""

ATTEMPTS = 400
WEEKS = 12
STANDARDS_FILE = Path(__file__).parent / "curriculumStandards.json"
_FILE = Path(__file__).parent / "courses.json"
_AT_ONCE = 300
_HEBREW = (
    ("רבים של שמות עצם", {"ספר": "ספרים", "ילדה": "ילדות", "שולחן": "שולחנות", "לילה": "לילות"}),
    ("מילים נרדפות", {"שמח": "עליז", "עצוב": "נוגה", "מהיר": "זריז", "דרך": "נתיב"}),
)
"""Made of words alone: what is to be matched with what."""

Documents = dict[str, dict[str, Any]]


def load(platform: Platform, screen: Screen) -> list[SeedResult]:
    """Write the class with its material and its work."""
    found = documents(today=datetime.now(UTC).date())
    written = _write(platform.db, found)
    return [SeedResult("courses", "sample", written, len(found) - written)]


def documents(*, today: date) -> Documents:
    """Return all documents of the class by path."""
    found = dict(_courses(today))
    pupils = [path.rpartition("/")[2] for path in found if path.startswith("courses/math4/st")]
    made = list(_activities())
    for weeks_ago, (id, content, items) in zip(range(len(made), 0, -1), made, strict=True):
        when = _moment(today, weeks_ago)
        stored, parts = content_documents(id, content, items)
        times = {"createdAt": when, "updatedAt": when, "schemaVersion": SCHEMA_VERSION}
        found[f"{CONTENTS}/{id}"] = {**stored.dump(), **times}
        found |= {f"{CONTENTS}/{id}/{path}": data for path, data in parts.items()}
    found |= dict(zip(_attempt_paths(), _attempts(today, made, pupils), strict=False))
    return found


def _courses(today: date) -> Iterator[tuple[str, dict[str, Any]]]:
    for id, data in read_seed(_FILE).documents.items():
        own = {key: value for key, value in data.items() if key != "students"}
        when = _moment(today, 20)
        yield f"{COURSES}/{id}", {**own, "createdAt": when, "schemaVersion": SCHEMA_VERSION}
        for uid, name in data["students"].items():
            place = f"{COURSES}/{id}/{STUDENTS}/{uid}"
            yield place, {"uid": uid, "name": name, "schemaVersion": SCHEMA_VERSION}


def _activities() -> Iterator[tuple[str, Content, list[Item]]]:
    for week in range(1, WEEKS + 1):
        chance = Random(week)
        items = [_product(chance), _product(chance), _larger(chance), _part(chance), _sum(chance)]
        id, title = f"sample-math-{week:02d}", f"תרגול שבועי {week}: כפל ושברים"
        yield id, _content(title, "כפל ושברים", "math", "math4"), items
    for number, (topic, pairs) in enumerate(_HEBREW, 1):
        content = _content(topic, topic, "hebrew", "hebrew4")
        yield f"sample-hebrew-{number}", content, [_match(pairs)]


def _content(title: str, topic: str, subject: Any, course: str) -> Content:
    return Content(
        uid="demo",
        kind="activity",
        title=title,
        topic=topic,
        subject=subject,
        grade="ד",
        generator="offline",
        status="published",
        course_id=course,
        max_tries=1,
    )


def _product(chance: Random) -> Item:
    a, b = chance.randint(3, 9), chance.randint(11, 99)
    key = {"value": str(a * b), "check": f"{a}*{b}"}
    return item(
        "numeric", f"כמה הם {a} × {b}?", points=10, bloom="apply", basis="computed", key=key
    )


def _larger(chance: Random) -> Item:
    low, high = sorted(chance.sample(range(2, 12), 2))
    options = choices([f"1/{high}", f"1/{low}"])
    key = {"correct": ["b"], "check": f"1/{low} > 1/{high}"}
    stem = "איזה שבר גדול יותר?"
    return item(
        "choice", stem, options=options, points=10, bloom="understand", basis="computed", key=key
    )


def _part(chance: Random) -> Item:
    share = Fraction(1, chance.choice((2, 3, 4, 5)))
    whole = share.denominator * chance.randint(4, 20)
    key = {"value": str(whole * share), "check": f"{whole}*{share}"}
    stem = f"כמה הם {share} מתוך {whole}?"
    return item("numeric", stem, points=10, bloom="apply", basis="computed", key=key)


def _sum(chance: Random) -> Item:
    below = chance.choice((5, 7, 8, 9))
    a, b = chance.randint(1, below - 2), 1
    key = {"value": str(Fraction(a + b, below)), "check": f"{a}/{below}+{b}/{below}"}
    stem = f"כמה הם {a}/{below} + {b}/{below}?"
    return item("numeric", stem, points=10, bloom="analyze", basis="computed", key=key)


def _match(pairs: dict[str, str]) -> Item:
    left, right = choices(list(pairs)), choices(list(pairs.values()))
    key = {"pairs": {option.id: option.id for option in left}}
    return item(
        "match", "התאימו.", options=left, targets=right, points=20, bloom="remember", key=key
    )


def _attempt_paths() -> Iterator[str]:
    for number in range(1, ATTEMPTS + 1):
        yield f"attempts/sample-{number:03d}"


def _attempts(
    today: date, made: list[tuple[str, Content, list[Item]]], pupils: list[str]
) -> Iterator[dict[str, Any]]:
    """A pupil's answers to each activity; each pupil does better or worse by habit."""
    for weeks_ago, (id, content, items) in zip(range(len(made), 0, -1), made, strict=True):
        for pupil in pupils:
            chance = Random(f"{id} {pupil}")
            skill = 0.35 + 0.6 * Random(pupil).random()
            answers = {
                block_id(id, number): _answer(each, is_right=chance.random() < skill)
                for number, each in enumerate(items, 1)
            }
            begun = _moment(today, weeks_ago) + timedelta(days=1, minutes=chance.randint(0, 600))
            yield {
                "schemaVersion": SCHEMA_VERSION,
                "uid": pupil,
                "contentId": id,
                "courseId": content.course_id,
                "version": 1,
                "title": content.title,
                "topic": content.topic,
                "status": "finished",
                "startedAt": begun,
                "finishedAt": begun + timedelta(minutes=chance.randint(5, 40)),
                "answers": answers,
                "questions": len(items),
                "points": sum(each["points"] for each in answers.values()),
                "maxPoints": sum(each.block.points for each in items),
            }


def _answer(each: Item, *, is_right: bool) -> dict[str, Any]:
    """An answer as `answer_block` stores it, checked by the same code."""
    ids = [option.id for option in each.block.options]
    given: Any = each.key.value if is_right else "0"
    if each.block.kind == "choice":
        given = (
            each.key.correct[0] if is_right else next(i for i in ids if i != each.key.correct[0])
        )
    if each.block.kind == "match":
        turned = [*ids[1:], ids[0]]
        given = each.key.pairs if is_right else dict(zip(ids, turned, strict=True))
    found = check_answer(each.block, each.key, given)
    return {
        "tries": 1,
        "given": given,
        "correct": found.correct,
        "points": found.points,
        "maxPoints": each.block.points,
        "bloom": each.block.bloom,
    }


def _moment(today: date, weeks_ago: int) -> datetime:
    return datetime.combine(today - timedelta(weeks=weeks_ago), time(8), UTC)


def _write(db: Client, found: Documents) -> int:
    """Write the documents that are missing or differ, and return how many these are."""
    written = 0
    paths = list(found)
    for start in range(0, len(paths), _AT_ONCE):
        places = [db.document(path) for path in paths[start : start + _AT_ONCE]]
        stored = {each.reference.path: each.to_dict() for each in db.get_all(places)}
        batch = db.batch()
        changed = [place for place in places if stored.get(place.path) != found[place.path]]
        for place in changed:
            batch.set(place, found[place.path])
        batch.commit()
        written += len(changed)
    return written
