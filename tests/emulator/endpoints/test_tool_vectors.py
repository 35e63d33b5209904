"""Tools found by meaning through the whole of `run_agent`: the message is embedded while the run is
prepared, and a run goes by words where no vector comes."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.agent.run_setup import RunContext
from rollcall.registry.compiler import compile_registry
from tests.support.office import Office
from tests.support.registries import reload_registry

TREES = ("apple", "pear", "plum", "fig", "date", "lime", "kiwi", "quince", "mango", "olive")
THIRSTY = "Meine Blumen haben Durst"


@dataclass(eq=False)
class Gardener:
    """An embedder that knows of water alone, and answers a query once `read` is set."""

    id: str = "test:gardener"
    dimensions: int = 2
    read: threading.Event = field(default_factory=threading.Event)
    is_there: bool = True
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        if task == "query":
            self.asked += texts
            if not self.is_there or not self.read.wait(60):
                raise ConnectionError("gone")
        return [[1.0, 0.1] if "Durst" in text or "plum" in text else [0.1, 1.0] for text in texts]


@pytest.fixture
def gardener(office: Office, db: Client, monkeypatch: pytest.MonkeyPatch) -> Gardener:
    """The embedder of an office with many tools, which sees when a run chooses among them."""
    for tree in TREES:
        office.db.document(f"capabilities/grow_{tree}").set(
            {
                "id": f"grow_{tree}",
                "name": f"grow_{tree}",
                "description": f"Water the {tree} tree.",
                "category": "garden",
                "status": "active",
                "effect": "read",
                "source": "operator",
                "execution": {"type": "firebase_function", "target": f"grow_{tree}"},
            }
        )
    office.declare(tools=("*",), pinned=(), max_tools=2)
    made = Gardener()
    compile_registry(db, embedder=made)
    reload_registry(db)
    monkeypatch.setattr(office.platform, "embedder", made)
    choose = RunContext.choose_tools

    def choosing(asked: RunContext, *args: Any) -> dict[str, Any]:
        made.read.set()  # the thread has been read by now
        return choose(asked, *args)

    monkeypatch.setattr(RunContext, "choose_tools", choosing)
    return made


def offered(office: Office) -> list[str]:
    return [tool.name for tool in office.model.requests[-1].tools]


def test_a_messages_vector_is_made_while_the_thread_is_read(
    office: Office, gardener: Gardener
) -> None:
    ran = office.ask(message=THIRSTY)
    assert "grow_plum" in offered(office)
    assert (ran.code, gardener.asked) == (None, [THIRSTY])


def test_an_embedder_that_fails_leaves_a_run_to_the_words(
    office: Office, gardener: Gardener
) -> None:
    gardener.is_there = False
    ran = office.ask(message="Water the fig tree. " + THIRSTY)
    assert "grow_fig" in offered(office) and "grow_plum" not in offered(office)
    assert ran.code is None


def test_small_talk_is_not_embedded(office: Office, gardener: Gardener) -> None:
    office.ask(message="Good morning!")
    assert (offered(office), gardener.asked) == (["ask_user"], [])
