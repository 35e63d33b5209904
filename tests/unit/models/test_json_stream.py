import pytest

from rollcall.models.json_stream import DONE, json_events
from tests.support.for_every import for_every


@for_every(
    "body",
    [
        'data: {"a": 1}\n\ndata: {"a": 2}\n\n',
        'data:{"a": 1}\r\n\r\ndata:{"a": 2}',
        'event: x\nid: 7\ndata: {"a": 1}\n: still here\n\n\ndata: {"a": 2}\n\n',
        'data: {"a": 1}\ndata: {"a": 2}\n',
        'data: {"a":\ndata: 1}\n\ndata: {"a": 2}\n\n',
        '[{"a": 1},\n {"a": 2}]',
        '\ufeffdata: {"a": 1}\n\ndata: 5\n\ndata: {"a": 2}\n\n',
    ],
)
@for_every("size", [1, 7, 1000])
def test_objects_are_found_however_they_are_sent(body: str, size: int) -> None:
    raw = body.encode()
    chunks = [raw[start : start + size] for start in range(0, len(raw), size)]
    assert list(json_events(chunks)) == [{"a": 1}, {"a": 2}]


def test_line_ends_of_unicode_are_text() -> None:
    event = 'data: {"a": "one\u2028two\u0085three \u05e9"}\n\n'.encode()
    found = json_events([event[:18], event[18:]])
    assert list(found) == [{"a": "one\u2028two\u0085three \u05e9"}]


def test_done_is_told_apart() -> None:
    assert list(json_events([b'data: {"a": 1}\n\ndata: [DONE]\n\n'])) == [{"a": 1}, DONE]


@pytest.mark.parametrize("body", [b'data: {"a": \n\n', b'data: {"a": 1', b'{"a": ', b"[1, 2"])
def test_broken_json_is_an_error(body: bytes) -> None:
    with pytest.raises(ValueError):
        list(json_events([body]))
