"""Usage by agent, variant, tool and day, counted from the audit log.

    registry/usage               the last counted entry: `cursor {at, id}`
    registry/usage-2026-11-21    `Counts` of the runs that began on that day, by agent, variant and
                                 tool; they hold no users

Each entry is counted once. The counts of a page of entries and the cursor are written in one
commit, which fails if the cursor has changed: an interrupted roll-up has counted a page or not, and
of two simultaneous ones one goes first. Entries are read by `loggedAt`, which Firestore sets, up to
a few minutes ago: by then every earlier entry is committed.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from rollcall.core.errors import InvalidArgument
from rollcall.core.options import collection_id
from rollcall.core.records import convert
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.registry.segments import part, read_records, write_records
from rollcall.store.batches import attempts, try_commit, where, write_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client

CURSOR = "usage"
KINDS = ["run", "rating"]
SETTLED = timedelta(minutes=5)
"""The age at which all entries are committed: Firestore ends a transaction after 270 s."""
KEPT_DAYS = 400
MAX_DAYS = 400
"""The most days of one report."""
PAGE = 1000
ROLL_UP_S = 300.0
"""No page is begun later in a roll-up; remaining entries wait for the next one."""
_Z = 1.959964
"""In the standard normal distribution, 95 % lie within this many deviations."""

log = logging.getLogger("rollcall")

Key = tuple[str, str | None, str | None]
"""The subject of counts: an agent, its variant, and one of its tools, or None for its runs."""


class Counts(Struct, frozen=True, omit_defaults=True):
    """Counts of an agent's runs, or of one tool in them.

    Attributes:
        turns: Runs that began a turn; the others are continuations.
        waiting: Runs that ended with a question to a person or to the client.
        stopped: Runs that a limit or the user ended.
        offered: For an agent, the tools chosen for its turns, added up; for a tool, the turns for
            which it was chosen.
        called: Calls; those that neither succeeded nor failed were refused or rejected.
        succeeded, failed: For an agent, its runs; for a tool, its calls.
        missing: Runs that called a tool that had not been chosen.
        missed: Runs that called this tool although it had not been chosen.
        up, down: Ratings of the agent's runs, or of the runs that called the tool.
        ms: Time of work.
        micro_usd: Millionths of a US dollar. A run's cost and tokens are divided evenly among its
            calls, so a tool has the shares of its calls.
    """

    offered: int = 0
    called: int = 0
    succeeded: int = 0
    failed: int = 0
    up: int = 0
    down: int = 0
    ms: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0
    runs: int = 0
    turns: int = 0
    waiting: int = 0
    stopped: int = 0
    missing: int = 0
    missed: int = 0
    steps: int = 0

    def __add__(self, other: Counts) -> Counts:
        names = self.__struct_fields__
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})


def day_name(day: date) -> str:
    """Return the id of a day's document."""
    return f"usage-{day.isoformat()}"


def roll_up(db: Client, known: Container[str], *, settled: timedelta = SETTLED) -> int:
    """Count new runs and ratings in the audit log; return the number of entries.

    Args:
        known: Ids of the capabilities and of the platform's tools.
        settled: The least age of a counted entry.
    """
    counted = 0
    for _ in attempts(within_s=ROLL_UP_S):
        page = _count_page(db, known, settled)
        counted += page or 0
        if page is not None and page < PAGE:
            break
    return counted


def _count_page(db: Client, known: Container[str], settled: timedelta) -> int | None:
    """Count the next entries and return their number; None if another process did so meanwhile."""
    cursor = part(db, CURSOR).get()
    # By Firestore's clock, like `loggedAt`.
    until = cursor.read_time - settled
    query = (
        db.collection(collection_id("audit"))
        .where(filter=where("kind", "in", KINDS))
        .where(filter=where("loggedAt", "<=", until))
        .order_by("loggedAt")
        .order_by("__name__")
    )
    if after := (cursor.to_dict() or {}).get("cursor"):
        query = query.start_after({"loggedAt": after["at"], "__name__": after["id"]})
    page = list(query.limit(PAGE).stream())
    if not page:
        return 0
    days: dict[str, dict[Key, Counts]] = {}
    for entry in page:
        try:
            new = list(additions(entry.to_dict() or {}, known))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            # A bad entry must not keep later ones from being counted.
            log.error("audit entry %s cannot be counted: %r", entry.id, error)
            continue
        for day, key, counts in new:
            sums = days.setdefault(day, {})
            sums[key] = sums.get(key, Counts()) + counts
    batch = db.batch()
    for day, sums in days.items():
        document = part(db, day_name(date.fromisoformat(day))).get()
        total = _stored_counts(document)
        for key, counts in sums.items():
            total[key] = total.get(key, Counts()) + counts
        ordered = sorted(total, key=lambda key: (key[2] is not None, -total[key].called, str(key)))
        records = {json.dumps(key, ensure_ascii=False): to_builtins(total[key]) for key in ordered}
        ends = datetime.combine(date.fromisoformat(day), time(), UTC) + timedelta(days=KEPT_DAYS)
        write_records(batch, document, records, expiresAt=ends)
    place = {"at": page[-1].get("loggedAt"), "id": page[-1].id}
    fields = {"schemaVersion": SCHEMA_VERSION, "cursor": place, "countedAt": datetime.now(UTC)}
    write_unchanged(batch, cursor, fields)
    return None if try_commit(batch) is None else len(page)


def _stored_counts(document: Any) -> dict[Key, Counts]:
    records = read_records(document)
    return {tuple(json.loads(key)): convert(records[key], Counts) for key in records}


def additions(entry: Mapping[str, Any], known: Container[str]) -> Iterator[tuple[str, Key, Counts]]:
    """Yield what an audit entry adds to the counts of a day, such as "2026-11-21".

    Args:
        known: Ids of the tools that exist; a model may call others.
    """
    agent, variant = entry["agent"], entry["variant"]
    if entry["kind"] == "rating":  # a changed rating subtracts the previous one
        rated, before = entry["rating"], entry["before"]
        ratings = Counts(**{word: (rated == word) - (before == word) for word in ("up", "down")})
        day = date.fromisoformat(entry["runDay"]).isoformat()
        for id in (None, *(id for id in entry["called"] if id in known)):
            yield day, (agent, variant, id), ratings
        return
    day = entry["beganAt"].astimezone(UTC).date().isoformat()
    begins = entry["turnId"] == entry["runId"]
    calls, outcome = entry["calls"], entry["outcome"]
    costs = {
        "input_tokens": sum(each.get("inputTokens", 0) for each in entry["usage"]),
        "cached_input_tokens": sum(each.get("cachedInputTokens", 0) for each in entry["usage"]),
        "output_tokens": sum(each.get("outputTokens", 0) for each in entry["usage"]),
        "micro_usd": entry["microUsd"],
    }
    runs = Counts(
        runs=1,
        turns=int(begins),
        succeeded=int(outcome == "success"),
        waiting=int(outcome == "interrupt"),
        stopped=int(outcome == "cancelled"),
        failed=int(outcome == "failed"),
        offered=entry["offeredCount"] if begins else 0,
        called=len(calls) + entry["callsLeftOut"],
        missing=int(bool(entry["missed"])),
        steps=entry["steps"],
        ms=round((entry["at"] - entry["beganAt"]).total_seconds() * 1000),
        **costs,
    )
    yield day, (agent, variant, None), runs
    for id in entry["offered"] if begins else ():
        yield day, (agent, variant, id), Counts(offered=1)
    for id in entry["missed"]:
        if id in known:
            yield day, (agent, variant, id), Counts(missed=1)
    for place, call in enumerate(calls):
        if call["tool"] in known:
            # Even shares that add up to the run's costs: the first ones get the remainder.
            share = {name: n // len(calls) + (place < n % len(calls)) for name, n in costs.items()}
            succeeded = int(call["status"] == "done")
            failed = int(call["status"] in ("failed", "unknown"))
            counts = Counts(called=1, succeeded=succeeded, failed=failed, ms=call["ms"], **share)
            yield day, (agent, variant, call["tool"]), counts


class Share(Struct, frozen=True):
    """`n` of `of`, with its confidence interval."""

    n: int
    of: int

    @property
    def value(self) -> float | None:
        """From 0 to 1; None if `of` is 0."""
        return self.n / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by Wilson's score; 0 to 1 if `of` is 0."""
        if not self.of:
            return 0.0, 1.0
        share, z2 = self.n / self.of, _Z * _Z
        middle = share + z2 / (2 * self.of)
        half = _Z * math.sqrt(share * (1 - share) / self.of + z2 / (4 * self.of**2))
        scale = 1 + z2 / self.of
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.value:.0%} ({low:.0%}–{high:.0%}, {self.n} of {self.of})"


def difference(one: Share, other: Share) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two shares, by Newcombe's method 10 of 1998; if
    it includes 0, they may be equal."""
    if not (one.of and other.of):
        return -1.0, 1.0
    a, b = one.n / one.of, other.n / other.of
    (low_a, high_a), (low_b, high_b) = one.interval, other.interval
    low = a - b - math.hypot(a - low_a, high_b - b)
    return low, a - b + math.hypot(high_a - a, b - low_b)


class Row(Struct, frozen=True):
    """Counts of an agent's runs in one variant, or of a tool in them; None stands for all."""

    agent: str | None
    variant: str | None
    tool: str | None
    counts: Counts

    @property
    def success(self) -> Share:
        """Share of ended runs with an answer, or of a tool's ended calls with a result."""
        counts = self.counts
        return Share(counts.succeeded, counts.succeeded + counts.stopped + counts.failed)

    @property
    def rated_well(self) -> Share:
        """Share of rated runs that were rated up."""
        return Share(self.counts.up, self.counts.up + self.counts.down)

    @property
    def complete(self) -> Share:
        """Share of runs that called only tools that had been chosen."""
        return Share(self.counts.runs - self.counts.missing, self.counts.runs)

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        return self.counts.input_tokens + self.counts.output_tokens

    @property
    def usd(self) -> float:
        """US dollars for models with a known price."""
        return self.counts.micro_usd / 1_000_000

    def per_turn(self, total: float) -> float | None:
        """Return a total per turn; None without turns."""
        return total / self.counts.turns if self.counts.turns else None

    @property
    def ms_per_call(self) -> float | None:
        return self.counts.ms / self.counts.called if self.counts.called else None


class Usage(Struct, frozen=True):
    """Counts of the runs that began on the days from `since` to `until`.

    Attributes:
        runs: By agent and variant.
        tools: By agent, variant and tool.
    """

    since: date
    until: date
    runs: tuple[Row, ...]
    tools: tuple[Row, ...]

    def by_agent(self) -> tuple[Row, ...]:
        """Return one row for each agent, over its variants."""
        return _sums(self.runs, lambda row: (row.agent or "", None, None))

    def by_variant(self, agent: str) -> tuple[Row, ...]:
        """Return one row for each variant of an agent."""
        return tuple(row for row in self.runs if row.agent == agent)

    def by_capability(self, agent: str | None = None) -> tuple[Row, ...]:
        """Return one row for each tool, most called first, over all agents or one of them."""
        rows = [row for row in self.tools if agent in (None, row.agent)]
        sums = _sums(rows, lambda row: (agent or "", None, row.tool))
        return tuple(sorted(sums, key=lambda row: (-row.counts.called, -row.counts.offered)))


def _sums(rows: Iterable[Row], key: Callable[[Row], Key]) -> tuple[Row, ...]:
    """Add up the rows of one key, in the order of the keys."""
    sums: dict[Key, Counts] = {}
    for row in rows:
        sums[key(row)] = sums.get(key(row), Counts()) + row.counts
    return tuple(
        Row(*each, sums[each])
        for each in sorted(sums, key=lambda key: [each or "" for each in key])
    )


def usage(db: Client, since: date, until: date) -> Usage:
    """Return the counts of runs that began on these days (UTC), both included: one read for each
    day.

    Raises:
        InvalidArgument: There are no days, or more than 400.
    """
    days = (until - since).days + 1
    if not 1 <= days <= MAX_DAYS:
        raise InvalidArgument(f"from {since} to {until} are {days} days; 1 to {MAX_DAYS} are read")
    rows = [
        Row(*key, counts)
        for number in range(days)
        for key, counts in _stored_counts(
            part(db, day_name(since + timedelta(days=number))).get()
        ).items()
    ]
    rows = list(_sums(rows, lambda row: (row.agent or "", row.variant, row.tool)))
    runs = tuple(row for row in rows if row.tool is None)
    return Usage(since, until, runs, tuple(row for row in rows if row.tool is not None))
