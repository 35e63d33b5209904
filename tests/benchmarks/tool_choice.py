"""Choosing tools: time at growing registries, and prompt size against sending every tool."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import replace

from rich.table import Table

from rollcall import catalog
from rollcall.core.capability import Capability
from rollcall.registry.documents import Entry, capability_document
from rollcall.registry.retrieval import choose

ROUNDS = 9
OFFERED = 8
MESSAGE = "What decisions were made about the budget?"


def measure() -> Table:
    """Rank registries made of the project's own capabilities under other names."""
    own = [_entry(capability, capability.id) for capability in catalog.capabilities()]
    table = Table(title=f"Tools for one message, at most {OFFERED} offered, median of {ROUNDS}")
    for column in ("registered", "ms", "characters of tools sent", "share of sending all"):
        table.add_column(column, justify="right")
    for size in (len(own), 100, 1_000, 10_000):
        entries = [
            own[n] if n < len(own) else _entry(catalog.capabilities()[n % len(own)], f"tool_{n}")
            for n in range(size)
        ]
        chosen = choose(entries, MESSAGE, limit=OFFERED)
        times = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            choose(entries, MESSAGE, limit=OFFERED)
            times.append(time.perf_counter() - started)
        sent, everything = (sum(map(_characters, some)) for some in (chosen, entries))
        table.add_row(
            f"{size:,}",
            f"{statistics.median(times) * 1000:.1f}",
            f"{sent:,}",
            f"{sent / everything:.1%}",
        )
    return table


def _entry(capability: Capability, id: str) -> Entry:
    """The capability's entry as a registry has it, under another name."""
    entry = Entry.from_document({**capability_document(capability), "status": "active"})
    return replace(entry, id=id, spec=replace(entry.spec, name=id))


def _characters(entry: Entry) -> int:
    spec = entry.spec
    return len(json.dumps([spec.name, spec.description, spec.parameters], ensure_ascii=False))
