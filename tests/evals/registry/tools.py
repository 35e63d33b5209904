"""The tools that queries are asked over: what code declares, and the catalogue beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from rollcall.models.base import ToolSpec
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document
from rollcall.registry.snapshot import Snapshot
from tests.evals.registry.queries import HERE
from tests.support.catalogs import catalog
from tests.support.registries import registry_of

CATALOGUE = HERE / "catalogue.jsonl"

Document = dict[str, Any]


@cache
def capability_documents() -> tuple[Document, ...]:
    """The registry documents of the capabilities that exist."""
    return tuple(capability_document(each) for each in catalog.capabilities())


def catalogue_documents() -> list[Document]:
    """The documents of the further capabilities: the fields that a declaration has."""
    lines = CATALOGUE.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def new_catalogue_documents() -> list[Document]:
    """Those of the catalogue that do not exist by now: a registry has each id once."""
    existing = {each["id"] for each in capability_documents()}
    return [each for each in catalogue_documents() if each["id"] not in existing]


def compile_registry(documents: Sequence[Document]) -> Snapshot:
    """The registry with these documents, compiled as in Firestore."""
    known = {"status": "active", "source": "code"}
    return registry_of(
        *(read_capability({**each, "name": each["names"]["en"], **known}) for each in documents)
    )


def sent_chars(specs: Sequence[ToolSpec]) -> int:
    """How long the JSON is in which a model is sent these tools."""
    return sum(len(spec.json_text) for spec in specs)
