"""The operator's command on the emulator, with a small registry of code and of documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.__main__ import main
from rollcall.registry import snapshot
from rollcall.registry.compiler import compile_registry
from rollcall.store.client import database

ROOM: dict[str, Any] = {
    "id": "find_room",
    "name": "Rooms",
    "names": {"en": "Find a room", "he": "מציאת חדר"},
    "description": "Find a free meeting room.",
    "category": "office",
    "minRole": "user",
    "status": "active",
    "effect": "read",
    "source": "operator",
    "keywords": ["room", "meeting", "חדר", "ישיבה"],
    "examples": [{"userRequest": "Is a room for 4 free?", "parameters": {"seats": 4}}],
    "jsonSchema": {
        "type": "object",
        "properties": {
            "seats": {"type": "integer", "description": "People to seat.", "minimum": 1},
            "floor": {"type": "string", "enum": ["ground", "first"]},
        },
        "required": ["seats"],
    },
    "execution": {"type": "firebase_function", "target": "findRoom"},
}
INVOICE: dict[str, Any] = {
    "id": "pay_invoice",
    "name": "Pay an invoice",
    "description": "Pay an invoice of a supplier.",
    "category": "money",
    "minRole": "admin",
    "status": "beta",
    "effect": "write",
    "source": "operator",
    "approval": {"ask": "above", "argument": "amountUsd", "threshold": 100, "expiresS": 3600},
    "parameters": [{"name": "amountUsd", "type": "number", "required": True, "description": "USD"}],
    "execution": {"type": "api_endpoint", "target": "https://pay.example.com/invoices"},
}
BROKEN: dict[str, Any] = {**ROOM, "id": "broken", "jsonSchema": {"$ref": "#/$defs/self"}}
DESK: dict[str, Any] = {
    "id": "desk",
    "name": "Desk",
    "names": {"en": "Desk", "he": "דלפק"},
    "instructions": "Help at the desk.",
    "tools": ["find_room", "category:money"],
    "status": "active",
    "minRole": "user",
    "source": "operator",
}


@dataclass(frozen=True)
class CommandResult:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., CommandResult]


@pytest.fixture
def run(
    db: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Runs `python -m rollcall <arguments>` in the test's own project, and reads what it says."""
    monkeypatch.setenv("GCLOUD_PROJECT", db.project)
    monkeypatch.delenv("FIREBASE_AUTH_EMULATOR_HOST", raising=False)
    database.cache_clear()
    snapshot.forget()

    def command(*arguments: str) -> CommandResult:
        capsys.readouterr()
        code = main(arguments)
        printed = capsys.readouterr()
        return CommandResult(code, printed.out, printed.err)

    yield command
    database.cache_clear()
    snapshot.forget()


@pytest.fixture
def registry(db: Client) -> Client:
    """Two documents that can be used, one that cannot, and an agent; compiled."""
    for document in (ROOM, INVOICE, BROKEN):
        db.document(f"capabilities/{document['id']}").set(document)
    db.document("agents/desk").set(DESK)
    compile_registry(db)
    return db
