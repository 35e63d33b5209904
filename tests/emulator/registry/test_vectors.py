"""Tools found by meaning: vectors are made when the registry is compiled, and read when needed."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.profile import AgentProfile
from rollcall.registry import snapshot
from rollcall.registry.compiler import compile_registry
from rollcall.registry.segments import part
from rollcall.registry.selection import Selection, ToolRequest, select
from tests.support.firestore_operations import count_operations

AGENT = AgentProfile(id="a", name={"en": "A"}, instructions="Help.", tools=("*",))
MEANINGS = {"water": 0, "money": 1, "travel": 2}


@dataclass(eq=False)
class Embedder:
    """Knows three meanings; a text has that of the first of their words in it."""

    id: str = "test:three"
    dimensions: int = 3
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        self.asked += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        found = [float(word in text) for word in MEANINGS]
        return [value + 0.01 for value in found]


def register(db: Client, *ids: str, description: str = "") -> None:
    for id in ids:
        document = {
            "id": id,
            "name": id.replace("_", " "),
            "description": description or f"{id}.",
            "status": "active",
            "effect": "read",
            "source": "code",
            "jsonSchema": {"type": "object", "properties": {}},
        }
        db.document(f"capabilities/{id}").set(document)


def a_registry(db: Client) -> None:
    register(db, *(f"filler_{n}" for n in range(15)))
    register(db, "irrigate", description="Opens a valve: water.")
    register(db, "pay", description="Settles a bill: money.")


def select_tools(db: Client, embedder: Embedder, message: str, vector: list[float]) -> Selection:
    registry = snapshot.snapshot(db)
    index = registry.content.vectors(db, embedder)

    def near(mask: bytes | bytearray, limit: int) -> list[tuple[int, float]]:
        return index.search(vector, limit=limit, allowed=mask) if index else []

    return select(registry, ToolRequest(AGENT, User("u"), message, near=near))


def test_a_tool_is_found_that_shares_no_word_with_the_message(db: Client) -> None:
    a_registry(db)
    embedder = Embedder()
    compile_registry(db, embedder=embedder)
    snapshot.forget()
    assert "irrigate" in select_tools(db, embedder, "Meine Blumen haben Durst", [1.0, 0, 0]).ids
    assert select_tools(db, embedder, "thank you!", [1.0, 0, 0]).ids == ()


def test_only_what_changed_is_embedded_again_and_nothing_is_lost_without_an_embedder(
    db: Client,
) -> None:
    a_registry(db)
    embedder = Embedder()
    first = compile_registry(db, embedder=embedder)
    embedder.asked.clear()
    register(db, "fly", description="Books a flight: travel.")
    compile_registry(db)
    assert compile_registry(db).digest != first.digest
    snapshot.forget()
    found = snapshot.snapshot(db).content.vectors(db, embedder)
    assert found and len(found.places) == 17
    compile_registry(db, embedder=embedder)
    assert [text.split("\n")[0] for text in embedder.asked] == ["fly"]


def test_another_embedders_vectors_answer_nothing(db: Client) -> None:
    a_registry(db)
    compile_registry(db, embedder=Embedder())
    snapshot.forget()
    assert snapshot.snapshot(db).content.vectors(db, Embedder(id="test:other")) is None


def test_vectors_that_cannot_be_read_answer_nothing_and_are_read_again_the_next_time(
    db: Client, caplog: pytest.LogCaptureFixture
) -> None:
    a_registry(db)
    embedder = Embedder()
    compile_registry(db, embedder=embedder)
    snapshot.forget()
    content = snapshot.snapshot(db).content
    stored = [part(db, part_id) for part_id in content.vector_parts]
    before = [each.get().to_dict() or {} for each in stored]
    for each in stored:
        each.delete()
    assert content.vectors(db, embedder) is None
    assert "the registry's vectors could not be read" in caplog.text
    for each, data in zip(stored, before, strict=True):
        each.set(data)
    found = content.vectors(db, embedder)
    assert found and len(found.places) == 17


def test_who_embeds_no_queries_does_not_read_the_vectors(db: Client) -> None:
    a_registry(db)
    compile_registry(db)
    snapshot.forget()
    with count_operations() as without:
        snapshot.snapshot(db)
    embedder = Embedder()
    compile_registry(db, embedder=embedder)
    snapshot.forget()
    with count_operations() as beside:
        registry = snapshot.snapshot(db)
    assert beside.reads == without.reads
    with count_operations() as wanted:
        registry.content.vectors(db, embedder)
        registry.content.vectors(db, embedder)
    assert wanted.reads == 1
