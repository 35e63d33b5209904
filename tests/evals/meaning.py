"""The search by meaning beside that by words, where an embedder is named:

    EMBEDDER=openai:<name> or gemini:<name>, with its key, or OPENAI_BASE_URL=<a server of yours>

Everything is embedded through the product's own adapter, before anything is measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dev import problem
from rollcall.core.context import Embedder
from rollcall.core.errors import AgentError
from rollcall.models.base import load_embedder
from rollcall.registry.index import Searchable
from rollcall.registry.selection import Near
from rollcall.registry.vectors import TEXT_CHARS, VectorIndex

_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Meaning:
    """An index of tools by meaning, with the vectors of all queries."""

    embedder_id: str
    index: VectorIndex
    vectors: Mapping[str, list[float]]

    def near(self, text: str) -> Near:
        """The search for the tools nearest to a text, as in a run."""
        vector = self.vectors[text]
        return lambda mask, limit: self.index.search(vector, limit=limit, allowed=mask)


def embedder_from_environment() -> Embedder | None:
    """The embedder that `EMBEDDER` names; None where it is not set.

    Raises:
        Problem: It names none that there is.
    """
    name = os.environ.get("EMBEDDER", "").strip()
    try:
        return load_embedder(name) if name else None
    except AgentError as error:
        raise problem.Problem(f"EMBEDDER={name}: {error.message}") from None


def embed_tools(embedder: Embedder, tools: Sequence[Searchable], asked: Iterable[str]) -> Meaning:
    """Embed tools and the queries over them.

    Raises:
        Problem: The embedder did not answer for all of them.
    """
    index = VectorIndex.build(tools, embedder)
    if len(index.places) < len(tools):
        raise problem.Problem(
            f"{embedder.id} embedded {len(index.places):,} of {len(tools):,} tools."
        )
    texts = list(dict.fromkeys(asked))
    vectors: dict[str, list[float]] = {}
    try:
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            found = embedder.embed([text[:TEXT_CHARS] for text in some], task="query")
            vectors |= zip(some, found, strict=True)
    except AgentError as error:
        raise problem.Problem(f"{embedder.id} embedded no queries: {error.message}") from None
    return Meaning(embedder.id, index, vectors)
