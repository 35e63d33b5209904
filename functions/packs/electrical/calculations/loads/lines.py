"""The current in each line of a panel, and how it appears in the panel that feeds it.

Currents are complex amperes, one for each line, relative to the panel's own voltages. They can be
added, scaled by a demand factor and transferred to the panel above; the magnitude of the sum is the
current of the line. So a load between two lines of a 208Y/120 V system counts with its own current,
not as two halves to neutral.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from packs.electrical.projects.records import Circuit, Panel, Transformer, is_network

Currents = tuple[complex, ...]
"""One for each line, A."""

Transfer = Callable[[Currents], Currents]
"""Converts the line currents of a panel to those of the panel above."""

_DELTA_WYE = cmath.rect(1, math.pi / 6)
"""A secondary voltage to neutral is in phase with the primary's voltage between lines."""

NAMES = {1: ("L1",), 2: ("L1", "L2"), 3: ("A", "B", "C")}


class System(Struct, frozen=True):
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
        """The number of lines: three, two with one phase, or one with its return."""
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
    """Return the system of a voltage between lines: 120/240, two lines of 208Y/120, a wye, a 240 V
    delta whose line B is the high leg; or, with two wires, one line and its return."""
    lines: list[tuple[float, float]]
    if phases == 1 and wires == 2:
        lines = [(voltage, 0)]
    elif phases == 1 and is_network(voltage):
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
    """Return a panel's system."""
    return system(panel.voltage, panel.phases, high_leg=panel.high_leg, wires=panel.wires)


def line_at(position: int, of: System) -> int:
    """Return the line of a position: rows are on A, B, C (or L1, L2) in turn, on both sides."""
    return (position - 1) // 2 % of.lines


def lines_of(circuit: Circuit, of: System) -> tuple[int, ...]:
    """Return the lines of a circuit, by its positions."""
    return tuple(line_at(position, of) for position in circuit.positions)


def currents(of: System, lines: Sequence[int], va: float) -> Currents:
    """Return the currents of a load of `va` on its lines: on one to neutral, between two, or on all
    three. With a single line, a second pole is its return."""
    if of.lines == 1:
        return (va / of.to_neutral[0].conjugate(),)
    drawn = [0j] * of.lines
    volts = [of.to_neutral[line] for line in lines]
    if len(lines) == 1:
        drawn[lines[0]] = va / volts[0].conjugate()
    elif len(lines) == 2:
        amps = va / (volts[0] - volts[1]).conjugate()
        drawn[lines[0]], drawn[lines[1]] = amps, -amps
    else:
        middle = sum(volts) / len(volts)
        for line, each in zip(lines, volts, strict=True):
            drawn[line] = cmath.rect(of.amps(va), cmath.phase(each - middle))
    return tuple(drawn)


def spread(of: System, va: float) -> Currents:
    """Return the currents of a load that is shared equally by all lines."""
    if of.high_leg:  # no load to neutral on the high leg: as one of three lines
        return currents(of, range(of.lines), va)
    each = va / of.lines
    return total(of, (currents(of, (line,), each) for line in range(of.lines)))


def total(of: System, drawn: Iterable[Currents]) -> Currents:
    """Add currents line by line."""
    summed = [0j] * of.lines
    for each in drawn:
        for line, amps in enumerate(each):
            summed[line] += amps
    return tuple(summed)


def scaled(drawn: Currents, factor: float) -> Currents:
    """Multiply currents by a factor."""
    return tuple(amps * factor for amps in drawn)


def magnitudes(drawn: Currents) -> tuple[float, ...]:
    """Return the current of each line, A."""
    return tuple(abs(amps) for amps in drawn)


def imbalance_percent(amps: Sequence[float]) -> float:
    """Return the largest departure from the mean, percent of the mean; 0 without current."""
    mean = math.fsum(amps) / len(amps)
    return 100 * max(abs(each - mean) for each in amps) / mean if mean > 1e-9 else 0.0


# ---- Transfer to the panel above ----


def over_feeder(circuit: Circuit | None, below: System, above: System) -> Transfer:
    """Return the transfer over the lines of a feeder's circuit.

    Where that circuit is not known, a panel of all lines keeps their order; one of two lines counts
    equally on each pair, and one of one line on each line, or on each pair of its voltage.
    """
    if above.lines == 1:
        return _onto_one_line(below, above)
    if below.lines == 1:
        return _from_one_line(circuit, below, above)
    connections = _connections(circuit, below.lines, above)

    def transfer(drawn: Currents) -> Currents:
        shares = []
        for lines in connections:
            each = [0j] * above.lines
            for amps, own, line in zip(drawn, below.to_neutral, lines, strict=True):
                each[line] += amps * _turn(above.to_neutral[line], own)
            shares.append(scaled(tuple(each), 1 / len(connections)))
        return total(above, shares)

    return transfer


def through_transformer(
    transformer: Transformer, circuit: Circuit | None, below: System, above: System
) -> Transfer:
    """Return the transfer through a transformer whose secondary is `below`.

    Three phases count as delta to wye, one phase as between two lines. The transformer's own losses
    and magnetizing current are left out.
    """
    if above.lines == 1:
        return _onto_one_line(below, above)
    if transformer.phases == 3 and below.lines == 3 and above.lines == 3:
        ratio = below.voltage / math.sqrt(3) / above.voltage

        def delta_to_wye(drawn: Currents) -> Currents:
            windings = [amps * ratio * _DELTA_WYE for amps in drawn]
            return tuple(windings[line] - windings[line - 1] for line in range(3))

        return delta_to_wye
    connections = _connections(circuit, 2, above)

    def transfer(drawn: Currents) -> Currents:
        power = _power(drawn, below)
        shares = []
        for first, second in connections:
            volts = above.to_neutral[first] - above.to_neutral[second]
            each = [0j] * above.lines
            each[first] = (power / volts).conjugate()
            each[second] = -each[first]
            shares.append(scaled(tuple(each), 1 / len(connections)))
        return total(above, shares)

    return transfer


def chained(first: Transfer, second: Transfer) -> Transfer:
    """Combine two transfers, such as over a feeder and through a transformer."""
    return lambda drawn: second(first(drawn))


def _connections(circuit: Circuit | None, lines: int, above: System) -> Sequence[tuple[int, ...]]:
    """The possible connections of `lines` lines to the lines above."""
    if circuit is not None and circuit.poles == lines:
        return [lines_of(circuit, above)]
    if lines == above.lines:
        return [tuple(range(lines))]
    if lines > above.lines:  # three lines from two: not a supply that exists; keep what fits
        return [tuple(line % above.lines for line in range(lines))]
    return [(first, (first + 1) % above.lines) for first in range(above.lines)]


def _onto_one_line(below: System, above: System) -> Transfer:
    """Transfer all power to the single line above."""
    volts = above.to_neutral[0]
    return lambda drawn: ((_power(drawn, below) / volts).conjugate(),)


def _from_one_line(circuit: Circuit | None, below: System, above: System) -> Transfer:
    """Transfer from a panel of two wires, to one line and the neutral or to two lines."""
    connections: Sequence[tuple[int, ...]]
    if circuit is not None and circuit.poles <= 2:
        connections = [lines_of(circuit, above)]
    elif abs(below.voltage - above.voltage) < abs(below.voltage - abs(above.to_neutral[0])):
        connections = _connections(None, 2, above)
    else:
        connections = [(line,) for line in range(above.lines)]

    def transfer(drawn: Currents) -> Currents:
        shares = []
        for lines in connections:
            volts = [above.to_neutral[line] for line in lines]
            across = volts[0] - volts[1] if len(lines) == 2 else volts[0]
            amps = drawn[0] * _turn(across, below.to_neutral[0])
            each = [0j] * above.lines
            for line, sign in zip(lines, (1, -1), strict=False):
                each[line] = sign * amps
            shares.append(scaled(tuple(each), 1 / len(connections)))
        return total(above, shares)

    return transfer


def _power(drawn: Currents, of: System) -> complex:
    return sum(
        (volts * amps.conjugate() for volts, amps in zip(of.to_neutral, drawn, strict=True)), 0j
    )


def _turn(volts: complex, own: complex) -> complex:
    return cmath.rect(1, cmath.phase(volts) - cmath.phase(own))
