"""A thread as Markdown."""

from __future__ import annotations

import json
from typing import Any

from rollcall_cli.store import Thread
from rollcall_cli.transcript import markdown

THREAD = Thread("t1", "messaging", "Budget", "2026-11-21T16:29:00Z")


def user(n: int, text: str, turn: str = "turn1", **more: Any) -> dict[str, Any]:
    parts = [{"type": "text", "text": text}]
    stamp = {"n": n, "turnId": turn, "runId": turn, "createdAt": "2026-11-21T16:29:05.1Z"}
    return {**stamp, "role": "user", "parts": parts, **more}


def reply(n: int, text: str, *calls: Any, turn: str = "turn1", **results: Any) -> dict[str, Any]:
    stamp = {"n": n, "turnId": turn, "runId": turn}
    return {**stamp, "role": "model", "text": text, "toolCalls": list(calls), "results": results}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": "c", "name": name, "arguments": json.dumps(arguments), "argumentsText": ""}


def answered(content: Any, **record: Any) -> dict[str, Any]:
    return {"content": json.dumps(content), "record": json.dumps(record)}


def test_messages_and_answers_stand_in_their_order_with_time_and_sources() -> None:
    citation = {"n": 1, "title": "Dan · 3 November", "quote": "No\nmoney."}
    log = [user(0, "What was decided?"), reply(1, "Nothing [1]")]
    text = markdown(THREAD, log, {"turn1": {"citations": [citation]}})
    assert text.startswith("# Budget\n\nAgent: messaging · t1\n\n## You · 2026-11-21 16:29\n")
    assert text.index("What was decided?") < text.index("## Answer\n\nNothing [1]")
    assert text.endswith("**Sources**\n\n- [1] Dan · 3 November: “No money.”\n")


def test_calls_are_folded_and_say_what_became_of_them() -> None:
    calls = [call("send_message", content="hi"), call("search"), call("<b>`x`")]
    results = {
        "0": answered({"output": {}}, status="done", approvalId="a1"),
        "1": answered({"error": {"code": "rejected", "reason": "no"}}, status="rejected"),
    }
    text = markdown(THREAD, [user(0, "Do"), reply(1, "", *calls, **results)], {})
    assert "<summary><code>send_message</code> · done · approved</summary>" in text
    assert "<summary><code>search</code> · rejected</summary>" in text
    assert "<code>&lt;b&gt;`x`</code> · waits for a decision" in text
    assert text.count("<details>") == text.count("</details>") == 3


def test_what_a_tool_returned_cannot_end_its_block() -> None:
    text = markdown(THREAD, [reply(0, "", call("x"), **{"0": {"content": "a\n````\nb"}})], {})
    assert "\n`````json\na\n````\nb\n`````" in text


def test_turns_that_were_asked_again_are_marked_and_kept() -> None:
    log = [
        user(0, "First try"),
        reply(1, "Old answer"),
        user(2, "Second try", turn="turn2", replaces="turn1"),
        reply(3, "New answer", turn="turn2"),
    ]
    text = markdown(THREAD, log, {})
    assert "16:29 · asked again or changed below\n\nFirst try" in text
    assert "## Answer · replaced below\n\nOld answer" in text
    assert "16:29 · in place of the message above\n\nSecond try" in text
    assert "## Answer\n\nNew answer" in text


def test_hebrew_says_its_direction_and_escape_sequences_are_gone() -> None:
    text = markdown(THREAD, [user(0, "מה הוחלט?"), reply(1, "שלום\x1b[8m")], {})
    assert '<div dir="rtl">\n\nמה הוחלט?\n\n</div>' in text
    assert "\x1b" not in text


def test_attachments_are_named() -> None:
    parts = [{"type": "image", "name": "plan.png", "mediaType": "image/png"}]
    assert "*Attached: plan.png*" in markdown(THREAD, [{**user(0, ""), "parts": parts}], {})


def test_no_field_of_a_thread_carries_an_escape_sequence() -> None:
    bad = "\x1b[2J\x9b\r"
    thread = Thread(f"t{bad}", f"a{bad}", f"b{bad}", "")
    citation = {"n": bad, "title": bad, "quote": bad}
    log = [user(0, bad) | {"createdAt": bad}, reply(1, bad, call(bad, **{bad: bad}))]
    text = markdown(thread, log, {"turn1": {"citations": [citation]}})
    assert not any(char in text for char in "\x1b\x9b\r")


def test_a_thread_in_hebrew_has_hebrew_headings() -> None:
    log = [user(0, "מה הוחלט?"), reply(1, "דבר.", call("search"), **{"0": answered({})})]
    text = markdown(THREAD, log, {"turn1": {"citations": [{"n": 1, "title": "Dan"}]}})
    assert "## ההודעה שלכם" in text and "## תשובה" in text and "**מקורות**" in text
    assert "<code>search</code> · בוצע" in text
    assert "You" not in text and "Answer" not in text and "done" not in text
