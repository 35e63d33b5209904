"""The labelled queries for tool retrieval: enough of them, well-formed, and nobody's own words."""

from __future__ import annotations

from collections import Counter

import pytest

from rollcall.core.text import language, terms
from rollcall.registry.index import Index
from tests.evals.registry.measure import ask, by_words, groups, of
from tests.evals.registry.queries import (
    CATALOGUE_QUERIES,
    QUERIES,
    Query,
    read_queries,
    split_of,
)
from tests.evals.registry.tools import catalogue, declared, searchable, sent_chars

OWN = read_queries(QUERIES)
MORE = read_queries(CATALOGUE_QUERIES)
EVERY = [*OWN, *MORE]


def test_there_are_enough_with_tools_and_without_in_both_languages() -> None:
    needing = Counter(query.language for query in OWN if query.gold)
    idle = Counter(query.language for query in OWN if not query.gold)
    assert needing["en"] >= 80 and needing["he"] >= 80
    assert idle["en"] >= 15 and idle["he"] >= 15
    assert len(MORE) >= 60
    assert len(declared()) + len(catalogue()) >= 45


def test_ids_are_unique_and_every_tool_of_a_query_exists() -> None:
    ids = {each["id"] for each in declared()}
    assert len({query.id for query in EVERY}) == len(EVERY)
    assert all(query.gold <= ids for query in OWN)
    assert all(query.gold <= ids | {each["id"] for each in catalogue()} for query in MORE)


def test_every_capability_that_exists_is_asked_for_in_both_languages() -> None:
    asked = {(id, query.language) for query in OWN for id in query.gold}
    assert {(each["id"], code) for each in declared() for code in ("en", "he")} <= asked


@pytest.mark.parametrize("query", EVERY, ids=lambda query: query.id)
def test_a_query_is_in_the_language_it_says(query: Query) -> None:
    assert language(query.query) == query.language


def test_no_query_repeats_what_a_tool_declares() -> None:
    declarations = {
        frozenset(terms(text))
        for each in (*declared(), *catalogue())
        for text in (*each["keywords"], *(example["userRequest"] for example in each["examples"]))
    }
    said = {query.query: frozenset(terms(query.query)) for query in EVERY}
    copied = [text for text, stems in said.items() if len(stems) > 1 and stems in declarations]
    assert copied == []


def test_both_splits_are_there_and_follow_from_the_ids() -> None:
    assert 0.4 < sum(query.split == "dev" for query in EVERY) / len(EVERY) < 0.6
    assert all(query.split == split_of(query.id) for query in EVERY)


def test_the_catalogue_can_be_indexed_beside_what_exists() -> None:
    documents = [*declared(), *catalogue()]
    assert len({each["id"] for each in documents}) == len(documents)
    index = Index.build([searchable(each) for each in documents])
    best = index.search("How large is the voltage drop on the longest run?", limit=1)[0]
    assert documents[best.place]["id"] == "calculate_voltage_drop"


def test_a_query_without_tools_counts_only_for_what_is_offered() -> None:
    documents = declared()
    idle = [query for query in OWN if not query.gold][:3]
    asked = ask(lambda query: [], idle)
    figures = of(groups(asked)["need none"], documents)
    assert (figures["recall@5"], figures["nothing"], figures["sent"]) == (None, 1.0, 0.0)


def test_recall_is_the_share_of_the_tools_that_a_query_needs() -> None:
    documents = declared()
    query = Query("q", split_of("q"), "en", "plain", "?", frozenset({"send_message", "nothing"}))
    figures = of(ask(lambda query: ["summarize_conversation", "send_message"], [query]), documents)
    assert (figures["recall@1"], figures["recall@5"], figures["mrr"]) == (0.0, 0.5, 0.5)
    assert 0 < figures["sent"] < 1


def test_ranking_by_words_finds_what_is_said_in_so_many_words() -> None:
    rank = by_words(declared())
    query = Query("q", split_of("q"), "en", "plain", "show urgent messages", frozenset())
    assert rank(query)[0] == "get_priority_messages"


def test_what_is_sent_grows_with_every_tool() -> None:
    documents = declared()
    assert 0 < sent_chars(documents[:1]) < sent_chars(documents[:2])
