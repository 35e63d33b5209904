"""What a circuit gets from its panel: volts and phases, and the current of a load on them."""

from __future__ import annotations

from packs.electrical.projects.records import Circuit, Panel, Phases, Poles


def phases_of(poles: Poles) -> Phases:
    """Three poles carry a three-phase load; one or two a load between two wires."""
    return 3 if poles == 3 else 1


def volts_for(panel: Panel, poles: Poles) -> float:
    """Volts of a load on so many poles: to neutral with one, between lines with more."""
    return panel.line_to_neutral if poles == 1 else panel.voltage


def volts_of(panel: Panel, circuit: Circuit) -> float:
    """Volts of a circuit's load: as recorded, else as its poles give them."""
    return circuit.voltage or volts_for(panel, circuit.poles)


def amps_of(watts: float, *, volts: float, phases: Phases, power_factor: float = 1.0) -> float:
    """The current of a load, A; with a power factor of 1, `watts` may as well be volt-amperes."""
    return watts / (volts * power_factor * _line_factor(phases))


def volt_amperes_of(amps: float, *, volts: float, phases: Phases) -> float:
    """The apparent power of a current, VA."""
    return amps * volts * _line_factor(phases)


def _line_factor(phases: Phases) -> float:
    return 1.0 if phases == 1 else 3**0.5
