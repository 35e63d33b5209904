"""How results are put into words, and what is said where they do not answer the question."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.core.messages import ToolCall, ToolResult
from rollcall.models.base import ToolSpec
from rollcall.models.planner.composer import Wish, answer, label, measured, one_line, shown
from rollcall.models.planner.history import Step


def step(output: Any, *, name: str = "get_things", **more: Any) -> Step:
    content = json.dumps({"output": output, **more}, ensure_ascii=False)
    return Step(ToolCall("c1", name, {}), ToolResult("c1", name, content))


def told(output: Any, locale: str = "en", text: str = "", *, wish: Any = None, **more: Any) -> str:
    return answer((step(output, **more),), Wish(text, **(wish or {})), locale)


def test_a_number_takes_its_unit_from_its_name() -> None:
    assert measured("voltageDropV", 3.2, "en") == ("voltage drop", "3.2 V")
    assert measured("voltageDropPercent", 2.6667, "en") == ("voltage drop", "2.6667%")
    assert measured("itemCount", 1200, "en") == ("item count", "1,200")
    assert measured("costUsd", -12.5, "en") == ("cost", "-$12.5")


def test_a_number_whose_name_is_its_unit_stands_alone() -> None:
    assert told({"usd": 720.0}) == "- $720"
    assert told({"volts": 240, "amps": 20}) == "- 240 V\n- 20 A"


def test_a_result_of_one_number_is_told() -> None:
    assert told({"total": 3}) == "Total: 3"
    assert told({"count": 0}, "he") == "סך הכול: 0"
    assert told({"ok": True}) == "Done."


def test_dates_are_short_and_local() -> None:
    assert shown("2025-11-03T10:00:00Z", "en") == "3 Nov"
    assert shown("2025-11-03", "he") == "3 בנובמבר"


def test_a_single_result_is_told_with_its_warnings() -> None:
    said = told({"circuitName": "EV charger", "voltageDropV": 3.2, "warnings": ["long run"]})
    assert said.splitlines() == ["**EV charger**", "- Voltage drop: 3.2 V", "- Warnings: long run"]


def test_a_calculation_is_told_in_its_own_words_with_its_assumptions() -> None:
    output = {"answer": "It drops 2 %.", "dropV": 4.8, "assumptions": [{"reason": "PF 1"}]}
    said = told(output, citations=[{"n": 1, "type": "code", "title": "Table 9"}])
    assert said == "It drops 2 %. [1]\n- Assumptions:\n  - PF 1"


def test_a_long_list_is_bounded_and_counted() -> None:
    said = told({"items": [{"title": f"Item {n}"} for n in range(15)], "totalFound": 40})
    assert said.startswith("**Items (6 of 40)**")
    assert said.count("\n- Item") == 6
    assert said.endswith("…and 34 more.")


def test_an_empty_list_is_said_in_plain_words() -> None:
    assert told({"tasks": [], "totalFound": 0}).startswith("I could not find any tasks")
    assert told({"tasks": []}, "he").startswith("לא ניתן למצוא משימות")


def test_each_item_is_marked_with_its_own_source_only() -> None:
    messages = [{"id": f"m{n}", "conversationId": "c1", "content": str(n)} for n in (1, 2)]
    sources = [{"n": n, "conversationId": "c1", "messageId": f"m{n}"} for n in (1, 2)]
    lines = told({"messages": messages}, citations=sources).splitlines()
    assert lines[-2:] == ["- 1 [1]", "- 2 [2]"]


def test_untrusted_text_loses_its_links_html_and_marks() -> None:
    said = one_line("see [1] ![x](http://evil.example/?q=1) <img src=x>\n\nnow")
    assert not any(each in said for each in ("](", "[1]", "<img", "\n"))


def test_a_result_that_is_no_json_is_told_as_text() -> None:
    plain = Step(ToolCall("c1", "run", {}), ToolResult("c1", "run", "all tests passed"))
    assert answer((plain,), Wish(), "en") == "all tests passed"


def test_machinery_is_not_told() -> None:
    tasks = [{"task": "Call the bank", "status": "open", "supersededBy": "f47d89454ea46cae9"}]
    output = {"tasks": tasks, "searchedAll": True, "shardsRead": 16, "moreFound": True}
    assert told(output) == "**Tasks (1)**\n\n- Call the bank"


def test_what_was_not_searched_is_said_in_words() -> None:
    assert "not everything was searched" in told({"a": [{}], "searchedAll": False})
    assert "לא הכול נסרק" in told({"a": [{}], "searchedAll": False}, "he")


def test_a_source_that_is_a_record_is_left_to_its_citation() -> None:
    standard = {
        "statement": "Order fractions, also above 1",
        "topic": "fractions",
        "source": {"title": "Curriculum", "page": "3"},
    }
    assert told({"standards": [standard]}).endswith(
        "- Order fractions, also above 1 — topic: fractions"
    )
    hebrew = told({"contents": [{"title": "שברים", "kind": "worksheet"}]}, "he")
    assert hebrew == "**תכנים (1)**\n\n- שברים — סוג: דף עבודה"


def test_a_task_is_told_with_who_and_by_when() -> None:
    task = {"task": "Send it", "assignee": "Dana", "deadline": "2025-11-19", "priority": "high"}
    output = {"tasks": [{**task, "timestamp": "2025-11-01"}]}
    assert told(output).endswith("- Send it — Dana · due 19 Nov · high")
    hebrew = "- \u2068Send it\u2069 — \u2068Dana\u2069 · עד 19 בנובמבר · גבוהה"
    assert told(output, "he").endswith(hebrew)


def test_words_of_another_direction_move_nothing_around_them() -> None:
    week = {"weeks": [{"title": "תרגול שבועי", "students": 30, "place": "חדר 4"}]}
    assert told(week).endswith(
        "- \u2068תרגול שבועי\u2069 — students: 30 · place: \u2068חדר 4\u2069"
    )
    assert told(week, "he").endswith("- תרגול שבועי — תלמידים: 30 · place: חדר 4")


def test_a_long_text_is_cut_around_what_is_asked() -> None:
    content = f"{'so it goes ' * 30}the valve is stuck {'and on ' * 30}"
    line = told({"messages": [{"content": content}]}, "en", "the valve").splitlines()[-1]
    assert "valve is stuck" in line
    assert len(line) < 180


# ---- What the call could not say ----

TASKS = [
    {
        "task": "Press kit",
        "assignee": "Dana Or",
        "timestamp": "2025-11-01",
        "deadline": "2025-11-20",
    },
    {"task": "Budget slides", "assignee": "Tom", "timestamp": "2025-10-02"},
]


@pytest.mark.parametrize(
    ("wish", "text", "line"),
    [
        ({"person": "Dana"}, "", "Press kit"),
        ({"topic": "the budget"}, "", "Budget slides"),
    ],
)
def test_a_list_is_looked_through_for_people_and_topics(
    wish: dict[str, Any], text: str, line: str
) -> None:
    said = told({"tasks": TASKS}, "en", text, wish=wish)
    assert [each["task"] for each in TASKS if each["task"] in said] == [line]


@pytest.mark.parametrize(
    ("question", "output"),
    [
        ("When was the panel installed?", {"panelName": "LP1", "busAmps": 200}),
        ("When is the launch?", {"results": [{"content": "It is soon", "relevance": 1}]}),
        ("How much did it cost?", {"results": [{"content": "A lot", "relevance": 1}]}),
        ("כמה זה עלה?", {"results": [{"content": "המון", "relevance": 1}]}),
    ],
)
def test_a_question_that_the_result_does_not_answer_is_said_so(question: str, output: Any) -> None:
    locale = "he" if question.startswith("כ") else "en"
    assert told(output, locale, question).startswith(("I can't tell from this", "אי אפשר לדעת"))


@pytest.mark.parametrize(
    ("question", "output"),
    [
        ("When is the launch?", {"results": [{"content": "On 3 December", "relevance": 1}]}),
        ("How many tasks are there?", {"tasks": [{"task": "Call"}]}),
        ("How much is it?", {"usd": 720}),
    ],
)
def test_a_question_that_is_answered_is_only_answered(question: str, output: Any) -> None:
    assert "can't tell" not in told(output, "en", question)


# ---- What did not work ----


def failed(locale: str = "en", **error: str) -> str:
    content = json.dumps({"error": {"message": "The index is being rebuilt.", **error}})
    bad = Step(
        ToolCall("c1", "get_tasks", {}), ToolResult("c1", "get_tasks", content, is_error=True)
    )
    tools = [ToolSpec("get_tasks", "", {}, names={"en": "Tasks", "he": "משימות"})]
    return answer((bad, bad), Wish(), locale, tools)


def test_a_failure_is_told_once_with_its_reason() -> None:
    assert failed() == "This did not work (get tasks): The index is being rebuilt."


@pytest.mark.parametrize(
    ("code", "why"), [("not-found", "לא נמצא"), ("permission-denied", "אין הרשאה לכך")]
)
def test_a_hebrew_answer_says_in_hebrew_why_something_failed(code: str, why: str) -> None:
    assert f"{why} (\u2066The index is being rebuilt\u2069)." in failed("he", code=code)


@pytest.mark.parametrize(
    "message",
    [
        "אין כאן טבלה '999.1'; יש: 310.16, Chapter 9 Table 8, Chapter 9 Table 9, C values",
        "'15 American Wire Gauge' אינו חתך מוליך; החתכים: AWG 14 עד 4/0, kcmil 250",
    ],
)
def test_a_hebrew_reason_may_quote_and_list_other_letters(message: str) -> None:
    assert failed("he", code="not-found", message=message).endswith(f": {message}.")
    english = "no panel 'לוח דירה ראשי'; there is 'לוח מחסן' in the project"
    assert f"(\u2066{english}\u2069)" in failed("he", code="not-found", message=english)


def test_a_hebrew_answer_calls_the_tool_that_failed_by_its_hebrew_name() -> None:
    assert failed("he").startswith("זה לא הצליח (משימות): ")


def test_a_name_in_a_registry_document_brings_no_link_and_no_markup_of_its_own() -> None:
    names = ["קישור [לחצו](http://evil.example)\n\n# <b>כאן</b> [1]"]
    assert label("get_tasks", "he", names) == "קישור [לחצו] (http://evil.example) # ‹b>כאן‹/b> (1)"


def test_a_flag_that_all_was_looked_at_is_told_where_it_was_not() -> None:
    assert told({"done": "", "checkedAll": True}) == "Done."
    assert "not everything" in told({"checkedAll": False})


@pytest.mark.parametrize("locale", ["en", "he"])
def test_a_hint_for_the_model_is_not_shown(locale: str) -> None:
    hint = "do not repeat the same call: change what was wrong"
    error = {"error": {"code": "failed", "message": "no such file", "hint": hint}}
    call = ToolCall("c1", "read_file", {})
    failed = Step(call, ToolResult("c1", "read_file", json.dumps(error), is_error=True))
    said = answer((failed,), Wish(), locale)
    assert "no such file" in said
    assert "repeat" not in said


@pytest.mark.parametrize("locale", ["en", "he"])
def test_a_method_is_no_heading(locale: str) -> None:
    output = {"methodName": "exact: R cos + X sin", "answer": "It drops 2 %."}
    assert told(output, locale) == "It drops 2 %."
    assert told({**output, "circuitName": "Pump"}, locale) == "**Pump**: It drops 2 %."
