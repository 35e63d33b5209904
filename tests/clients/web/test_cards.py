"""Cards of tools and approvals by themselves, and what an error or a limit means for the user, in
their language, with what to do."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

CHART: dict[str, Any] = {
    "data": {"values": [{"line": "L1", "amps": 92.4}, {"line": "L2", "amps": 88.1}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "line", "type": "nominal"},
        "y": {"field": "amps", "type": "quantitative"},
    },
}


def call(status: str, **more: Any) -> dict[str, Any]:
    arguments = {"panel_name": "Panel A"}
    record = {"id": "c", "tool": "check_panel", "arguments": arguments, "status": status}
    return {
        "call": {
            "id": "c",
            "tool": "check_panel",
            "arguments": arguments,
            "isWhole": True,
            "record": {**record, "step": 1, "ms": 412, **more},
        }
    }


def approval(**more: Any) -> dict[str, Any]:
    return {
        "id": "a" * 32,
        "uid": "me",
        "threadId": "t",
        "runId": "r",
        "agent": "messaging",
        "callId": "c",
        "tool": "send_message",
        "summary": "Send “Hello” to Dana",
        "translations": {},
        "arguments": {"text": "Hello", "to": "dana"},
        "display": None,
        "complete": True,
        "remember": [],
        "deciderRole": None,
        "mayDecide": True,
        "status": "pending",
        "decision": None,
        "replacedBy": None,
        "expiresAt": int((time.time() + 7_200) * 1_000),
        **more,
    }


def _nested(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = {"value": [value]}
    return value


def show(page: Page, kind: str, props: dict[str, Any]) -> None:
    page.evaluate("([kind, props]) => components.show(kind, props)", [kind, props])


def decisions(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate("components.decisions")
    return found


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("failed", "Failed"),
        ("refused", "Not run"),
        ("waiting", "Waiting for a decision"),
        ("rejected", "Rejected"),
        ("unknown", "Outcome unknown"),
    ],
)
def test_web_card_says_how_a_call_ended(components: Page, status: str, words: str) -> None:
    show(components, "card", call(status, error={"message": "no such panel"}))
    card = components.get_by_role("group", name="Check panel")
    expect(card.get_by_role("button", expanded=False)).to_contain_text(words)
    expect(card).to_contain_text("no such panel")


MARKUP = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>"
    '<section class="approval" data-phase="open"><button>Approve</button></section>'
)


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({MARKUP: MARKUP}, "window.hurt"),
        ([MARKUP, "\u202egnp.exe\u200b"], "U+202E"),
        ({"line": "x" * 1_000_000}, "x" * 1_000),
        ({"rows": [{"a": "y" * 2_000}] * 2_000}, "y" * 1_000),
        (_nested(15), "value"),
    ],
)
def test_web_hostile_result_of_a_tool_is_inert_and_bounded(
    components: Page, result: Any, shown: str
) -> None:
    display = {"type": "text", "title": MARKUP, "text": MARKUP, "rows": [{MARKUP: MARKUP}]}
    show(components, "card", call("done", result=result, display=display))
    components.locator(".tool-head").click()
    card = components.locator(".tool-card")
    expect(card.locator(".tool-result")).to_contain_text(shown)
    assert card.locator("script, img, iframe, section, .approval").count() == 0
    assert card.get_by_role("button", name="Approve").count() == 0
    assert components.evaluate("window.hurt") is None
    assert card.locator("*").count() < 10_000
    assert len(card.inner_text()) < 100_000
    assert "\u202e" not in card.inner_text()


@pytest.mark.parametrize("name", ["__proto__", "toString", "constructor"])
def test_web_name_that_a_model_made_up_is_shown_as_any_other(components: Page, name: str) -> None:
    one = call("done", display={"type": name, "text": "Two lines"})
    one["call"]["tool"] = name
    show(components, "card", one)
    expect(components.locator(".display")).to_have_text("Two lines")


def test_web_display_that_cannot_be_drawn_is_shown_as_its_data(components: Page) -> None:
    show(components, "card", call("done", display={"type": "table", "rows": 7, "title": "Panel"}))
    expect(components.locator(".display .values")).to_contain_text("rows7")


def test_web_open_source_is_gone_with_its_conversation(components: Page) -> None:
    source = {"title": "Code", "quote": "Nobody else may read this", "url": ""}
    show(components, "citations", {"citations": [source]})
    components.locator(".citations summary").click()
    components.locator(".citations button").click()
    expect(components.get_by_role("complementary", name="Code")).to_be_visible()
    components.evaluate("components.reset()")
    show(components, "citations", {"citations": []})
    expect(components.get_by_role("complementary")).to_have_count(0)


def test_web_card_opens_to_its_arguments_and_its_result(components: Page) -> None:
    show(components, "card", call("done", result={"ok": True, "note": "a\u202eb"}))
    components.get_by_role("button", name="Check panel").click()
    expect(components.get_by_text("panel_name")).to_be_visible()
    expect(components.get_by_text("U+202E")).to_be_visible()
    expect(components.locator(".tool-status")).to_contain_text("412 ms")


def test_web_chart_is_drawn_and_is_told_in_words_and_as_a_table(components: Page) -> None:
    show(
        components, "card", call("done", display={"type": "chart", "title": "Amps", "chart": CHART})
    )
    picture = components.get_by_role(
        "img", name=re.compile("^.?Amps.?: 2 values, from .?88.1.? to .?92.4")
    )
    expect(picture.locator("svg path").first).to_be_visible()
    components.get_by_text("Show as a table").click()
    expect(components.get_by_role("cell", name="92.4")).to_be_visible()


def test_web_table_without_rows_is_no_row_of_headings(components: Page) -> None:
    display = {"type": "table", "columns": ["Task", "Due"], "rows": []}
    show(components, "card", call("done", display=display))
    expect(components.locator(".display")).to_have_text("Nothing to show")
    expect(components.get_by_role("columnheader")).to_have_count(0)


def test_web_title_of_a_wide_table_is_shown_whole(components: Page) -> None:
    rows = [{f"Column {letter * 20}": "word" for letter in "abcdefgh"}]
    title = "Ampacities of insulated conductors in raceway, cable or earth " * 3
    show(components, "card", call("done", display={"type": "table", "title": title, "rows": rows}))
    table = components.get_by_role("group", name=title.strip())
    assert table.evaluate("it => it.scrollWidth > it.clientWidth")
    said = components.locator(".display-title").bounding_box()
    frame = table.bounding_box()
    assert said and frame and said["width"] <= frame["width"]


def test_web_missing_value_stands_under_the_numbers_of_its_column(components: Page) -> None:
    rows = [
        {"Size": "AWG 18", "A": "—"},
        {"Size": "AWG 16", "A": None},
        {"Size": "AWG 14", "A": 15},
    ]
    show(components, "card", call("done", display={"type": "table", "rows": rows}))
    for value in ("—", "–", "15"):
        cell = components.get_by_role("cell", name=value, exact=True)
        expect(cell).to_have_css("text-align", "end")


def test_web_table_of_a_chart_calls_its_columns_as_the_chart_does(components: Page) -> None:
    x, y = CHART["encoding"]["x"], CHART["encoding"]["y"]
    encoding = {"x": {**x, "title": "פאזה"}, "tooltip": [{**y, "title": "זרם, אמפר"}]}
    layered = {"data": CHART["data"], "layer": [{"mark": "bar", "encoding": {**encoding, "y": y}}]}
    show(components, "card", call("done", display={"type": "chart", "chart": layered}))
    components.get_by_text("Show as a table").click()
    expect(components.get_by_role("columnheader")).to_have_text(["פאזה", "זרם, אמפר"])


@pytest.mark.parametrize(
    "bad",
    [
        {"data": {"url": "https://evil.example/x.json"}},
        {"data": {"sequence": {"start": 0, "stop": 1e9}}},
        {"mark": {"type": "image", "url": "https://evil.example/x.png"}},
        {"transform": [{"calculate": "warn(1)", "as": "x"}]},
        {"encoding": {"x": {"field": "line", "bin": {"step": 1e-9}}}},
        {"encoding": {"href": {"value": "https://evil.example/"}}},
    ],
)
def test_web_chart_that_reaches_further_is_shown_as_data(
    components: Page, bad: dict[str, Any]
) -> None:
    requests: list[str] = []
    components.on("request", lambda request: requests.append(request.url))
    show(components, "card", call("done", display={"type": "chart", "chart": {**CHART, **bad}}))
    expect(components.get_by_text("cannot be drawn safely")).to_be_visible()
    assert not [url for url in requests if "evil" in url]
    assert components.locator("svg path[aria-roledescription]").count() == 0


def test_web_diff_says_in_words_what_goes_and_comes(components: Page) -> None:
    show(components, "card", call("done", display={"type": "diff", "text": " a\n-b\n+c \u200bd\n"}))
    expect(components.locator("[data-kind=go]")).to_have_text("Removed: -b")
    expect(components.locator("[data-kind=come]")).to_contain_text("U+200B")


def test_web_two_clicks_are_one_decision(components: Page) -> None:
    show(components, "approval", {"approval": approval(), "uid": "me"})
    components.get_by_role("button", name="Approve").dblclick()
    components.wait_for_function("components.decisions.length")
    components.wait_for_timeout(150)
    assert decisions(components) == [{"approved": True}]


def test_web_click_that_was_meant_for_something_else_decides_nothing(components: Page) -> None:
    clicked = components.evaluate(
        """(props) => {
          components.show("approval", props);
          const [approve] = document.querySelectorAll(".approval-actions button");
          return approve.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        }""",
        {"approval": approval(), "uid": "me"},
    )
    expect(components.get_by_role("button", name="Approve")).to_be_enabled()
    assert (clicked, decisions(components)) == (True, [])


def test_web_incomplete_summary_is_approved_only_after_all_of_it_was_shown(
    components: Page,
) -> None:
    shown = approval(complete=False, arguments={"text": "pay\u202e me\u200b", "to": "dana"})
    show(components, "approval", {"approval": shown, "uid": "me"})
    approve = components.get_by_role("button", name="Approve")
    components.wait_for_timeout(500)
    expect(approve).to_be_disabled()
    components.get_by_role("button", name="Show all of it").click()
    expect(components.locator(".unseen")).to_have_text(["U+202E", "U+200B"])
    approve.click()
    assert decisions(components) == [{"approved": True}]


def test_web_rejection_carries_a_reason(components: Page) -> None:
    show(components, "approval", {"approval": approval(), "uid": "me"})
    expect(components.get_by_role("button", name="Approve")).to_be_enabled()
    components.get_by_role("button", name="Reject").click()
    expect(components.get_by_role("textbox")).to_be_focused()
    components.keyboard.type("too early")
    components.keyboard.press("Tab")
    components.keyboard.press("Enter")
    components.wait_for_function("components.decisions.length")
    assert decisions(components) == [{"approved": False, "reason": "too early"}]


def test_web_remembering_is_offered_by_the_server_and_chosen_by_the_user(components: Page) -> None:
    show(components, "approval", {"approval": approval(), "uid": "me"})
    expect(components.get_by_role("button", name="Don’t ask again for…")).to_have_count(0)
    offered = approval(id="b", remember=["docs/a.md", "docs/**"])
    components.evaluate("components.reset()")
    show(components, "approval", {"approval": offered, "uid": "me"})
    components.get_by_role("button", name="Don’t ask again for…").click()
    confirm = components.get_by_role("button", name="Approve, and don’t ask again")
    expect(confirm).to_be_disabled()
    components.get_by_role("radio", name="docs/**").check()
    confirm.click()
    assert decisions(components) == [{"approved": True, "remember": "docs/**"}]


def test_web_arguments_are_edited_in_a_form_of_their_schema(components: Page) -> None:
    schema = {
        "properties": {
            "text": {"type": "string"},
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "kind": {"$ref": "#/$defs/Kind"},
        },
        "required": ["text"],
        "$defs": {"Kind": {"enum": ["a", "b"], "type": "string"}},
    }
    value = {"text": "hi", "count": 2, "kind": "a"}
    show(components, "form", {"schema": schema, "value": value})
    components.get_by_label("count").fill("x")
    components.get_by_role("button", name="Approve with these changes").click()
    expect(components.get_by_text("This cannot be read")).to_be_visible()
    expect(components.get_by_label("count")).to_be_focused()
    components.get_by_label("count").fill("3")
    components.get_by_label("kind").select_option("b")
    components.get_by_role("button", name="Approve with these changes").click()
    assert decisions(components) == [{"text": "hi", "count": 3, "kind": "b"}]


def test_web_form_of_arguments_says_names_as_people_do(components: Page) -> None:
    fields = {
        "dueDate": {"type": "string"},
        "conversation_id": {"type": "string"},
        "videoURL": {"type": "string"},
        "size": {"type": "string", "title": "Wire size, AWG"},
        "priority": {"type": "string", "enum": ["urgent", "low"]},
        "isOpen": {"type": "boolean"},
    }
    form = {"schema": {"properties": fields}, "value": {"isOpen": True}}
    show(components, "form", form)
    names = ["Is open", "Due date", "Conversation ID", "Video URL", "Wire size, AWG", "Priority"]
    expect(components.locator(".field label")).to_have_text(names)
    assert components.get_by_label("Is open").inner_text().split() == ["–", "Yes", "No"]
    components.evaluate("components.locale.value = 'he'")
    labels = {"dueDate": "מועד", "size": "חתך", "priority": "עדיפות", "urgent": "דחוף"}
    show(components, "form", {**form, "labels": labels})
    names = ["Is open", "מועד dueDate", "Conversation ID", "Video URL", "חתך size"]
    names += ["עדיפות priority"]
    expect(components.locator(".field label")).to_have_text(names)
    expect(components.get_by_label("עדיפות")).to_be_hidden()  # it is neither filled in nor needed
    components.get_by_text("עוד 5 שדות").click()
    assert components.get_by_label("עדיפות").inner_text().split() == ["–", "דחוף", "low"]
    components.get_by_label("עדיפות").select_option("דחוף")
    components.get_by_role("button", name="אישור עם השינויים").click()
    assert decisions(components) == [{"isOpen": True, "priority": "urgent"}]


def test_web_form_of_arguments_reads_each_note_in_its_own_direction(components: Page) -> None:
    about = {"text": "Up to 90 letters.", "count": "עד 90 פעמים."}
    properties = {name: {"type": "string", "description": note} for name, note in about.items()}
    components.evaluate("components.locale.value = 'he'")
    show(components, "form", {"schema": {"properties": properties}, "value": {}})
    directions = [
        components.get_by_text(note).evaluate("(each) => getComputedStyle(each).direction")
        for note in about.values()
    ]
    assert directions == ["ltr", "rtl"]


DECISION = {"approved": True, "by": "me", "at": 0}


@pytest.mark.parametrize(
    ("props", "words"),
    [
        ({"approval": approval(status="approved", decision=DECISION)}, "Approved, being carried"),
        ({"approval": approval(status="approved", decision=DECISION)}, "in another tab"),
        (
            {"approval": approval(decision={**DECISION, "by": "other", "approved": False})},
            "Decided by somebody else",
        ),
        ({"approval": approval(expiresAt=1_000)}, "Nobody decided in time"),
        ({"approval": approval(status="replaced")}, "The details were changed"),
        ({"approval": approval(mayDecide=False, deciderRole="teacher")}, "or above"),
        ({"approval": approval(decision=DECISION), "outcome": "done"}, "It happened once"),
        ({"approval": approval(decision=DECISION), "outcome": "failed"}, "did not happen"),
        ({"approval": approval(decision=DECISION), "outcome": "unknown"}, "nobody can say"),
    ],
)
def test_web_approval_says_what_became_of_it(
    components: Page, props: dict[str, Any], words: str
) -> None:
    show(components, "approval", {**props, "uid": "me"})
    card = components.locator(".approval")
    expect(card).to_contain_text(words)
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)


def test_web_approval_is_said_in_the_language_of_who_decides(components: Page) -> None:
    rows = {"type": "text", "text": "From 9 to 10"}
    hebrew = {"summary": "שליחת “Hello” אל Dana", "display": {"type": "text", "text": "מ-9 עד 10"}}
    both = approval(display=rows, translations={"he": hebrew})
    once = approval(display=rows, translations={"he": {**hebrew, "display": None}})
    for props, shown in ((both, "מ-9 עד 10"), (once, "From 9 to 10")):
        show(components, "approval", {"approval": props, "uid": "me"})
        card = components.locator(".approval")
        expect(card).to_contain_text("Send “Hello” to Dana")
        expect(card).to_contain_text("From 9 to 10")
        components.evaluate("components.locale.value = 'he'")
        expect(card).to_contain_text("שליחת “Hello” אל Dana")
        expect(card).to_contain_text(shown)
        components.evaluate("components.locale.value = 'en'")


def test_web_card_tells_no_ids_in_its_first_line(components: Page) -> None:
    arguments = {"conversationId": "sample-maya", "ids": "x", "content": "On my way", "paid": 3}
    shown = call("done")
    shown["call"]["arguments"] = arguments
    show(components, "card", shown)
    expect(components.locator(".gist")).to_have_text("On my way · 3")


def test_web_decided_card_keeps_the_focus_and_is_announced_once(components: Page) -> None:
    show(components, "approval", {"approval": approval(), "uid": "me"})
    components.get_by_role("button", name="Approve").click()
    done = approval(status="approved", decision={"approved": True, "by": "me", "at": 0})
    show(components, "approval", {"approval": done, "uid": "me"})
    expect(components.locator(".approval")).to_be_focused()
    expect(components.get_by_role("status")).to_have_text(
        "Approved, being carried out: Send “Hello” to Dana"
    )


def test_web_card_tells_neither_ids_nor_words_of_code_and_names_the_platforms_tools(
    components: Page,
) -> None:
    kinds = {"kind": {"type": "string", "enum": ["lesson_plan"]}}
    tool = {"id": "make", "name": "Make", "jsonSchema": {"properties": kinds}}
    components.evaluate("(tools) => components.learnTools(tools)", [tool])
    made = {"id": "c", "tool": "make", "isWhole": True}
    made["arguments"] = {"kind": "lesson_plan", "topic": "angles", "contentId": "x7"}
    asked = {**made, "tool": "ask_user", "arguments": {"question": "?"}}
    components.evaluate("(locale) => { components.locale.value = locale; }", "he")
    components.evaluate(
        "(calls) => components.show('card', ...calls)", [{"call": made}, {"call": asked}]
    )
    expect(components.locator(".gist").first).to_have_text("angles")
    expect(components.locator(".tool-name").last).to_contain_text("שאלה")


PROBLEMS: list[tuple[dict[str, Any], str, bool]] = [
    ({"code": "unavailable"}, "The service cannot be reached", True),
    ({"code": "resource-exhausted", "retryAfterS": 30}, "Too many questions at once", True),
    ({"code": "resource-exhausted"}, "is used up", True),
    ({"code": "permission-denied"}, "You may not do this", False),
    ({"code": "failed-precondition"}, "cannot answer as it is set up", True),
    ({"code": "unauthenticated"}, "You are signed out", False),
    ({"code": "no-such-code"}, "on our side", True),
]


@pytest.mark.parametrize(("error", "title", "may_retry"), PROBLEMS)
def test_web_problem_is_told_with_what_to_do_in_both_languages(
    components: Page, error: dict[str, Any], title: str, may_retry: bool
) -> None:
    for language in ("en", "he"):
        components.evaluate("components.reset()")
        components.evaluate("(locale) => { components.locale.value = locale; }", language)
        components.evaluate("(error) => components.show('problem', error)", error)
        note = components.locator(".problem")
        expect(note.locator("strong")).not_to_be_empty()
        expect(note.locator("p")).not_to_be_empty()
        expect(note.get_by_role("button")).to_have_count(int(may_retry))
        expect(note.get_by_role("link")).to_have_count(int(title == "is used up"))
        if language == "he":
            for part in ("strong", "p"):
                expect(note.locator(part)).to_have_text(re.compile("[\u05d0-\u05ea]{2}"))
        else:
            expect(note).to_contain_text(title)


@pytest.mark.parametrize("code", ["unavailable", "internal"])
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "the database did not answer in time (incident 3f9c0a1b2c4d)"),
        ("he", "מסד הנתונים לא ענה בזמן (אירוע \u20683f9c0a1b2c4d\u2069)"),
    ],
)
def test_web_problem_tells_the_id_of_its_incident_once(
    components: Page, code: str, language: str, message: str
) -> None:
    components.evaluate("components.reset()")
    components.evaluate("(locale) => { components.locale.value = locale; }", language)
    error = {"code": code, "message": message}
    components.evaluate("(error) => components.show('problem', error)", error)
    advice = components.locator(".problem p")
    expect(advice).to_contain_text("3f9c0a1b2c4d")
    assert advice.inner_text().count("3f9c0a1b2c4d") == 1


def test_web_message_that_is_shown_no_more_is_in_the_box_to_be_sent_again(components: Page) -> None:
    message = [{"type": "text", "text": "When?"}, {"type": "image", "fileId": "f", "name": "a.png"}]
    components.evaluate(
        "(about) => components.show('composer', about)", {"code": "aborted", "message": message}
    )
    box = components.get_by_label("Message", exact=True)
    expect(box).to_have_value("When?")
    expect(components.locator(".attachment")).to_contain_text("a.png")
    expect(components.locator(".toast")).to_contain_text("Another answer is still under way here")
    components.get_by_role("button", name="Send", exact=True).click()
    expect(box).to_have_value("")
    assert components.evaluate("components.decisions") == [message]


def test_web_title_of_a_conversation_keeps_a_figure_and_its_unit_in_order(components: Page) -> None:
    components.evaluate("components.locale.value = 'he'")
    show(components, "threads", {"titles": ["קוטר של 25 mm, דחוף"]})
    expect(components.locator(".thread-title bdi[dir=ltr]")).to_have_text("25\u00a0mm")
