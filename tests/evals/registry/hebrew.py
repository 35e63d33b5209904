"""Hebrew questions over tools that are described in English alone, and what helps to find them.

    python -m tests.evals hebrew [--model gemini:<name>]        EMBEDDER=openai:<name>

Of the tools everything with a Hebrew letter is left out; the questions are the own Hebrew ones.
They are asked by words alone; with phrases for each tool that the model wrote, as `registry enrich`
has it write them; with the embedder's vectors; and with both. Each needs its provider's key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from rollcall.commands.registry.enrich import enrich
from rollcall.core.context import Embedder, TextModel
from rollcall.models.base import load_model
from rollcall.models.provider import OFFLINE
from rollcall.models.structured import StructuredText
from rollcall.registry.capabilities import read_document
from rollcall.registry.compiler import searchable
from rollcall.registry.snapshot import Snapshot
from tests.evals.meaning import Meaning, embed_tools, embedder_from_environment
from tests.evals.registry.measure import ANYTHING, ask
from tests.evals.registry.queries import CATALOGUE_QUERIES, Query, own_queries, read_queries
from tests.evals.registry.tools import Document, capability_documents, new_catalogue_documents
from tests.evals.report import EvalResult, mean, table
from tests.support.registries import registry_of

_HEBREW = re.compile("[א-ת]")
_CUTS = (1, 5, 10)


class DocumentStore:
    """A document store in memory, with as much of Firestore's interface as `enrich` uses."""

    def __init__(self, documents: dict[str, Document]) -> None:
        self.documents = documents
        self.id = ""

    def collection(self, name: str) -> DocumentStore:
        return self

    def stream(self) -> Iterator[DocumentStore]:
        yield from map(self.document, self.documents)

    def to_dict(self) -> Document:
        return self.documents[self.id]

    def document(self, path: str) -> DocumentStore:
        reference = DocumentStore(self.documents)
        reference.id = path.rpartition("/")[2]
        return reference

    def update(self, fields: dict[str, Any]) -> None:
        self.documents[self.id].update(fields)


def measure(model: str) -> EvalResult:
    """Measure every way for which a model and an embedder are named."""
    text_model = None if model == OFFLINE else StructuredText(load_model(model))
    documents = {
        each["id"]: each
        for each in map(in_english, [*capability_documents(), *new_catalogue_documents()])
    }
    asked = [*own_queries(), *read_queries(CATALOGUE_QUERIES)]
    queries = [each for each in asked if each.language == "he" and each.gold]
    return compare(documents, queries, text_model, embedder_from_environment())


def compare(
    documents: dict[str, Document],
    queries: Sequence[Query],
    text_model: TextModel | None,
    embedder: Embedder | None,
) -> EvalResult:
    """Ask some questions over some tools by words, phrases and vectors, as far as there are any."""
    unmeasured: list[str] = []
    registries = {"words": _registry(documents)}
    if text_model:
        report = enrich(cast("Any", DocumentStore(documents)), text_model)
        unmeasured += [f"phrases of {id}: {why}" for id, why in report.failed.items()]
        registries["with phrases"] = _registry(documents)
    figures = {name: _recall(registry, queries) for name, registry in registries.items()}
    for name, registry in registries.items() if embedder else ():
        tools = [searchable(entry) for entry in registry.content.entries.values()]
        meaning = (
            embed_tools(embedder, tools, (each.query for each in queries)) if embedder else None
        )
        figures[f"{name}, and vectors"] = _recall(registry, queries, meaning)
    rows = [[name, *row.values()] for name, row in figures.items()]
    summary = table("Hebrew questions over English tools", ["", *figures["words"]], rows)
    return EvalResult([summary], figures, unmeasured=unmeasured)


def in_english(document: Document) -> Document:
    """A tool's document without the values that have a Hebrew letter."""
    kept = _without_hebrew(document)
    return {**kept, "name": kept["names"]["en"], "status": "active", "source": "code"}


def _without_hebrew(value: Any) -> Any:
    if isinstance(value, dict):
        found = {key: _without_hebrew(each) for key, each in value.items()}
        return {key: each for key, each in found.items() if each is not None}
    if isinstance(value, list):
        return [each for each in map(_without_hebrew, value) if each is not None]
    return None if isinstance(value, str) and _HEBREW.search(value) else value


def _registry(documents: dict[str, Document]) -> Snapshot:
    return registry_of(*(read_document(id, document) for id, document in documents.items()))


def _recall(
    registry: Snapshot, queries: Sequence[Query], meaning: Meaning | None = None
) -> dict[str, Any]:
    asked = ask(registry, ANYTHING, queries, meaning)
    return {
        "queries": len(asked),
        **{f"recall@{cut}": mean([each.recall(cut) for each in asked]) for cut in _CUTS},
        "mrr": mean([each.reciprocal_rank for each in asked]),
    }
