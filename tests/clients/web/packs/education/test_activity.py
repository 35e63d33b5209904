"""Activities in a browser: played by pupils, looked at by teachers, closed to everybody else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from dev.paths import ROOT
from packs.education.blocks import choices, item
from packs.education.contents import block_id
from rollcall.store.client import database
from tests.clients.web.conftest import Served
from tests.clients.web.packs.education.classroom import SECRETS, Classroom, every_kind
from tests.clients.web.school import PASSWORD, TEXTS, Enter, person, post, read, refusal
from tests.support.full_form import cases
from tests.support.packs.education.classroom import add_attempt

Press = Callable[[Locator], None]
Give = Callable[[Locator, Press], None]
PHONE: dict[str, Any] = {
    "has_touch": True,
    "is_mobile": True,
    "viewport": {"width": 360, "height": 740},
}


@pytest.fixture(scope="module")
def classroom() -> Classroom:
    return Classroom(database())


@pytest.fixture(scope="module")
def picture(classroom: Classroom) -> str:
    return classroom.picture()


def play(page: Page, content_id: str) -> Page:
    page.goto(f"/#/activity/{content_id}")
    page.locator(".question").first.wait_for()
    return page


def question(page: Page, kind: str, at: int = 0) -> Locator:
    return page.locator(f".question[data-kind={kind}]").nth(at)


def click(target: Locator) -> None:
    target.click()


def tap(target: Locator) -> None:
    target.tap()


def check(of: Locator, press: Press = click) -> None:
    press(of.locator(".button.primary"))


def result(of: Locator) -> Locator:
    return of.locator(".said")


def number_line(classroom: Classroom, name: str, **fields: Any) -> str:
    """Publish an activity of three numbers: 1, 2 and 3."""
    items = [
        item("numeric", f"0 + {n} = ?", points=1, key={"value": str(n), "hint": "secret-hint"})
        for n in (1, 2, 3)
    ]
    return classroom.publish(name, items, **fields)


def choose(*wanted: int) -> Give:
    """Have the options at these places chosen, and no other."""

    def give(of: Locator, press: Press) -> None:
        for at, option in enumerate(of.locator(".option").all()):
            if option.locator("input").is_checked() != (at in wanted):
                press(option)

    return give


def choose_one(at: int) -> Give:
    return lambda of, press: press(of.locator(".option").nth(at))


def pair(*picked: str) -> Give:
    """Give each option, in their order, the target with this text."""

    def give(of: Locator, press: Press) -> None:
        targets = of.locator(".targets .line").all_inner_texts()
        for row, text in enumerate(picked):
            press(of.locator(".pair").nth(row).locator(".pick").nth(targets.index(text)))

    return give


def put_in_order(of: Locator, press: Press) -> None:
    """Sort by the buttons: each item, from the first of the order, is moved to its place."""
    for place, id in enumerate("abc"):
        while of.locator("li").nth(place).get_attribute("data-id") != id:
            press(of.locator(f"li[data-id={id}] button").first)


def write(*texts: str) -> Give:
    def give(of: Locator, press: Press) -> None:
        for at, text in enumerate(texts):
            field = of.locator("input, textarea").nth(at)
            press(field)
            field.fill(text)

    return give


def write_at_once(of: Locator, text: str) -> None:
    write(text)(of, click)


def pick(at: int) -> Give:
    def give(of: Locator, press: Press) -> None:
        of.locator("select").select_option(index=at)

    return give


WORD = {"en": "numerator", "he": "מונה"}


def answers(language: str) -> list[tuple[str, int, Give, Give]]:
    """Of each question: its kind, which of that kind, and how it is answered wrong and right."""
    word = WORD[language]
    return [
        ("choice", 0, choose_one(1), choose_one(0)),
        ("multi_choice", 0, choose(0, 1), choose(0, 2)),
        ("true_false", 0, choose_one(1), choose_one(0)),
        ("match", 0, pair("0.5", "0.75"), pair("0.5", "0.25", "0.75")),
        ("order", 0, lambda of, press: None, put_in_order),
        ("cloze", 0, write(word, "4"), write(word, "3")),
        ("cloze", 1, pick(2), pick(1)),
        ("numeric", 0, write("5"), write("50")),
    ]


@pytest.mark.long
@pytest.mark.parametrize(("language", "device"), cases([("en", PHONE), ("he", {})], 1))
def test_web_activity_of_every_kind_is_played_wrong_and_right(
    enter: Enter, classroom: Classroom, picture: str, language: str, device: dict[str, Any]
) -> None:
    """By mouse, in `make chaos` by touch on a phone as well; the right answers are given in 20 s
    without a network."""
    id = classroom.publish(
        f"all-{language}", every_kind(picture, hebrew=language == "he"), locale=language
    )
    words, press = TEXTS[language], tap if device else click
    with enter(classroom.people["pupil"], language, **device) as page:
        page.clock.install()
        play(page, id)
        expect(page.locator("img.picture")).to_have_js_property("naturalWidth", 240)
        for kind, at, wrong, _ in answers(language):
            of = question(page, kind, at)
            wrong(of, press)
            check(of, press)
            expect(result(of)).to_have_attribute("data-result", re.compile("wrong|partly"))
            expect(result(of)).to_contain_text("secret-hint")
        marks = question(page, "match").locator(".pair .verdict")
        assert [each.get_attribute("data-right") for each in marks.all()] == ["true", "false"]
        page.context.set_offline(True)
        for kind, at, _, right in [*answers(language), ("open", 0, pick(0), write("Because …"))]:
            of = question(page, kind, at)
            right(of, press)
            check(of, press)
            expect(result(of)).to_have_text(words["sending.kept"])
        page.clock.run_for(20_000)
        page.context.set_offline(False)
        for kind, at, _, _ in answers(language):
            of = question(page, kind, at)
            expect(result(of)).to_have_attribute("data-result", "right")
            expect(result(of)).to_contain_text("secret-feedback")
            expect(of.locator(".button.primary")).to_be_hidden()
        expect(result(question(page, "open"))).to_have_attribute("data-result", "given")
        card = page.locator(".flip").first
        expect(card).to_contain_text("1/2")
        press(card)
        expect(card).to_contain_text("0.5")
        if language == "he":
            assert formula_order(page) == "1+[]=4"
        press(page.locator(".hand-in .button"))
        press(page.get_by_role("dialog").locator(".danger"))
        expect(page.locator(".outcome .amount")).to_contain_text(re.compile(r"21.*25"))
        expect(page.locator(".outcome")).to_be_focused()
        page.reload()
        expect(page.locator(".outcome .amount")).to_contain_text(re.compile(r"21.*25"))
        assert question(page, "numeric").locator("input").input_value() == "50"
    attempt = classroom.attempt(id)
    assert attempt["status"] == "finished"
    tries = [each["tries"] for _, each in sorted(attempt["answers"].items())]
    assert tries == [2] * 8 + [1]


def test_web_activity_is_answered_by_touch_on_a_phone(
    enter: Enter, classroom: Classroom, picture: str
) -> None:
    """A question of each way to answer by fingers; in `make chaos`, every kind of question is."""
    kinds = ("cards", "choice", "multi_choice", "match", "order", "numeric")
    items = [each for each in every_kind(picture, hebrew=False) if each.block.kind in kinds]
    id = classroom.publish("touch", items)
    with enter(classroom.people["pupil"], **PHONE) as page:
        play(page, id)
        touched = "addEventListener('pointerdown', (e) => { window.pointers.add(e.pointerType); })"
        page.evaluate(f"() => {{ window.pointers = new Set(); {touched}; }}")
        for kind, at, _, right in answers("en"):
            if kind in kinds:
                of = question(page, kind, at)
                right(of, tap)
                check(of, tap)
                expect(result(of)).to_have_attribute("data-result", "right")
        card = page.locator(".flip").first
        tap(card)
        expect(card).to_contain_text("0.5")
        tap(page.locator(".hand-in .button"))
        tap(page.get_by_role("dialog").locator(".danger"))
        expect(page.locator(".outcome .amount")).to_contain_text(re.compile(r"16.*16"))
        assert page.evaluate("[...window.pointers]") == ["touch"]
    assert classroom.attempt(id)["status"] == "finished"


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


def test_web_activity_in_hebrew_shows_formulas_and_signs_from_left_to_right(
    enter: Enter, classroom: Classroom
) -> None:
    compare = item(
        "choice",
        "איזה סימן מתאים? 3/6 □ 1/4",
        points=1,
        options=choices(["<", "=", ">"]),
        key={"correct": ["c"], "feedback": "3/6 > 1/4"},
    )
    divide = item("numeric", "חשבו: 24 : 6 =", points=1, key={"value": "4"})
    id = classroom.publish("signs", [compare, divide], locale="he")
    for language in ("he", "en"):
        with enter(classroom.people["teacher"], language) as page:
            play(page, id)
            shown = page.locator('.question bdi[dir="ltr"]').all_inner_texts()
            assert [each for each in shown if each in ("3/6 □ 1/4", "24 : 6 =")] == [
                "3/6 □ 1/4",
                "24 : 6 =",
            ]
            mirrored = """(sign) => getComputedStyle(sign).direction === "rtl" """
            signs = page.get_by_text(re.compile("^[<>]$")).all()
            assert len(signs) == 2
            assert not any(each.evaluate(mirrored) for each in signs)


def test_web_activity_in_hebrew_has_words_of_other_languages_beside_their_marks(
    enter: Enter, classroom: Classroom
) -> None:
    lengths = choices(["25 mm", "3 cm"])
    pairs = {"pairs": {"a": "a", "b": "b"}}
    match = item("match", "התאימו אורך", points=2, options=lengths, targets=lengths, key=pairs)
    order = item("order", "סדרו אורך", points=2, options=lengths, key={"correct": ["a", "b"]})
    id = classroom.publish("lengths", [match, order], locale="he", title="אורך")
    with enter(classroom.people["pupil"], "he", **PHONE) as page:
        play(page, id)
        from_the_right = page.locator(".targets li, .ordering li").evaluate_all(
            """(rows) => rows.map((row) => {
              const words = document.createRange();
              words.selectNodeContents(row.querySelector(".line"));
              return row.getBoundingClientRect().right - words.getBoundingClientRect().right;
            })"""
        )
        assert len(from_the_right) == 4 and all(each < 60 for each in from_the_right)


def test_web_activity_is_played_by_keyboard_and_focus_stays_and_is_printed(
    enter: Enter, classroom: Classroom, picture: str
) -> None:
    items = [each for each in every_kind(picture, hebrew=False) if each.block.kind != "image"]
    id = classroom.publish("keys", items)
    with enter(classroom.people["pupil"]) as page:
        play(page, id)
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
        card = page.locator(".flip").first
        card.press("Enter")
        expect(card).to_contain_text("0.5")
        page.emulate_media(media="print")
        for hidden in (".sidebar", ".progress", ".hand-in", ".button.primary"):
            expect(page.locator(hidden).first).to_be_hidden()
        for shown in (".name-line", ".side >> nth=0", ".side >> nth=1"):
            expect(page.locator(shown)).to_be_visible()
        page.emulate_media(media="screen")
        page.get_by_role("button", name="All activities").press("Enter")
        expect(page.get_by_role("heading", name="Activities", exact=True)).to_be_visible()
        expect(page.locator("main")).to_be_focused()


def test_web_activity_goes_on_without_network_and_each_answer_counts_once(
    enter: Enter, classroom: Classroom
) -> None:
    id = number_line(classroom, "offline")
    with enter(classroom.people["pupil"]) as page:
        page.clock.install()
        sent: list[tuple[str, str]] = []

        def note(request: Request) -> None:
            if request.url.endswith("/answer_block") and request.method == "POST":
                body = request.post_data or ""
                sent.append((json.loads(body)["data"]["callKey"], body))

        page.on("request", note)
        page.goto(f"/#/activity/{id}")
        first, second, third = (question(page, "numeric", at) for at in range(3))
        write_at_once(first, "1")
        check(first)
        expect(result(first)).to_have_attribute("data-result", "right")
        sent.clear()
        page.context.set_offline(True)
        for of, text in ((second, "2"), (third, "8")):
            write_at_once(of, text)
            check(of)
            expect(result(of)).to_contain_text("Kept on this device")
        page.clock.run_for(20_000)
        expect(page.locator(".progress")).to_contain_text("2 answers are kept here")
        assert len(sent) > 1 and len(set(sent)) == 1  # the first of the two, again and again
        page.context.set_offline(False)
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
    with enter(classroom.people["pupil"]) as page:
        play(page, id)
        first, second, third = (question(page, "numeric", at) for at in range(3))
        write_at_once(first, "9")
        check(first)
        expect(result(first)).to_have_attribute("data-result", "wrong")

        def lose(route: Route) -> None:
            route.fetch()  # the server has it, and nobody hears of that
            route.abort()

        page.context.route("**/answer_block", lose, times=1)
        page.context.route("**/get_activity", lambda route: route.abort(), times=1)
        write_at_once(second, "2")
        write_at_once(third, "half an ans")
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
        write_at_once(third, "3")
        check(third)
        expect(result(third)).to_have_attribute("data-result", "right")
        kept = page.evaluate("Object.keys(localStorage).filter((key) => key.includes('activity'))")
        assert [key for key in kept if "sending" in key] == []
        # It is handed in, even where what is said to it afterwards does not arrive.
        page.context.route("**/get_activity", lambda route: route.abort(), times=1)
        page.locator(".hand-in .button").click()
        page.get_by_role("dialog").locator(".danger").click()
        expect(page.locator(".outcome")).to_be_visible()
        assert classroom.attempt(id)["status"] == "finished"


def test_web_activity_that_changed_elsewhere_is_shown_as_it_is(
    enter: Enter, classroom: Classroom
) -> None:
    id = number_line(classroom, "twice", maxTries=1)
    with enter(classroom.people["pupil"]) as page:
        other = play(page.context.new_page(), id)
        play(page, id)
        for each, text in ((page, "1"), (other, "8")):
            of = question(each, "numeric")
            write_at_once(of, text)
            check(of)
            expect(result(of)).to_have_attribute("data-result", "right")
        expect(other.get_by_text("This was changed meanwhile")).to_be_visible()
        assert question(other, "numeric").locator("input").input_value() == "1"


def test_web_activity_has_no_key_in_the_page_its_sources_and_firestore(
    enter: Enter, classroom: Classroom, picture: str
) -> None:
    id = classroom.publish("secret", every_kind(picture, hebrew=False))
    with enter(classroom.people["pupil"]) as page:
        told: list[str] = []

        def note(route: Route) -> None:
            answer = route.fetch()
            told.append(answer.text())
            route.fulfill(response=answer)

        page.context.route(re.compile("/(get|list)_activit"), note)
        play(page, id)
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
        assert read(path, classroom.people["pupil"]) == 403, path


@pytest.mark.long
def test_web_activity_is_closed_to_everybody_else(
    enter: Enter, classroom: Classroom, served: Served
) -> None:
    """The page is looked at by one of those to whom the functions and the rules say no."""
    id = number_line(classroom, "closed")
    pupil = classroom.people["pupil"]
    attempt = post(served.address, "start_attempt", pupil, {"contentId": id})["result"]["attemptId"]
    answer = {"attemptId": attempt, "blockId": block_id(id, 1), "answer": "1"}
    asked = [
        ("get_activity", {"contentId": id}),
        ("start_attempt", {"contentId": id}),
        ("answer_block", answer),
        ("try_answer", {"blockId": block_id(id, 1), "answer": "1"}),
        ("get_activity_image", {"blockId": block_id(id, 1)}),
        ("finish_attempt", {"attemptId": attempt}),
        ("get_analytics", {"courseId": classroom.course}),
        ("publish_content", {"contentId": id, "courseId": classroom.course}),
    ]
    others = ("other-pupil", "other-teacher", "other-admin")
    for name in cases(others, 0):
        with enter(classroom.people[name]) as page:
            page.goto(f"/#/activity/{id}")
            expect(page.locator(".problem")).to_contain_text("not open to you")
            assert "0 + 1" not in page.content()
            page.goto("/#/activity")
            expect(page.locator(".activities-empty")).to_contain_text("Nothing to play yet")
    for name in others:
        who = classroom.people[name]
        for function, arguments in asked:
            assert refusal(served.address, function, who, arguments) in (
                "permission-denied",
                "not-found",
            ), (name, function)
        for path in (
            f"contents/{id}",
            f"attempts/{attempt}",
            f"contents/{id}/keys/{block_id(id, 1)}",
        ):
            assert read(path, who) == 403, (name, path)
    assert classroom.attempt(id)["answers"] == {}


def test_web_activities_are_loaded_by_who_may_use_them_alone(
    enter: Enter, classroom: Classroom
) -> None:
    built: dict[str, Any] = json.loads((ROOT / "clients/web/built.json").read_text())
    views = {
        name: next(file for file, of in built.items() if f"src/activity/{name}" in of["inputs"])
        for name in ("view.tsx", "results.tsx")
    }

    def opened(page: Page) -> list[str]:
        loaded: list[str] = []
        page.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
        for view in ("activity", "results"):
            page.goto(f"/#/{view}")
            page.locator(".main").get_by_text(re.compile("not for you|Activities$")).wait_for()
        return [name for name, file in views.items() if file in loaded]

    with enter(person(None)) as page:
        assert opened(page) == []
    with enter(classroom.people["pupil"]) as page:
        assert opened(page) == ["view.tsx"]
        expect(page.get_by_text("This page is not for you.")).to_be_visible()
        expect(page.get_by_role("link", name="Activities")).to_be_visible()
        expect(page.get_by_role("link", name="Results")).to_be_hidden()


def test_web_teacher_sees_a_draft_as_pupils_see_it_and_keeps_nothing(
    enter: Enter, classroom: Classroom, picture: str
) -> None:
    id = classroom.make("draft", every_kind(picture, hebrew=False), maxTries=2)

    def seen(person: str) -> list[str]:
        with enter(classroom.people[person]) as page:
            play(page, id)
            expect(page.locator("img.picture")).to_be_visible()
            expect(page.locator(".preview")).to_have_count(int(person == "teacher"))
            # What is mixed is mixed for each user by itself.
            lines = page.locator(".blocks").aria_snapshot().splitlines()
            if person == "teacher":
                of = question(page, "choice")
                choose_one(1)(of, click)
                check(of)
                expect(result(of)).to_contain_text("secret-hint")
            mixed = re.compile(r" \[disabled\]|[A-Dא-ד]: |(?<=listitem: )[A-Dא-ד] ")
            return sorted(mixed.sub("", line) for line in lines)

    as_teacher = seen("teacher")
    changes = {"status": "published", "courseId": classroom.course}
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
            add_attempt(db, uid, classroom.course, answers=given, title=name, content_id=name)
    with enter(classroom.people["teacher"]) as page:
        page.goto("/#/results")
        rows = page.locator(".table-frame tbody tr")
        expect(rows.filter(has_text="Fractions")).to_contain_text("43%")
        expect(rows.filter(has_text="Percentages")).to_contain_text("50%")
        expect(page.locator(".chart-picture svg")).to_be_visible()
        expect(page.locator(".chart")).to_contain_text("Points by activity")
        assert "A small group" not in page.content() and "Another one" not in page.content()
        expect(page.get_by_text("fewer than five pupils")).to_be_visible()
    for name, told in (("other-teacher", "Nothing was answered"), ("other-admin", "no course yet")):
        with enter(classroom.people[name]) as page:
            page.goto("/#/results")
            expect(page.locator(".results")).to_contain_text(told)
            expect(page.locator(".table-frame")).to_have_count(0)


def test_web_activity_works_in_a_plain_page(host: Page, site: str, classroom: Classroom) -> None:
    email = classroom.people["pupil"].email
    id = classroom.publish("Sums", [item("numeric", "1 + 1 = ?", points=1, key={"value": "2"})])
    sign_in = f'signInWithEmailAndPassword(auth, "{email}", "{PASSWORD}")'

    def as_pupil(route: Route) -> None:
        script = route.fetch().text().replace("signInAnonymously(auth)", sign_in)
        script = script.replace("signInAnonymously", "signInWithEmailAndPassword")
        route.fulfill(body=script, content_type="text/javascript")

    host.route("**/firebase.js", as_pupil)
    host.goto(f"{site}/examples/activity.html")
    host.get_by_role("button", name="Sums").press("Enter")
    pages = host.get_by_role("region", name="Activities")
    expect(pages).to_be_focused()
    host.get_by_role("button", name="All activities").press("Enter")
    expect(host.get_by_role("button", name="Sums")).to_be_visible()
    expect(pages).to_be_focused()
    host.keyboard.press("Tab")
    expect(host.get_by_role("button", name="Sums")).to_be_focused()
    host.keyboard.press("Enter")
    host.locator("rollcall-activity .numeric input").fill("2")
    host.get_by_role("button", name="Check").click()
    expect(host.locator("rollcall-activity .said")).to_have_attribute("data-result", "right")
    expect(host.locator("#progress")).to_have_text("1 of 1 answered")
    assert classroom.attempt(id)["points"] == 1
