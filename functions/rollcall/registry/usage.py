"""Usage by agent, variant, tool and day: what was offered, called and paid, counted from the audit.

    registry/usage               how far the audit is counted: `cursor {at, id}`
    registry/usage-2026-11-21    the counts of the runs that began on that day, by agent, variant
                                 and tool; no user is in them

An entry is counted once. A page of entries, the days that it adds to and the cursor are one commit,
and the cursor insists on being as it was read: a roll-up that is cut off has counted a page or not,
and of two at once one goes first. Entries are read by `loggedAt`, which Firestore itself sets, up
to some minutes ago: one that was being committed meanwhile is there by then, and none comes later.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct, convert, to_builtins

from rollcall.core.errors import InvalidArgument
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.registry.counters import Counters, conflicts
from rollcall.registry.segments import part

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

CURSOR = "usage"
KINDS = ("run", "rating")
SETTLED = timedelta(minutes=5)
"""No commit takes longer: Firestore ends a transaction after 270 s."""
KEPT_DAYS = 400
MAX_DAYS = 400
"""Of one report."""
PAGE = 200
MAX_PAGES = 200
_TRIES = 5
_Z = 1.959964
"""Of the standard normal distribution: 95 % lie within so many deviations."""

log = logging.getLogger("rollcall")

C = TypeVar("C", "RunCounts", "ToolCounts")


class Key(NamedTuple):
    """What counts are of: an agent in a variant, and there one of its tools or, where that is
    None, all that it does."""

    agent: str
    variant: str | None
    tool: str | None = None

    def text(self) -> str:
        return json.dumps(list(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> Key:
        return cls(*json.loads(text))


class _Counts(Struct, frozen=True, omit_defaults=True):
    """What runs and tools both have: tokens, micro-dollars, and the time at work in ms."""

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


class RunCounts(_Counts, frozen=True):
    """An agent's runs.

    Attributes:
        turns: Runs that began a turn; the others go on after somebody answered.
        waiting: Runs that ended with a question to a person or to the client.
        stopped: Runs that a bound or the user ended.
        offered: Tools chosen for turns, altogether.
        missing: Runs in which a tool was called that had not been chosen.
        up, down: Ratings.
    """

    runs: int = 0
    turns: int = 0
    waiting: int = 0
    stopped: int = 0
    missing: int = 0
    steps: int = 0


class ToolCounts(_Counts, frozen=True):
    """One tool's.

    Attributes:
        offered: Turns that it was chosen for.
        called: Calls of it; those that neither succeeded nor failed were refused, or a person
            rejected them.
        missed: Runs in which it was called and had not been chosen.
        up, down: Ratings of runs that called it.
        micro_usd: Its part of what these runs cost, which is shared evenly by their calls; tokens
            likewise.
    """

    missed: int = 0


Counts = RunCounts | ToolCounts


def added(one: C, other: C) -> C:
    """Return the sum of two counts."""
    sums = {name: getattr(one, name) + getattr(other, name) for name in one.__struct_fields__}
    return type(one)(**sums)


def record(counts: Counts) -> dict[str, int]:
    """Return counts as plain JSON, without zeros."""
    found: dict[str, int] = to_builtins(counts)
    return found


def read(key: Key, stored: Mapping[str, int] | None) -> Counts:
    """Return the counts that `record` made."""
    if key.tool is None:
        return convert(stored or {}, RunCounts)
    return convert(stored or {}, ToolCounts)


class Addition(NamedTuple):
    """What an entry adds to the counts of a day, such as "2026-11-21"."""

    day: str
    key: Key
    counts: Counts


def roll_up(db: Client, known: Container[str], *, settled: timedelta = SETTLED) -> int:
    """Count what the audit has of runs and ratings since the last time; return how many entries.

    Args:
        known: Ids of the capabilities, and of the platform's own tools.
        settled: How old an entry must be.
    """
    counted, tries = 0, 0
    for _ in range(MAX_PAGES):
        found = _count_page(db, known, settled)
        if found is None:
            tries += 1
            if tries == _TRIES:
                log.info("the audit is being counted by others")
                break
            continue
        counted += found
        if found < PAGE:
            break
    return counted


def day_name(day: date) -> str:
    """Return the name of a day's counts, see `counters`."""
    return f"usage-{day.isoformat()}"


def _count_page(db: Client, known: Container[str], settled: timedelta) -> int | None:
    """Count the next entries; None if somebody else did so meanwhile."""
    from google.cloud.firestore import FieldFilter

    reference = part(db, CURSOR)
    cursor = reference.get()
    # By Firestore's clock too: nobody else's tells what can still come.
    until = cursor.read_time - settled
    query = (
        db.collection(collection_id("audit"))
        .where(filter=FieldFilter("kind", "in", list(KINDS)))
        .where(filter=FieldFilter("loggedAt", "<=", until))
        .order_by("loggedAt")
        .order_by("__name__")
    )
    if after := (cursor.to_dict() or {}).get("cursor"):
        query = query.start_after({"loggedAt": after["at"], "__name__": after["id"]})
    page = list(query.limit(PAGE).stream())
    if not page:
        return 0
    by_day: dict[str, list[Addition]] = {}
    for entry in page:
        try:
            new = list(additions(entry.to_dict() or {}, known))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            # It must not keep all that came after it from being counted.
            log.error("audit entry %s cannot be counted: %r", entry.id, error)
            continue
        for addition in new:
            by_day.setdefault(addition.day, []).append(addition)
    batch = db.batch()
    for day, found in by_day.items():
        _add(db, batch, date.fromisoformat(day), found)
    place = {"at": page[-1].get("loggedAt"), "id": page[-1].id}
    fields = {"schemaVersion": SCHEMA_VERSION, "cursor": place, "countedAt": datetime.now(UTC)}
    if cursor.exists:
        batch.update(reference, fields, option=db.write_option(last_update_time=cursor.update_time))
    else:
        batch.create(reference, fields)
    try:
        batch.commit()
    except conflicts():
        return None
    return len(page)


def _add(db: Client, batch: WriteBatch, day: date, found: Sequence[Addition]) -> None:
    counters = Counters.load(db, day_name(day))
    sums: dict[Key, Counts] = {}
    for _, key, counts in found:
        before = sums.get(key) or read(key, counters.records.get(key.text()))
        sums[key] = added(before, counts)  # type: ignore[type-var]
    for key, counts in sums.items():
        counters.put(key.text(), record(counts))
    ends = datetime.combine(day, time(), UTC) + timedelta(days=KEPT_DAYS)
    counters.write(batch, expiresAt=ends)


def additions(entry: Mapping[str, Any], known: Container[str]) -> Iterator[Addition]:
    """Yield what an entry of the audit adds.

    Args:
        known: Ids of what there is; a model may call anything a tool.
    """
    agent, variant = entry["agent"], entry["variant"]
    if entry["kind"] == "rating":  # one that was changed takes back what it was
        rated, before = entry["rating"], entry["before"]
        changes = {each: (rated == each) - (before == each) for each in ("up", "down")}
        day = date.fromisoformat(entry["runDay"]).isoformat()
        yield Addition(day, Key(agent, variant), RunCounts(**changes))
        for id in entry["called"]:
            if id in known:
                yield Addition(day, Key(agent, variant, id), ToolCounts(**changes))
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
    yield Addition(
        day,
        Key(agent, variant),
        RunCounts(
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
        ),
    )
    for id in entry["offered"] if begins else ():
        yield Addition(day, Key(agent, variant, id), ToolCounts(offered=1))
    for id in entry["missed"]:
        if id in known:
            yield Addition(day, Key(agent, variant, id), ToolCounts(missed=1))
    for place, call in enumerate(calls):
        if call["tool"] not in known:
            continue
        # Even shares that add up to the run's costs: the first ones are larger by one.
        share = {name: n // len(calls) + (place < n % len(calls)) for name, n in costs.items()}
        counts = ToolCounts(
            called=1,
            succeeded=int(call["status"] == "done"),
            failed=int(call["status"] in ("failed", "unknown")),
            ms=call["ms"],
            **share,
        )
        yield Addition(day, Key(agent, variant, call["tool"]), counts)


class Share(Struct, frozen=True):
    """`n` of `of`, with what its count says about it, so that nobody is fooled by small numbers."""

    n: int
    of: int

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.n / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95 %, by Wilson's score; all of 0 to 1 for nothing."""
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
    """Return where the difference of two shares lies with 95 %, by Newcombe's method of 1998 (his
    tenth); where 0 is within, the two may well be the same."""
    if not (one.of and other.of):
        return -1.0, 1.0
    a, b = one.n / one.of, other.n / other.of
    (low_a, high_a), (low_b, high_b) = one.interval, other.interval
    low = a - b - math.hypot(a - low_a, high_b - b)
    return low, a - b + math.hypot(high_a - a, b - low_b)


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
        """Return one row for each agent, over its variants."""
        sums: dict[str, RunCounts] = {}
        for row in self.runs:
            agent = row.agent or ""
            sums[agent] = added(sums.get(agent, RunCounts()), row.counts)
        return tuple(RunRow(agent, None, sums[agent]) for agent in sorted(sums))

    def by_variant(self, agent: str) -> tuple[RunRow, ...]:
        """Return one row for each variant of an agent."""
        return tuple(row for row in self.runs if row.agent == agent)

    def by_capability(self, agent: str | None = None) -> tuple[ToolRow, ...]:
        """Return one row for each tool, most called first, over all agents or one of them."""
        sums: dict[str, ToolCounts] = {}
        for row in self.tools:
            if agent in (None, row.agent):
                sums[row.tool] = added(sums.get(row.tool, ToolCounts()), row.counts)
        ordered = sorted(sums, key=lambda tool: (-sums[tool].called, -sums[tool].offered, tool))
        return tuple(ToolRow(agent, None, tool, sums[tool]) for tool in ordered)


def usage(db: Client, since: date, until: date) -> Usage:
    """Return what was counted of the runs that began on these days (UTC), both included.

    One read for each day, or a few where there are thousands of tools.

    Raises:
        InvalidArgument: That is no day, or more than 400.
    """
    days = (until - since).days + 1
    if not 1 <= days <= MAX_DAYS:
        raise InvalidArgument(f"from {since} to {until} are {days} days; 1 to {MAX_DAYS} are read")
    sums: dict[Key, Counts] = {}
    for number in range(days):
        counters = Counters.load(db, day_name(since + timedelta(days=number)))
        for text, stored in counters.records.items():
            key = Key.of(text)
            counts = read(key, stored)
            sums[key] = added(sums[key], counts) if key in sums else counts  # type: ignore[type-var]
    runs, tools = [], []
    for key in sorted(sums, key=lambda key: tuple(each or "" for each in key)):
        counts = sums[key]
        if isinstance(counts, RunCounts):
            runs.append(RunRow(key.agent, key.variant, counts))
        else:
            tools.append(ToolRow(key.agent, key.variant, key.tool or "", counts))
    return Usage(since, until, tuple(runs), tuple(tools))
