"""The lesson panel and the lesson room: what a teacher sees is what a pupil's session holds."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from google.cloud.firestore import FieldFilter
from playwright.sync_api import Locator, Page, Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from rollcall.store.client import database
from tests.clients.web.conftest import Served
from tests.clients.web.school import (
    LANGUAGES,
    PASSWORD,
    TEXTS,
    Enter,
    Person,
    course,
    person,
    post,
    read,
    refusal,
    until,
)
from tests.clients.web.scripted_model import TOLD
from tests.clients.web.test_sizes import script_of
from tests.support.full_form import cases

EN = TEXTS["en"]
ERROR = {"errorType": "grammar", "original": "I goed", "correction": "I went", "severity": 4}


@dataclass(frozen=True)
class School:
    """A teacher, their pupil, and a course of both."""

    functions: str
    teacher: Person
    pupil: Person
    course: str

    def call(self, who: Person, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = post(self.functions, name, who, arguments)["result"]
        return result

    def session(self, **changes: Any) -> tuple[str, str]:
        """A lesson of the teacher and a session of the pupil in it."""
        fields = {
            "title": "A secret lesson",
            "courseId": self.course,
            "conversationPrompt": "Talk.",
        }
        made = self.call(self.teacher, "configure_lesson", fields | changes)
        mission = str(made["missionId"])
        started = self.call(self.pupil, "start_session", {"missionId": mission})
        return mission, str(started["sessionId"])


@pytest.fixture(scope="module")
def school(served: Served) -> School:
    teacher, pupil = person("teacher"), person("student")
    return School(served.address, teacher, pupil, course(teacher, [pupil]))


@pytest.fixture(scope="module")
def desk(enter: Enter, school: School) -> Iterator[Page]:
    """The teacher's page, one for all tests that leave nothing in it: loading the app takes a
    second of CPU."""
    with enter(school.teacher) as page:
        yield page


@pytest.fixture
def panel(desk: Page) -> Page:
    """A new lesson of the teacher, before anything is written into it."""
    desk.goto("/#/lesson")
    open_new(desk, EN)
    return desk


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


@pytest.mark.long
@pytest.mark.parametrize(("of_teacher", "of_pupil"), cases(list(product(LANGUAGES, LANGUAGES)), 2))
def test_web_lesson_goes_from_a_preset_to_a_session_as_it_was_shown(
    enter: Enter, school: School, of_teacher: str, of_pupil: str
) -> None:
    """The teacher's page in one language, the pupil's in another; in `make chaos`, in each two."""
    texts, theirs = TEXTS[of_teacher], TEXTS[of_pupil]
    with enter(school.teacher, of_teacher) as teacher, enter(school.pupil, of_pupil) as pupil:
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

        pupil.goto("/#/lesson")
        lesson = pupil.get_by_role("listitem").filter(has_text=title)
        lesson.get_by_role("button").click()
        expect(pupil.get_by_text(theirs["room.end"])).to_be_visible()
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
        ask(pupil, theirs, "mark_for_review", **{**ERROR, "original": f"I goed, {title}"})
        ask(pupil, theirs, "mark_task_complete", taskId="task-1", evidence="She ordered soup.")
        expect(pupil.locator(".room-tasks li")).to_contain_text(theirs["task.done"])
        expect(row).to_contain_text("1/1")
        ask(pupil, theirs, "show_session_summary", strengths=["Polite"], improvements=["Tenses"])
        expect(pupil.locator(".summary")).to_contain_text("Polite")
        pupil.get_by_role("button", name=theirs["room.end"]).click()
        expect(pupil.get_by_text(theirs["room.over"])).to_be_visible()
        expect(pupil.locator(".room-side")).to_be_focused()  # the button is gone
        expect(pupil.get_by_label(theirs["composer.message"], exact=True)).to_have_count(0)
        pupil.get_by_role("button", name=theirs["practice.show"]).click()
        expect(pupil.locator(".practice-answer")).to_contain_text("I went")
        pupil.get_by_role("button", name=theirs["rating.good"], exact=True).click()
        expect(pupil.get_by_text(theirs["practice.none"])).to_be_visible()

        expect(row).not_to_contain_text(texts["report.going"].partition("{")[0].strip())
        teacher.locator(".items-by-type summary").click()
        expect(teacher.locator(".items-by-type")).to_contain_text("I went")
        row.get_by_role("button", name="Dana 1").click()
        expect(teacher.locator(".session-details")).to_contain_text("She ordered soup.")


def test_web_lesson_problem_stands_beside_its_field_in_the_pages_language(
    enter: Enter, school: School
) -> None:
    texts = TEXTS["he"]

    def accepted(key: str, **values: int) -> str:
        return re.sub(r"{(\w+)}", lambda name: str(values[name[1]]), texts[key])

    with enter(school.teacher, "he") as panel:
        open_new(panel, texts)
        tracking, profile = panel.locator(".tool").nth(0), panel.locator(".tool").nth(1)
        tracking.get_by_role("combobox").select_option("keyword")
        keywords = tracking.locator(".keywords input")
        expect(keywords).to_have_attribute("aria-invalid", "true")
        expect(keywords).to_have_accessible_description(
            accepted("accepts.keywords", most=20, chars=60)
        )
        keywords.fill("taxi")
        keywords.press("Enter")
        expect(keywords).not_to_have_attribute("aria-invalid", "true")
        profile.get_by_role("combobox").select_option("turn_count")
        turns = profile.get_by_role("spinbutton")
        turns.fill("101")
        expect(turns).to_have_accessible_description(accepted("accepts.number", least=1, most=100))
        turns.fill("6")
        expect(turns).not_to_have_attribute("aria-invalid", "true")
        instructions = tracking.get_by_label(texts["tool.instructions"])
        instructions.fill("x" * 501)
        said = accepted("accepts.text", count=501, most=500)
        expect(instructions).to_have_accessible_description(said)
        instructions.fill("x")
        expect(instructions).to_have_accessible_description(
            accepted("editor.chars", count=1, most=500)
        )
        panel.get_by_role("button", name=texts["editor.save"]).click()
        title = panel.get_by_role("textbox", name=texts["editor.title"], exact=True)
        expect(title).to_have_accessible_description(accepted("accepts.title", most=200))
        expect(title).to_be_focused()


def test_web_lesson_problem_of_saving_stays_when_the_preview_has_none(panel: Page) -> None:
    held: list[Route] = []
    panel.context.route("**/preview_lesson", lambda route: held.append(route), times=1)
    amount = panel.locator(".estimate .amount")
    before = amount.text_content() or ""
    with panel.expect_request("**/preview_lesson"):
        fill(panel, EN, " ")
    title = panel.get_by_role("textbox", name=EN["editor.title"], exact=True)
    title.press("Enter")
    expect(title).to_have_attribute("aria-invalid", "true")
    held[0].continue_()
    expect(amount).not_to_have_text(before)
    expect(title).to_have_attribute("aria-invalid", "true")
    title.fill("Café")
    expect(title).not_to_have_attribute("aria-invalid", "true")


def test_web_lesson_default_is_told_and_taken_back_for_good(panel: Page) -> None:
    texts = EN
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
    texts = EN
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


def test_web_lesson_that_was_changed_in_another_tab_says_so(enter: Enter, school: School) -> None:
    made = school.call(school.teacher, "configure_lesson", {"title": "First"})
    with enter(school.teacher) as page:
        other = page.context.new_page()
        titles = []
        for each in (page, other):
            each.goto(f"/#/lesson/edit.{made['missionId']}")
            titles.append(each.get_by_role("textbox", name=EN["editor.title"], exact=True))
            expect(titles[-1]).to_have_value("First")
        titles[1].fill("Not saved")
        titles[0].fill("Second")
        page.get_by_role("button", name=EN["editor.save"]).click()
        expect(other.get_by_text(EN["editor.behind"])).to_be_visible()
        expect(titles[1]).to_have_value("Not saved")
        expect(page.get_by_text(EN["editor.behind"])).to_have_count(0)
        other.get_by_role("button", name=EN["editor.reload"]).click()
        expect(titles[1]).to_have_value("Second")
        expect(other.get_by_text(EN["editor.behind"])).to_have_count(0)
        # Whoever saves again is not told of their own.
        titles[1].fill("Third")
        other.get_by_role("button", name=EN["editor.save"]).click()
        expect(page.get_by_text(EN["editor.behind"])).to_be_visible()
        expect(other.get_by_text(EN["editor.behind"])).to_have_count(0)


def test_web_lesson_panel_has_a_tool_that_the_catalogue_has(enter: Enter, school: School) -> None:
    def add(route: Route) -> None:
        answer = route.fetch()
        catalogue = answer.json()
        seventh = {**catalogue["result"]["tools"][0], "toolId": "seventh", "name": "A seventh"}
        catalogue["result"]["tools"].append(seventh)
        route.fulfill(response=answer, json=catalogue)

    with enter(school.teacher) as page:
        page.context.route("**/list_lesson_tools", add)
        open_new(page, EN)
        expect(page.get_by_text("⁨4⁩ of ⁨7⁩ enabled")).to_be_visible()
        tool(page, "A seventh").get_by_role("switch").check()
        expect(tool(page, "A seventh").get_by_label("When")).to_have_value("error_detected")


def test_web_lesson_course_of_hundreds_lays_out_what_is_on_the_screen(
    desk: Page, school: School
) -> None:
    large = course(school.teacher, [], name="English 9", others=300)
    desk.goto(f"/#/lesson/course.{large}")
    pupils = desk.get_by_role("list", name=EN["pupils.title"]).get_by_role("listitem")
    # The emulator loses the beginning of a long list when one poll of a listener ends just then
    # (4 of 150 times); a page that is loaded anew asks for the whole of it.
    for _ in range(3):
        with suppress(PlaywrightTimeout):
            pupils.nth(299).wait_for(timeout=20_000)
            break
        desk.reload()
    expect(pupils).to_have_count(300)
    laid_out = desk.evaluate(
        """async () => {
          const page = document.querySelector(".page");
          const rows = document.querySelectorAll(".pupil");
          const frame = () => new Promise(requestAnimationFrame);
          const counts = [];
          for (let top = 0; top < page.scrollHeight - page.clientHeight; top += 2_000) {
            page.scrollTop = top;
            await frame();
            await frame();
            const options = { contentVisibilityAuto: true };
            const isLaidOut = (row) => row.firstElementChild.checkVisibility(options);
            counts.push([...rows].filter(isLaidOut).length);
          }
          return counts;
        }"""
    )
    assert len(laid_out) > 4  # the list is long
    assert min(laid_out) > 0 and max(laid_out) < 150
    desk.get_by_role("searchbox", name=EN["pupils.search"]).fill("pupil 299")
    expect(pupils).to_have_count(1)


def test_web_lesson_pupil_is_taken_into_a_course_and_out_of_it(desk: Page, school: School) -> None:
    joined = person("student")
    own = course(school.teacher, [], name="English 8")
    lesson = {"title": "For the eighth", "courseId": own}
    mission = str(school.call(school.teacher, "configure_lesson", lesson)["missionId"])
    assert refusal(school.functions, "start_session", joined, {"missionId": mission}) == "not-found"
    desk.goto(f"/#/lesson/course.{own}")
    expect(desk.get_by_text(EN["pupils.empty"])).to_be_visible()
    desk.get_by_label(EN["pupils.name"], exact=True).fill("Noa")
    desk.get_by_label(EN["pupils.uid"], exact=True).fill(joined.uid)
    desk.get_by_role("button", name=EN["pupils.add"]).click()
    row = desk.get_by_role("listitem").filter(has_text="Noa")
    expect(row).to_be_visible()
    expect(desk.get_by_label(EN["pupils.uid"], exact=True)).to_have_value("")  # it is stored
    assert school.call(joined, "start_session", {"missionId": mission})["tools"]
    row.get_by_role("button").click()
    desk.get_by_role("dialog").get_by_role("button", name=EN["pupils.remove.do"]).click()
    expect(desk.get_by_text(EN["pupils.empty"])).to_be_visible()
    place = database().document(f"courses/{own}/students/{joined.uid}")
    until(desk, lambda: not place.get().exists)
    assert refusal(school.functions, "start_session", joined, {"missionId": mission}) == "not-found"
    assert read(f"courses/{own}", joined) == 403


def test_web_lesson_teacher_reads_what_a_pupil_shares_and_no_more(
    desk: Page, enter: Enter, school: School
) -> None:
    mission, _ = school.session()
    facts = database().collection("profiles").document(school.pupil.uid).collection("facts")
    owned = {"uid": school.pupil.uid, "teacherUid": school.teacher.uid, "shared": False}
    for words, category in (("likes football", "interest"), ("is shy", "background")):
        facts.document().set({**owned, "fact": words, "category": category, "schemaVersion": 1})
    with enter(school.pupil) as pupil:
        desk.goto(f"/#/lesson/report.{mission}")
        desk.get_by_role("row").get_by_role("button", name="Dana 1").click()
        details = desk.locator(".session-details")
        expect(details).to_be_visible()
        pupil.goto("/#/lesson/practice")
        likes = pupil.get_by_role("listitem").filter(has_text="likes football")
        likes.get_by_role("switch", name=EN["facts.share"]).check()
        expect(details).to_contain_text("likes football")
        expect(details).not_to_contain_text("is shy")
        likes.get_by_role("switch").uncheck()
        expect(details).not_to_contain_text("likes football")
        shy = pupil.get_by_role("listitem").filter(has_text="is shy")
        shy.get_by_role("button").click()
        expect(shy).to_have_count(0)
        until(pupil, lambda: len(list(facts.stream())) == 1)
    assert [each.get("fact") for each in facts.stream()] == ["likes football"]


def test_web_lesson_report_does_not_take_a_pupil_who_left_for_the_teacher(
    desk: Page, school: School
) -> None:
    own = course(school.teacher, [school.pupil])
    mission, _ = school.session(courseId=own)
    desk.goto(f"/#/lesson/report.{mission}")
    row = desk.get_by_role("row").filter(has_text="Dana 1")
    expect(row).to_be_visible()
    database().document(f"courses/{own}/students/{school.pupil.uid}").delete()
    expect(desk.get_by_text(EN["report.left"])).to_be_visible()
    expect(desk.get_by_text(EN["report.own"])).to_have_count(0)


@pytest.mark.long
def test_web_lesson_of_others_is_neither_shown_nor_told(enter: Enter, school: School) -> None:
    """The page is looked at by one of those to whom the functions and the rules say no."""
    stranger, colleague = person("student"), person("teacher")
    admin = person("admin", tenant="elsewhere")
    course(colleague, [stranger])
    mission, session = school.session()
    views = [f"{part}.{mission}" for part in ("edit", "report", "lesson")]
    views += [f"course.{school.course}", f"session.{session}"]
    for who in cases((stranger, colleague, admin), 1):
        with enter(who) as page:
            for view in views:
                page.goto(f"/#/lesson/{view}")
                expect(
                    page.locator(".problem").or_(page.locator(".lesson h1")).first
                ).to_be_visible()
                expect(page.locator(".loading")).to_have_count(0)
                expect(page.get_by_text("A secret lesson")).to_have_count(0)
                expect(page.get_by_text("Dana 1")).to_have_count(0)
    for who in (stranger, colleague, admin):
        for name, arguments in (
            ("get_lesson", {"missionId": mission}),
            ("configure_lesson", {"missionId": mission, "title": "Mine"}),
            ("lesson_report", {"missionId": mission}),
            ("session_report", {"sessionId": session}),
            ("start_session", {"missionId": mission}),
            ("end_session", {"sessionId": session}),
            ("create_live_session", {"sessionId": session}),
        ):
            code = refusal(school.functions, name, who, arguments)
            assert code in ("not-found", "permission-denied"), name
        for path in (
            f"missions/{mission}",
            f"sessions/{session}",
            f"courses/{school.course}",
            f"courses/{school.course}/students/{school.pupil.uid}",
            f"profiles/{school.pupil.uid}/facts",
        ):
            assert read(path, who) == 403, path


def test_web_lesson_panel_is_not_a_pupils(enter: Enter, school: School) -> None:
    mission, _ = school.session()
    loaded: list[str] = []
    with enter(school.pupil) as page:
        page.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
        for part in (
            "new",
            "courses",
            f"course.{school.course}",
            f"edit.{mission}",
            f"report.{mission}",
        ):
            page.goto(f"/#/lesson/{part}")
            expect(page.get_by_role("button", name=EN["practice.title"])).to_be_visible()
            for text in ("editor.prompt", "courses.new", "pupils.uid", "report.items"):
                expect(page.get_by_text(EN[text])).to_have_count(0)
    assert script_of("src/lesson/room.tsx") in loaded
    assert script_of("src/lesson/panel.tsx") not in loaded
    for name in ("get_lesson", "lesson_report", "configure_lesson"):
        arguments = {"missionId": mission}
        assert refusal(school.functions, name, school.pupil, arguments) == "permission-denied"
    code = refusal(school.functions, "list_lesson_tools", school.pupil, {})
    assert code == "permission-denied"
    assert read(f"missions/{mission}", school.pupil) == 403


def test_web_lesson_goes_on_where_nothing_was_recorded(enter: Enter, school: School) -> None:
    texts = EN
    mission, _ = school.session(preset="review_lesson")
    with enter(school.pupil) as page:
        page.goto(f"/#/lesson/lesson.{mission}")
        ask(page, texts, "play_student_audio", itemId="i1")
        expect(page.get_by_text(TOLD)).to_be_visible()
        expect(page.get_by_text(texts["run.waiting"])).to_have_count(0)


def test_web_lesson_is_not_of_somebody_without_a_part_in_school(enter: Enter) -> None:
    with enter(person(None)) as page:
        page.goto("/#/lesson")
        expect(page.get_by_text(EN["app.not_yours"])).to_be_visible()
        expect(page.get_by_role("link", name=EN["lesson.title"])).to_have_count(0)


def test_web_lesson_room_on_a_phone_leaves_the_height_to_the_talk(
    enter: Enter, school: School
) -> None:
    tasks = [{"id": str(n), "text": f"Task {n} of this lesson"} for n in range(4)]
    _, session = school.session(title="Ordering food", tasks=tasks)
    with enter(school.pupil, viewport={"width": 360, "height": 740}) as page:
        page.goto(f"/#/lesson/session.{session}")
        expect(page.get_by_role("button", name=EN["room.end"])).to_be_visible()
        top = "(button) => button.getBoundingClientRect().top"
        names = (EN["voice.talk"], EN["room.end"])
        tops = {page.get_by_role("button", name=name).evaluate(top) for name in names}
        assert len(tops) == 1
        assert page.locator(".log-scroll").evaluate("(log) => log.clientHeight") > 250
        expect(page.get_by_role("heading", name="Ordering food")).to_have_count(1)


def test_web_lesson_element_is_a_teachers_panel(host: Page, site: str) -> None:
    teacher = person("teacher")
    host.goto(f"{site}/examples/plain.html")
    expect(host.get_by_text("Nothing waits for you.")).to_be_visible()
    host.evaluate(
        """async ([email, password]) => {
          const { signInWithEmailAndPassword } = await import("firebase/auth");
          const { auth } = await import("/examples/firebase.js");
          document.body.append(document.createElement("rollcall-lesson"));
          await signInWithEmailAndPassword(auth, email, password);
          document.addEventListener("rollcall-lesson", ({ detail }) => { window.saved = detail; });
        }""",
        [teacher.email, PASSWORD],
    )
    lesson = host.locator("rollcall-lesson")
    lesson.get_by_role("button", name="New lesson").press("Enter")
    title = lesson.get_by_role("textbox", name="Title", exact=True)
    expect(title).to_be_visible()
    expect(lesson.get_by_role("region", name="Lessons", exact=True)).to_be_focused()
    title.fill("Ordering food")
    lesson.get_by_role("button", name="Save lesson").click()
    host.wait_for_function("window.saved?.missionId.length > 10")
    lesson.get_by_role("button", name="Lessons").click()
    expect(lesson.get_by_role("listitem").filter(has_text="Ordering food")).to_be_visible()
