"""The labelled queries for tool retrieval: enough, well-formed, and no user's own words."""

from __future__ import annotations

from collections import Counter

from rollcall.core.text import language, terms
from tests.evals.registry.measure import ANYTHING, ask, groups, of
from tests.evals.registry.queries import (
    CATALOGUE_QUERIES,
    Query,
    own_queries,
    read_queries,
    split_of,
)
from tests.evals.registry.tools import (
    capability_documents,
    catalogue_documents,
    compile_registry,
    new_catalogue_documents,
    sent_chars,
)
from tests.support.for_every import for_every

OWN = own_queries()
MORE = read_queries(CATALOGUE_QUERIES)
EVERY = [*OWN, *MORE]


def test_there_are_enough_without_tools_and_over_the_catalogue_in_both_languages() -> None:
    idle = Counter(query.language for query in OWN if not query.gold)
    assert idle["en"] >= 15 and idle["he"] >= 15
    assert len(MORE) >= 60


def test_ids_are_unique_and_every_tool_of_a_query_exists() -> None:
    ids = {each["id"] for each in capability_documents()}
    assert len({query.id for query in EVERY}) == len(EVERY)
    assert all(query.gold <= ids for query in OWN)
    assert all(query.gold <= ids | {each["id"] for each in catalogue_documents()} for query in MORE)


def test_a_registry_has_each_tool_once() -> None:
    ids = [each["id"] for each in (*capability_documents(), *new_catalogue_documents())]
    assert len(set(ids)) == len(ids)
    assert {query_id for query in MORE for query_id in query.gold} <= set(ids)


def test_every_capability_that_exists_is_asked_for_in_both_languages() -> None:
    asked = {(id, query.language) for query in OWN for id in query.gold}
    assert {(each["id"], code) for each in capability_documents() for code in ("en", "he")} <= asked


@for_every("query", EVERY, ids=lambda query: query.id)
def test_a_query_is_in_the_language_it_says(query: Query) -> None:
    assert language(query.query) == query.language


def test_no_query_repeats_what_a_tool_declares() -> None:
    declarations = {
        frozenset(terms(text))
        for each in (*capability_documents(), *catalogue_documents())
        for text in (*each["keywords"], *(example["userRequest"] for example in each["examples"]))
    }
    said = {query.query: frozenset(terms(query.query)) for query in EVERY}
    copied = [text for text, stems in said.items() if len(stems) > 1 and stems in declarations]
    assert copied == []


def test_both_splits_are_there_and_follow_from_the_ids() -> None:
    assert 0.4 < sum(query.split == "dev" for query in EVERY) / len(EVERY) < 0.6
    assert all(query.split == split_of(query.id) for query in EVERY)


def test_the_catalogue_can_be_registered_beside_what_exists() -> None:
    documents = [*capability_documents(), *catalogue_documents()]
    registry = compile_registry(documents)
    assert len(registry.content.entries) == len(documents)
    query = make_query("Transcribe this YouTube video of a lecture", "transcribe_youtube")
    assert ask(registry, ANYTHING, [query])[0].found[0] == "transcribe_youtube"


def test_a_query_without_tools_counts_only_for_what_it_is_offered() -> None:
    asked = ask(
        compile_registry(capability_documents()), ANYTHING, [make_query("thank you very much")]
    )
    figures = of(groups(asked)["need none"], 1000)
    assert (figures["recall@5"], figures["nothing"], figures["sent"]) == (None, 1.0, 0.0)


def test_recall_is_the_share_of_the_tools_that_a_query_needs() -> None:
    registry = compile_registry(catalogue_documents())
    query = make_query(
        "Transcribe this YouTube video of a lecture", "transcribe_youtube", "not_there"
    )
    found = ask(registry, ANYTHING, [query])
    figures = of(found, sent_chars([entry.spec for entry in registry.content.entries.values()]))
    assert (figures["recall@1"], figures["recall@5"], figures["mrr"]) == (0.5, 0.5, 1.0)
    assert (figures["offered"], figures["all"], figures["nothing"]) == (0.5, 0.0, 0.0)
    assert 0 < figures["sent"] < 1.5


def make_query(text: str, *gold: str) -> Query:
    return Query("q", split_of("q"), "en", "plain", text, frozenset(gold))
