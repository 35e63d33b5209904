"""A user's data in conversations, exported and erased."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.messaging.action_items import get_conversation_action_items
from packs.messaging.decisions import get_conversation_decisions
from packs.messaging.triggers import message_written
from rollcall.core.context import Call, User
from rollcall.core.triggers import DocumentEvent
from rollcall.endpoints import my_data
from tests.emulator.packs.messaging.conftest import START, World
from tests.support.local_functions import LocalPlatform
from tests.support.user_data import all_documents, paths_with

Documents = dict[str, dict[str, Any]]


def erase(db: Client, uid: str) -> dict[str, Any]:
    return my_data.delete_my_data(LocalPlatform(db), Call(User(uid), {"confirm": True}))


def export(db: Client, uid: str) -> list[dict[str, Any]]:
    page = my_data.export_my_data(LocalPlatform(db), Call(User(uid), {}))
    assert page["cursor"] is None
    items: list[dict[str, Any]] = page["items"]
    return items


def about(documents: Documents, uid: str) -> list[str]:
    """Paths of the documents with this user's id in a field, receipts aside.

    The index has the words that were said as well; Dana's own may name him.
    """
    return [
        path
        for path, data in documents.items()
        if not path.startswith("erasures/")
        and f"'{uid}'" in str({key: value for key, value in data.items() if key != "terms"})
    ]


def let_triggers_run(world: World, before: Documents) -> None:
    """What Firestore would tell the functions about the messages that are gone."""
    after = all_documents(world.db)
    for path in before.keys() - after.keys():
        collection, _, id = path.partition("/")
        if collection == "messages":
            message_written(world.platform, DocumentEvent({"messageId": id}, before[path], None))


@pytest.fixture
def team(world: World) -> World:
    """Tom and Dana at work, with tasks and decisions found; Noa and Dana elsewhere."""
    world.talk(
        "work",
        [
            ("dana", "Tom, please send the budget report by Friday."),
            ("tom", "Sure, I'll send it."),
            ("tom", "We decided to use Postgres for the launch."),
            ("dana", "I will book the room for Monday."),
        ],
    )
    world.talk("direct", [("tom", "The code word is heron.")], people=("tom",), name="Notes")
    world.talk("other", [("noa", "We decided to move.")], people=("dana", "noa"))
    for uid in ("dana", "tom", "noa"):
        get_conversation_action_items(world.ctx(uid))
        get_conversation_decisions(world.ctx(uid))
    return world


def test_an_erased_users_words_and_names_are_gone_and_others_stay(team: World) -> None:
    before = all_documents(team.db)
    assert paths_with(before, "tom", "Tom")
    receipt = erase(team.db, "tom")
    assert receipt["status"] == "done"
    let_triggers_run(team, before)
    after = all_documents(team.db)
    assert about(after, "tom") == []
    assert paths_with(after, "Tom Reed", "heron", "Postgres") == []
    assert after["messages/work-0"]["content"] == before["messages/work-0"]["content"]
    assert after["conversations/work"]["participantIds"] == ["dana"]
    assert after["conversations/work"]["participantNames"] == {"dana": "Dana Levi"}
    assert "conversations/direct" not in after


def test_an_erasure_leaves_conversations_of_others_as_they_are(team: World) -> None:
    before = all_documents(team.db)
    erase(team.db, "tom")
    let_triggers_run(team, before)
    after = all_documents(team.db)
    others = {path: data for path, data in before.items() if "'other'" in str(data)}
    assert len(others) > 2
    assert {path: after.get(path) for path in others} == others


def test_a_task_of_somebody_erased_is_nobodys(team: World) -> None:
    [task] = [
        path
        for path, data in all_documents(team.db).items()
        if path.startswith("actionItems/")
        and data["assigneeId"] == "tom"
        and data["senderId"] == "dana"
    ]
    erase(team.db, "tom")
    data = all_documents(team.db)[task]
    assert (data["assigneeId"], data["assignee"], data["context"]) == (None, None, "")
    found = get_conversation_action_items(team.ctx("dana"))
    assert found.total_found >= 1


def test_an_export_has_own_messages_and_nothing_that_others_said(team: World) -> None:
    items = export(team.db, "tom")
    said = {item["id"] for item in items if item["kind"] == "chatMessages"}
    assert said == {"work-1", "work-2", "direct-0"}
    names = {item["data"]["name"] for item in items if item["kind"] == "conversations"}
    assert names == {"Talk work", "Notes"}
    text = json.dumps(items)
    assert "dana" not in text and "Dana Levi" not in text and "book the room" not in text
    assert any(item["kind"] == "tasks" for item in items)
    assert any(item["kind"] == "decisions" for item in items)


def test_the_content_of_encrypted_messages_is_in_no_export(world: World) -> None:
    world.talk("secret", [("tom", "c2VjcmV0IHdvcmRz")], encrypted=True)
    world.post("odd", world.posted("secret", "tom", "bm8gbWFyaw==") | {"encrypted": "no"})
    items = [item for item in export(world.db, "tom") if item["kind"] == "chatMessages"]
    assert [item["data"]["encrypted"] for item in items] == [True, True]
    assert "c2VjcmV0" not in json.dumps(items) and "bm8gbWFyaw" not in json.dumps(items)
    erase(world.db, "tom")
    assert paths_with(all_documents(world.db), "c2VjcmV0", "bm8gbWFyaw") == []


def test_what_was_rated_or_done_by_somebody_erased_stays_so(team: World) -> None:
    db = team.db
    items = [each.reference for each in db.collection("actionItems").stream()]
    mine = next(item for item in items if item.get().get("senderId") == "dana")
    mine.update({"status": "done", "doneBy": "tom", "doneAt": START + timedelta(days=1)})
    rated = {"prioritySetBy": "tom", "priority": "urgent"}
    db.document("messages/work-0").update(rated)
    erase(db, "tom")
    assert (mine.get().get("status"), mine.get().get("doneBy")) == ("done", "erased")
    message = db.document("messages/work-0").get()
    assert (message.get("priority"), message.get("prioritySetBy")) == ("urgent", "erased")


def test_a_name_with_odd_characters_is_taken_out(world: World) -> None:
    uid = "a.b`c*~"
    world.talk("odd", [("dana", "Hello")], people=("dana", uid))
    erase(world.db, uid)
    assert (world.get("conversations/odd") or {})["participantNames"] == {"dana": "Dana Levi"}


def test_somebody_who_left_before_is_erased_where_they_spoke(team: World) -> None:
    team.db.document("conversations/work").update(
        {"participantIds": ["dana"], "participantNames": {"dana": "Dana Levi"}}
    )
    before = all_documents(team.db)
    erase(team.db, "tom")
    let_triggers_run(team, before)
    assert about(all_documents(team.db), "tom") == []
