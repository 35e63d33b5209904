"""The tools that queries are asked over: what code declares, and the catalogue beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rollcall import catalog
from rollcall.registry.documents import capability_document
from rollcall.registry.index import Searchable
from tests.evals.registry.queries import HERE

CATALOGUE = HERE / "catalogue.jsonl"

Document = dict[str, Any]


def declared() -> list[Document]:
    """The registry documents of the capabilities that exist."""
    return [capability_document(each) for each in catalog.capabilities()]


def catalogue() -> list[Document]:
    """The documents of the further capabilities: the fields that a declaration has."""
    lines = CATALOGUE.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def searchable(document: Document) -> Searchable:
    """What an index reads of a document."""
    return Searchable(
        id=document["id"],
        names=tuple(document["names"].values()),
        description=document["description"],
        keywords=tuple(document["keywords"]),
        examples=tuple(each["userRequest"] for each in document["examples"]),
        parameters=tuple(
            (name, " ".join([of.get("description", ""), *map(str, of.get("enum") or ())]))
            for name, of in document["jsonSchema"].get("properties", {}).items()
        ),
    )


def sent_chars(documents: Sequence[Document]) -> int:
    """How long the JSON is in which a model is sent these tools."""
    return sum(
        len(
            json.dumps(
                {
                    "name": document["id"],
                    "description": document["description"],
                    "parameters": document["jsonSchema"],
                },
                ensure_ascii=False,
                separators=(",", ":"),
            )
        )
        for document in documents
    )
