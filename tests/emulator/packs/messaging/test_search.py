"""search_all_conversations."""

import math
from datetime import timedelta
from typing import Any, Literal

import pytest

from packs.messaging import message_index
from packs.messaging.search import search_all_conversations
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument
from rollcall.core.text import terms

from .conftest import START, World

BUDGET = "The marketing budget for next year is forty thousand"


class TopicEmbedder:
    """Embeds by topic: texts about money lie together, whatever their words."""

    id = "test:topics"
    dimensions = 768
    _money = frozenset(terms("budget money forty thousand dough"))

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        angle = 0.1 if self._money.intersection(terms(text)) else 1.4
        return [math.cos(angle), math.sin(angle), *[0.0] * 766]


def test_a_message_is_found_with_all_that_identifies_it(world: World) -> None:
    world.talk("c", [("dana", "Morning"), ("tom", BUDGET), ("dana", "Lunch?")])
    found = search_all_conversations(world.ctx(), query="What is the marketing budget?")
    best = found.results[0]
    assert (best.message_id, best.conversation_id, best.conversation_name) == ("c-1", "c", "Talk c")
    assert (best.sender_id, best.sender_name, best.content) == ("tom", "Tom Reed", BUDGET)
    assert best.timestamp == "2026-03-02T09:01:00.000Z"
    assert 0 < best.relevance_score <= 1
    assert found.query == "What is the marketing budget?"
    assert found.searched_all


def test_the_best_comes_first(world: World) -> None:
    world.talk("a", [("tom", "We talked about marketing")])
    world.talk("b", [("tom", BUDGET)])
    found = search_all_conversations(world.ctx(), query="marketing budget").results
    assert found[0].message_id == "b-0"
    assert [r.relevance_score for r in found] == sorted(
        (r.relevance_score for r in found), reverse=True
    )


def test_a_word_looked_for_comes_before_what_stands_near_it(world: World) -> None:
    lines = [
        ("dana", "The dynamo material is rather expensive for us this year"),
        ("tom", "What about kryptonite?"),
        ("dana", "The solar material would be cheaper, according to the supplier"),
    ]
    world.talk("c", lines)
    found = search_all_conversations(world.ctx(), query="kryptonite").results
    assert found[0].message_id == "c-1"


def test_hebrew_is_found_whatever_its_prefixes(world: World) -> None:
    world.talk(
        "c", [("noa", "דיברנו על התקציב של השיווק"), ("noa", "צהריים?")], people=("dana", "noa")
    )
    (found,) = search_all_conversations(world.ctx(), query="תקציב שיווק", limit=1).results
    assert found.message_id == "c-0"


def test_nothing_found_is_an_empty_list(world: World) -> None:
    world.talk("c", [("tom", BUDGET)])
    found = search_all_conversations(world.ctx(), query="submarine")
    assert (found.results, found.total_found, found.searched_all) == ([], 0, True)
    assert search_all_conversations(world.ctx("nobody"), query="budget").results == []


def test_other_peoples_messages_are_not_found(world: World) -> None:
    world.talk("theirs", [("tom", BUDGET)], people=("tom", "noa"))
    world.talk("mine", [("tom", "Hello")])
    assert search_all_conversations(world.ctx(), query="marketing budget").results == []


def test_encrypted_messages_are_not_found(world: World) -> None:
    world.talk("c", [("tom", BUDGET)], encrypted=True)
    assert search_all_conversations(world.ctx(), query="marketing budget").results == []


def test_a_message_gone_or_encrypted_since_it_was_indexed_is_left_out(world: World) -> None:
    world.talk("c", [("tom", BUDGET), ("tom", BUDGET), ("tom", BUDGET)])
    world.db.document("messages/c-0").delete()
    world.db.document("messages/c-1").update({"encrypted": True})
    found = search_all_conversations(world.ctx(), query="marketing budget")
    assert [item.message_id for item in found.results] == ["c-2"]
    assert found.total_found == 1


def test_an_index_entry_that_lies_about_its_conversation_gives_nothing_away(world: World) -> None:
    world.talk("mine", [("tom", BUDGET)])
    world.talk("theirs", [("tom", BUDGET)], people=("tom", "noa"))
    (shard,) = world.shards("mine")
    world.db.document("messageIndex/mine~0").set({**shard, "messageIds": ["theirs-0"]})
    assert search_all_conversations(world.ctx(), query="marketing budget").results == []


def test_the_total_counts_those_beyond_the_limit(world: World) -> None:
    world.talk("c", [("tom", f"{BUDGET}, version {n}") for n in range(9)])
    found = search_all_conversations(world.ctx(), query="marketing budget", limit=4)
    assert len(found.results) == 4
    assert found.total_found == 9


def test_the_total_counts_the_messages_with_the_words_and_not_their_neighbours(
    world: World,
) -> None:
    lines = [("dana", f"A remark about something else, number {n}") for n in range(180)]
    for n in range(0, 180, 20):
        lines[n] = ("tom", f"{BUDGET}, version {n}")
    lines[5] = ("tom", "Marketing has new chairs")
    world.talk("c", lines)
    found = search_all_conversations(world.ctx(), query="marketing budget", limit=5)
    assert (found.total_found, found.more_found) == (9, False)
    assert search_all_conversations(world.ctx(), query="marketing", limit=5).total_found == 10
    # Where no message holds both words, those with one of them count.
    assert search_all_conversations(world.ctx(), query="budget chairs", limit=5).total_found == 10


def test_the_total_of_a_question_about_a_person_counts_what_they_said(world: World) -> None:
    world.talk("c", [("tom", f"Part {n} of the long story") for n in range(120)])
    assert search_all_conversations(world.ctx(), query="What did Tom say?").total_found == 120


def test_more_than_thirty_conversations_are_searched(world: World) -> None:
    for n in range(35):
        world.talk(f"c{n}", [("tom", BUDGET)])
    found = search_all_conversations(world.ctx(), query="marketing budget", limit=50)
    assert {item.conversation_id for item in found.results} == {f"c{n}" for n in range(35)}


def test_a_large_account_costs_a_bounded_number_of_reads(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_index, "MAX_SHARDS", 4)
    lines = [("tom", f"Common talk about the project, part {n}") for n in range(1_500)]
    lines[3] = ("tom", "The zebra contract about the project was signed")
    world.talk("c", lines)
    rare = search_all_conversations(world.ctx(), query="zebra project")
    common = search_all_conversations(world.ctx(), query="project")
    assert rare.shards_read <= 4 and common.shards_read <= 4
    assert rare.results[0].message_id == "c-3"
    assert not common.searched_all


def test_who_is_asked_about_is_found_in_a_large_account(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_index, "MAX_SHARDS", 1)
    world.talk("c", [("tom", f"Part {n} of the long story") for n in range(450)])
    found = search_all_conversations(world.ctx(), query="What did Tom say?")
    assert found.shards_read == 1
    assert found.results


@pytest.mark.parametrize(
    "wrong",
    [{}, {"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "limit": 51}, {"query": 5}],
)
def test_arguments_out_of_range_are_refused(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        Capability.of(search_all_conversations).call(world.ctx(), wrong)


@pytest.mark.parametrize("query", ["?", "the of and", "   ", "💰", "x" * 1000, "שלום" * 200])
def test_queries_without_a_topic_do_no_harm(world: World, query: str) -> None:
    world.talk("c", [("tom", BUDGET)])
    assert search_all_conversations(world.ctx(), query=query).searched_all


def test_meaning_finds_what_words_miss(world: World) -> None:
    world.platform.embedder = TopicEmbedder()
    world.talk("c", [("tom", "Nice weather"), ("tom", BUDGET)])
    found = search_all_conversations(world.ctx(), query="dough", limit=1)
    assert [item.message_id for item in found.results] == ["c-1"]
    assert (world.get("messages/c-1") or {})["embeddedBy"] == "test:topics"


def test_vectors_of_others_and_of_encrypted_messages_are_not_used(world: World) -> None:
    world.platform.embedder = TopicEmbedder()
    world.talk("theirs", [("tom", BUDGET)], people=("tom", "noa"))
    world.talk("mine", [("tom", BUDGET)], encrypted=True)
    assert search_all_conversations(world.ctx(), query="dough").results == []
    assert not world.db.document("messageVectors/mine-0").get().exists


def test_words_still_find_where_the_embedder_fails(world: World) -> None:
    class Broken(TopicEmbedder):
        def embed(self, texts: list[str], *, task: Any) -> list[list[float]]:
            raise TimeoutError

    world.platform.embedder = Broken()
    world.talk("c", [("tom", BUDGET)])
    (found,) = search_all_conversations(world.ctx(), query="marketing budget").results
    assert found.message_id == "c-0"


def test_results_cite_their_messages_at_most_twenty(world: World) -> None:
    world.talk("c", [("tom", f"{BUDGET}, version {n}") for n in range(30)])
    ctx = world.ctx()
    search_all_conversations(ctx, query="marketing budget", limit=50)
    assert len(ctx.citations) == 20
    assert ctx.citations[0].title.startswith("Talk c · Tom Reed · 2026-03-02")


def test_ages_do_not_hide_old_messages(world: World) -> None:
    world.talk("c", [("tom", BUDGET)], start=START - timedelta(days=3_000))
    assert search_all_conversations(world.ctx(), query="marketing budget").total_found == 1
