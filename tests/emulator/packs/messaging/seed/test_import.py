"""`python -m seed import`: a user's own conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CHATS = {"street": "ועד הרחוב", "trip": "The trip"}


def line(n: int, **changes: Any) -> str:
    chat = "street" if n % 2 else "trip"
    data = {
        "conversationId": chat,
        "conversationName": CHATS[chat],
        "senderId": f"u{n % 3}",
        "senderName": f"Person {n % 3}",
        "content": f"הודעה number {n}",
        "timestamp": f"2026-03-02T09:{n:02d}:00Z",
        **changes,
    }
    return json.dumps(data, ensure_ascii=False)


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(line(n) for n in range(20)), encoding="utf-8")
    return path


def test_importing_twice_is_importing_once(seeding: Any, chats: Path) -> None:
    first = seeding.run("import", chats, "--format", "jsonl", "--as", "demo")
    assert first.returncode == 0, first.stderr
    assert "20 messages in" in first.stdout
    assert "a second; peak memory" in first.stdout
    second = seeding.run("import", chats, "--format", "jsonl", "--as", "demo")
    assert second.returncode == 0, second.stderr
    assert (seeding.count("messages"), seeding.count("conversations")) == (20, 2)
    street = seeding.db.document("conversations/street").get().to_dict()
    assert (street["messageCount"], street["name"]) == (10, "ועד הרחוב")
    assert sorted(street["participantIds"]) == ["demo", "u0", "u1", "u2"]
    assert [m["content"] for m in seeding.messages("street")] == [
        f"הודעה number {n}" for n in range(1, 20, 2)
    ]


def test_bad_lines_are_named_and_the_good_ones_are_there(seeding: Any, tmp_path: Path) -> None:
    path, problems = tmp_path / "chats.jsonl", tmp_path / "problems.jsonl"
    path.write_text("\n".join([line(0), "{", line(1), line(2, content=7), line(3)]))
    arguments = ("--format", "jsonl", "--as", "demo", "--problems", problems)
    done = seeding.run("import", path, *arguments)
    assert done.returncode == 1
    assert "line 2: not JSON" in done.stderr
    assert "line 4: content has to be text, not a number" in done.stderr
    assert [json.loads(item)["place"] for item in problems.read_text().splitlines()] == [
        "line 2",
        "line 4",
    ]
    assert seeding.count("messages") == 3


def test_an_encrypted_message_is_kept_and_not_indexed(seeding: Any, tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text(line(1, encrypted=True, content="v1.c2VjcmV0"), encoding="utf-8")
    assert seeding.run("import", path, "--format", "jsonl", "--as", "demo").returncode == 0
    [message] = seeding.messages("street")
    assert (message["encrypted"], message["content"]) == (True, "v1.c2VjcmV0")
    assert "priority" not in message
    index = [s.to_dict() for s in seeding.db.collection("messageIndex").stream()]
    assert "c2VjcmV0" not in repr(index)


def test_nobody_joins_a_conversation_that_is_there_already(seeding: Any, tmp_path: Path) -> None:
    seeding.db.document("conversations/street").set(
        {"name": "Private", "participantIds": ["u7"], "type": "group"}
    )
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(line(n) for n in range(4)), encoding="utf-8")
    done = seeding.run("import", path, "--format", "jsonl", "--as", "demo")
    assert done.returncode == 1
    assert "conversation street: there is another conversation of this id" in done.stderr
    assert seeding.messages("street") == []
    assert len(seeding.messages("trip")) == 2
    kept = seeding.db.document("conversations/street").get().to_dict()
    assert kept["participantIds"] == ["u7"]


def test_a_later_import_keeps_who_was_in_before(seeding: Any, chats: Path) -> None:
    assert seeding.run("import", chats, "--format", "jsonl", "--as", "demo").returncode == 0
    chats.write_text(line(31, senderId="u9", senderName="New"), encoding="utf-8")
    assert seeding.run("import", chats, "--format", "jsonl", "--as", "demo").returncode == 0
    street = seeding.db.document("conversations/street").get().to_dict()
    assert set(street["participantIds"]) == {"demo", "u0", "u1", "u2", "u9"}
    assert street["participantNames"]["u1"] == "Person 1"
    assert all("u9" in m["participantIds"] for m in seeding.messages("street"))


def test_a_slack_export_is_imported_twice_alike(seeding: Any, tmp_path: Path) -> None:
    export = tmp_path / "export"
    (export / "garden").mkdir(parents=True)
    users = [{"id": "U1", "profile": {"display_name": "Noa"}}, {"id": "U2", "name": "עומר"}]
    channels = [{"id": "C1", "name": "garden", "members": ["U1", "U2"]}]
    day = [
        {"type": "message", "user": "U2", "text": "<@U1> יש נזילה", "ts": "1772442000.000100"},
        {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1772442001.000100"},
        {"type": "message", "user": "U1", "text": "on my way", "ts": "1772442002.000100"},
    ]
    (export / "users.json").write_text(json.dumps(users), encoding="utf-8")
    (export / "channels.json").write_text(json.dumps(channels), encoding="utf-8")
    (export / "garden" / "2026-03-02.json").write_text(json.dumps(day), encoding="utf-8")
    for _ in range(2):
        done = seeding.run(
            "import", export, "--format", "slack", "--as", "demo", "--map", "U1=demo"
        )
        assert done.returncode == 0, done.stderr
        assert "joins, topics and other housekeeping" in done.stdout
    found = seeding.messages("slack-C1")
    assert [(m["senderId"], m["content"]) for m in found] == [
        ("slack-U2", "@Noa יש נזילה"),
        ("demo", "on my way"),
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [(None, "no such file"), (b"", "holds no messages"), (b"\xff\xfe{", "UTF-16")],
)
def test_unusable_input_is_said_and_nothing_is_written(
    seeding: Any, tmp_path: Path, data: bytes | None, reason: str
) -> None:
    path = tmp_path / "chats.jsonl"
    if data is not None:
        path.write_bytes(data)
    done = seeding.run("import", path, "--format", "jsonl", "--as", "demo")
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert seeding.count("conversations") == 0
