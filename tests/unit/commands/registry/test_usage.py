from __future__ import annotations

import pytest

from rollcall.commands.registry.usage import compare_variants, show_table
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


def test_variants_are_told_apart_only_where_that_is_no_accident() -> None:
    few = [row("V1", succeeded=3, failed=1), row("V2", succeeded=1, failed=3)]
    assert compare_variants(few) == ["No difference between variants is beyond accident."]
    many = [row("V1", succeeded=300, failed=100), row("V2", succeeded=380, failed=20)]
    (line,) = compare_variants(many)
    assert line.startswith("V2 against V1: 15 to 25 points more succeed")


def test_every_variant_is_compared_with_the_first_also_by_ratings() -> None:
    first = row("V1", succeeded=400, up=300, down=100)
    worse = row("V2", succeeded=300, failed=100, up=300, down=100)
    better = row("V3", succeeded=400, up=380, down=20)
    one, other = compare_variants([first, worse, better])
    assert "V2 against V1" in one and one.endswith("points fewer succeed")
    assert "V3 against V1" in other and other.endswith("points more are rated well")
