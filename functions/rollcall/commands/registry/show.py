"""`registry show`: one capability or agent."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rollcall.commands.app import Place, connect, require_app
from rollcall.commands.output import in_camel_case, moment, print_json, short, table
from rollcall.commands.registry.records import (
    Agent,
    Record,
    agents_of,
    named_agent,
    path_of,
    read_agents,
    read_manifest,
    record_of,
)
from rollcall.core.errors import Problem
from rollcall.core.options import collection_id
from rollcall.core.policy import combined
from rollcall.registry.capabilities import unknown_overrides
from rollcall.registry.documents import AGENTS, read_overrides
from rollcall.registry.health import HealthRecord, health


def run(place: Place, options: Namespace) -> int:
    """Show one capability, or `agents/<id>`.

    Raises:
        Problem: There is none of this id.
    """
    collection, _, id = path_of(options.id).partition("/")
    db = connect(place)
    declared = require_app(place.app).catalog.agents()
    document = db.document(f"{collection_id(collection)}/{id}").get().to_dict()
    if collection == AGENTS:
        agent = named_agent(id, read_agents(db)) if document is None else Agent(id, document)
        shown = {
            "id": id,
            **dict(sorted(agent.document.items())),
            "offeredStatus": agent.status,
            "hasCode": agent.has_code(declared),
            "problems": read_overrides(agent.document)[1],
        }
    elif document is None:
        raise Problem(f"There is no capability {id!r}; `registry list` names those there are.")
    else:
        manifest = read_manifest(db)
        states, refused = manifest.get("health") or {}, manifest.get("refused") or {}
        record = record_of(id, document, health=states, refused=refused)
        with_code = [each for each in read_agents(db) if each.has_code(declared)]
        shown = _plain(record, agents_of(record, with_code), health(db).get(record.id))
    if options.json:
        print_json(shown)
    else:
        schema = ((shown.get("offered") or {}).get("spec") or {}).get("parameters") or {}
        arguments = {"required": schema.get("required"), "arguments": schema.get("properties")}
        table(("Field", "Value"), list(rows({**shown, **arguments})))
    return 0


_FOR_PROGRAMS = frozenset(
    ["offered", "schemaVersion"]
    + [f"declared.{key}" for key in ("jsonSchema", "parameters", "schemaVersion")]
)
"""Paths of what only `--json` prints; the arguments are shown from the schema that is offered."""


def rows(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value inside a value by its path, such as "arguments.amps.type". Fields of the
    whole come in its order, those within by name, since Firestore keeps no order of fields."""
    if path in _FOR_PROGRAMS:
        return
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        value = dict(enumerate(value))
    if isinstance(value, Mapping):
        for key, each in sorted(value.items()) if path else value.items():
            yield from rows(each, f"{path}.{key}" if path else str(key))
    elif value not in (None, "", []):
        yield path, moment(value) if isinstance(value, datetime) else short(value)


def _plain(
    record: Record, agents: Sequence[tuple[Agent, str]], seen: HealthRecord | None
) -> dict[str, Any]:
    entry, document = record.entry, record.document
    observed: dict[str, Any] | None = in_camel_case(seen)
    if observed and seen:
        del observed["calls"]
        observed |= {"since": _time(seen.since), "until": _time(seen.until)}
        observed |= {"p50Ms": seen.latency(0.5), "p95Ms": seen.latency(0.95)}
        if seen.failure:
            observed["failure"]["at"] = _time(seen.failure.at)
    offered: dict[str, Any] | None = None
    if entry and not record.reason:  # as processes read it
        offered = {**in_camel_case(entry), "policy": entry.policy.dump() if entry.policy else None}
        del offered["phrases"]
    apart = ("overrides", "enriched")
    return {
        "id": record.id,
        "status": record.status,
        "refused": record.reason,
        "unknownOverrides": unknown_overrides(record.overrides),
        "health": record.health,
        "seen": observed,
        "declared": {key: value for key, value in document.items() if key not in apart},
        "overrides": record.overrides,
        "enriched": document.get("enriched"),
        "offered": offered,
        "approval": combined(entry.policy).dump() if entry and entry.spec.writes else None,
        "agents": [{"id": agent.id, "by": word, "status": agent.status} for agent, word in agents],
    }


def _time(at: float) -> datetime | None:
    return datetime.fromtimestamp(at, UTC) if at else None
