"""Where in a panel a circuit may stand."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.loads.lines import line_at, system_of
from packs.electrical.projects.records import Panel, Poles


def free_positions(panel: Panel) -> list[int]:
    """Positions where nothing stands, ascending. A breaker kept as a spare takes its own."""
    taken = {position for circuit in panel.circuits for position in circuit.positions}
    return [position for position in range(1, panel.spaces + 1) if position not in taken]


def starts(panel: Panel, poles: Poles) -> list[int]:
    """First positions from which so many poles are free, one below the other."""
    free = set(free_positions(panel))
    return [
        first for first in sorted(free) if all(first + 2 * pole in free for pole in range(poles))
    ]


def best_start(panel: Panel, poles: Poles, line_amps: Sequence[float]) -> int | None:
    """The start whose lines carry least now, the first of several; None if there is no room."""
    found = starts(panel, poles)
    return min(
        found, key=lambda first: (_load(panel, first, poles, line_amps), first), default=None
    )


def start_beyond(panel: Panel, poles: Poles, line_amps: Sequence[float]) -> int:
    """A start on the lightest lines, in a panel with more spaces than this one has: for what a
    load would do where there is no room for its breaker."""
    first = panel.spaces + 1
    found = range(first, first + 2 * len(line_amps), 2)
    return min(found, key=lambda each: (_load(panel, each, poles, line_amps), each))


def _load(
    panel: Panel, first: int, poles: Poles, line_amps: Sequence[float]
) -> tuple[float, float]:
    """The heaviest of its lines, and all of them."""
    here = system_of(panel)
    amps = [line_amps[line_at(first + 2 * pole, here)] for pole in range(poles)]
    return max(amps), sum(amps)
