"""The lesson panel and the lesson room: what a teacher sees is what a pupil's session holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from google.cloud.firestore import FieldFilter
from playwright.sync_api import Browser, Locator, Page, Route, expect

from dev.paths import ROOT
from rollcall.store.client import database
from tests.clients.web.conftest import watched
from tests.clients.web.lesson_class import (
    Person,
    course,
    findings,
    id_token,
    person,
    post,
    sign_in,
)
from tests.clients.web.scene import lead_to
from tests.clients.web.scripted_model import TOLD, ScriptedModel
from tests.support.functions_process import functions_process

pytestmark = pytest.mark.usefixtures("sample")

TEXTS = {
    language: {
        **json.loads((ROOT / f"clients/web/texts/{language}.json").read_text()),
        **json.loads((ROOT / f"clients/web/texts/lesson/{language}.json").read_text()),
    }
    for language in ("en", "he")
}
ERROR = {"errorType": "grammar", "original": "I goed", "correction": "I went", "severity": 4}


@dataclass(frozen=True)
class School:
    """A teacher, their pupil, and what keeps a browser signed in as either."""

    functions: str
    teacher: Person
    pupil: Person
    course: str
    teacher_state: Any
    pupil_state: Any


@pytest.fixture(scope="module")
def school(browser: Browser, sample: None) -> Iterator[School]:
    models = {"ROLLCALL_MODEL": "openai:gpt-5.5", "ROLLCALL_ALLOW_UNPRICED": "true"}
    teacher, pupil = person("teacher"), person("student")
    with ScriptedModel() as model, functions_process({**models, **model.env()}) as address:
        states = []
        for who in (teacher, pupil):
            with watched(browser) as context:
                sign_in(context.new_page(), who)
                states.append(context.storage_state(indexed_db=True))
        yield School(address, teacher, pupil, course(teacher, [pupil], others=299), *states)


@contextmanager
def app(
    browser: Browser, school: School, state: Any = None, language: str = "en"
) -> Iterator[Page]:
    """A page of the app, in which somebody is signed in whose state is given."""
    for each in (state or {}).get("origins", ()):
        each["localStorage"] = [{"name": "rollcall.locale", "value": language}]
    with watched(browser, **({"storage_state": state} if state else {})) as context:
        lead_to(context, school.functions)
        yield context.new_page()


@pytest.fixture
def panel(browser: Browser, school: School) -> Iterator[Page]:
    """A new lesson of the teacher, before anything is written into it."""
    with app(browser, school, school.teacher_state) as page:
        open_new(page, TEXTS["en"])
        yield page


def open_new(page: Page, texts: dict[str, str]) -> None:
    page.goto("/#/lesson/new")
    expect(page.get_by_text(texts["estimate.show"])).to_be_visible()


def fill(page: Page, texts: dict[str, str], title: str) -> None:
    page.get_by_role("textbox", name=texts["editor.title"], exact=True).fill(title)
    page.get_by_label(texts["editor.prompt"]).fill("Play a waiter.\n\n\n\nSpeak slowly.")


def tool(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name, exact=True)


def save(page: Page, texts: dict[str, str]) -> str:
    """Save the lesson; returns its id."""
    page.get_by_role("button", name=texts["editor.save"]).click()
    page.wait_for_url("**/#/lesson/edit.*")
    return page.url.rpartition("edit.")[2]


def ask(page: Page, texts: dict[str, str], tool: str, **arguments: Any) -> None:
    """Have the tutor call a tool."""
    page.get_by_label(texts["composer.message"], exact=True).fill(
        f"call: {tool} {json.dumps(arguments)}"
    )
    page.get_by_role("button", name=texts["composer.send"], exact=True).click()
    expect(page.get_by_role("article", name=texts["turn.answer"]).last).to_have_attribute(
        "aria-busy", "false"
    )


@pytest.mark.parametrize("language", ["en", "he"])
def test_web_lesson_goes_from_a_preset_to_a_session_as_it_was_shown(
    browser: Browser, school: School, language: str
) -> None:
    texts = TEXTS[language]
    with (
        app(browser, school, school.teacher_state, language) as teacher,
        app(browser, school, school.pupil_state, language) as pupil,
    ):
        open_new(teacher, texts)
        title = f"Ordering {os.urandom(4).hex()}"
        fill(teacher, texts, title)
        teacher.get_by_label(texts["editor.course"], exact=True).select_option(school.course)
        teacher.get_by_label(texts["tools.preset"]).select_option("conversation_only")
        teacher.get_by_role("button", name=texts["tasks.add"]).click()
        teacher.keyboard.type("Order soup")
        toast = teacher.locator(".toast").last
        expect(toast.get_by_role("button", name=texts["editor.undo"])).to_be_visible()
        expect(teacher.get_by_text(texts["tool.auto"])).to_have_count(1)
        teacher.locator(".tool textarea").first.fill("Only serious ones.")
        expect(teacher.locator(".prompt pre")).to_contain_text("Only serious ones.")
        mission = save(teacher, texts)
        expect(teacher.get_by_role("button", name=texts["editor.save"])).to_be_disabled()
        shown = teacher.locator(".tool[data-enabled]").evaluate_all(
            "tools => tools.map((tool) => tool.querySelector('select').value)"
        )
        prompt = teacher.locator(".prompt pre").text_content()
        assert findings(teacher) == []

        pupil.goto("/#/lesson")
        lesson = pupil.get_by_role("listitem").filter(has_text=title)
        assert findings(pupil) == []
        lesson.get_by_role("button").click()
        expect(pupil.get_by_text(texts["room.end"])).to_be_visible()
        session_id = pupil.url.rpartition("session.")[2]
        stored = database().document(f"sessions/{session_id}").get().to_dict() or {}
        tools = [
            each for each in stored["mission"]["toolConfiguration"]["tools"] if each["enabled"]
        ]
        assert sorted(each["triggerCondition"]["type"] for each in tools) == sorted(shown)
        assert len(tools) == 3
        assert stored["prompt"] == prompt

        teacher.goto(f"/#/lesson/report.{mission}")
        row = teacher.get_by_role("row").filter(has_text="Dana 1")
        expect(row).to_contain_text("0/1")
        ask(pupil, texts, "mark_for_review", **{**ERROR, "original": f"I goed, {language}"})
        ask(pupil, texts, "mark_task_complete", taskId="task-1", evidence="She ordered soup.")
        expect(pupil.locator(".room-tasks li")).to_contain_text(texts["task.done"])
        expect(row).to_contain_text("1/1")
        ask(pupil, texts, "show_session_summary", strengths=["Polite"], improvements=["Tenses"])
        expect(pupil.locator(".summary")).to_contain_text("Polite")
        pupil.get_by_role("button", name=texts["room.end"]).click()
        expect(pupil.get_by_text(texts["room.over"])).to_be_visible()
        expect(pupil.get_by_label(texts["composer.message"], exact=True)).to_have_count(0)
        pupil.get_by_role("button", name=texts["practice.show"]).click()
        expect(pupil.locator(".practice-answer")).to_contain_text("I went")
        assert findings(pupil) == []
        pupil.get_by_role("button", name=texts["rating.good"], exact=True).click()
        expect(pupil.get_by_text(texts["practice.none"])).to_be_visible()

        expect(row).not_to_contain_text(texts["report.going"].partition("{")[0].strip())
        teacher.locator(".items-by-type summary").click()
        expect(teacher.locator(".items-by-type")).to_contain_text("I went")
        row.get_by_role("button", name="Dana 1").click()
        expect(teacher.locator(".session-details")).to_contain_text("She ordered soup.")
        assert findings(teacher) == []


def test_web_lesson_problem_stands_beside_its_field(panel: Page) -> None:
    texts = TEXTS["en"]
    tracking = tool(panel, "Error tracking")
    tracking.get_by_label("When").select_option("keyword")
    keywords = tracking.get_by_label("Keywords")
    expect(keywords).to_have_attribute("aria-invalid", "true")
    expect(keywords).to_have_accessible_description(
        "keywords are different words or short phrases; 1 to 20 of them"
    )
    keywords.fill("taxi")
    keywords.press("Enter")
    expect(keywords).not_to_have_attribute("aria-invalid", "true")
    tool(panel, "Profile learning").get_by_label("When").select_option("turn_count")
    turns = tool(panel, "Profile learning").get_by_role("spinbutton")
    turns.fill("101")
    expect(turns).to_have_accessible_description("minTurns says after how many turns; 1 to 100")
    turns.fill("6")
    expect(turns).not_to_have_attribute("aria-invalid", "true")
    instructions = tracking.get_by_label(texts["tool.instructions"])
    instructions.fill("x" * 501)
    expect(instructions).to_have_accessible_description("it has 501 characters; at most 500")
    instructions.fill("x")
    expect(instructions).to_have_accessible_description("1 of 500 characters")
    panel.get_by_role("button", name=texts["editor.save"]).click()
    title = panel.get_by_role("textbox", name=texts["editor.title"], exact=True)
    expect(title).to_have_attribute("aria-invalid", "true")
    expect(title).to_be_focused()


def test_web_lesson_default_is_told_and_taken_back_for_good(panel: Page) -> None:
    texts = TEXTS["en"]
    enabled = panel.locator(".editor-part").get_by_role("status")
    expect(enabled).to_have_text("⁨4⁩ of ⁨6⁩ enabled")
    before = panel.locator(".estimate .amount").text_content() or ""
    panel.get_by_label(texts["editor.type"]).select_option("review")
    toast = panel.locator(".toast")
    expect(toast).to_contain_text("Mastery was switched on. Audio playback was switched on.")
    expect(enabled).to_have_text("⁨6⁩ of ⁨6⁩ enabled")
    expect(panel.locator(".estimate .amount")).not_to_have_text(before)
    toast.get_by_role("button", name=texts["editor.undo"]).click()
    expect(enabled).to_have_text("⁨4⁩ of ⁨6⁩ enabled")
    fill(panel, texts, "Review")
    mission = save(panel, texts)
    stored = database().document(f"missions/{mission}").get().to_dict() or {}
    chosen = {each["toolId"]: each for each in stored["toolConfiguration"]["tools"]}
    for id in ("mark_item_mastered", "play_student_audio"):
        assert (chosen[id]["enabled"], chosen[id]["setBy"]) == (False, "teacher")
    expect(panel.locator(".toast")).not_to_contain_text("switched on")


def test_web_lesson_that_is_changed_while_it_is_saved_stays_one(panel: Page) -> None:
    texts = TEXTS["en"]
    name = os.urandom(4).hex()
    fill(panel, texts, f"Early {name}")
    held: list[Route] = []
    panel.context.route("**/configure_lesson", lambda route: held.append(route), times=1)
    with panel.expect_request("**/configure_lesson"):
        panel.get_by_role("button", name=texts["editor.save"]).click()
    title = panel.get_by_role("textbox", name=texts["editor.title"], exact=True)
    title.fill(f"Late {name}")
    held[0].continue_()
    panel.wait_for_url("**/#/lesson/edit.*")
    expect(title).to_have_value(f"Late {name}")
    panel.get_by_role("button", name=texts["editor.save"]).click()
    expect(panel.get_by_role("button", name=texts["editor.try"])).to_be_enabled()
    here = FieldFilter("title", "in", [f"Early {name}", f"Late {name}"])
    found = database().collection("missions").where(filter=here).stream()
    assert [each.get("title") for each in found] == [f"Late {name}"]


def test_web_lesson_panel_has_a_tool_that_the_catalogue_has(
    browser: Browser, school: School
) -> None:
    def add(route: Route) -> None:
        answer = route.fetch()
        catalogue = answer.json()
        seventh = {**catalogue["result"]["tools"][0], "toolId": "seventh", "name": "A seventh"}
        catalogue["result"]["tools"].append(seventh)
        route.fulfill(response=answer, json=catalogue)

    with app(browser, school, school.teacher_state) as page:
        page.context.route("**/list_lesson_tools", add)
        open_new(page, TEXTS["en"])
        expect(page.get_by_text("⁨4⁩ of ⁨7⁩ enabled")).to_be_visible()
        tool(page, "A seventh").get_by_role("switch").check()
        expect(tool(page, "A seventh").get_by_label("When")).to_have_value("error_detected")


def test_web_lesson_course_of_hundreds_scrolls(browser: Browser, school: School) -> None:
    with app(browser, school, school.teacher_state) as page:
        page.goto(f"/#/lesson/course.{school.course}")
        pupils = page.get_by_role("list", name="Pupils").get_by_role("listitem")
        expect(pupils).to_have_count(300)
        changes, reached = page.evaluate(
            """async () => {
              const page = document.querySelector(".page");
              let changes = 0;
              const observer = new MutationObserver((found) => (changes += found.length));
              const everything = { subtree: true, childList: true, attributes: true };
              const list = document.querySelector(".pupils");
              observer.observe(list, { ...everything, characterData: true });
              for (let top = 0; top < page.scrollHeight; top += 600) {
                page.scrollTop = top;
                await new Promise(requestAnimationFrame);
              }
              return [changes + observer.takeRecords().length, page.scrollTop];
            }"""
        )
        assert changes == 0  # nothing is rendered for it
        assert reached > 5_000  # px
        page.get_by_role("searchbox", name="Find a pupil").fill("pupil 299")
        expect(pupils).to_have_count(1)


def test_web_lesson_report_does_not_take_a_pupil_who_left_for_the_teacher(
    browser: Browser, school: School
) -> None:
    own = course(school.teacher, [school.pupil])
    mission, _ = _session(school, courseId=own)
    with app(browser, school, school.teacher_state) as page:
        page.goto(f"/#/lesson/report.{mission}")
        row = page.get_by_role("row").filter(has_text="Dana 1")
        expect(row).to_be_visible()
        database().document(f"courses/{own}/students/{school.pupil.uid}").delete()
        expect(page.get_by_text(TEXTS["en"]["report.left"])).to_be_visible()
        expect(page.get_by_text(TEXTS["en"]["report.own"])).to_have_count(0)


def test_web_lesson_of_others_is_neither_shown_nor_told(browser: Browser, school: School) -> None:
    stranger, colleague = person("student"), person("teacher")
    admin = person("admin", tenant="elsewhere")
    course(colleague, [stranger])
    mission, session = _session(school)
    views = [f"{part}.{mission}" for part in ("edit", "report", "lesson")]
    views += [f"course.{school.course}", f"session.{session}"]
    for who in (stranger, colleague, admin):
        with app(browser, school) as page:
            sign_in(page, who)
            for view in views:
                page.goto(f"/#/lesson/{view}")
                expect(
                    page.locator(".problem").or_(page.locator(".lesson h1")).first
                ).to_be_visible()
                expect(page.locator(".loading")).to_have_count(0)
                expect(page.get_by_text("A secret lesson")).to_have_count(0)
                expect(page.get_by_text("Dana 1")).to_have_count(0)
        token = id_token(who)
        for name, arguments in (
            ("get_lesson", {"missionId": mission}),
            ("configure_lesson", {"missionId": mission, "title": "Mine"}),
            ("lesson_report", {"missionId": mission}),
            ("start_session", {"missionId": mission}),
            ("end_session", {"sessionId": session}),
        ):
            assert _call(school, name, token, arguments) in ("not-found", "permission-denied"), name
        for path in (
            f"missions/{mission}",
            f"sessions/{session}",
            f"courses/{school.course}",
            f"courses/{school.course}/students/{school.pupil.uid}",
        ):
            assert _read(path, token) == 403, path


def test_web_lesson_panel_is_not_a_pupils(browser: Browser, school: School) -> None:
    mission, _ = _session(school)
    with app(browser, school, school.pupil_state) as page:
        page.goto(f"/#/lesson/edit.{mission}")
        expect(page.get_by_role("button", name=TEXTS["en"]["practice.title"])).to_be_visible()
        expect(page.get_by_text(TEXTS["en"]["editor.prompt"])).to_have_count(0)
    token = id_token(school.pupil)
    for name in ("get_lesson", "lesson_report", "configure_lesson"):
        assert _call(school, name, token, {"missionId": mission}) == "permission-denied"
    assert _call(school, "list_lesson_tools", token, {}) == "permission-denied"
    assert _read(f"missions/{mission}", token) == 403


def test_web_lesson_goes_on_where_nothing_was_recorded(browser: Browser, school: School) -> None:
    texts = TEXTS["en"]
    mission, _ = _session(school, preset="review_lesson")
    with app(browser, school, school.pupil_state) as page:
        page.goto(f"/#/lesson/lesson.{mission}")
        ask(page, texts, "play_student_audio", itemId="i1")
        expect(page.get_by_text(TOLD)).to_be_visible()
        expect(page.get_by_text(texts["run.waiting"])).to_have_count(0)


def test_web_lesson_is_not_of_somebody_without_a_part_in_school(context: Any) -> None:
    page = context.new_page()
    page.goto("/#/lesson")
    expect(page.get_by_text(TEXTS["en"]["app.not_yours"])).to_be_visible()
    expect(page.get_by_role("link", name=TEXTS["en"]["lesson.title"])).to_have_count(0)


def _session(school: School, **changes: Any) -> tuple[str, str]:
    """A lesson of the teacher and a session of the pupil in it."""
    fields = {"title": "A secret lesson", "courseId": school.course, "conversationPrompt": "Talk."}
    fields |= changes
    made = _result(school, "configure_lesson", id_token(school.teacher), fields)
    mission = str(made["missionId"])
    started = _result(school, "start_session", id_token(school.pupil), {"missionId": mission})
    return mission, str(started["sessionId"])


def _result(school: School, name: str, token: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = post(school.functions, name, token, arguments)["result"]
    return result


def _call(school: School, name: str, token: str, arguments: dict[str, Any]) -> str:
    """The code with which a call is refused."""
    return str(post(school.functions, name, token, arguments)["error"]["details"]["code"])


def _read(path: str, token: str) -> int:
    """How Firestore answers somebody who reads a document."""
    host = os.environ["FIRESTORE_EMULATOR_HOST"]
    url = f"http://{host}/v1/projects/demo-rollcall/databases/(default)/documents/{path}"
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.get(url, headers=headers, trust_env=False).status_code
