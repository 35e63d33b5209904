"""Registry documents as an operator sees them, the refused ones included."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import USAGE, Problem
from rollcall.core.options import DEFAULT_CODEBASE, codebase, collection_id
from rollcall.core.shapes import Status
from rollcall.registry.access import ALL, CATEGORY
from rollcall.registry.capabilities import read_document
from rollcall.registry.documents import AGENTS, CAPABILITIES
from rollcall.registry.entries import Entry
from rollcall.registry.overrides import status_of
from rollcall.registry.segments import MANIFEST, part

if TYPE_CHECKING:
    from google.cloud.firestore import Client


REFUSED = "refused"
HEALTHY = "healthy"
DOWN = "down"


_KINDS = {"firebase_function": "function", "api_endpoint": "endpoint"}


class Record(Struct, frozen=True):
    """One document of `capabilities/`.

    Attributes:
        entry: As it is offered; None where it cannot be.
        reason: Why it is left out of the registry.
        health: "healthy", "degraded" or "down".
    """

    id: str
    document: dict[str, Any]
    entry: Entry | None
    reason: str | None
    health: str

    @property
    def overrides(self) -> dict[str, Any]:
        """The operator's word, where it can be read."""
        return object_in(self.document, "overrides")

    @property
    def status(self) -> str:
        """As it counts now."""
        return self.entry.status.value if self.entry and not self.reason else REFUSED

    @property
    def where(self) -> str:
        """Whose it is and how it is reached."""
        execution = object_in(self.document, "execution")
        target, kind = str(execution.get("target", "")), str(execution.get("type", ""))
        if self.document.get("source") == "code":
            of = str(self.document.get("codebase", DEFAULT_CODEBASE))
            here = "code" if of == DEFAULT_CODEBASE else f"code of {of}"
            return f"{here}, client" if kind == "client" else here
        host = re.match(r"https://([^/?#:@\[\]]+)(?=[/?#:]|$)", target, re.IGNORECASE)
        return f"{_KINDS.get(kind, kind)} {host[1] if host else target}".strip()


class Agent(Struct, frozen=True):
    """One document of `agents/`."""

    id: str
    document: dict[str, Any]

    @property
    def tools(self) -> tuple[str, ...]:
        """Ids, `category:<category>`, `*`."""
        found = self.overrides.get("tools", self.document.get("tools"))
        return tuple(str(each) for each in found) if isinstance(found, list) else ()

    @property
    def overrides(self) -> dict[str, Any]:
        """The operator's word, where it can be read."""
        return object_in(self.document, "overrides")

    @property
    def status(self) -> str:
        """As it counts now."""
        return status_of(self.document, Status.ACTIVE).value

    def has_code(self, profiles: Container[str]) -> bool:
        """Whether this code declares it, or another codebase says that it does; otherwise it is a
        document alone, and nobody can ask it.

        Args:
            profiles: Ids of the agents that this code declares.
        """
        of = self.document.get("codebase", DEFAULT_CODEBASE)
        return self.id in profiles or (self.document.get("source") == "code" and of != codebase())

    def names(self, id: str, category: str) -> str | None:
        """By which word it may use this capability; None where by none."""
        return next(
            (word for word in (id, f"{CATEGORY}{category}", ALL) if word in self.tools), None
        )


def object_in(document: Mapping[str, Any], field: str) -> dict[str, Any]:
    """An object in a document that anybody may have written; empty where something else stands."""
    found = document.get(field)
    return found if isinstance(found, dict) else {}


def path_of(id: str) -> str:
    """The document that is meant by a capability's id, or by `agents/<id>`.

    Raises:
        Problem: It is no id.
    """
    collection, _, name = id.rpartition("/")
    is_taken = name in ("", ".", "..") or re.fullmatch(r"__.*__", name)  # which Firestore refuses
    if collection not in ("", CAPABILITIES, AGENTS) or is_taken:
        raise Problem(f"{id!r} is neither a capability's id nor agents/<id>.", exit_code=USAGE)
    return f"{collection or CAPABILITIES}/{name}"


def read_manifest(db: Client) -> dict[str, Any]:
    """What the compiled registry says of itself; empty where it was never compiled."""
    return part(db, MANIFEST).get().to_dict() or {}


def read_records(db: Client, manifest: Mapping[str, Any]) -> list[Record]:
    """Every document of `capabilities/`, by id."""
    health, refused = manifest.get("health") or {}, manifest.get("refused") or {}
    return [
        record_of(document.id, document.to_dict() or {}, health=health, refused=refused)
        for document in db.collection(collection_id(CAPABILITIES)).order_by("__name__").stream()
    ]


def record_of(
    id: str,
    document: dict[str, Any],
    *,
    health: Mapping[str, str],
    refused: Mapping[str, str],
) -> Record:
    """Read one document; what the last compilation refused stays refused until the next."""
    entry: Entry | None = None
    reason: str | None = None
    try:
        entry = read_document(id, document)
    except ValueError as error:
        reason = str(error)
    return Record(id, document, entry, reason or refused.get(id), health.get(id, HEALTHY))


def read_agents(db: Client) -> list[Agent]:
    """Every document of `agents/`, by id."""
    found = db.collection(collection_id(AGENTS)).order_by("__name__").stream()
    return [Agent(document.id, document.to_dict() or {}) for document in found]


def named_agent(id: str, agents: Sequence[Agent]) -> Agent:
    """The agent of this id.

    Raises:
        Problem: There is none.
    """
    found = next((agent for agent in agents if agent.id == id), None)
    if found is None:
        known = ", ".join(agent.id for agent in agents) or "none"
        raise Problem(f"There is no agent {id!r}; there are: {known}.")
    return found


def agents_of(record: Record, agents: Sequence[Agent]) -> list[tuple[Agent, str]]:
    """Which of these agents name it, each with the word by which it does."""
    category = str(record.document.get("category", ""))
    found = [(agent, agent.names(record.id, category)) for agent in agents]
    return [(agent, word) for agent, word in found if word]
