"""Activities in a browser: played by pupils, looked at by teachers, closed to everybody else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from dev.paths import ROOT
from packs.education.blocks import item
from packs.education.contents import block_id
from rollcall.store.client import database
from tests.clients.web.classroom import PASSWORD, SECRETS, Classroom, every_kind
from tests.clients.web.conftest import watched
from tests.clients.web.scene import lead_to
from tests.support.functions_process import functions_process
from tests.support.packs.education.classroom import add_attempt

LANGUAGES = ("en", "he")
CHECK = {"en": "Check", "he": "בדיקה"}
OPEN_TO: dict[str, tuple[str, ...]] = {"pupil": ("activity",), "teacher": ("activity", "results")}
AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOKS = [
    (scheme, theme, width)
    for width, (scheme, theme) in zip(
        (360, 768, 1280, 1280),
        (("dark", "contrast"), ("dark", "dark"), ("light", "light"), ("light", "contrast")),
        strict=True,
    )
]
"""Each look and each width once."""

Give = Callable[[Locator], None]
Enter = Callable[..., AbstractContextManager[BrowserContext]]


@pytest.fixture(scope="module")
def functions(sample: None) -> Iterator[str]:
    with functions_process({}) as address:
        yield address


@pytest.fixture(scope="module")
def classroom() -> Classroom:
    room = Classroom(database())
    room.build()
    return room


@pytest.fixture(scope="module")
def picture(classroom: Classroom) -> str:
    return classroom.picture()


@pytest.fixture(scope="module")
def enter(browser: Browser, functions: str, classroom: Classroom) -> Enter:
    """A browser in which somebody of the class is signed in."""

    @contextmanager
    def entered(person: str, language: str = "en", **options: Any) -> Iterator[BrowserContext]:
        site = f"http://{os.environ['HOSTING_EMULATOR_HOST']}"
        state = classroom.signed_in(browser, person, site)
        with watched(browser, storage_state=state, **options) as context:
            context.add_init_script(
                f"if (origin !== 'null') localStorage.setItem('rollcall.locale', '{language}')"
            )
            lead_to(context, functions)
            yield context

    return entered


def play(context: BrowserContext, content_id: str) -> Page:
    page = context.new_page()
    page.goto(f"/#/activity/{content_id}")
    page.locator(".question").first.wait_for()
    return page


def question(page: Page, kind: str, at: int = 0) -> Locator:
    return page.locator(f".question[data-kind={kind}]").nth(at)


def check(of: Locator) -> None:
    of.locator(".button.primary").click()


def result(of: Locator) -> Locator:
    return of.locator(".said")


def number_line(classroom: Classroom, name: str, **fields: Any) -> str:
    """Publish an activity of three numbers: 1, 2 and 3."""
    items = [
        item("numeric", f"0 + {n} = ?", points=1, key={"value": str(n), "hint": "secret-hint"})
        for n in (1, 2, 3)
    ]
    return classroom.publish(name, items, **fields)


def choose(at: int) -> Give:
    return lambda of: of.locator("input").nth(at).check()


def pair(*picked: int) -> Give:
    def give(of: Locator) -> None:
        for row, letter in enumerate(picked):
            of.locator(".pair").nth(row).locator(".pick").nth(letter).click()

    return give


def put_in_order(of: Locator) -> None:
    """Sort by the buttons: each item, from the first of the order, is moved to its place."""
    for place, id in enumerate("abc"):
        while of.locator("li").nth(place).get_attribute("data-id") != id:
            of.locator(f"li[data-id={id}] button").first.click()


def write(*texts: str) -> Give:
    def give(of: Locator) -> None:
        for at, text in enumerate(texts):
            of.locator("input, textarea").nth(at).fill(text)

    return give


def pick(at: int) -> Give:
    return lambda of: of.locator("select").select_option(index=at)


def choose_only(*wanted: int) -> Give:
    def give(of: Locator) -> None:
        for at, box in enumerate(of.locator("input").all()):
            box.set_checked(at in wanted)

    return give


WORD = {"en": "numerator", "he": "מונה"}


def answers(
    language: str,
) -> list[tuple[str, int, Callable[[Locator], None], Callable[[Locator], None]]]:
    """Of each question: its kind, which of that kind, and how it is answered wrong and right."""
    word = WORD[language]
    return [
        ("choice", 0, choose(1), choose(0)),
        ("multi_choice", 0, choose_only(0, 1), choose_only(0, 2)),
        ("true_false", 0, choose(1), choose(0)),
        ("order", 0, lambda of: None, put_in_order),
        ("cloze", 0, write(word, "4"), write(word, "3")),
        ("cloze", 1, pick(2), pick(1)),
        ("numeric", 0, write("5"), write("50")),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_web_activity_of_every_kind_is_played_wrong_and_right(
    enter: Enter, classroom: Classroom, picture: str, language: str
) -> None:
    items = every_kind(picture, hebrew=language == "he")
    id = classroom.publish(f"all-{language}", items, locale=language)
    with enter("pupil", language) as context:
        page = play(context, id)
        for kind, at, wrong, right in answers(language):
            of = question(page, kind, at)
            wrong(of)
            check(of)
            expect(result(of)).to_have_attribute("data-result", re.compile("wrong|partly"))
            expect(result(of)).to_contain_text("secret-hint")
            right(of)
            check(of)
            expect(result(of)).to_have_attribute("data-result", "right")
            expect(result(of)).to_contain_text("secret-feedback")
            expect(of.locator(".button.primary")).to_be_hidden()
        of = question(page, "match")
        targets = [each.inner_text() for each in of.locator(".targets .line").all()]
        rights = [targets.index(text) for text in ("0.5", "0.25", "0.75")]
        pair(rights[0], rights[2])(of)
        check(of)
        marks = of.locator(".pair .verdict")
        expect(marks).to_have_count(2)
        assert [each.get_attribute("data-right") for each in marks.all()] == ["true", "false"]
        pair(*rights)(of)
        check(of)
        expect(result(of)).to_have_attribute("data-result", "right")
        of = question(page, "open")
        write("Because …")(of)
        check(of)
        expect(result(of)).to_have_attribute("data-result", "given")
        expect(page.locator("img.picture")).to_have_js_property("naturalWidth", 240)
        card = page.locator(".flip").first
        expect(card).to_contain_text("1/2")
        card.press("Enter")
        expect(card).to_contain_text("0.5")
        if language == "he":
            assert formula_order(page) == "1+[]=4"
        page.locator(".hand-in .button").click()
        page.get_by_role("dialog").locator(".danger").click()
        expect(page.locator(".outcome .amount")).to_contain_text(re.compile(r"21.*25"))
        expect(page.locator(".outcome")).to_be_focused()
        page.reload()
        expect(page.locator(".outcome .amount")).to_contain_text(re.compile(r"21.*25"))
        assert question(page, "numeric").locator("input").input_value() == "50"
    attempt = classroom.attempt(id)
    assert attempt["status"] == "finished"
    tries = [each["tries"] for _, each in sorted(attempt["answers"].items())]
    assert tries == [2] * 8 + [1]


def formula_order(page: Page) -> str:
    """The signs around the cloze's second gap as they stand from left to right, the gap as []."""
    return str(
        page.locator(".cloze bdi:has(input)").evaluate(
            """(formula) => {
              const box = formula.querySelector("input").getBoundingClientRect();
              const parts = [["[]", box.left]];
              for (const node of formula.childNodes) {
                if (node.nodeType !== Node.TEXT_NODE) continue;
                [...node.data].forEach((char, at) => {
                  const range = document.createRange();
                  range.setStart(node, at);
                  range.setEnd(node, at + 1);
                  if (char.trim()) parts.push([char, range.getBoundingClientRect().left]);
                });
              }
              return parts.sort((a, b) => a[1] - b[1]).map(([char]) => char).join("");
            }"""
        )
    )


def test_web_activity_is_played_by_keyboard_and_focus_stays_and_is_printed(
    enter: Enter, classroom: Classroom, picture: str
) -> None:
    items = [each for each in every_kind(picture, hebrew=False) if each.block.kind != "image"]
    id = classroom.publish("keys", items)
    with enter("pupil") as context:
        page = play(context, id)
        of = question(page, "choice")
        of.get_by_role("radio").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        expect(of.get_by_role("radio").nth(1)).to_be_checked()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(result(of)).to_have_attribute("data-result", "wrong")
        expect(result(of)).to_be_focused()
        expect(page.locator("[role=status]")).to_have_text("Not right")
        order = question(page, "order")
        last = order.locator("li").last
        moved = order.locator(f"li[data-id={last.get_attribute('data-id')}]")
        moved.get_by_role("button", name="Move up").focus()
        page.keyboard.press("Enter")
        expect(order.locator("li").nth(1)).to_contain_text(moved.locator(".line").inner_text())
        expect(moved.get_by_role("button", name="Move up")).to_be_focused()
        page.keyboard.press("Enter")
        expect(moved.get_by_role("button", name="Move up")).to_be_disabled()
        expect(moved.get_by_role("button", name="Move down")).to_be_focused()
        match = question(page, "match")
        match.get_by_role("radio").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
        expect(match.get_by_role("group", name="1/2").get_by_role("radio").nth(1)).to_be_checked()
        page.emulate_media(media="print")
        for hidden in (".sidebar", ".progress", ".hand-in", ".button.primary"):
            expect(page.locator(hidden).first).to_be_hidden()
        for shown in (".name-line", ".side >> nth=0", ".side >> nth=1"):
            expect(page.locator(shown)).to_be_visible()


def test_web_activity_goes_on_without_network_and_each_answer_counts_once(
    enter: Enter, classroom: Classroom, functions: str
) -> None:
    id = number_line(classroom, "offline")
    with enter("pupil") as context:
        page = context.new_page()
        page.clock.install()
        sent: list[tuple[str, str]] = []
        context.on(
            "request",
            lambda request: (
                sent.append((request.post_data_json["data"]["callKey"], request.post_data or ""))
                if request.url.endswith("/answer_block") and request.method == "POST"
                else None
            ),
        )
        page.goto(f"/#/activity/{id}")
        first, second, third = (question(page, "numeric", at) for at in range(3))
        write("1")(first)
        check(first)
        expect(result(first)).to_have_attribute("data-result", "right")
        sent.clear()
        context.set_offline(True)
        for of, text in ((second, "2"), (third, "8")):
            write(text)(of)
            check(of)
            expect(result(of)).to_contain_text("Kept on this device")
        page.clock.run_for(20_000)
        expect(page.locator(".progress")).to_contain_text("2 answers are kept here")
        assert len(sent) > 1 and len(set(sent)) == 1  # the first of the two, again and again
        context.set_offline(False)
        expect(result(second)).to_have_attribute("data-result", "right")
        expect(result(third)).to_have_attribute("data-result", "wrong")
        expect(page.locator(".progress")).to_contain_text("Everything is saved")
        assert len({key for key, _ in sent}) == 2
        answered = sorted(classroom.attempt(id)["answers"].items())
        given = [(each["given"], each["tries"]) for _, each in answered]
        assert given == [("1", 1), ("2", 1), ("8", 1)]


def test_web_activity_is_resumed_after_a_reload_and_a_lost_reply_counts_once(
    enter: Enter, classroom: Classroom
) -> None:
    id = number_line(classroom, "reload")
    with enter("pupil") as context:
        page = play(context, id)
        first, second, third = (question(page, "numeric", at) for at in range(3))
        write("9")(first)
        check(first)
        expect(result(first)).to_have_attribute("data-result", "wrong")

        def lose(route: Route) -> None:
            route.fetch()  # the server has it, and nobody hears of that
            route.abort()

        context.route("**/answer_block", lose, times=1)
        context.route("**/get_activity", lambda route: route.abort(), times=1)
        write("2")(second)
        write("half an ans")(third)
        check(second)
        expect(page.locator(".progress[data-cut-off]")).to_be_visible()
        page.reload()
        for of in (first, second, third):
            expect(of).to_be_visible()
        expect(result(second)).to_have_attribute("data-result", "right")
        expect(result(first)).to_contain_text("secret-hint")
        assert first.locator("input").input_value() == "9"
        assert third.locator("input").input_value() == "half an ans"
        given = classroom.attempt(id)["answers"][block_id(id, 2)]
        assert (given["given"], given["tries"]) == ("2", 1)
        check(third)
        expect(result(third)).to_contain_text("Write a number")
        write("3")(third)
        check(third)
        expect(result(third)).to_have_attribute("data-result", "right")
        kept = page.evaluate("Object.keys(localStorage).filter((key) => key.includes('activity'))")
        assert [key for key in kept if "sending" in key] == []
        # It is handed in, even where what is said to it afterwards does not arrive.
        context.route("**/get_activity", lambda route: route.abort(), times=1)
        page.locator(".hand-in .button").click()
        page.get_by_role("dialog").locator(".danger").click()
        expect(page.locator(".outcome")).to_be_visible()
        assert classroom.attempt(id)["status"] == "finished"


def test_web_activity_that_changed_elsewhere_is_shown_as_it_is(
    enter: Enter, classroom: Classroom
) -> None:
    id = number_line(classroom, "twice", maxTries=1)
    with enter("pupil") as context:
        page, other = play(context, id), play(context, id)
        for each, text in ((page, "1"), (other, "8")):
            of = question(each, "numeric")
            write(text)(of)
            check(of)
            expect(result(of)).to_have_attribute("data-result", "right")
        expect(other.get_by_text("This was changed meanwhile")).to_be_visible()
        assert question(other, "numeric").locator("input").input_value() == "1"


def test_web_activity_has_no_key_in_the_page_its_sources_and_firestore(
    enter: Enter, classroom: Classroom, picture: str, db_rest: Callable[[str, str], int]
) -> None:
    id = classroom.publish("secret", every_kind(picture, hebrew=False))
    with enter("pupil") as context:
        told: list[str] = []

        def read(route: Route) -> None:
            answer = route.fetch()
            told.append(answer.text())
            route.fulfill(response=answer)

        context.route(re.compile("/(get|list)_activit"), read)
        page = play(context, id)
        expect(page.locator("img.picture")).to_be_visible()
        whole = page.content() + "".join(told) + json.dumps(page.evaluate("({...localStorage})"))
    assert len(told) >= 2 and "How much is" in whole
    assert [
        each for each in (*SECRETS, '"correct"', '"pairs"', '"gaps"') if each in "".join(told)
    ] == []
    assert [each for each in SECRETS[:-1] if each in whole] == []
    block = block_id(id, 5)
    for path in (
        f"contents/{id}", f"contents/{id}/blocks/{block}", f"contents/{id}/keys/{block}",
        f"contents/{id}/keys", "contents", "attempts",
    ):  # fmt: skip
        assert db_rest("pupil", path) == 403, path


@pytest.fixture(scope="module")
def db_rest(classroom: Classroom) -> Callable[[str, str], int]:
    """The status with which Firestore's REST answers somebody who reads a path."""

    def status(person: str, path: str) -> int:
        auth, firestore = (
            os.environ[f"{name}_EMULATOR_HOST"] for name in ("FIREBASE_AUTH", "FIRESTORE")
        )
        sign_in = (
            f"http://{auth}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=x"
        )
        email = f"{classroom.uid(person)}@rollcall.example"
        body = {"email": email, "password": PASSWORD, "returnSecureToken": True}
        token = httpx2.post(sign_in, json=body, trust_env=False).json()["idToken"]
        url = f"http://{firestore}/v1/projects/demo-rollcall/databases/(default)/documents/{path}"
        headers = {"Authorization": f"Bearer {token}"}
        return httpx2.get(url, headers=headers, trust_env=False).status_code

    return status


@pytest.mark.parametrize("person", ["other-pupil", "other-teacher"])
def test_web_activity_is_closed_to_other_courses(
    enter: Enter, classroom: Classroom, person: str
) -> None:
    id = number_line(classroom, "closed")
    with enter(person) as context:
        page = context.new_page()
        page.goto(f"/#/activity/{id}")
        expect(page.locator(".problem")).to_contain_text("not open to you")
        assert "0 + 1" not in page.content()
        page.goto("/#/activity")
        expect(page.locator(".activities-empty")).to_contain_text("Nothing to play yet")


def test_web_activities_are_loaded_by_who_may_use_them_alone(
    context: BrowserContext, enter: Enter
) -> None:
    built: dict[str, Any] = json.loads((ROOT / "clients/web/built.json").read_text())
    views = {
        name: next(file for file, of in built.items() if f"src/activity/{name}" in of["inputs"])
        for name in ("view.tsx", "results.tsx")
    }

    def opened(by: BrowserContext) -> list[str]:
        loaded: list[str] = []
        by.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
        page = by.new_page()
        for view in ("activity", "results"):
            page.goto(f"/#/{view}")
            page.locator(".main").get_by_text(re.compile("not for you|Activities$")).wait_for()
        return [name for name, file in views.items() if file in loaded]

    assert opened(context) == []
    with enter("pupil") as pupil:
        assert opened(pupil) == ["view.tsx"]
        page = pupil.pages[0]
        expect(page.get_by_text("This page is not for you.")).to_be_visible()
        expect(page.get_by_role("link", name="Activities")).to_be_visible()
        expect(page.get_by_role("link", name="Results")).to_be_hidden()


@pytest.mark.parametrize("language", LANGUAGES)
def test_web_teacher_sees_a_draft_as_pupils_see_it_and_keeps_nothing(
    enter: Enter, classroom: Classroom, picture: str, language: str
) -> None:
    items = every_kind(picture, hebrew=language == "he")
    id = classroom.make(f"draft-{language}", items, locale=language, maxTries=2)

    def seen(person: str) -> list[str]:
        with enter(person, language) as context:
            page = play(context, id)
            expect(page.locator("img.picture")).to_be_visible()
            expect(page.locator(".preview")).to_have_count(int(person == "teacher"))
            # What is mixed is mixed for each user by itself.
            lines = page.locator(".blocks").aria_snapshot().splitlines()
            if person == "teacher":
                of = question(page, "choice")
                choose(1)(of)
                check(of)
                expect(result(of)).to_contain_text("secret-choice")
                expect(result(of)).to_contain_text("secret-hint")
            mixed = re.compile(r" \[disabled\]|[A-Dא-ד]: |(?<=listitem: )[A-Dא-ד] ")
            return sorted(mixed.sub("", line) for line in lines)

    as_teacher = seen("teacher")
    changes = {"status": "published", "courseId": classroom.id}
    database().document(f"contents/{id}").update(changes)
    assert as_teacher == seen("pupil")
    assert classroom.attempt(id) == {}


def test_web_results_are_a_table_and_a_chart_without_small_groups(
    enter: Enter, classroom: Classroom
) -> None:
    db = classroom.db
    groups = {
        "Fractions": range(7), "Percentages": range(6),
        "A small group": range(3), "Another one": range(3, 6),
    }  # fmt: skip
    for name, pupils in groups.items():
        for n in pupils:
            given: dict[str, tuple[str | None, float]] = {f"{name}-1": ("apply", n % 2)}
            uid = f"{classroom.id}-{n}"
            add_attempt(db, uid, classroom.id, answers=given, title=name, content_id=name)
    with enter("teacher") as context:
        page = context.new_page()
        page.goto("/#/results")
        rows = page.locator(".table-frame tbody tr")
        expect(rows.filter(has_text="Fractions")).to_contain_text("43%")
        expect(rows.filter(has_text="Percentages")).to_contain_text("50%")
        expect(page.locator(".chart-picture svg")).to_be_visible()
        expect(page.locator(".chart")).to_contain_text("Points by activity")
        assert "A small group" not in page.content() and "Another one" not in page.content()
        expect(page.get_by_text("fewer than five pupils")).to_be_visible()
    with enter("other-teacher") as context:
        page = context.new_page()
        page.goto("/#/results")
        expect(page.locator(".answer")).to_contain_text("Nothing")
        expect(page.locator(".table-frame")).to_have_count(0)


def findings(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate(
        """async (tags) => (await axe.run("#main", {runOnly: tags, resultTypes: ["violations"]}))
          .violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])""",
        TAGS,
    )
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_web_activities_have_no_finding(
    enter: Enter, classroom: Classroom, picture: str, language: str
) -> None:
    items = every_kind(picture, hebrew=language == "he")
    id = classroom.publish(f"axe-{language}", items, locale=language)

    def look(page: Page, *looks: int) -> None:
        page.evaluate(AXE)
        for at in looks:
            # Each look is looked at in one language, on each page once.
            scheme, theme, width = LOOKS[(at + LANGUAGES.index(language)) % len(LOOKS)]
            page.set_viewport_size({"width": width, "height": 720})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            assert findings(page) == [], (scheme, theme, width)
            assert page.evaluate("document.documentElement.scrollWidth") == width

    with enter("pupil", language) as context:
        page = play(context, id)
        for kind, at, wrong, _ in answers(language):
            of = question(page, kind, at)
            wrong(of)
            check(of)
            expect(result(of)).to_contain_text("secret-hint")
        page.locator("img.picture").wait_for()
        look(page, 0, 2)
        page.goto("/#/activity")
        page.locator(".activity").first.wait_for()
        look(page, 1)
    with enter("teacher", language) as context:
        page = context.new_page()
        page.goto("/#/results")
        page.locator(".answer").wait_for()
        look(page, 3)
