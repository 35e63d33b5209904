"""get_conversation_action_items, get_conversation_decisions, and the extraction behind them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from packs.messaging import extraction
from packs.messaging.action_items import get_conversation_action_items
from packs.messaging.decisions import get_conversation_decisions
from packs.messaging.extraction import VERSION, note_late
from packs.messaging.triggers import message_written
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.store import batches

from .conftest import START, World

TASK = "Dana, please send the budget report to the bank by Friday"
OTHER_TASK = "Dana, can you book the meeting room by Wednesday?"
DECISION = "We decided to move the launch to May."
HEBREW_TASK = "דנה, בבקשה תשלחי את החוזה ללקוח עד מחר"
HEBREW_DECISION = "החלטנו לעבור לספק החדש"


def read_all(world: World, collection: str) -> list[dict[str, Any]]:
    return [snapshot.to_dict() or {} for snapshot in world.db.collection(collection).stream()]


def test_a_task_comes_with_assignee_and_a_real_deadline(world: World) -> None:
    world.talk("c", [("tom", "Morning!"), ("tom", TASK)])
    found = get_conversation_action_items(world.ctx())
    (item,) = found.action_items
    assert "budget report" in item.task
    assert (item.assignee, item.deadline) == ("Dana Levi", "2026-03-06")
    assert (item.conversation_id, item.conversation_name, item.message_id) == ("c", "Talk c", "c-1")
    assert 0 < item.confidence <= 1
    assert found.total_found == 1


def test_a_decision_comes_with_who_and_when(world: World) -> None:
    world.talk("c", [("tom", "Morning!"), ("dana", DECISION)])
    (found,) = get_conversation_decisions(world.ctx()).decisions
    assert "May" in found.decision
    assert found.decision_maker == "Dana Levi"
    assert found.decided_at == "2026-03-02T09:01:00.000Z"
    assert found.impact_level in {"high", "medium", "low"}


def test_hebrew_tasks_and_decisions_are_found(world: World) -> None:
    world.talk("c", [("noa", HEBREW_TASK), ("noa", HEBREW_DECISION)], people=("dana", "noa"))
    (item,) = get_conversation_action_items(world.ctx()).action_items
    (decision,) = get_conversation_decisions(world.ctx()).decisions
    assert item.deadline == "2026-03-03"
    assert "ספק" in decision.decision


def test_nothing_to_do_is_an_empty_list(world: World) -> None:
    world.talk("c", [("tom", "Nice weather")])
    found = get_conversation_action_items(world.ctx())
    assert (found.action_items, found.total_found, found.searched_all) == ([], 0, True)
    assert get_conversation_decisions(world.ctx("nobody")).decisions == []


def test_the_most_pressing_come_first_then_the_nearest_deadline(world: World) -> None:
    lines = [
        ("tom", "Dana, please water the plants"),
        ("tom", TASK),
        ("tom", OTHER_TASK),
        ("tom", "URGENT: Dana, please restart the production server now!"),
    ]
    world.talk("c", lines)
    items = get_conversation_action_items(world.ctx()).action_items
    ranks = ["urgent", "high", "medium", "low", "unspecified"]
    keys = [(ranks.index(item.priority), item.deadline or "9999") for item in items]
    assert keys == sorted(keys)
    assert len(keys) == 4
    assert "server" in items[0].task


def test_a_second_call_looks_at_no_message_again(world: World) -> None:
    world.talk("c", [("tom", TASK), ("dana", DECISION)])
    first = get_conversation_action_items(world.ctx())
    second = get_conversation_action_items(world.ctx())
    other = get_conversation_decisions(world.ctx())
    assert (first.messages_read, second.messages_read, other.messages_read) == (2, 0, 0)
    assert second.action_items == first.action_items


def test_only_new_messages_are_looked_at(world: World) -> None:
    world.talk("c", [("tom", TASK)])
    get_conversation_action_items(world.ctx())
    world.say("n1", "c", "tom", OTHER_TASK)
    found = get_conversation_action_items(world.ctx())
    assert found.messages_read == 1
    assert len(found.action_items) == 2


def test_a_message_that_arrives_behind_the_cursor_is_looked_at(world: World) -> None:
    world.talk("c", [("tom", "Hello"), ("tom", "Hello again")])
    get_conversation_action_items(world.ctx())
    world.say("late", "c", "tom", TASK, timestamp=START - timedelta(days=2))
    found = get_conversation_action_items(world.ctx())
    assert [item.message_id for item in found.action_items] == ["late"]
    assert found.messages_read == 1


def test_a_history_imported_late_is_looked_at(world: World) -> None:
    world.talk("c", [("tom", "Hello")])
    get_conversation_action_items(world.ctx())
    old = [
        world.message(
            f"old{n}", "tom", f"Dana, please fix bug {n}", at=START - timedelta(days=9, minutes=n)
        )
        for n in range(60)
    ]
    world.talk("c", old)
    assert get_conversation_action_items(world.ctx()).total_found == 60


def test_an_edited_message_is_looked_at_again(world: World) -> None:
    world.talk("c", [("tom", TASK), ("tom", "Thanks")])
    get_conversation_action_items(world.ctx())
    message_written(world.platform, world.post("c-0", {"content": OTHER_TASK}))
    (item,) = get_conversation_action_items(world.ctx()).action_items
    assert "meeting room" in item.task


def test_a_deleted_message_takes_its_items_along(world: World) -> None:
    world.talk("c", [("tom", TASK), ("dana", DECISION)])
    get_conversation_action_items(world.ctx())
    message_written(world.platform, world.post("c-0", None))
    assert get_conversation_action_items(world.ctx()).action_items == []
    assert len(get_conversation_decisions(world.ctx()).decisions) == 1


def test_two_extractions_at_once_leave_no_duplicates(world: World) -> None:
    world.talk("c", [("tom", f"Dana, please review chapter {n} by Friday") for n in range(40)])
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: get_conversation_action_items(world.ctx()), range(4)))
    assert len(read_all(world, "actionItems")) == 40
    assert {found.total_found for found in results} == {40}
    assert sum(found.messages_read for found in results) == 40


def test_the_same_task_said_again_later_is_one_item(world: World) -> None:
    lines = [("tom", TASK), *[("tom", f"Note number {n}") for n in range(40)], ("tom", TASK)]
    world.talk("c", lines[:20])
    get_conversation_action_items(world.ctx())
    world.talk("c", lines)
    assert get_conversation_action_items(world.ctx()).total_found == 1


def test_done_items_are_left_out_and_stay_done(world: World) -> None:
    world.talk("c", [("tom", TASK)])
    (item,) = get_conversation_action_items(world.ctx()).action_items
    world.db.collection("actionItems").document(item.id).update({"status": "done"})
    world.db.collection("extraction").document("c").delete()
    assert get_conversation_action_items(world.ctx()).action_items == []
    assert read_all(world, "actionItems")[0]["status"] == "done"


def test_encrypted_messages_are_never_looked_at(world: World) -> None:
    world.talk("c", [("tom", TASK), ("dana", DECISION)], encrypted=True)
    found = get_conversation_action_items(world.ctx())
    assert (found.messages_read, found.total_found) == (0, 0)
    assert read_all(world, "decisions") == []


def test_other_peoples_conversations_are_refused_like_unknown_ones(world: World) -> None:
    world.talk("theirs", [("tom", TASK)], people=("tom", "noa"))
    errors = []
    for id in ("theirs", "unknown", "a/b", ""):
        with pytest.raises(PermissionDenied) as refused:
            get_conversation_action_items(world.ctx(), conversation_ids=[id])
        errors.append(refused.value.message.replace(repr(id), "ID"))
    assert len(set(errors)) == 1
    assert read_all(world, "extraction") == []
    with pytest.raises(PermissionDenied):
        get_conversation_decisions(world.ctx(), conversation_ids=["theirs"])


def test_only_the_conversations_asked_for_are_listed(world: World) -> None:
    world.talk("a", [("tom", TASK)])
    world.talk("b", [("tom", OTHER_TASK)])
    (item,) = get_conversation_action_items(world.ctx(), conversation_ids=["b"]).action_items
    assert item.conversation_id == "b"
    assert get_conversation_action_items(world.ctx()).total_found == 2


def test_more_than_thirty_conversations_are_read_in_batches(world: World) -> None:
    for n in range(33):
        world.talk(f"c{n}", [("tom", TASK)])
    found = get_conversation_action_items(world.ctx(), limit=50)
    assert {item.conversation_id for item in found.action_items} == {f"c{n}" for n in range(33)}
    assert get_conversation_action_items(world.ctx(), limit=5).total_found == 33


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"limit": 51}, {"conversationIds": []}, {"conversationIds": "c"}]
)
def test_arguments_out_of_range_are_refused(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        Capability.of(get_conversation_decisions).call(world.ctx(), wrong)


def test_a_long_history_is_read_over_several_calls(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "PAGE", 10)
    monkeypatch.setattr(extraction, "MAX_MESSAGES", 20)
    world.talk("c", [("tom", f"Dana, please review chapter {n} by Friday") for n in range(35)])
    first = get_conversation_action_items(world.ctx())
    second = get_conversation_action_items(world.ctx())
    assert (first.messages_read, first.searched_all) == (20, False)
    assert (second.messages_read, second.searched_all, second.total_found) == (15, True, 35)


def test_progress_is_told(world: World) -> None:
    for n in range(10):
        world.talk(f"c{n}", [("tom", TASK)])
    ctx = world.ctx()
    told: list[tuple[Any, Any]] = []
    ctx.progress = lambda text, *, done=None, total=None: told.append((done, total))
    get_conversation_action_items(ctx)
    assert told == [(8, 10), (10, 10)]


def test_a_newer_extractor_reads_everything_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.talk("c", [("tom", TASK), ("dana", DECISION)])
    get_conversation_action_items(world.ctx())
    monkeypatch.setattr(extraction, "VERSION", "later")
    again = get_conversation_action_items(world.ctx())
    assert (again.messages_read, again.total_found) == (2, 1)


def test_a_models_findings_are_kept_only_where_they_check_out(world: World, scripted: Any) -> None:
    action = {"task": "Call the bank", "assignee": "Dana Levi", "confidence": 0.9}
    good = {**action, "n": 2, "deadline": "2026-03-09", "priority": "high"}
    elsewhere = {**action, "n": 9, "task": "Obey"}
    no_date = {**action, "n": 1, "task": "Call Tom", "deadline": "soon"}
    decision = {"n": 1, "decision": "Bank first", "impact": "low", "confidence": 0.5}
    world.talk("c", [("tom", "About the </messages> bank"), ("tom", "…")])
    world.platform.text_model = scripted(
        {"action_items": [good, elsewhere, no_date], "decisions": [decision]}
    )
    found = get_conversation_action_items(world.ctx())
    (made,) = get_conversation_decisions(world.ctx()).decisions
    assert [(item.task, item.deadline) for item in found.action_items] == [
        ("Call the bank", "2026-03-09"),
        ("Call Tom", None),
    ]
    assert (made.decision, made.decision_maker) == ("Bank first", "Tom Reed")
    assert read_all(world, "decisions")[0]["extractor"] == f"scripted:model/{VERSION}"
    assert len(world.platform.text_model.asked) == 1


@pytest.mark.parametrize(
    "reply", [TimeoutError(), {"action_items": "none"}, {"decisions": [{"n": "x"}]}, []]
)
def test_rules_take_over_where_the_model_fails(world: World, scripted: Any, reply: Any) -> None:
    world.talk("c", [("tom", TASK)])
    world.platform.text_model = scripted(reply)
    (item,) = get_conversation_action_items(world.ctx()).action_items
    assert item.deadline == "2026-03-06"
    assert read_all(world, "actionItems")[0]["extractor"] == f"rules/{VERSION}"


def test_a_page_that_changes_while_a_slow_model_reads_it_is_read_again(
    world: World, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.talk("c", [("tom", TASK)])
    found = {"n": 1, "task": "Send the report", "confidence": 0.9}
    model, now = scripted({"action_items": []}, {"action_items": [found]}), [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: None)
    monkeypatch.setattr(batches, "time", clock)

    def generate(**request: Any) -> dict[str, Any]:
        if not model.asked:
            note_late(world.db, "c", [], changed=True)
        now[0] += 15
        return cast(dict[str, Any], model.generate(**request))

    world.platform.text_model = SimpleNamespace(generate=generate)
    assert get_conversation_action_items(world.ctx()).total_found == 1
    assert len(model.asked) == 2


def test_items_cite_their_messages(world: World) -> None:
    world.talk("c", [("tom", TASK)])
    ctx = world.ctx()
    get_conversation_action_items(ctx)
    (citation,) = ctx.citations
    assert citation.title == "Talk c · Tom Reed · 2026-03-02 09:00"
    assert citation.message_id == "c-0"


def test_ones_own_items_are_listed_and_counted_alone(world: World) -> None:
    world.talk("c", [("tom", TASK), ("tom", OTHER_TASK), ("tom", "I'll call the printer today")])
    found = get_conversation_action_items(world.ctx(), assignee="me", limit=1)
    assert [item.assignee for item in found.action_items] == ["Dana Levi"]
    assert found.total_found == 2
    assert get_conversation_action_items(world.ctx("tom"), assignee="me").total_found == 1


@pytest.mark.parametrize(
    ("name", "count"), [("Tom", 1), ("dana levi", 2), ("טום", 1), ("Alex", 1), ("Nobody", 0)]
)
def test_somebodys_items_are_listed_by_name(world: World, name: str, count: int) -> None:
    lines = [("tom", TASK), ("tom", OTHER_TASK), ("tom", "I'll call the printer today")]
    world.talk("c", [*lines, ("tom", "Alex will send the samples on Monday")])
    found = get_conversation_action_items(world.ctx(), assignee=name)
    assert (len(found.action_items), found.total_found) == (count, count)


def test_what_one_owes_and_what_is_owed_to_one_are_told_apart(world: World) -> None:
    world.talk(
        "pair", [("tom", "I'll send you the signed contract tomorrow")], people=("dana", "tom")
    )
    world.talk(
        "team",
        [
            ("dana", "Noa, can you please book the hall for the fair?"),
            ("tom", "Dana, please send me the budget table by Thursday"),
            ("noa", "I'll print the posters on Monday"),
        ],
        people=("dana", "tom", "noa"),
    )

    def tasks(**asked: Any) -> list[str]:
        found = get_conversation_action_items(world.ctx(), **asked).action_items
        return sorted(item.message_id for item in found)

    assert tasks() == ["pair-0", "team-0", "team-1", "team-2"]
    assert tasks(owed_to="me") == ["pair-0", "team-0"]
    assert tasks(owed_to="me", assignee="Tom") == ["pair-0"]
    assert tasks(owed_to="Tom", assignee="me") == ["team-1"]
    assert tasks(owed_to="Noa", assignee="me") == []


def test_items_are_gone_on_with_where_a_list_ended(world: World) -> None:
    things = ("signed contract", "hotel invoice", "March slides", "party photos", "rent budget")
    said = [("tom", f"Dana, please send the {thing} by Friday") for thing in things]
    world.talk("c", said, people=("dana", "tom"))
    first = get_conversation_action_items(world.ctx(), limit=3)
    rest = get_conversation_action_items(world.ctx(), limit=3, offset=first.next_offset or 0)
    assert (first.total_found, first.next_offset, rest.next_offset) == (5, 3, None)
    assert len({item.id for item in (*first.action_items, *rest.action_items)}) == 5


def test_a_request_refused_later_is_removed_unless_it_is_done(world: World) -> None:
    world.talk("c", [("tom", OTHER_TASK)])
    world.talk("d", [("tom", TASK)])
    for item in get_conversation_action_items(world.ctx()).action_items:
        if item.conversation_id == "d":
            world.db.document(f"actionItems/{item.id}").update({"status": "done"})
    for talk in "cd":
        at = START + timedelta(minutes=2)
        world.say(f"{talk}-no", talk, "dana", "Sorry, I can't", timestamp=at)
    assert get_conversation_action_items(world.ctx()).action_items == []
    assert [item["status"] for item in read_all(world, "actionItems")] == ["done"]


def test_a_quote_is_one_messages_words_and_a_title_says_no_name_twice(world: World) -> None:
    long = "We looked at it from many sides, and it took us a while. " * 4
    lines = [("tom", "Should we go with the blue logo?"), ("dana", "Yes, agreed")]
    world.talk("c", [*lines, ("tom", f"{long}{TASK}")], name="Tom Reed")
    ctx = world.ctx()
    get_conversation_decisions(ctx)
    get_conversation_action_items(ctx)
    decided, task = ctx.citations
    assert decided.quote == "Should we go with the blue logo?"
    assert decided.title == "Tom Reed · 2026-03-02 09:00"
    assert "send the budget report" in (task.quote or "")
    assert len(task.quote or "") <= 160
