"""Usage as operators read it: per agent, per variant, per capability."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from rollcall.core.errors import InvalidArgument
from rollcall.registry.share import Share
from rollcall.registry.tally import Tally
from rollcall.registry.usage import day_name
from rollcall.registry.usage_counts import Key, RunCounts, ToolCounts, added, read

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MAX_DAYS = 400


class RunRow(Struct, frozen=True):
    """Runs of one agent in one variant, or of several, which are None then."""

    agent: str | None
    variant: str | None
    counts: RunCounts

    @property
    def success(self) -> Share:
        """Of the runs that came to an end, those with an answer."""
        ended = self.counts.succeeded + self.counts.stopped + self.counts.failed
        return Share(self.counts.succeeded, ended)

    @property
    def rated_well(self) -> Share:
        """Of the runs that were rated."""
        return Share(self.counts.up, self.counts.up + self.counts.down)

    @property
    def complete(self) -> Share:
        """Of all runs, those that called nothing that had not been chosen."""
        return Share(self.counts.runs - self.counts.missing, self.counts.runs)

    @property
    def offered_per_turn(self) -> float | None:
        """Tools that were chosen."""
        return self._per_turn(self.counts.offered)

    @property
    def called_per_turn(self) -> float | None:
        return self._per_turn(self.counts.called)

    @property
    def tokens_per_turn(self) -> float | None:
        """Input and output tokens."""
        return self._per_turn(self.counts.input_tokens + self.counts.output_tokens)

    @property
    def usd_per_turn(self) -> float | None:
        """US dollars, of models whose price is known."""
        return self._per_turn(self.counts.micro_usd / 1_000_000)

    @property
    def ms_per_turn(self) -> float | None:
        """At work; waiting for a person is not in it."""
        return self._per_turn(self.counts.ms)

    def _per_turn(self, total: float) -> float | None:
        return total / self.counts.turns if self.counts.turns else None


class ToolRow(Struct, frozen=True):
    """One tool with one agent in one variant, or with several, which are None then."""

    agent: str | None
    variant: str | None
    tool: str
    counts: ToolCounts

    @property
    def success(self) -> Share:
        """Of the calls that were made."""
        return Share(self.counts.succeeded, self.counts.succeeded + self.counts.failed)

    @property
    def rated_well(self) -> Share:
        """Of the rated runs that called it."""
        return Share(self.counts.up, self.counts.up + self.counts.down)

    @property
    def ms_per_call(self) -> float | None:
        return self.counts.ms / self.counts.called if self.counts.called else None

    @property
    def tokens(self) -> int:
        """Its part of the input and output tokens of the runs that called it."""
        return self.counts.input_tokens + self.counts.output_tokens

    @property
    def usd(self) -> float:
        """Its part of what the runs that called it cost."""
        return self.counts.micro_usd / 1_000_000


class Usage(Struct, frozen=True):
    """What was counted of the runs that began on the days from `since` to `until`.

    Attributes:
        runs: By agent and variant.
        tools: By agent, variant and tool.
    """

    since: date
    until: date
    runs: tuple[RunRow, ...]
    tools: tuple[ToolRow, ...]

    def by_agent(self) -> tuple[RunRow, ...]:
        """One row for each agent, over its variants."""
        return _runs(self.runs, lambda row: Key(row.agent or "", None))

    def by_variant(self, agent: str) -> tuple[RunRow, ...]:
        """One row for each variant of an agent."""
        return tuple(row for row in self.runs if row.agent == agent)

    def by_capability(self, agent: str | None = None) -> tuple[ToolRow, ...]:
        """One row for each tool, most called first, over all agents or one of them."""
        mine = [row for row in self.tools if agent in (None, row.agent)]
        sums: dict[str, ToolCounts] = {}
        for row in mine:
            sums[row.tool] = added(sums.get(row.tool, ToolCounts()), row.counts)
        ordered = sorted(sums, key=lambda tool: (-sums[tool].called, -sums[tool].offered, tool))
        return tuple(ToolRow(agent, None, tool, sums[tool]) for tool in ordered)


def usage(db: Client, since: date, until: date) -> Usage:
    """What was counted of the runs that began on these days (UTC), both included.

    One read for each day, or a few where there are thousands of tools.

    Raises:
        InvalidArgument: That is no day, or more than 400.
    """
    days = (until - since).days + 1
    if not 1 <= days <= MAX_DAYS:
        raise InvalidArgument(f"from {since} to {until} are {days} days; 1 to {MAX_DAYS} are read")
    runs: dict[Key, RunCounts] = {}
    tools: dict[Key, ToolCounts] = {}
    for number in range(days):
        records = Tally.load(db, day_name(since + timedelta(days=number))).records
        for text, stored in records.items():
            key = Key.of(text)
            counts = read(key, stored)
            if isinstance(counts, RunCounts):
                runs[key] = added(runs.get(key, RunCounts()), counts)
            else:
                tools[key] = added(tools.get(key, ToolCounts()), counts)
    return Usage(
        since,
        until,
        tuple(RunRow(key.agent, key.variant, runs[key]) for key in sorted(runs, key=_order)),
        tuple(
            ToolRow(key.agent, key.variant, key.tool or "", tools[key])
            for key in sorted(tools, key=_order)
        ),
    )


def _runs(rows: Iterable[RunRow], of: Callable[[RunRow], Key]) -> tuple[RunRow, ...]:
    sums: dict[Key, RunCounts] = {}
    for row in rows:
        key = of(row)
        sums[key] = added(sums.get(key, RunCounts()), row.counts)
    return tuple(RunRow(key.agent, key.variant, sums[key]) for key in sorted(sums, key=_order))


def _order(key: Key) -> tuple[str, ...]:
    return tuple(each or "" for each in key)
