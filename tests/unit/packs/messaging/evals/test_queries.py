"""The labelled queries for retrieval of the messaging pack's tools."""

from __future__ import annotations

from collections import Counter

from tests.evals.registry.queries import PACKS, read_queries


def test_there_are_enough_in_both_languages() -> None:
    spoken = Counter(query.language for query in read_queries(PACKS / "messaging/queries.jsonl"))
    assert spoken["en"] >= 80 and spoken["he"] >= 80
