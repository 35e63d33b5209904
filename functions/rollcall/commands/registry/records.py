"""Registry documents as an operator sees them, the refused ones included, and `registry list`."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.commands.app import Place, connect
from rollcall.commands.output import named, print_json, say, table
from rollcall.core.errors import USAGE, Problem
from rollcall.core.options import DEFAULT_CODEBASE, codebase, collection_id
from rollcall.core.shapes import Status
from rollcall.registry.access import ALL, CATEGORY
from rollcall.registry.capabilities import read_document
from rollcall.registry.documents import AGENTS, CAPABILITIES, status_of
from rollcall.registry.entries import Entry
from rollcall.registry.segments import MANIFEST, part

if TYPE_CHECKING:
    from google.cloud.firestore import Client

REFUSED = "refused"
HEALTHY = "healthy"
DOWN = "down"


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
    def names(self) -> dict[str, str]:
        """By language; what it says of itself, even where it is refused."""
        return self.entry.names if self.entry else {"en": str(self.document.get("name", ""))}

    @property
    def words(self) -> tuple[str, ...]:
        """The words by which an agent may name it, narrowest first."""
        return (self.id, f"{CATEGORY}{self.document.get('category', '')}", ALL)


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
    id: str, document: dict[str, Any], *, health: Mapping[str, str], refused: Mapping[str, str]
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
    found = [(agent, [word for word in record.words if word in agent.tools]) for agent in agents]
    return [(agent, words[0]) for agent, words in found if words]


OVERRULED = "*"


def run(place: Place, options: Namespace) -> int:
    """List capabilities as a table, or as JSON."""
    db = connect(place)
    records = read_records(db, read_manifest(db))
    chosen = [each for each in records if options.status in (None, each.status)]
    if options.agent:
        only = [named_agent(options.agent, read_agents(db))]
        chosen = [each for each in chosen if agents_of(each, only)]
    if options.json:
        print_json([_plain(record) for record in chosen])
    else:
        _show(chosen, total=len(records))
    return 0


def _plain(record: Record) -> dict[str, Any]:
    """As JSON; what it says of itself, even where it is refused."""
    entry, document = record.entry, record.document
    return {
        "id": record.id,
        "names": record.names,
        "category": document.get("category", ""),
        "effect": document.get("effect", "write"),
        "minRole": entry.min_role.value if entry else document.get("minRole"),
        "tenants": sorted(entry.tenants) if entry and entry.tenants is not None else None,
        "status": record.status,
        "overruled": sorted(record.overrides),
        "health": record.health,
        "source": document.get("source"),
        "codebase": document.get("codebase"),
        "execution": document.get("execution"),
        "digest": entry.digest if entry else document.get("digest"),
        "refused": record.reason,
    }


def _show(records: Sequence[Record], *, total: int) -> None:
    rows = []
    for record in records:
        if record.status == REFUSED or (entry := record.entry) is None:
            continue
        role, status = (
            f"{value}{OVERRULED * (key in record.overrides)}"
            for key, value in (("minRole", entry.min_role), ("status", entry.status))
        )
        rows.append(
            (
                record.id,
                entry.category,
                "write" if entry.spec.writes else "read",
                role,
                status if record.health == HEALTHY else f"{status}, {record.health}",
                named(entry.names),
            )
        )
    table(("Capability", "Category", "Effect", "Role", "Status", "Name"), rows)
    for record in records:
        if record.status == REFUSED:
            say(f"refused, and offered to nobody: {record.id}: {record.reason}")
    say(f"{len(records)} of {total}; {OVERRULED} is what an operator overruled")
