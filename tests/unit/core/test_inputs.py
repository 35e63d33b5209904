"""Data from outside is refused with the path of the value at fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.core.errors import InvalidArgument, ResourceExhausted
from rollcall.core.inputs import MAX_BODY_BYTES, check_json, parse_json, validate
from rollcall.core.wire import RunRequest
from tests.support.rules import for_every


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"message": "half \ud83d"}, "message"),
        ({"message": "nul \0"}, "message"),
        ({"context": {"a": ["ok", "\udc00"]}}, "context.a[1]"),
        ({"n": float("nan")}, "n"),
        ({"n": float("inf")}, "n"),
        ({"n": 2**63}, "n"),
        ({"\ud800": 1}, "data"),
    ],
)
def test_json_that_cannot_be_stored_is_refused(value: Any, field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_json(value, field="")
    assert (caught.value.field or "") == field
    caught.value.message.encode()


def test_depth_and_size_are_bounded() -> None:
    with pytest.raises(InvalidArgument, match="nested deeper"):
        check_json(nested(30))
    with pytest.raises(InvalidArgument, match="values"):
        check_json([0] * 30_000)
    check_json(nested(20))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 5_000, b'{"a": 1} x', b"nul"]
)
def test_a_body_that_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidArgument):
        parse_json(body)


def test_a_body_that_is_too_large_is_refused_before_it_is_read() -> None:
    with pytest.raises(ResourceExhausted, match="bytes"):
        parse_json(b" " * (MAX_BODY_BYTES + 1))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_passes_can_be_encoded_and_what_does_not_is_named(value: Any) -> None:
    try:
        check_json(value)
    except InvalidArgument as error:
        assert error.message
    else:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@for_every(
    ("data", "field"),
    [
        ({}, "agent"),
        ({"agent": "messaging"}, "data"),
        ({"agent": 5, "message": "x"}, "agent"),
        ({"agent": "", "message": "x"}, "agent"),
        ({"agent": "a/b", "message": "x"}, "agent"),
        ({"agent": "messaging", "message": 5}, "message"),
        ({"agent": "messaging", "message": "x" * 32_001}, "message"),
        ({"agent": "messaging", "message": "x", "threadId": "../x"}, "threadId"),
        ({"agent": "messaging", "message": "x", "runId": "r~0"}, "runId"),
        ({"agent": "messaging", "message": "x", "uid": "someone"}, "uid"),
        ({"agent": "messaging", "message": "x", "context": []}, "context"),
        ({"agent": "messaging", "message": "x", "whenBusy": "wait"}, "whenBusy"),
        ({"agent": "messaging", "message": "x", "locale": "fr"}, "locale"),
        ({"agent": "messaging", "message": "x", "resume": []}, "data"),
        ({"agent": "messaging", "message": [{"type": "video"}]}, "message.0"),
        ({"agent": "messaging", "message": [{"type": "text"}]}, "message.0.text"),
        ("text", "data"),
        (None, "data"),
        ([], "data"),
    ],
)
def test_a_bad_request_names_its_field(data: Any, field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(RunRequest, data)
    assert caught.value.field == field


def test_snake_case_is_accepted_too() -> None:
    request = validate(RunRequest, {"agent": "a", "message": "x", "thread_id": "t1"})
    assert request.thread_id == "t1"
