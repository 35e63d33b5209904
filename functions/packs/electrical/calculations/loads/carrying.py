"""How the current of a panel appears in the panel that feeds it: over a feeder's lines, or through
a transformer. Each way is linear, so a few of them one after another are as good as one."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence

from packs.electrical.calculations.loads.phases import (
    Currents,
    System,
    lines_of,
    scaled,
    total,
)
from packs.electrical.projects.records import Circuit, Transformer

Carry = Callable[[Currents], Currents]
Images = tuple[Currents, ...]
"""A way as what it makes of one ampere in each line below."""

_DELTA_WYE = cmath.rect(1, math.pi / 6)
"""A secondary voltage to neutral is in phase with the primary's voltage between lines."""


def over_feeder(circuit: Circuit | None, below: System, above: System) -> Carry:
    """Over the lines of the feeder's own circuit. Where that is not known, a panel of all lines
    keeps their order, one of two lines counts a third on each pair, and one of one line a share on
    each line, or on each pair that has its voltage."""
    if above.lines == 1:
        return _onto_one_line(below, above)
    if below.lines == 1:
        return _from_one_line(circuit, below, above)
    ways = _ways(circuit, below.lines, above)

    def carry(drawn: Currents) -> Currents:
        found = []
        for lines in ways:
            each = [0j] * above.lines
            for amps, own, line in zip(drawn, below.to_neutral, lines, strict=True):
                each[line] += amps * _turn(above.to_neutral[line], own)
            found.append(scaled(tuple(each), 1 / len(ways)))
        return total(above, found)

    return carry


def through_transformer(
    transformer: Transformer, circuit: Circuit | None, below: System, above: System
) -> Carry:
    """Through a transformer whose secondary is `below`: three phases as delta to wye, one phase
    between two lines. Its own losses and magnetizing current are left out."""
    if above.lines == 1:
        return _onto_one_line(below, above)
    if transformer.phases == 3 and below.lines == 3 and above.lines == 3:
        ratio = below.voltage / math.sqrt(3) / above.voltage
        return lambda drawn: _delta(drawn, ratio)
    ways = _ways(circuit, 2, above)

    def carry(drawn: Currents) -> Currents:
        power = _power(drawn, below)
        found = []
        for first, second in ways:
            volts = above.to_neutral[first] - above.to_neutral[second]
            each = [0j] * above.lines
            each[first] = (power / volts).conjugate()
            each[second] = -each[first]
            found.append(scaled(tuple(each), 1 / len(ways)))
        return total(above, found)

    return carry


def images(carry: Carry, lines: int) -> Images:
    """A way from a panel of so many lines, worked out once for all its loads."""
    return tuple(
        carry(tuple(1 + 0j if each == line else 0j for each in range(lines)))
        for line in range(lines)
    )


def carried(drawn: Currents, way: Images) -> Currents:
    """What a current below is above."""
    parts = [(amps, image) for amps, image in zip(drawn, way, strict=True) if amps]
    if not parts:
        return (0j,) * len(way[0])
    return tuple(
        sum((amps * image[line] for amps, image in parts), 0j) for line in range(len(way[0]))
    )


def _ways(circuit: Circuit | None, lines: int, above: System) -> Sequence[tuple[int, ...]]:
    """The lines above that a supply of `lines` lines may stand on."""
    if circuit is not None and circuit.poles == lines:
        return [lines_of(circuit, above)]
    if lines == above.lines:
        return [tuple(range(lines))]
    if lines > above.lines:  # three lines from two: not a supply that exists; keep what fits
        return [tuple(line % above.lines for line in range(lines))]
    return [(first, (first + 1) % above.lines) for first in range(above.lines)]


def _onto_one_line(below: System, above: System) -> Carry:
    """Whatever is below, its power is drawn from the one line that there is."""
    volts = above.to_neutral[0]
    return lambda drawn: ((_power(drawn, below) / volts).conjugate(),)


def _from_one_line(circuit: Circuit | None, below: System, above: System) -> Carry:
    """From a panel of two wires: on one line and the neutral, or there and back on two lines."""
    ways: Sequence[tuple[int, ...]]
    if circuit is not None and circuit.poles <= 2:
        ways = [lines_of(circuit, above)]
    elif _is_between_lines(below, above):
        ways = _ways(None, 2, above)
    else:
        ways = [(line,) for line in range(above.lines)]

    def carry(drawn: Currents) -> Currents:
        found = []
        for lines in ways:
            volts = [above.to_neutral[line] for line in lines]
            across = volts[0] - volts[1] if len(lines) == 2 else volts[0]
            amps = drawn[0] * _turn(across, below.to_neutral[0])
            each = [0j] * above.lines
            for line, sign in zip(lines, (1, -1), strict=False):
                each[line] = sign * amps
            found.append(scaled(tuple(each), 1 / len(ways)))
        return total(above, found)

    return carry


def _is_between_lines(below: System, above: System) -> bool:
    """Whether a voltage is nearer to that between the lines above than to that to neutral."""
    to_neutral = abs(above.to_neutral[0])
    return abs(below.voltage - above.voltage) < abs(below.voltage - to_neutral)


def _power(drawn: Currents, of: System) -> complex:
    return sum(
        (volts * amps.conjugate() for volts, amps in zip(of.to_neutral, drawn, strict=True)), 0j
    )


def _turn(volts: complex, own: complex) -> complex:
    return cmath.rect(1, cmath.phase(volts) - cmath.phase(own))


def _delta(drawn: Currents, ratio: float) -> Currents:
    windings = [amps * ratio * _DELTA_WYE for amps in drawn]
    return tuple(windings[line] - windings[line - 1] for line in range(3))
