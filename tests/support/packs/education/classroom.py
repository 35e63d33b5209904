"""A made-up class on the emulator: two teachers, their courses, pupils, material."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from google.cloud.firestore import Client

from packs.education.blocks import Item, choices, item
from packs.education.contents import CONTENTS, Content, content_documents
from packs.education.courses import COURSES, STUDENTS
from rollcall.core.capability import Capability, plain
from rollcall.core.context import ToolContext, User
from rollcall.core.shapes import Role
from rollcall.store.made_files import keeper
from tests.support.local_functions import LocalPlatform

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
ITEMS = [
    item(
        "choice",
        "כמה הם חצי ועוד רבע?",
        options=choices(["3/4", "2/6"]),
        points=10,
        bloom="apply",
        source={"title": "ספר", "page": 3, "quote": "the answer is three quarters"},
        key={
            "correct": ["a"],
            "feedback": "secret feedback",
            "check": "1/2+1/4",
            "hint": "a hint",
        },
    ),
    item("numeric", "1/2 + 1/2 = ?", points=5, bloom="remember", key={"value": "1"}),
    item(
        "order",
        "סדרו מהקטן לגדול",
        options=choices(["1/4", "1/3", "1/2", "2/3", "3/4", "1"]),
        points=5,
        key={"correct": ["a", "b", "c", "d", "e", "f"]},
    ),
    item("table", "", rows=[["א", "ב"], ["1", "2"]]),
    item("open", "הסבירו מדוע.", points=5, key={"sample": "secret sample"}),
]


def add_course(db: Client, id: str, teachers: list[str], pupils: int = 6, **fields: Any) -> None:
    """Store a course whose pupils are `<id>-1`, `<id>-2` …, with names that nobody else has."""
    place = db.collection(COURSES).document(id)
    place.set({"name": f"Course {id}", "teacherIds": teachers, "schemaVersion": 1, **fields})
    for number in range(1, pupils + 1):
        uid = f"{id}-{number}"
        data = {"uid": uid, "name": f"Zipora{number} Levi", "schemaVersion": 1}
        place.collection(STUDENTS).document(uid).set(data)


def add_content(
    db: Client, id: str, uid: str, items: list[Item] = ITEMS, **fields: Any
) -> dict[str, Any]:
    """Store a content of somebody's with its blocks and keys; return its document."""
    given = {"kind": "activity", "title": f"Fractions {id}", "topic": "שברים", "subject": "math"}
    given |= {"grade": "ד", "generator": "offline", **fields}
    content, parts = content_documents(id, Content.model_validate({"uid": uid, **given}), items)
    place = db.collection(CONTENTS).document(id)
    data = {**content.dump(), "createdAt": NOW, "updatedAt": NOW, "schemaVersion": 1}
    place.set(data)
    for path, part in parts.items():
        db.document(f"{CONTENTS}/{id}/{path}").set(part)
    return data


def add_attempt(
    db: Client,
    uid: str,
    course_id: str = "math4",
    *,
    days_ago: float = 0,
    answers: dict[str, tuple[str | None, float]],
    title: str = "Fractions",
    content_id: str = "c",
    points: int = 10,
) -> None:
    """Store an attempt with answers by block id: a Bloom level, and the share of the points."""
    stored = {
        id: {"tries": 1, "given": "a", "points": points * score, "maxPoints": points}
        | ({"bloom": bloom} if bloom else {})
        for id, (bloom, score) in answers.items()
    }
    data = {
        "uid": uid, "courseId": course_id, "contentId": content_id, "title": title,
        "version": 1, "answers": stored, "startedAt": NOW - timedelta(days=days_ago),
        "status": "finished",
    }  # fmt: skip
    db.collection("attempts").add(data)


def context(
    db: Client,
    uid: str = "ada",
    *,
    role: Role = Role.TEACHER,
    writes: bool = False,
    tenant: str | None = None,
    locale: str = "en",
    key: str = "key",
    **client: Any,
) -> ToolContext:
    """The context of somebody's call; pupils' are made with `role=Role.STUDENT`."""
    return ToolContext(
        user=User(uid, role, tenant),
        platform=LocalPlatform(db),
        locale=locale,
        now=NOW,
        context=client,
        effects=db.batch() if writes else None,
        effect_key=key if writes else None,
        file_keeper=keeper(lambda: db, uid, now=NOW),
    )


def write(ctx: ToolContext, capability: Any, /, **given: Any) -> dict[str, Any]:
    """Call an atomic write and commit its batch; return its result as plain JSON."""
    result: dict[str, Any] = plain(capability(ctx, **given))
    ctx.batch.commit()
    return result


def preview(ctx: ToolContext, capability: Any, /, **given: Any) -> Any:
    """What a person is shown before a write."""
    return Capability.of(capability).preview(ctx, given)
