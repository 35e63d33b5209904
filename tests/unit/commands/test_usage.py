from __future__ import annotations

import pytest

from rollcall.commands.usage import compared, share_in_short
from rollcall.registry.share import Share
from rollcall.registry.usage_counts import RunCounts
from rollcall.registry.usage_report import RunRow


def row(variant: str, **counts: int) -> RunRow:
    return RunRow("desk", variant, RunCounts(**counts))


@pytest.mark.parametrize(
    ("share", "text"),
    [(Share(0, 0), "–"), (Share(1, 1), "100% (21–100)"), (Share(5, 10), "50% (24–76)")],
)
def test_a_share_is_told_with_what_its_count_says(share: Share, text: str) -> None:
    assert share_in_short(share) == text


def test_variants_are_told_apart_only_where_that_is_no_accident() -> None:
    few = [row("V1", succeeded=3, failed=1), row("V2", succeeded=1, failed=3)]
    assert compared(few) == ["V2 against V1: no difference that is beyond accident"]
    many = [row("V1", succeeded=300, failed=100), row("V2", succeeded=380, failed=20)]
    (line,) = compared(many)
    assert line.startswith("V2 against V1: 15 to 25 points more succeed")
