"""Tool results as they are sent to the model."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.agent.tool_results import SizeLimit, render, render_error
from rollcall.core.errors import NotFound
from rollcall.core.redaction import HIDDEN
from rollcall.core.wire import Citation


def citation(id: str) -> Citation:
    return Citation(type="message", title=f"Launch · {id}", message_id=id)


def test_a_result_that_fits_is_left_alone() -> None:
    output = {"items": [1, 2, 3]}
    text, kept = render(output, [], limit=SizeLimit(1_000))
    assert (json.loads(text), kept) == ({"output": output}, output)


def test_the_longest_list_is_cut_first_and_the_callers_value_stays_whole() -> None:
    output = {"rows": [{"t": "x" * 50} for _ in range(100)], "names": ["a", "b"]}
    text, kept = render(output, [], limit=SizeLimit(2_000))
    assert len(text) <= 2_000
    assert len(kept["rows"]) < 100
    assert kept["names"] == ["a", "b"]
    assert len(output["rows"]) == 100


def test_a_long_text_is_cut() -> None:
    text, kept = render({"body": "word " * 10_000}, [], limit=SizeLimit(1_000))
    assert kept["body"].endswith("…")
    assert "truncated" in json.loads(text)


def test_a_result_and_an_error_are_without_credentials() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    text, kept = render({"note": f"use {key}"}, [citation(key)], limit=SizeLimit(1_000))
    assert kept == {"note": f"use {HIDDEN}"}
    assert (
        key
        not in text
        + render_error(NotFound(f"{key} is unknown", hint=key), limit=SizeLimit(1_000))[0]
    )


@pytest.mark.parametrize("output", [{f"k{n}": n for n in range(2_000)}, {"a": {"b": "x" * 199}}])
def test_what_cannot_be_cut_is_left_out_and_said(output: Any) -> None:
    text, kept = render(output, [], limit=SizeLimit(100))
    assert kept is None
    assert "too large" in json.loads(text)["truncated"]


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=400),
        lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=60,
    )
)
def test_any_result_becomes_valid_json_within_the_limit(output: Any) -> None:
    text, _ = render(output, [], limit=SizeLimit(500))
    json.loads(text)
    assert len(text) <= 500


def test_an_error_tells_the_model_what_to_do() -> None:
    missing = NotFound("no such thing", field="id", hint="list first")
    text, told = render_error(missing, limit=SizeLimit(1_000))
    error = json.loads(text)
    assert error["error"] == told
    assert error == {
        "error": {
            "message": "no such thing",
            "code": "not-found",
            "field": "id",
            "hint": "list first",
        }
    }


@pytest.mark.parametrize("letter", ["x", "ש", "漢", "😀", '"', "\x01"])
def test_what_a_model_is_told_is_bounded_in_bytes_too(letter: str) -> None:
    limit = SizeLimit(24_000, 9_000)
    text, kept = render({"body": letter * 20_000, "n": 1}, [], limit=limit)
    assert limit.holds(text)
    assert (kept["body"][:100], kept["n"]) == (letter * 100, 1)
    failed, told = render_error(NotFound(letter * 20_000, hint="list first"), limit=limit)
    assert limit.holds(failed)
    assert (json.loads(failed)["error"], told["hint"]) == (told, "list first")
