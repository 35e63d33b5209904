"""Lessons as configured: pairs of tool and trigger, prompts, defaults, tokens, due dates."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from rollcall.core.text import text_tokens
from tests.evals.report import EvalResult, share, table
from tests.support.packs.tutoring.properties import (
    default_problems,
    due_date_problems,
    pairs,
    prompt_problems,
)

COUNTS = Path(__file__).parents[2] / "token_counts.jsonl"
GENERATED: dict[str, tuple[Callable[[Random], list[str]], int]] = {
    "fuzzed configurations: idempotent, blocks whole, no open place": (prompt_problems, 1_000),
    "smart defaults: input unchanged, teacher's choice kept": (default_problems, 500),
    "due dates equal to py-fsrs, sequences": (due_date_problems, 500),
}
BOUNDS = {"english": 0.10, "hebrew": 0.15}
PROMPT_TEXTS = 5
"""How many of the texts together are about as long as a lesson's prompt with its declarations."""


def measure() -> EvalResult:
    """Check every pair and every generated case."""
    accepted, refused, notes = pairs()
    rows: list[list[object]] = [["pairs of tool and trigger: 16 + 26", 42, accepted + refused]]
    for name, (problems_of, count) in GENERATED.items():
        good = 0
        for seed in range(count):
            problems = problems_of(Random(seed))
            good += not problems
            notes += [f"{name}, {seed}: {each}" for each in problems]
        rows.append([name, count, good])
    figures = {str(name): {"tried": tried, "good": good} for name, tried, good in rows}
    lines = map(json.loads, COUNTS.read_text(encoding="utf-8").splitlines())
    texts = [each for each in lines if each["kind"] in BOUNDS]
    tokens = [_within(texts, kind, size) for kind in BOUNDS for size in (1, PROMPT_TEXTS)]
    return EvalResult(
        [
            table("Lessons as configured", ["measure", "tried", "good"], rows),
            table(
                "Tokens estimated, on the texts of the estimate's own fit",
                ["language", "texts together", "samples", "within", "share"],
                tokens,
            ),
        ],
        {**figures, "tokens": tokens},
        notes,
    )


def _within(texts: list[dict[str, Any]], kind: str, size: int) -> list[object]:
    """How many estimates of so many texts together are within the language's bound."""
    own = [each for each in texts if each["kind"] == kind]
    groups = [own[at : at + size] for at in range(0, len(own) - size + 1, size)]
    good = 0
    for group in groups:
        counted = sum(each["tokens"] for each in group)
        estimated = sum(text_tokens(each["text"]) for each in group)
        good += abs(estimated - counted) <= BOUNDS[kind] * counted
    return [kind, size, len(groups), BOUNDS[kind], share(good, len(groups))]
