import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from seed.messaging.records import Item, Note, Problem, Record, Removal
from seed.messaging.slack import count_days, read_slack

USERS = [
    {"id": "U1", "name": "noa", "profile": {"display_name": "Noa Levi"}},
    {"id": "U2", "name": "omer", "profile": {"display_name": "", "real_name": "עומר כץ"}},
    {"id": "U3", "name": "tom"},
]
LISTS: dict[str, Any] = {
    "users.json": USERS,
    "channels.json": [{"id": "C1", "name": "garden", "members": ["U1", "U2", "U3"]}],
    "groups.json": [{"id": "G1", "name": "תקציב", "members": ["U1", "U2"]}],
    "mpims.json": [{"id": "G2", "name": "mpdm-noa--omer--tom-1", "members": ["U1", "U2", "U3"]}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}, {"id": "D2", "members": ["U2", "U3"]}],
}
DAY = "2026-03-02.json"


def message(ts: str = "1772442000.000100", **changes: Any) -> dict[str, Any]:
    return {"type": "message", "user": "U1", "text": "hello", "ts": ts, **changes}


def export(root: Path, days: dict[str, Any], lists: dict[str, Any] = LISTS) -> Path:
    for name, data in {**lists, **days}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = data if isinstance(data, str) else json.dumps(data)
        path.write_text(text, encoding="utf-8")
    return root


def read(root: Path, uids: dict[str, str] | None = None) -> list[Item]:
    return list(read_slack(root, user="demo", uids={"U1": "demo"} if uids is None else uids))


def records(items: list[Item]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def test_a_message_is_a_record_with_names_and_members(tmp_path: Path) -> None:
    [record] = read(export(tmp_path, {f"garden/{DAY}": [message(text="hi <@U2>")]}))
    assert isinstance(record, Record)
    assert (record.conversation, record.conversation_name) == ("slack-C1", "garden")
    assert (record.sender, record.sender_name, record.content) == (
        "demo",
        "Noa Levi",
        "hi @עומר כץ",
    )
    assert record.sent_at == datetime(2026, 3, 2, 9, 0, 0, 100, tzinfo=UTC)
    assert record.key == "1772442000-000100"
    assert record.participants == {"demo": "Noa Levi", "slack-U2": "עומר כץ", "slack-U3": "tom"}


def test_every_kind_of_conversation_is_named(tmp_path: Path) -> None:
    folders = ("garden", "תקציב", "mpdm-noa--omer--tom-1", "D1")
    found = records(read(export(tmp_path, {f"{name}/{DAY}": [message()] for name in folders})))
    assert {r.conversation: r.conversation_name for r in found} == {
        "slack-C1": "garden",
        "slack-G1": "תקציב",
        "slack-G2": "עומר כץ, tom",
        "slack-D1": "עומר כץ",
    }


def test_conversations_without_the_user_are_left_out(tmp_path: Path) -> None:
    root = export(tmp_path, {f"D2/{DAY}": [message(user="U2")], f"D1/{DAY}": [message()]})
    items = read(root)
    assert [r.conversation for r in records(items)] == ["slack-D1"]
    assert Note("days of conversations that the user is not in") in items
    assert len(records(read(root, {}))) == 2  # nobody said which Slack user they are


@pytest.mark.parametrize(
    ("entry", "text", "sender"),
    [
        (message(subtype="thread_broadcast", thread_ts="1.000001"), "hello", "demo"),
        (message(subtype="me_message", text="waves"), "waves", "demo"),
        (message(text="", files=[{"name": "plan.pdf"}]), "[file: plan.pdf]", "demo"),
        (message(user="U9", user_profile={"display_name": "Guest"}), "hello", "slack-U9"),
        (message(user=None, subtype="bot_message", bot_id="B1"), "hello", "slack-B1"),
        (message(user=None, subtype="bot_message", username="Deploys"), "hello", "slack-bot"),
        (message(user="U2", subtype="something_new"), "hello", "slack-U2"),
    ],
)
def test_what_people_and_bots_said_is_kept(
    tmp_path: Path, entry: dict[str, Any], text: str, sender: str
) -> None:
    [record] = read(export(tmp_path, {f"garden/{DAY}": [entry]}))
    assert isinstance(record, Record)
    assert (record.content, record.sender) == (text, sender)


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (message(subtype="channel_join"), "joins, topics and other housekeeping"),
        (message(subtype="channel_topic"), "joins, topics and other housekeeping"),
        (message(subtype="tombstone"), "joins, topics and other housekeeping"),
        (message(subtype="bot_add"), "joins, topics and other housekeeping"),
        ({"type": "reaction_added"}, "joins, topics and other housekeeping"),
        (message(text=""), "messages without text"),
    ],
)
def test_housekeeping_is_counted_not_kept(tmp_path: Path, entry: dict[str, Any], what: str) -> None:
    assert read(export(tmp_path, {f"garden/{DAY}": [entry]})) == [Note(what)]


def test_edits_and_deletions_are_told_apart(tmp_path: Path) -> None:
    entries = [
        message(edited={"user": "U1", "ts": "2.0"}),
        {
            "type": "message",
            "subtype": "message_changed",
            "ts": "9.1",
            "message": message(text="new"),
        },
        {"type": "message", "subtype": "message_deleted", "ts": "9.2", "deleted_ts": "7.000001"},
        {"type": "message", "subtype": "message_deleted", "previous_message": message("8.000001")},
    ]
    first, second, *gone = read(export(tmp_path, {f"garden/{DAY}": entries}))
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert (first.replaces, second.replaces, second.content) == (True, True, "new")
    assert first.key == second.key
    assert gone == [Removal("slack-C1", "7-000001"), Removal("slack-C1", "8-000001")]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("text", "has to be a JSON object"),
        (message(ts="soon"), "ts is no time of Slack's"),
        (message(ts=1772442000.0), "ts is no time of Slack's"),
        (message(user=7), "has no sender"),
        (
            {"subtype": "message_changed", "message": None},
            "changes a message that it does not hold",
        ),
        ({"subtype": "message_deleted", "deleted_ts": 7}, "does not say which message"),
    ],
)
def test_a_bad_entry_is_named_and_its_neighbours_are_kept(
    tmp_path: Path, entry: Any, reason: str
) -> None:
    items = read(export(tmp_path, {f"garden/{DAY}": [message(), entry, message("3.000001")]}))
    assert len(records(items)) == 2
    [problem] = [item for item in items if isinstance(item, Problem)]
    assert problem.place == f"garden/{DAY} #2"
    assert reason in problem.reason


@pytest.mark.parametrize("bad", ["{", "{}", "[" * 100_000, ""])
def test_a_bad_day_is_named_and_the_others_are_kept(tmp_path: Path, bad: str) -> None:
    days = {f"garden/{DAY}": bad, "garden/2026-03-03.json": [message()]}
    problem, record = read(export(tmp_path, days))
    assert isinstance(problem, Problem)
    assert problem.place == f"garden/{DAY}"
    assert isinstance(record, Record)


def test_bad_lists_are_named_and_messages_kept_under_ids(tmp_path: Path) -> None:
    lists = {"users.json": "{", "channels.json": [{"id": "C1", "name": "garden"}, {"name": "x"}]}
    items = read(export(tmp_path, {f"garden/{DAY}": [message(user="U2")]}, lists))
    assert [item.place for item in items if isinstance(item, Problem)] == [
        "users.json",
        "channels.json #2",
    ]
    assert [(r.sender, r.sender_name) for r in records(items)] == [("slack-U2", "U2")]


def test_days_are_counted_without_lists(tmp_path: Path) -> None:
    assert count_days(export(tmp_path, {f"garden/{DAY}": [], f"D1/{DAY}": []})) == 2
