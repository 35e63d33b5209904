"""Evals of the word search over a pool that the user names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dev.problem import Problem
from tests.evals import tool_search
from tests.evals.bm25 import Bm25, chance
from tests.evals.pools import read_pool, read_queries

POOL = [
    {
        "name": "math.factorial",
        "description": "The factorial of a number.",
        "parameters": {
            "type": "object",
            "properties": {"n": {"type": "integer", "description": "How many.", "enum": [1, 2]}},
            "required": ["n"],
        },
    },
    {"name": "weather", "description": "The weather of a city.", "parameters": {}},
]
QUERIES = [
    {"id": "1", "query": "What is the factorial of 5?", "gold": ["math.factorial"]},
    {"id": "2", "query": "weather and factorials", "gold": ["weather", "math.factorial"]},
    {"id": "3", "query": "Bake a cake", "gold": []},
    {"id": "4", "query": "The weather?", "gold": [], "tools": ["math.factorial"]},
]


def write_lines(path: Path, lines: list[object]) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


def test_a_tool_is_read_with_its_arguments_and_what_they_may_be(tmp_path: Path) -> None:
    (tool, other), problems = read_pool(write_lines(tmp_path / "pool.jsonl", [*POOL]))
    assert problems == []
    assert (tool.id, tool.parameters, tool.required) == (
        "math.factorial",
        (("n", "How many. 1 2"),),
        1,
    )
    assert (other.parameters, other.required) == ((), 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "it is no JSON: Expecting property name"),
        ("[]", "it is no JSON object"),
        ('{"description": "x"}', 'it has no "name"'),
        ('{"name": "x", "description": 5}', '"description" is no text'),
        ('{"name": "x", "description": "", "parameters": [1]}', "no JSON schema"),
        (json.dumps(POOL[1]), "there is a tool 'weather' already"),
        ('{"name": "x", "description": "", "parameters": {"properties": 1}}', "no JSON schema"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join([json.dumps(POOL[1]), "", line]), encoding="utf-8")
    tools, problems = read_pool(path)
    assert [tool.id for tool in tools] == ["weather"]
    assert len(problems) == 1
    assert problems[0].startswith("pool.jsonl, line 3: ") and said in problems[0]


def test_a_query_for_a_tool_that_is_not_there_is_a_bad_line(tmp_path: Path) -> None:
    tools, _ = read_pool(write_lines(tmp_path / "pool.jsonl", [*POOL]))
    bad = [{"query": "q", "gold": ["nobody"]}, {"query": "q"}, {"query": "q", "gold": "weather"}]
    queries, problems = read_queries(write_lines(tmp_path / "q.jsonl", [*QUERIES, *bad]), tools)
    assert len(queries) == len(QUERIES)
    assert [problem.split(": ", 1)[1] for problem in problems] == [
        "the pool has no tool 'nobody'",
        '"gold" is no list of names',
        '"gold" is no list of names',
    ]


def test_recall_is_the_share_of_the_tools_and_none_is_right_where_none_is_needed(
    tmp_path: Path,
) -> None:
    tools, _ = read_pool(write_lines(tmp_path / "pool.jsonl", [*POOL]))
    queries, _ = read_queries(write_lines(tmp_path / "q.jsonl", [*QUERIES]), tools)
    figures = tool_search.figures(tool_search.answer(tools, queries))
    assert (figures["recall@1"], figures["recall@5"], figures["mrr"]) == (0.75, 1, 1)
    assert (figures["queries"], figures["no_tool"], figures["kept"]) == (4, 1, 1)


def test_the_last_line_is_the_figures_and_bad_lines_make_it_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POOL", str(write_lines(tmp_path / "pool.jsonl", [*POOL, 5])))
    monkeypatch.setenv("QUERIES", str(write_lines(tmp_path / "q.jsonl", [*QUERIES])))
    monkeypatch.setenv("BASELINE", "1")
    monkeypatch.setenv("JSON", "1")
    assert tool_search.main() == 1
    printed = capsys.readouterr().out
    assert "pool.jsonl, line 3: it is no JSON object" in printed
    assert "stemmed BM25" in printed
    keys = {"recall@1", "recall@5", "recall@10", "mrr", "queries", "p50_ms"}
    assert keys <= json.loads(printed.splitlines()[-1]).keys()


def test_a_file_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POOL", "/nowhere.jsonl")
    with pytest.raises(Problem, match=r"no file /nowhere\.jsonl, as POOL says"):
        tool_search.main()


def test_the_baseline_is_bm25_and_chance_is_of_pairs(tmp_path: Path) -> None:
    tools, _ = read_pool(write_lines(tmp_path / "pool.jsonl", [*POOL]))
    assert Bm25(tools).search("factorials", 5) == [0]
    assert Bm25(tools).search("the", 5) == []
    assert chance([1.0, 1.0, 0.5], [0.0, 0.5, 0.0]) == 0
    assert chance([0.0, 1.0], [0.0, 1.0]) == 1
