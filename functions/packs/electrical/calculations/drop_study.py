"""A circuit's voltage drop in full: its own, that of the feeders before it, and what would comply.

The limits are recommendations of the informational notes of NEC 210.19 (3 % in the branch circuit,
5 % with the feeders) and 215.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packs.electrical.calculations.feeder_runs import FeederRun
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    TOTAL_LIMIT_PERCENT,
    Drop,
    Method,
    Run,
    drop,
    headroom,
    smallest_size,
    within,
)
from packs.electrical.nec.sizes import Size
from rollcall.core.errors import InvalidArgument

METHODS: tuple[Method, ...] = ("exact", "approximate", "receiving_end")


@dataclass(frozen=True, slots=True)
class FeederDrop:
    """What a feeder loses; None where it is not known."""

    feeder: FeederRun
    volts: float | None
    percent: float | None


@dataclass(frozen=True, slots=True)
class Study:
    """All that is known of one circuit's drop.

    Attributes:
        by_method: The drop in percent by each method that has the conductor in its table.
        feeders: In the order of the supply; None where the way from the service is not known.
        total_percent: With all feeders; None where one is not known.
        allowed_percent: What the branch circuit may lose: 3 %, or less where the feeders leave
            less of the 5 %.
        smallest_size: By voltage drop alone; None if no size is enough.
        greatest_length_ft: One way, at this size and load.
        greatest_amps: At this size and length.
    """

    run: Run
    method: Method
    drop: Drop
    by_method: dict[Method, float]
    feeders: tuple[FeederDrop, ...] | None
    total_percent: float | None
    allowed_percent: float
    smallest_size: Size | None
    greatest_length_ft: float
    greatest_amps: float

    @property
    def compliant(self) -> bool:
        """Whether the branch circuit is within 3 %."""
        return within(self.drop.percent, BRANCH_LIMIT_PERCENT)

    @property
    def total_compliant(self) -> bool | None:
        """Whether it is within 5 % with its feeders; None if that is not known."""
        if self.total_percent is None:
            return None
        return within(self.total_percent, TOTAL_LIMIT_PERCENT)


def study(run: Run, feeders: Sequence[FeederRun] | None, method: Method = "exact") -> Study:
    """Everything about one run.

    Raises:
        InvalidArgument: The method's table has no such conductor.
    """
    lost = drop(run, method)
    before = None if feeders is None else tuple(_lost(feeder, method) for feeder in feeders)
    upstream = _sum(before)
    allowed = BRANCH_LIMIT_PERCENT
    if upstream is not None:
        allowed = max(min(allowed, TOTAL_LIMIT_PERCENT - upstream), 0.0)
    more = headroom(run, allowed, method)
    return Study(
        run=run,
        method=method,
        drop=lost,
        by_method=_by_method(run),
        feeders=before,
        total_percent=None if upstream is None else upstream + lost.percent,
        allowed_percent=allowed,
        smallest_size=smallest_size(run, allowed, method) if allowed > 0 else None,
        greatest_length_ft=run.length_ft * more,
        greatest_amps=run.amps * more,
    )


def _lost(feeder: FeederRun, method: Method) -> FeederDrop:
    if feeder.run is not None:
        found = drop(feeder.run, method)
        return FeederDrop(feeder, found.volts, found.percent)
    nothing = 0.0 if feeder.amps == 0 and not feeder.missing else None
    return FeederDrop(feeder, nothing, nothing)


def _sum(feeders: tuple[FeederDrop, ...] | None) -> float | None:
    if feeders is None:
        return None
    known = [feeder.percent for feeder in feeders if feeder.percent is not None]
    return sum(known) if len(known) == len(feeders) else None


def _by_method(run: Run) -> dict[Method, float]:
    found: dict[Method, float] = {}
    for method in METHODS:
        try:
            found[method] = drop(run, method).percent
        except InvalidArgument:  # its table has other sizes
            continue
    return found
