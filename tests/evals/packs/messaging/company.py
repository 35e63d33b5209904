"""The sample company in a Firestore of its own, with the models that are to be measured."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import Conversation
from packs.messaging.ingest import write_conversation
from rollcall.core.context import Catalog, Embedder, TextModel
from rollcall.models.provider import OFFLINE, default_embedder
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from seed.messaging.sample import conversations
from seed.target import DEMO_USER
from tests.support.catalogs import catalog


@dataclass(frozen=True, slots=True)
class Company:
    """A platform (`db`, `catalog`, `text_model`, `embedder`), and the conversations that are in it.

    Attributes:
        today: The day that the sample data's dates count from.
        model: What the agent is asked with, as `<provider>:<name>`.
    """

    db: Client
    model: str
    today: date
    talks: dict[str, tuple[Conversation, list[ChatMessage]]]
    text_model: TextModel | None = None
    embedder: Embedder | None = None
    catalog: Catalog = field(default_factory=lambda: catalog)
    asker: str = DEMO_USER.uid
    messages: dict[str, ChatMessage] = field(default_factory=dict)
    talk_of: dict[str, Conversation] = field(default_factory=dict)


@cache
def open_company(model: str = OFFLINE) -> Company:
    """Seed a new project. With a model other than the offline planner, it and its provider's
    embeddings also read the messages; offline, no key in the environment is looked at."""
    text_model, embedder = _models(model)
    db = Client(project=f"demo-eval-{uuid.uuid4().hex[:8]}", credentials=_anonymous())
    today = datetime.now(UTC).date()
    talks = {talk.id: (talk, said) for talk, said in conversations(today=today)}
    company = Company(
        db=db,
        model=model,
        today=today,
        talks=talks,
        text_model=text_model,
        embedder=embedder,
        messages={item.id: item for _, said in talks.values() for item in said},
        talk_of={item.id: talk for talk, said in talks.values() for item in said},
    )
    sync(db, catalog.capabilities(), catalog.agents().values())
    snapshot.forget()
    for talk, said in talks.values():
        write_conversation(db, talk, said, embedder=embedder, text_model=text_model)
    return company


def _anonymous() -> AnonymousCredentials:
    make: Any = AnonymousCredentials
    made: AnonymousCredentials = make()
    return made


def _models(model: str) -> tuple[TextModel | None, Embedder | None]:
    if model.startswith("offline:"):
        return None, None
    from rollcall.models.base import load_embedder, load_model
    from rollcall.models.structured import StructuredText

    named = default_embedder(os.environ)
    return StructuredText(load_model(model)), load_embedder(named) if named else None
