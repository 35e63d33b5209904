"""Usage by agent, variant, tool and day, counted from the audit log.

    registry/usage               the last counted entry: `cursor {at, id}`
    registry/usage-2026-11-21    `Counts` of the runs that began on that day, by `Subject`; they
                                 hold no users

Each entry is counted once. The counts of a page of entries and the cursor are written in one
commit, which fails if the cursor has changed: an interrupted roll-up has counted a page or not, and
of two simultaneous ones one goes first. Entries are read by `loggedAt`, which Firestore sets, up to
a few minutes ago: by then every earlier entry is committed.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins
from msgspec.structs import astuple

from rollcall.core.options import collection_id
from rollcall.core.records import convert
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.registry.segments import part, read_records, write_records
from rollcall.store.batches import attempts, try_commit, where, write_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client

CURSOR = "usage"
SETTLED = timedelta(minutes=5)
"""The age at which all entries are committed: Firestore ends a transaction after 270 s."""
KEPT_DAYS = 400
PAGE = 1000
_Z = 1.959964  # 95 % of a normal distribution lie within this many deviations

log = logging.getLogger("rollcall")


class Subject(Struct, frozen=True):
    """What counts are of: an agent's runs in a variant, or the calls of a tool in them. None stands
    for every agent or variant, and for no tool."""

    agent: str | None = None
    variant: str | None = None
    tool: str | None = None


class Proportion(Struct, frozen=True):
    """`n` of `of`, with its confidence interval."""

    n: int
    of: int

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
        """Such as "83% (70–91)"; "–" if `of` is 0."""
        low, high = self.interval
        return f"{self.n / self.of:.0%} ({100 * low:.0f}–{100 * high:.0f})" if self.of else "–"


class Counts(Struct, frozen=True, omit_defaults=True):
    """Counts of an agent's runs, or of one tool in them.

    Attributes:
        runs: For an agent.
        turns: Runs that began a turn; the others are continuations.
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
    stopped: int = 0
    missing: int = 0
    missed: int = 0

    def __add__(self, other: Counts) -> Counts:
        names = self.__struct_fields__
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def success(self) -> Proportion:
        """Share of ended runs with an answer, or of a tool's ended calls with a result."""
        return Proportion(self.succeeded, self.succeeded + self.stopped + self.failed)

    @property
    def rated_well(self) -> Proportion:
        """Share of rated runs that were rated up."""
        return Proportion(self.up, self.up + self.down)


Row = tuple[Subject, Counts]


def roll_up(db: Client, known: Container[str], *, settled: timedelta = SETTLED) -> int:
    """Count new runs and ratings in the audit log; return the number of entries.

    Args:
        known: Ids of the capabilities and of the platform's tools.
        settled: The least age of a counted entry.
    """
    counted = 0
    for _ in attempts(within_s=300):  # what is left then waits for the next roll-up
        cursor = part(db, CURSOR).get()
        query = (
            db.collection(collection_id("audit"))
            .where(filter=where("kind", "in", ["run", "rating"]))
            # By Firestore's clock, like `loggedAt`.
            .where(filter=where("loggedAt", "<=", cursor.read_time - settled))
            .order_by("loggedAt")
            .order_by("__name__")
        )
        if after := (cursor.to_dict() or {}).get("cursor"):
            query = query.start_after({"loggedAt": after["at"], "__name__": after["id"]})
        page = list(query.limit(PAGE).stream())
        if not page:
            break
        days: dict[date, list[Row]] = {}
        for entry in page:
            try:
                day, new = additions(entry.to_dict() or {}, known)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                # A bad entry must not keep later ones from being counted.
                log.error("audit entry %s cannot be counted: %r", entry.id, error)
            else:
                days.setdefault(day, []).extend(new)
        batch = db.batch()
        for day, rows in days.items():
            document = part(db, day_name(day)).get()
            table = summed([*_stored(document).items(), *rows])
            first = sorted(table, key=lambda each: (each.tool is not None, -table[each].called))
            records = {
                json.dumps(astuple(each), ensure_ascii=False): to_builtins(table[each])
                for each in first
            }
            ends = datetime.combine(day, time(), UTC) + timedelta(days=KEPT_DAYS)
            write_records(batch, document, records, expiresAt=ends)
        place = {"at": page[-1].get("loggedAt"), "id": page[-1].id}
        fields = {"schemaVersion": SCHEMA_VERSION, "cursor": place, "countedAt": datetime.now(UTC)}
        write_unchanged(batch, cursor, fields)
        if try_commit(batch) is None:
            continue  # another process counted this page
        counted += len(page)
        if len(page) < PAGE:
            break
    return counted


def additions(entry: Mapping[str, Any], known: Container[str]) -> tuple[date, list[Row]]:
    """Return what an audit entry adds to the counts of a day.

    Args:
        known: Ids of the tools that exist; a model may call others.
    """
    if entry["kind"] == "rating":  # a changed rating subtracts the previous one
        day = date.fromisoformat(entry["runDay"])
        rated, before = entry["rating"], entry["before"]
        ratings = Counts(**{word: (rated == word) - (before == word) for word in ("up", "down")})
        new = [(tool, ratings) for tool in (None, *entry["called"])]
    else:
        day = entry["beganAt"].astimezone(UTC).date()
        new = list(_run_counts(entry))
    return day, [
        (Subject(entry["agent"], entry["variant"], tool), counts)
        for tool, counts in new
        if tool is None or tool in known
    ]


def _run_counts(entry: Mapping[str, Any]) -> Iterator[tuple[str | None, Counts]]:
    """Yield the counts of a run, and those of the tools in it."""
    begins = entry["turnId"] == entry["runId"]
    calls, outcome = entry["calls"], entry["outcome"]
    costs = {
        "input_tokens": sum(each.get("inputTokens", 0) for each in entry["usage"]),
        "cached_input_tokens": sum(each.get("cachedInputTokens", 0) for each in entry["usage"]),
        "output_tokens": sum(each.get("outputTokens", 0) for each in entry["usage"]),
        "micro_usd": entry["microUsd"],
    }
    run = Counts(
        runs=1,
        turns=int(begins),
        succeeded=int(outcome == "success"),
        stopped=int(outcome == "cancelled"),
        failed=int(outcome == "failed"),
        offered=entry["offeredCount"] if begins else 0,
        called=len(calls) + entry["callsLeftOut"],
        missing=int(bool(entry["missed"])),
        ms=round((entry["at"] - entry["beganAt"]).total_seconds() * 1000),
        **costs,
    )
    yield None, run
    for tool in entry["offered"] if begins else ():
        yield tool, Counts(offered=1)
    for tool in entry["missed"]:
        yield tool, Counts(missed=1)
    for place, call in enumerate(calls):
        # Even shares that add up to the run's costs: the first ones get the remainder.
        share = {name: n // len(calls) + (place < n % len(calls)) for name, n in costs.items()}
        succeeded = int(call["status"] == "done")
        failed = int(call["status"] in ("failed", "unknown"))
        counts = Counts(called=1, succeeded=succeeded, failed=failed, ms=call["ms"], **share)
        yield call["tool"], counts


def usage(db: Client, since: date, until: date) -> dict[Subject, Counts]:
    """Return the counts of runs that began on these days (UTC), both included: one read for each
    day.

    Raises:
        ValueError: There are no days, or more than `KEPT_DAYS`.
    """
    count = (until - since).days + 1
    if not 1 <= count <= KEPT_DAYS:
        raise ValueError(f"{since} to {until} must be 1 to {KEPT_DAYS} days")
    days = [since + timedelta(days=number) for number in range(count)]
    documents = db.get_all([part(db, day_name(day)) for day in days])
    return summed(row for document in documents for row in _stored(document).items())


def summed(rows: Iterable[Row]) -> dict[Subject, Counts]:
    """Add up the counts of each subject."""
    table: dict[Subject, Counts] = {}
    for subject, counts in rows:
        table[subject] = table.get(subject, Counts()) + counts
    return table


def day_name(day: date) -> str:
    """Return the id of a day's document."""
    return f"usage-{day.isoformat()}"


def _stored(document: Any) -> dict[Subject, Counts]:
    """Return the counts in a day's document."""
    records = read_records(document)
    return {Subject(*json.loads(key)): convert(records[key], Counts) for key in records}
