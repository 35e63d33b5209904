"""get_user_conversations."""

from datetime import timedelta

from packs.messaging.conversations import get_user_conversations

from .conftest import START, World


def test_conversations_come_newest_first_with_their_counts(world: World) -> None:
    world.talk("old", [("tom", "Hi"), ("dana", "Hello")])
    world.talk("new", [("tom", "News?")], start=START + timedelta(days=1))
    found = get_user_conversations(world.ctx())
    assert [item.id for item in found.conversations] == ["new", "old"]
    assert found.conversations[1].message_count == 2
    assert found.conversations[1].participant_names == ["Dana Levi", "Tom Reed"]
    assert found.conversations[1].last_message_at == "2026-03-02T09:01:00.000Z"


def test_a_user_without_conversations_gets_an_empty_list(world: World) -> None:
    world.talk("theirs", [("tom", "Hi")], people=("tom", "noa"))
    found = get_user_conversations(world.ctx())
    assert found.conversations == []
    assert found.total_count == 0


def test_the_total_counts_those_beyond_the_limit(world: World) -> None:
    for n in range(4):
        world.talk(f"c{n}", [("tom", "Hi")])
    found = get_user_conversations(world.ctx(), limit=3)
    assert len(found.conversations) == 3
    assert found.total_count == 4


def test_encrypted_messages_are_counted(world: World) -> None:
    world.talk("secret", [("tom", "c2VjcmV0")] * 3, encrypted=True)
    (found,) = get_user_conversations(world.ctx()).conversations
    assert (found.message_count, found.encrypted_count) == (3, 3)


def test_hebrew_names_come_as_they_are(world: World) -> None:
    world.talk("he", [("noa", "שלום")], people=("dana", "noa"), name="צוות מוצר")
    (found,) = get_user_conversations(world.ctx()).conversations
    assert found.name == "צוות מוצר"
    assert found.participant_names == ["Dana Levi", "נועה כהן"]


def test_a_conversation_without_a_name_is_called_after_the_others_in_it(world: World) -> None:
    world.talk("c", [("tom", "Hi")])
    world.db.document("conversations/c").update({"name": ""})
    (found,) = get_user_conversations(world.ctx()).conversations
    assert found.name == "Tom Reed"
