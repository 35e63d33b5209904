"""How lessons and activities look, in every language, look and width: axe finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from rollcall.store.client import database
from tests.clients.web.conftest import Served
from tests.clients.web.packs.education.classroom import Classroom, every_kind
from tests.clients.web.school import LANGUAGES, TEXTS, Enter, findings, post
from tests.support.full_form import IS_FULL, cases
from tests.support.packs.education.classroom import add_attempt

WIDTHS = (360, 768, 1280)
Theme = tuple[Literal["light", "dark"], str]
THEMES: tuple[Theme, ...] = (
    ("light", "light"),
    ("dark", "dark"),
    ("light", "contrast"),
    ("dark", "contrast"),
)
ZOOMED = ((640, 360), (320, 180))
"""A screen of 1280 by 720 at 200 % and at 400 %."""
Prepare = Callable[[Page, dict[str, Any]], None]


@dataclass(frozen=True)
class School:
    """A class with a lesson that is under way, one that is over, and activities."""

    classroom: Classroom
    views: dict[str, dict[str, Prepare]]
    """Of each person what is looked at: an address, and what is done there first."""


@pytest.fixture(scope="module")
def school(served: Served) -> School:
    room = Classroom(database())
    teacher, pupil = room.people["teacher"], room.people["pupil"]
    keyword = {"type": "keyword", "keywords": ["soup", "מרק"]}
    lesson = {
        "title": "הזמנה במסעדה · Ordering",
        "courseId": room.course,
        "conversationPrompt": "Play a waiter.",
        "tasks": [{"text": "Order soup"}, {"text": "לבקש חשבון"}],
        "toolConfiguration": {
            "tools": [
                {"toolId": "mark_for_review", "enabled": True, "triggerCondition": keyword},
                {
                    "toolId": "show_session_summary",
                    "enabled": True,
                    "triggerCondition": {"type": "time_remaining", "minutesRemaining": 2},
                },
            ]
        },
    }
    sessions = []
    for _ in range(2):
        mission = post(served.address, "configure_lesson", teacher, lesson)["result"]["missionId"]
        started = post(served.address, "start_session", pupil, {"missionId": mission})["result"]
        sessions.append((mission, started["sessionId"]))
    (over, ended), (_, going) = sessions
    _fill(room, over, ended)
    items = every_kind(room.picture(), hebrew=False)
    draft, published = room.make("draft", items, maxTries=2), room.publish("Fractions", items)
    for n in range(6):
        given: dict[str, tuple[str | None, float]] = {f"{published}-1": ("apply", n % 2)}
        uid = f"{room.id}-{n}"
        add_attempt(room.db, uid, room.course, answers=given, content_id=published)
    return School(
        room,
        {
            "teacher": {
                "lesson": _nothing,
                f"lesson/edit.{over}": _refuse_keywords,
                "lesson/courses": _nothing,
                f"lesson/course.{room.course}": _nothing,
                f"lesson/report.{over}": _open_details,
                "activity": _nothing,
                f"activity/{draft}": _answer,
                "results": lambda page, _: page.locator(".chart-picture svg").wait_for(),
            },
            "pupil": {
                "lesson": _nothing,
                f"lesson/session.{going}": _ask_for_voice,
                f"lesson/session.{ended}": _practise,
                "lesson/practice": _practise,
                "activity": _nothing,
                f"activity/{published}": _answer,
            },
        },
    )


def _fill(room: Classroom, mission: str, session: str) -> None:
    """What came of a session: a summary, a task, an error, and something told."""
    now = datetime.now(UTC)
    both = {"uid": room.people["pupil"].uid, "teacherUid": room.people["teacher"].uid}
    summary = {"strengths": ["Polite"], "improvements": ["זמנים"], "encouragement": "Well done"}
    changes = {"status": "ended", "endedAt": now, "summary": summary}
    room.db.document(f"sessions/{session}").update(changes)
    of = {**both, "schemaVersion": 1, "source": "text", "createdAt": now}
    place = {"sessionId": session, "missionId": mission}
    done = {**of, **place, "taskId": "task-1", "evidence": "She ordered soup.", "at": now}
    room.db.collection("completions").add(done)
    error = {
        "errorType": "grammar", "original": "I goed", "correction": "I went", "severity": 4,
        "explanation": "Irregular verb", "audioRef": None, "count": 2, "card": None,
        "goodReviews": 0, "mastered": False, "missionIds": [mission], "sessionIds": [session],
    }  # fmt: skip
    room.db.collection("reviewItems").add({**of, **error})
    fact = {"category": "interest", "fact": "likes football", "shared": True}
    room.db.collection("profiles").document(both["uid"]).collection("facts").add({**of, **fact})


def _nothing(page: Page, texts: dict[str, Any]) -> None:
    """It is looked at as it opens."""


def _refuse_keywords(page: Page, texts: dict[str, Any]) -> None:
    page.locator(".keyword button").first.wait_for()
    page.locator(".prompt summary").wait_for()  # a preview that comes after a change is dropped
    while page.locator(".keyword button").count():
        page.locator(".keyword button").first.click()
    page.locator("[aria-invalid=true]").first.wait_for()
    page.locator(".prompt summary").click()


def _open_details(page: Page, texts: dict[str, Any]) -> None:
    page.get_by_role("row").get_by_role("button").first.click()
    expect(page.locator(".session-details")).to_contain_text("likes football")
    page.locator(".items-by-type summary").click()


def _answer(page: Page, texts: dict[str, Any]) -> None:
    page.locator("img.picture").wait_for()
    question = page.locator(".question[data-kind=choice]")
    if not question.locator(".said").count():
        question.locator("input").nth(1).check()
        question.locator(".button.primary").click()
    expect(question.locator(".said")).to_contain_text("secret-hint")


def _ask_for_voice(page: Page, texts: dict[str, Any]) -> None:
    page.get_by_role("button", name=texts["voice.talk"], exact=True).click()
    expect(page.get_by_text(texts["voice.reason"])).to_be_visible()


def _practise(page: Page, texts: dict[str, Any]) -> None:
    page.get_by_role("button", name=texts["practice.show"]).click()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "language"), cases(list(product(("teacher", "pupil"), LANGUAGES)), 1, 2)
)
def test_web_school_has_no_finding(enter: Enter, school: School, name: str, language: str) -> None:
    """Each person's views in one language, in one look each, the looks and widths in turn; in
    `make chaos`, each look at each width in both languages."""
    with enter(school.classroom.people[name], language) as page:
        for at, (view, prepare) in enumerate(school.views[name].items()):
            page.goto(f"/#/{view}")
            page.locator(".main").locator("h1, h2").first.wait_for()
            expect(page.get_by_text(TEXTS[language]["app.loading"], exact=True)).to_have_count(0)
            prepare(page, TEXTS[language])
            assert page.evaluate("document.getAnimations().length") == 0  # motion is reduced
            for (scheme, theme), width in _looks(at, language):
                page.set_viewport_size({"width": width, "height": 720})
                page.emulate_media(color_scheme=scheme)
                page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
                assert findings(page) == [], (view, scheme, theme, width)
                assert page.evaluate("document.documentElement.scrollWidth") == width, view
            for width, height in ZOOMED:
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate("document.documentElement.scrollWidth") == width, view


def _looks(at: int, language: str) -> list[tuple[Theme, int]]:
    if IS_FULL:
        return list(product(THEMES, WIDTHS))
    turn = at + len(THEMES) // len(LANGUAGES) * LANGUAGES.index(language)
    return [(THEMES[turn % len(THEMES)], WIDTHS[turn % len(WIDTHS)])]
