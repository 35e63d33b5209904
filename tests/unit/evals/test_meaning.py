"""Evals with an embedder beside the words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from dev.problem import Problem
from rollcall.registry.index import Searchable
from tests.evals import tool_search
from tests.evals.meaning import embed_tools, embedder_from_environment
from tests.evals.pools import Query
from tests.evals.registry import measure
from tests.support.fake_providers import FakeProviders

TOOLS = [
    Searchable("forecast", description="What the sky will do."),
    Searchable("invoice", description="Write a bill."),
]
SKY = ("sky", "wet")


@dataclass(eq=False)
class Topics:
    """An embedder that knows what is about the sky."""

    breaks_at: str = ""
    id: str = "test:topics"
    dimensions: int = 2

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        if task == self.breaks_at:
            raise Problem("gone")
        return [[1.0, 0.1] if any(word in text for word in SKY) else [0.1, 1.0] for text in texts]


def make_query(text: str, *gold: str) -> Query:
    return Query(text, frozenset(gold), None, None)


def test_meaning_finds_what_shares_no_word_and_both_find_what_either_does() -> None:
    queries = [make_query("Will I get wet?", "forecast"), make_query("a bill, please", "invoice")]
    meaning = embed_tools(Topics(), TOOLS, [query.text for query in queries])
    for find in (tool_search.by_meaning, tool_search.by_both):
        assert [each.found[0] for each in find(TOOLS, queries, meaning)] == ["forecast", "invoice"]
    words, _ = tool_search.answer(TOOLS, queries)
    assert words.found == []


def test_with_meaning_something_is_always_offered() -> None:
    queries = [make_query("Knock knock")]
    meaning = embed_tools(Topics(), TOOLS, ["Knock knock"])
    assert tool_search.figures(tool_search.by_both(TOOLS, queries, meaning))["no_tool"] == 0


def test_an_embedder_that_is_named_is_measured_beside_the_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, queries = tmp_path / "pool.jsonl", tmp_path / "queries.jsonl"
    pool.write_text('{"name": "weather", "description": "The weather.", "parameters": {}}\n')
    queries.write_text('{"id": "1", "query": "Is it wet?", "gold": ["weather"]}\n')
    told = {"POOL": str(pool), "QUERIES": str(queries), "JSON": "1"}
    with FakeProviders() as fake:
        for name, value in {**told, "EMBEDDER": "openai:text-embedding-3-small"}.items():
            monkeypatch.setenv(name, value)
        assert tool_search.main() == 0
        assert [request.json["input"] for request in fake.requests] == [
            ["weather\nThe weather.\n"],
            ["Is it wet?"],
        ]
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (figures["mrr"], figures["meaning"]["mrr"], figures["both"]["mrr"]) == (0, 1, 1)


def test_the_registrys_eval_asks_again_by_words_and_vectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measure, "embedder_from_environment", Topics)
    figures = measure.measure().figures
    plain, beside = (name for name in figures if name.startswith("an agent with"))
    assert beside == f"{plain}, by words and by test:topics"
    assert figures[beside]["need tools"]["nothing"] < figures[plain]["need tools"]["nothing"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("nope:x", "no model provider"), ("offline:planner", "no embeddings")],
)
def test_an_embedder_that_there_is_not_is_said(
    monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setenv("EMBEDDER", name)
    with pytest.raises(Problem, match=rf"EMBEDDER={name}: .*{said}"):
        embedder_from_environment()


def test_without_a_name_it_goes_by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBEDDER", raising=False)
    assert embedder_from_environment() is None


def test_tools_that_were_not_embedded_are_no_figures() -> None:
    with pytest.raises(Problem, match="test:topics embedded 0 of 2 tools"):
        embed_tools(Topics(breaks_at="document"), TOOLS, ["x"])
