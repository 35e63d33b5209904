"""The counts of usage, rolled up from the audit.

    registry/usage               how far the audit is counted: `cursor {at, id}`
    registry/usage-2026-11-21    the counts of the runs that began on that day, by agent, variant
                                 and tool; no user is in them

An entry is counted once. A page of entries, the days that it adds to and the cursor are one commit,
and the cursor insists on being as it was read: a roll-up that is cut off has counted a page or not,
and of two at once one goes first. Entries are read by `loggedAt`, which Firestore itself sets, up
to some minutes ago: one that was being committed meanwhile is there by then, and none comes later.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.registry.segments import part
from rollcall.registry.tally import Tally, conflicts
from rollcall.registry.usage_counts import Addition, Counts, Key, added, additions, read, record

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

CURSOR = "usage"
KINDS = ("run", "rating")
SETTLED = timedelta(minutes=5)
"""No commit takes longer: Firestore ends a transaction after 270 s."""
KEPT_DAYS = 400
PAGE = 200
MAX_PAGES = 200
_TRIES = 5

log = logging.getLogger("rollcall")


def roll_up(db: Client, known: Container[str], *, settled: timedelta = SETTLED) -> int:
    """Count what the audit has of runs and ratings since the last time; how many entries.

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
                return counted
            continue
        counted += found
        if found < PAGE:
            break
    return counted


def day_name(day: date) -> str:
    """The name of a day's counts, see `tally`."""
    return f"usage-{day.isoformat()}"


def _count_page(db: Client, known: Container[str], settled: timedelta) -> int | None:
    """Count the next entries; None if somebody else did so meanwhile."""
    reference = part(db, CURSOR)
    cursor = reference.get()
    # By Firestore's clock too: nobody else's tells what can still come.
    until = cursor.read_time - settled
    page = _page(db, (cursor.to_dict() or {}).get("cursor"), until)
    if not page:
        return 0
    batch = db.batch()
    for day, found in _by_day(page, known).items():
        _add(db, batch, day, found)
    last = page[-1]
    place = {"at": last.get("loggedAt"), "id": last.id}
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


def _page(db: Client, after: dict[str, Any] | None, until: datetime) -> list[Any]:
    from google.cloud.firestore import FieldFilter

    query = (
        db.collection(collection_id("audit"))
        .where(filter=FieldFilter("kind", "in", list(KINDS)))
        .where(filter=FieldFilter("loggedAt", "<=", until))
        .order_by("loggedAt")
        .order_by("__name__")
    )
    if after is not None:
        query = query.start_after({"loggedAt": after["at"], "__name__": after["id"]})
    return list(query.limit(PAGE).stream())


def _by_day(page: Sequence[Any], known: Container[str]) -> dict[str, list[Addition]]:
    """What the entries add. One that cannot be read is told and left out: it must not keep all
    that came after it from being counted."""
    found: dict[str, list[Addition]] = {}
    for entry in page:
        try:
            new = list(additions(entry.to_dict() or {}, known))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            log.error("audit entry %s cannot be counted: %r", entry.id, error)
            continue
        for addition in new:
            found.setdefault(addition.day, []).append(addition)
    return found


def _add(db: Client, batch: WriteBatch, day: str, found: Sequence[Addition]) -> None:
    tally = Tally.load(db, day_name(date.fromisoformat(day)))
    sums: dict[Key, Counts] = {}
    for _, key, counts in found:
        before = sums.get(key) or read(key, tally.records.get(key.text()))
        sums[key] = added(before, counts)  # type: ignore[type-var]
    for key, counts in sums.items():
        tally.put(key.text(), record(counts))
    ends = datetime.combine(date.fromisoformat(day), time(), UTC) + timedelta(days=KEPT_DAYS)
    tally.write(batch, expiresAt=ends)
