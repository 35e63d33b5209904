"""What a call is about to write, while it still comes."""

from __future__ import annotations

import json
import time

import pytest

from rollcall_cli.argument_preview import ArgumentPreview
from rollcall_cli.call_card import CallCard
from rollcall_cli.tail import LINE_CHARS, Tail
from tests.support.full_form import amount


def feed(tool: str, text: str, *, size: int = 4) -> ArgumentPreview:
    preview = ArgumentPreview(tool)
    for at in range(0, len(text), size):
        preview.add(text[at : at + size])
    return preview


def tail(preview: ArgumentPreview) -> str:
    text = preview.tail()
    return text.plain if text else ""


def test_content_is_seen_before_the_call_is_complete() -> None:
    whole = json.dumps({"path": "src/a.py", "content": "one\ntwo\nשלוש"}, ensure_ascii=False)
    preview = feed("write_file", whole[:-2])
    assert preview.status() == "src/a.py  line 3, 12 characters"
    assert [line.strip(" │\u2068\u2069") for line in tail(preview).splitlines()] == [
        "one",
        "two",
        "שלוש",
    ]


def test_what_is_no_json_is_not_watched_further() -> None:
    assert tail(feed("write_file", '{"content": nonsense "x"}')) == ""


def test_only_what_writes_is_watched() -> None:
    assert ArgumentPreview.of("read_file") is None
    assert tail(feed("edit_file", '{"oldText": "a", "newText": "b')) == "  │ b"
    assert tail(feed("run_command", '{"command": "make te')) == "  │ make te"


def test_escape_sequences_in_what_is_written_are_not_shown() -> None:
    assert "\x1b" not in tail(feed("write_file", '{"content": "a\\u001b[8mb"}'))


def test_the_last_lines_of_a_text_are_kept_whatever_its_length() -> None:
    tail = Tail(2)
    tail.add("x" * 5_000)
    tail.add("\none\ntwo")
    assert (tail.line_count, str(tail.shown())) == (3, "  │ one\n  │ two")
    tail.add("y" * 5_000)
    assert len(str(tail.shown()).splitlines()[-1]) == LINE_CHARS + 4


@pytest.mark.long
def test_a_long_content_takes_time_in_proportion_to_it() -> None:
    def seconds(chars: int) -> float:
        text = json.dumps({"path": "a", "content": "x" * chars})
        card = CallCard("write_file")
        started = time.process_time()
        for at in range(0, len(text), 4):
            card.take({"type": "TOOL_CALL_ARGS", "delta": text[at : at + 4]})
            if at % 100_000 == 0:
                card.line()
        card.take({"type": "TOOL_CALL_END"})
        assert len(card.arguments) == len(text)
        return time.process_time() - started

    # Eight times as long is 64 times the work of its square, in each attempt.
    size = amount(20_000, full=50_000)
    assert any(seconds(8 * size) < 8 * seconds(size) * 4 for _ in range(5))
