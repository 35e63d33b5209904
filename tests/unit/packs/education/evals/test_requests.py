"""The requests of teachers that the eval is made of, and the bar that their tools pass."""

from __future__ import annotations

from collections import Counter

from tests.evals.packs.education.requests import QUERIES, asked, offered_share
from tests.evals.registry.queries import read_queries

BAR = 0.92


def test_most_requests_are_hebrew() -> None:
    spoken = Counter(each.language for each in read_queries(QUERIES))
    assert spoken["he"] >= 3 * spoken["en"]


def test_the_right_tool_is_offered_with_all_packs_registered() -> None:
    for agent, some in asked().items():
        share = offered_share(some)
        assert share is not None and share >= BAR, agent
