"""Scheduled looks at capabilities: at which ones now, and what they come to."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rollcall.core.errors import AgentError
from rollcall.core.redaction import redacted
from rollcall.core.shapes import Status
from rollcall.registry.breaker import OWN_FAILURES
from rollcall.registry.samples import MESSAGE_CHARS
from rollcall.registry.seen import Failure, shortened
from rollcall.registry.window import Window

if TYPE_CHECKING:
    from rollcall.registry.entries import Entry

AT_ONCE = 8
MAX_PROBES = 40
PROBE_MINUTES = 15
"""Each capability is looked at this often, or as often as `MAX_PROBES` a minute allows."""
OURS = 5
"""If so many looks fail and none succeeds, it is rather our own network."""

log = logging.getLogger("rollcall")

Probe = Callable[["Entry"], None]
"""Looks whether a capability can be reached.

Raises:
    AgentError: It cannot, if the code is one of `OWN_FAILURES`; any other says nothing about it.
"""


def due(entries: Mapping[str, Entry], windows: Mapping[str, Window], now: float) -> list[Entry]:
    """What is to be checked now: first what failed its last check or is to be tried again, then
    this minute's share of all, by a checksum, so that nothing has to be kept of what is well."""
    again = [id for id, window in windows.items() if id in entries and _is_waiting(window, now)]
    period = max(PROBE_MINUTES, -(-len(entries) // MAX_PROBES))
    minute = int(now // 60) % period
    share = [id for id in entries if zlib.crc32(id.encode()) % period == minute]
    found = [entries[id] for id in dict.fromkeys([*sorted(again), *share])]
    return [entry for entry in found if _can_be_checked(entry)][:MAX_PROBES]


def _can_be_checked(entry: Entry) -> bool:
    return entry.execution.type != "client" and entry.status is not Status.DISABLED


def _is_waiting(window: Window, now: float) -> bool:
    if window.breaker.state == "down":
        return now >= window.breaker.until
    return window.probe_failures > 0


def probed(entries: Sequence[Entry], probe: Probe, now: float) -> dict[str, Failure | None]:
    """Check some capabilities side by side; None for those that are there."""
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="probe") as pool:
        found = dict(pool.map(lambda entry: _probed(entry, probe, now), entries))
    known = {id: failure for id, failure in found.items() if not isinstance(failure, AgentError)}
    remote = [each.id for each in entries if each.execution.type != "internal_service"]
    failed = [id for id in remote if known.get(id)]
    if len(failed) >= OURS and all(known.get(id) for id in remote if id in known):
        log.warning("none of %d capabilities could be reached: it may be us", len(failed))
        return {id: failure for id, failure in known.items() if id not in failed}
    return known


def _probed(entry: Entry, probe: Probe, now: float) -> tuple[str, Failure | AgentError | None]:
    """One check; an error that says nothing about the capability is returned as it is."""
    try:
        probe(entry)
    except AgentError as error:
        if error.code not in OWN_FAILURES:
            log.info("capability %s could not be checked: %s", entry.id, error.message)
            return entry.id, error
        failure = Failure(error.code, redacted(error.message), now)
        return entry.id, shortened(failure, MESSAGE_CHARS)
    return entry.id, None
