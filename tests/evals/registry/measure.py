"""Recall, order and cost of the tools offered for the labelled queries, by the registry itself.

`recall@k` is the mean share of a query's tools among the first k found; the place of the first
counts into the MRR. `offered` is the share of them among the tools that are offered, the related
ones too, and `all` the share of queries that lack none there. `nothing` is the share of queries
for which no tool is offered: right where none is needed, a loss elsewhere. `tools` is how many are
offered; `sent` what they cost, with the search for more and the guidance in the prompt, as a share
of the JSON of all tools registered. Times are of the choice alone. EMBEDDER=<provider>:<name>
(`tests/evals/meaning.py`) asks all again with vectors beside the words.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from rollcall.agent.prompt import tool_guidance
from rollcall.core.context import User
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Role
from rollcall.registry.compiler import searchable
from rollcall.registry.entries import Entry
from rollcall.registry.selection import FINDER, Selection, ToolRequest, select
from rollcall.registry.snapshot import Snapshot
from tests.evals.meaning import Meaning, embed_tools, embedder_from_environment
from tests.evals.registry.queries import CATALOGUE_QUERIES, Query, own_queries, read_queries
from tests.evals.registry.tools import (
    capability_documents,
    compile_registry,
    new_catalogue_documents,
    sent_chars,
)
from tests.evals.report import EvalResult, mean, share, table
from tests.support.catalogs import catalog

_CUTS = (1, 5, 10)
ANYTHING = AgentProfile(id="anything", name={"en": "Anything"}, instructions="Help.", tools=("*",))
"""An agent that may use whatever is registered, with the usual bounds."""
_ASKER = User("eval", Role.ADMIN)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """A query, the tools chosen for it, and the milliseconds that took.

    Attributes:
        found: Ids, best first.
        sent: Characters that the offer costs in the prompt.
    """

    query: Query
    found: list[str]
    offered: frozenset[str]
    sent: int
    ms: float

    def recall(self, cut: int) -> float:
        """The share of the tools that are needed among the first `cut`."""
        return len(self.query.gold & set(self.found[:cut])) / len(self.query.gold)

    @property
    def reciprocal_rank(self) -> float:
        return next(
            (1 / rank for rank, id in enumerate(self.found, 1) if id in self.query.gold), 0.0
        )


def measure() -> EvalResult:
    """Ask every agent over the capabilities that exist, and one that may use anything over the
    catalogue too."""
    own, more = capability_documents(), new_catalogue_documents()
    over_own, over_more = own_queries(), read_queries(CATALOGUE_QUERIES)
    existing, full = compile_registry(own), compile_registry([*own, *more])
    runs = {
        **{
            f"the {agent.id} agent, {len(agent.tools)} tools": (existing, agent, over_own)
            for agent in catalog.agents().values()
        },
        f"an agent with {len(own) + len(more)} tools": (full, ANYTHING, [*over_own, *over_more]),
    }
    embedder = embedder_from_environment()
    tables, figures = [], {}
    for name, (registry, profile, queries) in runs.items():
        usable = _permitted(registry, profile)
        ids = {entry.id for entry in usable}
        answerable = [each for each in queries if each.gold <= ids]
        every = sent_chars([entry.spec for entry in usable])
        ways: dict[str, Meaning | None] = {name: None}
        if embedder:
            tools = [searchable(entry) for entry in registry.content.entries.values()]
            ways[f"{name}, by words and by {embedder.id}"] = embed_tools(
                embedder, tools, (each.query for each in answerable)
            )
        for way, meaning in ways.items():
            asked = ask(registry, profile, answerable, meaning)
            figures[way] = {group: of(some, every) for group, some in groups(asked).items()}
            tables.append(_table(f"Tools for {way}", figures[way]))
    return EvalResult(tables, figures)


def ask(
    registry: Snapshot,
    profile: AgentProfile,
    queries: Iterable[Query],
    meaning: Meaning | None = None,
) -> list[QueryResult]:
    """Choose tools for each query, and time it; by words alone, or by meaning too."""
    ids = registry.content.entries.ids
    client_tools = frozenset(of_clients(registry))
    select(registry, ToolRequest(profile, _ASKER, "warm up", client_tools=client_tools))
    asked = []
    for query in queries:
        asking = ToolRequest(
            profile,
            _ASKER,
            query.query,
            recent=query.context,
            client_tools=client_tools,
            near=meaning.near(query.query) if meaning else None,
        )
        started = time.perf_counter()
        chosen = select(registry, asking)
        ms = (time.perf_counter() - started) * 1000
        found = [ids[match.place] for match in chosen.matches][: _CUTS[-1]]
        cost = _sent(registry, chosen, query.language)
        asked.append(QueryResult(query, found, frozenset(chosen.ids), cost, ms))
    return asked


def of_clients(registry: Snapshot) -> list[str]:
    """The tools that run on the user's client, which is one that runs them all."""
    entries = registry.content.entries
    return [id for id in entries.ids if entries[id].execution.type == "client"]


def groups(asked: Sequence[QueryResult]) -> dict[str, list[QueryResult]]:
    """Queries that need tools, together and apart; then those that need none."""
    needing = [item for item in asked if item.query.gold]
    idle = [item for item in asked if not item.query.gold]
    made = {"need tools": needing}
    for name in ("split", "about", "language", "kind"):
        for item in needing:
            made.setdefault(getattr(item.query, name), []).append(item)
    if idle:
        made["need none"] = idle
        for name in ("split", "kind"):
            for item in idle:
                made.setdefault(f"none: {getattr(item.query, name)}", []).append(item)
    return made


def of(asked: Sequence[QueryResult], every: int) -> dict[str, Any]:
    """The figures of some queries, where all tools cost `every` characters."""
    needing = [item for item in asked if item.query.gold]
    kept = [len(item.query.gold & item.offered) / len(item.query.gold) for item in needing]
    figures: dict[str, Any] = {"queries": len(asked)}
    for cut in _CUTS:
        figures[f"recall@{cut}"] = mean([item.recall(cut) for item in needing])
    figures["mrr"] = mean([item.reciprocal_rank for item in needing])
    figures["offered"] = mean(kept)
    figures["all"] = share(sum(part == 1 for part in kept), len(kept))
    figures["nothing"] = share(sum(not item.offered for item in asked), len(asked))
    figures["tools"] = mean([float(len(item.offered)) for item in asked])
    figures["sent"] = mean([item.sent / every for item in asked])
    figures["p50_ms"] = round(median(item.ms for item in asked), 3)
    return figures


def _sent(registry: Snapshot, chosen: Selection, locale: str) -> int:
    entries = [registry.content.entries[id] for id in chosen.ids]
    specs = [entry.spec for entry in entries] + ([FINDER] if chosen.finds_more else [])
    return sent_chars(specs) + len(tool_guidance(entries, locale))


def _permitted(registry: Snapshot, profile: AgentProfile) -> list[Entry]:
    entries = registry.content.entries.values()
    return [entry for entry in entries if "*" in profile.tools or entry.id in profile.tools]


def _table(title: str, figures: dict[str, dict[str, Any]]) -> Table:
    columns = list(figures["need tools"])
    rows = [[name, *(group[key] for key in columns)] for name, group in figures.items()]
    return table(title, ["", *columns], rows)
