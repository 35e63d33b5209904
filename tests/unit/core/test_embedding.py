"""Embedding documents within a budget."""

import logging
from typing import Any

import pytest

from rollcall.core.embedding import AT_ONCE, embed_documents
from rollcall.core.errors import ResourceExhausted


class Limited:
    """An embedder whose budget is used up after the first call."""

    id, dimensions, calls = "test:limited", 2, 0

    def embed(self, texts: list[str], *, task: Any) -> list[list[float]]:
        self.calls += 1
        if self.calls > 1:
            raise ResourceExhausted("your budget for today is used up")
        return [[1.0, 0.0] for _ in texts]


def test_at_the_limit_of_a_budget_nothing_more_is_embedded_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    embedder = Limited()
    texts = [f"text {n}" for n in range(3 * AT_ONCE)]
    with caplog.at_level(logging.WARNING):
        vectors = embed_documents(embedder, texts, texts)
    assert [vector is not None for vector in vectors] == [n < AT_ONCE for n in range(3 * AT_ONCE)]
    assert embedder.calls == 2
    assert caplog.messages == ["test:limited embeds no more: your budget for today is used up"]
