from __future__ import annotations

import pytest

from rollcall.commands.registry.usage import compare_variants, share_in_short, show_runs, show_tools
from rollcall.registry.usage import Counts, Row, Share


def row(variant: str, **counts: int) -> Row:
    return Row("desk", variant, None, Counts(**counts))


@pytest.mark.parametrize(
    ("share", "text"),
    [(Share(0, 0), "–"), (Share(1, 1), "100% (21–100)"), (Share(5, 10), "50% (24–76)")],
)
def test_a_share_is_told_with_what_its_count_says(share: Share, text: str) -> None:
    assert share_in_short(share) == text


def test_figures_are_told_for_each_turn_and_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    ratings = {"up": 3_000, "down": 100}
    runs = {"runs": 12_345, "turns": 10_000, "succeeded": 12_345, "micro_usd": 123_400_000}
    runs |= {"offered": 52_000, "called": 12_000}
    show_runs([("dynamic", row("dynamic", **runs, **ratings, input_tokens=57_840_000))])
    costs = {"micro_usd": 9_870_000, "input_tokens": 9_876_000, "output_tokens": 543}
    counts = Counts(offered=12_345, called=12_301, succeeded=12_301, **costs, **ratings)
    show_tools([Row(None, None, "search_all_conversations", counts)])
    words = capsys.readouterr().out.split()
    figures = ["12,345", "12,301", "5,784", "0.0123", "9.87", "(100–100)", "9,876,543", "5.2"]
    assert [each for each in figures if each not in words] == []


def test_variants_are_told_apart_only_where_that_is_no_accident() -> None:
    few = [row("V1", succeeded=3, failed=1), row("V2", succeeded=1, failed=3)]
    assert compare_variants(few) == ["V2 against V1: no difference that is beyond accident"]
    many = [row("V1", succeeded=300, failed=100), row("V2", succeeded=380, failed=20)]
    (line,) = compare_variants(many)
    assert line.startswith("V2 against V1: 15 to 25 points more succeed")
