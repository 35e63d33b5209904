"""Input is refused with the path of the invalid value."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, ValidationError

from rollcall.core.errors import FailedPrecondition, InvalidArgument, ResourceExhausted
from rollcall.core.inputs import (
    CONTEXT_CHARS,
    MAX_BODY_BYTES,
    NOT_BLANK,
    check_json,
    parse_json,
    parse_url,
    read_context,
    validate,
)
from rollcall.core.texts import TEXTS, without_isolates
from rollcall.core.wire import RunRequest
from tests.support.for_every import for_every


def _refuse_x(value: str) -> str:
    if value == "x":
        raise ValueError(TEXTS.text("errors.empty_message"))
    return value


def nested_list(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


class Bounded(BaseModel):
    above: Annotated[float, Field(gt=0)] = 1
    least: Annotated[float, Field(ge=2.5)] = 3
    below: Annotated[int, Field(lt=5_000_000)] = 1
    most: Annotated[int, Field(le=7)] = 1
    text: Annotated[str, Field(min_length=2, max_length=3)] = "ab"
    one: Annotated[str, Field(min_length=1, max_length=1)] = "a"
    listed: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    row: Annotated[tuple[int, ...], Field(max_length=1)] = (1,)
    labels: Annotated[dict[str, int], Field(min_length=1, max_length=2)] = {"a": 1}
    named: Literal["copper", "aluminum"] = "copper"
    checked: Annotated[str, AfterValidator(_refuse_x)] = "a"


BEYOND = [
    ("above", 0, "above: הערך צריך להיות גדול מ-0 (לא 0)"),
    ("least", 1, "least: הערך צריך להיות 2.5 לפחות (לא 1)"),
    ("below", 5_000_000, "below: הערך צריך להיות קטן מ-5000000 (לא 5000000)"),
    ("most", 8, "most: הערך צריך להיות 7 לכל היותר (לא 8)"),
    ("text", "a", "text: צריך לכתוב 2 תווים לפחות (לא 'a')"),
    ("text", "abcd", "text: צריך לכתוב 3 תווים לכל היותר (לא 'abcd')"),
    ("one", "", "one: צריך לכתוב תו אחד לפחות (לא '')"),
    ("one", "ab", "one: צריך לכתוב תו אחד לכל היותר (לא 'ab')"),
    ("listed", [], "listed: צריך פריט אחד לפחות, ויש 0"),
    ("listed", [1, 2, 3], "listed: צריך 2 פריטים לכל היותר, ויש 3"),
    ("row", [1, 2], "row: צריך פריט אחד לכל היותר, ויש 2"),
    ("labels", {}, "labels: צריך פריט אחד לפחות, ויש 0"),
    ("labels", {"a": 1, "b": 2, "c": 3}, "labels: צריך 2 פריטים לכל היותר, ויש יותר"),
    ("named", "tin", "named: הערך צריך להיות אחד מאלה: 'copper' or 'aluminum' (לא 'tin')"),
    ("checked", "x", "checked: ההודעה ריקה (לא 'x')"),
]


@pytest.mark.parametrize(("field", "value", "hebrew"), BEYOND)
def test_a_value_beyond_its_bounds_is_refused_in_both_languages(
    field: str, value: Any, hebrew: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(Bounded, {field: value})
    with pytest.raises(ValidationError) as pydantics:
        Bounded.model_validate({field: value})
    words = pydantics.value.errors()[0]["msg"].removeprefix("Value error, ")
    given = "" if isinstance(value, list | dict) else f" (not {value!r})"
    assert caught.value.message == f"{field}: {words[:1].lower()}{words[1:]}{given}"
    assert without_isolates(caught.value.say("he")) == hebrew


def test_a_blank_text_is_refused_in_both_languages() -> None:
    class Named(BaseModel):
        name: Annotated[str, Field(pattern=NOT_BLANK)]

    with pytest.raises(InvalidArgument) as caught:
        validate(Named, {"name": " \t"})
    assert caught.value.message == "name: a text is needed, not spaces alone (not ' \\t')"
    assert "ולא רווחים בלבד" in caught.value.say("he")


def test_a_value_of_none_of_several_types_is_told_all_of_them() -> None:
    class Either(BaseModel):
        answer: bool | int | dict[str, str] | list[str]

    with pytest.raises(InvalidArgument) as caught:
        validate(Either, {"answer": None})
    wanted = "answer: input should be a valid boolean, integer, object or array (not None)"
    assert caught.value.message == wanted
    with pytest.raises(InvalidArgument, match=r"answer\.1: input should be a valid string"):
        validate(Either, {"answer": ["a", 1]})


def test_what_is_missing_is_named_in_both_languages() -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(RunRequest, {"message": "hi"})
    assert caught.value.message == "agent is missing"
    assert caught.value.say("he") == "חסר \u2068agent\u2069"


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
        check_json(nested_list(30))
    with pytest.raises(InvalidArgument, match="values"):
        check_json([0] * 30_000)
    check_json(nested_list(20))


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


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("https://api.example.com", "api.example.com", 443, "/"),
        ("HTTPS://API.Example.com:443/v1/x?q=1&r=%20", "api.example.com", 443, "/v1/x?q=1&r=%20"),
        ("https://api.example.com?q=1", "api.example.com", 443, "/?q=1"),
        ("https://xn--bcher-kva.example:8443/@x:y", "xn--bcher-kva.example", 8443, "/@x:y"),
    ],
)
def test_a_url_has_a_host_a_port_and_a_path(url: str, host: str, port: int, path: str) -> None:
    found = parse_url(url)
    assert (found.host, found.port, found.path) == (host, port, path)


@for_every(
    "url",
    [
        "",
        "api.example.com",
        "http://api.example.com/",
        "ftp://api.example.com/",
        "https:/api.example.com/",
        "https:///api.example.com/",
        "//api.example.com/",
        "https://",
        "https://user@api.example.com/",
        "https://user:pw@api.example.com/",
        "https://api.example.com@127.0.0.1/",
        "https://api.example.com\\@127.0.0.1/",
        "https://api.example.com#@127.0.0.1/",
        "https://api.example.com/#part",
        "https://api.example.com./",
        "https://api.example..com/",
        "https://.example.com/",
        "https://-api.example.com/",
        "https://api_x.example.com/",
        "https://api.example.com%2e/",
        "https://api%2eexample.com/",
        "https://api.example.com:/",
        "https://api.example.com:0/",
        "https://api.example.com:65536/",
        "https://api.example.com:443:443/",
        "https://api.example.com:４４３/",
        "https://api.example.com /",
        "https://api.example.com/a b",
        "https://api.example.com/\r\nHost: x",
        "https://api.example.com/\t",
        "https://api.example.com\n",
        " https://api.example.com",
        "https://bücher.example/",
        "https://api。example.com/",
        "https://api.example.\uff43om",  # a full-width c
        "https://\u212aiwi.example.com",  # the Kelvin sign is no k
        "http\u017f://api.example.com",  # nor the long s an s
        "https://localhost/",
        "https://metadata/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.0x1/",
        "https://1.2.3.0x/",
        "https://①②⑦.0.0.1/",
        "https://127.0.0.1.:443/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://" + "a" * 64 + ".example.com/",
        "https://" + ("a" * 60 + ".") * 5 + "com/",
        "https://api.example.com/" + "a" * 9000,
    ],
)
def test_what_could_be_read_in_two_ways_is_no_url(url: str) -> None:
    with pytest.raises(FailedPrecondition):
        parse_url(url)


def test_a_context_is_measured_without_its_credentials() -> None:
    kept = read_context({"page": "://ann:p@" * 200})
    assert kept == {"page": "://ann:[hidden]@" * 200}
    assert read_context(kept) == kept, "another function, which is sent it, takes it too"
    longer = {"page": "://ann:p@" * 280}
    assert len(json.dumps(longer)) < CONTEXT_CHARS
    with pytest.raises(InvalidArgument, match=r"^context has 4,49\d characters of JSON"):
        read_context(longer)
