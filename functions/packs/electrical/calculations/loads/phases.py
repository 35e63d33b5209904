"""Which lines a circuit loads, and the current in each line of a panel.

Currents are complex amperes, one for each line, in the frame of the panel's own voltages: they can
be added, scaled by a demand factor and carried over to the panel above, and the magnitude of the
sum is the current of the line. A load between two lines of a 208Y/120 V system so counts with its
own current, and not as two halves to neutral.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from packs.electrical.projects.records import NETWORK_V, Circuit, Panel

Currents = tuple[complex, ...]
"""One for each line, A."""

NAMES = {1: ("L1",), 2: ("L1", "L2"), 3: ("A", "B", "C")}


@dataclass(frozen=True, slots=True)
class System:
    """The voltages of a panel.

    Attributes:
        voltage: Between lines, V.
        to_neutral: The voltage of each line to the neutral, V, with its angle.
    """

    voltage: float
    phases: Literal[1, 3]
    to_neutral: tuple[complex, ...]
    high_leg: bool = False

    @property
    def lines(self) -> int:
        """How many: two with one phase, one where its second wire is the neutral; else three."""
        return len(self.to_neutral)

    @property
    def names(self) -> tuple[str, ...]:
        """`L1` alone, `L1` and `L2`, or `A`, `B`, `C`."""
        return NAMES[self.lines]

    def amps(self, va: float) -> float:
        """The current of a balanced load, A."""
        return va / self.voltage if self.phases == 1 else va / (math.sqrt(3) * self.voltage)

    def va(self, amps: float) -> float:
        """The balanced load of a current, VA."""
        return amps * self.voltage * (1 if self.phases == 1 else math.sqrt(3))


def system(
    voltage: float,
    phases: Literal[1, 3],
    *,
    high_leg: bool = False,
    wires: Literal[2, 3, 4] | None = None,
) -> System:
    """The system of a voltage between lines: 120/240, two lines of 208Y/120, a wye, a 240 V delta
    whose line B is the high leg; or, of two wires, one line and its return with all the voltage."""
    lines: list[tuple[float, float]]
    if phases == 1 and wires == 2:
        lines = [(voltage, 0)]
    elif phases == 1 and NETWORK_V[0] <= voltage <= NETWORK_V[1]:
        lines = [(voltage / math.sqrt(3), angle) for angle in (0, -120)]
    elif phases == 1:
        lines = [(voltage / 2, angle) for angle in (0, 180)]
    elif high_leg:
        lines = [(voltage / 2, 0), (voltage * math.sqrt(3) / 2, -90), (voltage / 2, 180)]
    else:
        lines = [(voltage / math.sqrt(3), angle) for angle in (0, -120, 120)]
    to_neutral = tuple(cmath.rect(volts, math.radians(angle)) for volts, angle in lines)
    return System(voltage, phases, to_neutral, high_leg)


def system_of(panel: Panel) -> System:
    """A panel's system."""
    return system(panel.voltage, panel.phases, high_leg=panel.high_leg, wires=panel.wires)


def line_at(position: int, of: System) -> int:
    """The line of a position: rows go A, B, C (or L1, L2) from the top, on both sides alike."""
    return (position - 1) // 2 % of.lines


def lines_of(circuit: Circuit, of: System) -> tuple[int, ...]:
    """The lines that a circuit stands on, by its positions."""
    return tuple(line_at(position, of) for position in circuit.positions)


def currents(of: System, lines: Sequence[int], va: float) -> Currents:
    """What a load of `va` draws from its lines: one to neutral, two between them, or all three.
    Where there is one line, a second pole is that of its return."""
    if of.lines == 1:
        return (va / of.to_neutral[0].conjugate(),)
    found = [0j] * of.lines
    volts = [of.to_neutral[line] for line in lines]
    if len(lines) == 1:
        found[lines[0]] = va / volts[0].conjugate()
    elif len(lines) == 2:
        drawn = va / (volts[0] - volts[1]).conjugate()
        found[lines[0]], found[lines[1]] = drawn, -drawn
    else:
        middle = sum(volts) / len(volts)
        for line, each in zip(lines, volts, strict=True):
            found[line] = cmath.rect(of.amps(va), cmath.phase(each - middle))
    return tuple(found)


def spread(of: System, va: float) -> Currents:
    """What a load draws that is shared out evenly over all lines."""
    if of.high_leg:  # nothing to neutral on the high leg: as a load of three lines
        return currents(of, range(of.lines), va)
    each = va / of.lines
    return total(of, (currents(of, (line,), each) for line in range(of.lines)))


def total(of: System, drawn: Iterable[Currents]) -> Currents:
    """The sum, line by line."""
    found = [0j] * of.lines
    for each in drawn:
        for line, amps in enumerate(each):
            found[line] += amps
    return tuple(found)


def scaled(drawn: Currents, factor: float) -> Currents:
    """A share of it."""
    return tuple(amps * factor for amps in drawn)


def magnitudes(drawn: Currents) -> tuple[float, ...]:
    """The current of each line, A."""
    return tuple(abs(amps) for amps in drawn)


def imbalance_percent(amps: Sequence[float]) -> float:
    """The largest departure from the mean current, percent of the mean; 0 without any current."""
    mean = math.fsum(amps) / len(amps)
    return 100 * max(abs(each - mean) for each in amps) / mean if mean > 1e-9 else 0.0
