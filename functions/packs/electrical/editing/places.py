"""Where in a panel a circuit may stand, and how many poles it has.

Sources: NEC 408.3(E) and 110.15 (the high leg is phase B), 408.36 and 408.54 (spaces).
"""

from __future__ import annotations

from collections.abc import Iterator

from packs.electrical.calculations.loads.lines import line_at, system_of
from packs.electrical.calculations.loads.new_load import free_positions, starts
from packs.electrical.projects.records import Panel, Poles
from rollcall.core.errors import FailedPrecondition, InvalidArgument

VOLTS_APART = 0.1
"""Of a stated voltage and the panel's: 115 V names a circuit to neutral of 120 V."""

_HIGH_LEG = 1
_NUMBER = "circuitNumber"


def poles_for_volts(panel: Panel, voltage: float) -> tuple[Poles, ...]:
    """The numbers of poles that give a voltage.

    Raises:
        InvalidArgument: The panel has no such voltage.
    """
    found: list[Poles] = []
    if _near(voltage, panel.line_to_neutral) and has_neutral(panel):
        found.append(1)
    if _near(voltage, panel.voltage):
        found += [2, 3] if panel.phases == 3 else [2]
    if not found:
        neutral = f"{panel.line_to_neutral:.0f} V to neutral and " if has_neutral(panel) else ""
        raise InvalidArgument(
            f"{panel.name} has {neutral}{panel.voltage:.0f} V between lines, not {voltage:g} V",
            field="voltage",
        )
    return tuple(found)


def has_neutral(panel: Panel) -> bool:
    """Whether a load of one pole can be connected; a panel that does not say counts as having."""
    return not (panel.phases == 3 and panel.wires == 3)


def possible_starts(panel: Panel, poles: Poles) -> Iterator[int]:
    """Positions at which such a circuit may begin, ascending, the first of each set of lines: which
    of several on the same lines it is changes nothing but its number."""
    here, seen = system_of(panel), set()
    for first in starts(panel, poles):
        line = line_at(first, here)
        if panel.high_leg and poles == 1 and line == _HIGH_LEG:
            continue
        if line not in seen:
            seen.add(line)
            yield first


def no_room(panel: Panel, poles: Poles) -> FailedPrecondition:
    """Nothing is free for so many poles."""
    free = free_positions(panel)
    left = f"free are {', '.join(map(str, free[:12]))}" if free else "none is free"
    beside = ", one below the other on one side" if poles > 1 else ""
    return FailedPrecondition(
        f"{panel.name} has no room for {poles} pole{'s' if poles > 1 else ''}{beside}: of "
        f"{panel.spaces} spaces {left}",
        field=_NUMBER,
        hint="another panel, or a subpanel",
    )


def check_position(panel: Panel, first: int, poles: Poles) -> None:
    """
    Raises:
        FailedPrecondition: Something stands there, or the panel ends before it.
    """
    wanted = range(first, first + 2 * poles, 2)
    if wanted[-1] > panel.spaces:
        raise FailedPrecondition(
            f"a circuit of {poles} poles at {first} would take position {wanted[-1]}; {panel.name} "
            f"has {panel.spaces}",
            field=_NUMBER,
        )
    for circuit in panel.circuits:
        for position in circuit.positions:
            if position in wanted:
                free = ", ".join(str(each) for each in starts(panel, poles)[:8]) or "none"
                raise FailedPrecondition(
                    f"position {position} of {panel.name} is taken by circuit "
                    f"{circuit.circuit_number} ({circuit.description}); free for {poles} "
                    f"pole{'s' if poles > 1 else ''}: {free}",
                    field=_NUMBER,
                )


def _near(voltage: float, of: float) -> bool:
    return abs(voltage - of) <= of * VOLTS_APART
