"""`registry list`: the registered capabilities, and those that were refused."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from rollcall.commands.output import announce, print_json
from rollcall.commands.place import Place, connect
from rollcall.commands.registry.records import (
    HEALTHY,
    REFUSED,
    Agent,
    Record,
    agents_of,
    named_agent,
    read_agents,
    read_manifest,
    read_records,
)
from rollcall.commands.screen import ID, Column, load_screen

DIGEST_CHARS = 8
OVERRULED = "*"


def run(place: Place, options: Namespace) -> int:
    """List capabilities as a table, or as JSON."""
    announce(place, options)
    db = connect(place)
    manifest = read_manifest(db)
    records = read_records(db, manifest)
    chosen = _chosen(records, read_agents(db) if options.agent else (), options)
    if options.json:
        print_json([_plain(record) for record in chosen])
        return 0
    _show(chosen, total=len(records), locale=options.locale)
    return 0


def _chosen(records: Sequence[Record], agents: Sequence[Agent], options: Namespace) -> list[Record]:
    found = list(records)
    if options.status:
        found = [each for each in found if each.status == options.status]
    if options.agent:
        only = [named_agent(options.agent, agents)]
        found = [each for each in found if agents_of(each, only)]
    return found


def _plain(record: Record) -> dict[str, Any]:
    """As JSON; what it says of itself, even where it is refused."""
    entry, document = record.entry, record.document
    return {
        "id": record.id,
        "names": entry.names if entry else {"en": str(document.get("name", ""))},
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


def _show(records: Sequence[Record], *, total: int, locale: str) -> None:
    screen = load_screen()
    columns = [
        ID,
        Column("Name"),
        Column("Category", whole=True, from_width=100),
        Column("Effect", whole=True),
        Column("Role", whole=True),
        Column("Status", whole=True),
        Column("Where", from_width=90),
        Column("Digest", whole=True, from_width=110),
    ]
    offered = [each for each in records if each.status != REFUSED]
    refused = [each for each in records if each.status == REFUSED]
    if offered:
        screen.say()
        screen.table(columns, [_row(record, locale) for record in offered])
    if refused:
        screen.say()
        screen.say(f"Refused, and offered to nobody ({len(refused)}):", style="bold")
        screen.table(
            [ID, Column("Why")],
            [(each.id, each.reason or "") for each in refused],
        )
    screen.say()
    marked = any("status" in each.overrides or "minRole" in each.overrides for each in offered)
    note = f"   {OVERRULED} overruled by an operator" if marked else ""
    screen.say(f"{len(records)} of {total}{note}", style="dim")


def _row(record: Record, locale: str) -> tuple[str, ...]:
    entry = record.entry
    assert entry is not None
    health = "" if record.health == HEALTHY else f", {record.health}"
    marks = {key: OVERRULED if key in record.overrides else "" for key in ("status", "minRole")}
    return (
        record.id,
        entry.name(locale),
        entry.category,
        "write" if entry.spec.writes else "read",
        entry.min_role.value + marks["minRole"],
        entry.status.value + marks["status"] + health,
        record.where,
        entry.digest[:DIGEST_CHARS],
    )
