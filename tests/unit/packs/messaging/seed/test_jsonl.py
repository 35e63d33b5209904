import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from seed.errors import UnusableInput
from seed.messaging.jsonl import LINE_BYTES, read_jsonl
from seed.messaging.records import Item, Note, Problem, Record

GOOD: dict[str, Any] = {
    "conversationId": "c1",
    "conversationName": "ועד הבית",
    "senderId": "u1",
    "senderName": "נועה",
    "content": "מי משקה את הגינה?",
    "timestamp": "2026-03-02T09:00:00Z",
}


def line(**changes: Any) -> bytes:
    kept = {k: v for k, v in {**GOOD, **changes}.items() if v is not ...}
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "surrogatepass")


def read(tmp_path: Path, data: bytes) -> list[Item]:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(data)
    return list(read_jsonl(path))


def test_a_line_is_a_record(tmp_path: Path) -> None:
    [record] = read(tmp_path, line(id="m1", participantIds=["u1", "u2"], extra={"kept": False}))
    assert isinstance(record, Record)
    assert (record.place, record.content) == ("line 1", GOOD["content"])
    assert record.sent_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert (record.key, record.encrypted, list(record.participants)) == ("m1", False, ["u1", "u2"])


BAD_LINES = {
    b"{": "not JSON",
    b"[1]": "has to be a JSON object, not a list",
    b'"text"': "has to be a JSON object, not text",
    b"null": "has to be a JSON object, not null",
    b"NaN": "not JSON: NaN",
    b"[" * 100_000: "nested too deep",
    b'{"n": ' + b"9" * 5_000 + b"}": "not JSON",
    b'{"a": "\xff"}': "not UTF-8 at byte 8",
    b"\x00\x01": "not JSON",
    line(content=...): "content missing",
    line(content=None, senderId=...): "senderId, content missing",
    line(content=7): "content has to be text, not a number",
    line(senderName=" \n"): "senderName is empty",
    line(conversationId=["c"]): "conversationId has to be text, not a list",
    line(conversationId=""): "conversationId has to have 1 to 128 characters",
    line(senderId="x" * 129): "senderId has to have 1 to 128 characters, not 129",
    line(senderId="\ud800"): "not UTF-8",
    json.dumps({**GOOD, "senderId": "\ud800"}).encode(): "senderId has characters",
    line(id="a\x00b"): "id has characters that an id cannot have",
    line(senderName="x" * 201): "senderName has 201 characters; at most 200",
    line(timestamp=1_700_000_000): "timestamp has to be text in ISO 8601, not a number",
    line(timestamp="yesterday"): "timestamp 'yesterday' is no time",
    line(timestamp="2026-02-30T10:00:00Z"): "timestamp '2026-02-30T10:00:00Z' is no time",
    line(timestamp="2026-02-03"): "timestamp '2026-02-03' is no time",
    line(timestamp="0001-01-01T00:00:00+05:00"): "outside the years 1970 to 2199",
    line(encrypted="yes"): "encrypted has to be true or false, not text",
    line(participantIds="u1"): "participantIds has to be a list",
    line(participantIds=["u1", 7]): "participantIds has to be text, not a number",
    line(content="x" * LINE_BYTES): "longer than 1,000,000 bytes",
}


@pytest.mark.parametrize(("bad", "reason"), BAD_LINES.items(), ids=BAD_LINES.values())
def test_a_bad_line_is_named_and_its_neighbours_are_kept(
    tmp_path: Path, bad: bytes, reason: str
) -> None:
    before, problem, after = read(tmp_path, b"\n".join([line(), bad, line()]))
    assert isinstance(before, Record)
    assert isinstance(after, Record)
    assert isinstance(problem, Problem)
    assert problem.place == "line 2"
    assert reason in problem.reason
    assert len(problem.reason) < 300


def test_byte_order_mark_crlf_and_blank_lines_are_no_problem(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + line() + b"\r\n\r\n   \n" + line(content="שנית") + b"\r\n"
    records = read(tmp_path, data)
    assert [(r.place, r.content) for r in records if isinstance(r, Record)] == [
        ("line 1", GOOD["content"]),
        ("line 4", "שנית"),
    ]


def test_half_characters_are_replaced_and_counted(tmp_path: Path) -> None:
    note, record = read(tmp_path, json.dumps({**GOOD, "content": "סגור \ud83d"}).encode())
    assert note == Note("texts with half characters replaced")
    assert isinstance(record, Record)
    assert record.content == "סגור \ufffd"


def test_an_overlong_text_is_cut_and_counted(tmp_path: Path) -> None:
    note, record = read(tmp_path, line(content="א" * 40_000))
    assert note == Note("texts cut to 32,000 characters")
    assert isinstance(record, Record)
    assert len(record.content) == 32_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-02T09:00:00+02:00", datetime(2026, 3, 2, 7, tzinfo=UTC)),
        ("2026-03-02 09:00", datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ("2026-03-02t09:00:00z", datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ("2026-03-02T09:00:00.123456789Z", datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_people_write_them(tmp_path: Path, text: str, expected: datetime) -> None:
    [record] = read(tmp_path, line(timestamp=text))
    assert isinstance(record, Record)
    assert record.sent_at == expected


def test_a_message_without_words_is_a_message(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_bytes(line(content="") + b"\n")
    assert [item.content for item in read_jsonl(file) if isinstance(item, Record)] == [""]


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    assert read(tmp_path, b"") == []


@pytest.mark.parametrize(
    ("data", "reason"), [(b"\xff\xfe{\x00", "UTF-16"), (b"PK\x03\x04zip", "a zip")]
)
def test_another_kind_of_file_is_unusable(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(UnusableInput, match=reason):
        read(tmp_path, data)


def test_a_missing_file_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="cannot be read"):
        list(read_jsonl(tmp_path / "none.jsonl"))


def test_reading_is_told_of_byte_by_byte_progress(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(line() + b"\n" + b"x" * (2 * LINE_BYTES) + b"\n" + line())
    counts: list[int] = []
    items = list(read_jsonl(path, on_read=counts.append))
    assert [type(item) for item in items] == [Record, Problem, Record]
    assert len(counts) == 3
