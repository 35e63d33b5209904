from __future__ import annotations

import pytest

from rollcall.commands.registry.usage import show_table
from rollcall.registry.usage import Counts, Row, Subject


def row(variant: str, **counts: int) -> Row:
    return Subject("desk", variant), Counts(**counts)


def test_figures_are_told_for_each_turn_and_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    ratings = {"up": 3_000, "down": 100}
    runs = {"runs": 12_345, "turns": 10_000, "succeeded": 12_345, "micro_usd": 123_400_000}
    runs |= {"offered": 52_000, "called": 12_000, "missing": 77, "ms": 31_000_000}
    show_table("Runs", [row("dynamic", **runs, **ratings, input_tokens=57_840_000)])
    costs = {"micro_usd": 9_870_000, "input_tokens": 9_876_000, "output_tokens": 543}
    counts = Counts(offered=12_346, called=12_301, succeeded=12_301, **costs, **ratings)
    show_table("Calls", [(Subject(tool="search_all_conversations"), counts)])
    _, agent, _, capability = capsys.readouterr().out.splitlines()
    assert " ".join(agent.split()) == (
        "dynamic 12,345 5.2 77 100% (100–100) 97% (96–97) 5,784 0.0123 3.1"
    )
    assert " ".join(capability.split()) == (
        "search_all_conversations 12,301 12,346 0 100% (100–100) 97% (96–97) 803 0.0008 0.0"
    )


def test_what_was_never_called_has_no_shares_and_no_averages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_table("Calls", [(Subject(tool="pay_invoice"), Counts(offered=44))])
    (_, line) = capsys.readouterr().out.splitlines()
    assert line.split() == ["pay_invoice", "0", "44", "0", "–", "–", "–", "–", "–"]


def test_an_agent_without_a_turn_has_no_averages(capsys: pytest.CaptureFixture[str]) -> None:
    show_table("Runs", [row("V1", succeeded=3, called=3, input_tokens=900, ms=6_000)])
    (_, line) = capsys.readouterr().out.splitlines()
    assert line.split()[-3:] == ["–", "–", "–"]
