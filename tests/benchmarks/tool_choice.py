"""Choosing tools for a message, whole: authorising and ranking, at growing registries, and what of
the tools is sent, against sending all.

The registries hold the project's own capabilities under other names. What ranking costs over tools
that differ is measured by `tool_search`.
"""

from __future__ import annotations

import json
import statistics
import time

from msgspec.structs import replace
from rich.table import Table

from rollcall.core.context import User
from rollcall.core.profile import AgentProfile
from rollcall.registry.entries import Entry
from rollcall.registry.selection import ToolRequest, select
from tests.support.catalogs import catalog
from tests.support.registries import registry_documents, registry_of

ROUNDS = 200
MESSAGE = "What decisions were made about the budget?"
AGENT = AgentProfile(id="all", name={"en": "All"}, instructions="", tools=("*",))


def measure() -> Table:
    """Choose from registries of different sizes, interleaved."""
    own = registry_documents(catalog.capabilities())
    asking = ToolRequest(AGENT, User("bench"), MESSAGE)
    sizes = (5, len(own), 100, 500, 1_000, 10_000)
    made = {size: [_nth(own, n) for n in range(size)] for size in sizes}
    registries = {size: registry_of(*entries) for size, entries in made.items()}
    times: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(ROUNDS):
        for size, registry in registries.items():
            started = time.perf_counter()
            select(registry, asking)
            times[size].append(time.perf_counter() - started)
    title = f"Tools for one message, at most {AGENT.max_tools} chosen, median of {ROUNDS}"
    table = Table(title=title)
    for column in ("registered", "ms", "characters of tools sent", "share of sending all"):
        table.add_column(column, justify="right")
    for size, registry in registries.items():
        ids = select(registry, asking).ids
        sent = sum(_characters(registry.content.entries[id]) for id in ids)
        everything = sum(map(_characters, made[size]))
        median = statistics.median(times[size]) * 1000
        table.add_row(f"{size:,}", f"{median:.2f}", f"{sent:,}", f"{sent / everything:.1%}")
    return table


def _nth(own: list[Entry], number: int) -> Entry:
    entry = own[number % len(own)]
    if number < len(own):
        return entry
    id = f"tool_{number}"
    return replace(entry, id=id, spec=replace(entry.spec, name=id))


def _characters(entry: Entry) -> int:
    spec = entry.spec
    return len(json.dumps([spec.name, spec.description, spec.parameters], ensure_ascii=False))
