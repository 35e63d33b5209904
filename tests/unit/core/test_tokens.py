"""Estimates of tokens beside counts that o200k, the vocabulary of OpenAI's models, gave."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from rollcall.core.tokens import text_tokens

COUNTS = Path(__file__).parents[2] / "evals" / "token_counts.jsonl"
ROWS = [json.loads(line) for line in COUNTS.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.parametrize(
    ("kind", "most"), [("english", 0.10), ("hebrew", 0.15), ("json", 0.15), ("code", 0.15)]
)
def test_an_estimate_is_near_the_count_for_nearly_each_text(kind: str, most: float) -> None:
    rows = [row for row in ROWS if row["kind"] == kind]
    off = [abs(text_tokens(row["text"]) - row["tokens"]) / row["tokens"] for row in rows]
    assert len(rows) >= 25
    assert sum(each <= most for each in off) >= 0.95 * len(rows)
    assert statistics.mean(off) <= most / 2
    assert abs(sum(text_tokens(r["text"]) for r in rows) / sum(r["tokens"] for r in rows) - 1) <= (
        most / 2
    )


def test_nothing_has_few_tokens_and_more_has_more() -> None:
    assert text_tokens("") <= 1
    assert text_tokens("a" * 1000) > text_tokens("a" * 100)
    assert text_tokens("\ud800 half a letter") > 0
