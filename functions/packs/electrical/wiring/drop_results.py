"""What calculate_voltage_drop returns."""

from __future__ import annotations

from typing import Literal

from packs.electrical.calculations.voltage_drop import Method
from packs.electrical.projects.records import Phases
from packs.electrical.results import CalculationResult
from rollcall.core.shapes import Wire

Selector = Literal["longest", "highest_load", "worst"]


class Leg(Wire):
    """A feeder or the branch circuit on the way from the service; what is None is not known.

    `impedance` is of one conductor, ohm per 1000 ft.
    """

    kind: Literal["feeder", "branch"]
    name: str
    load_amps: float | None = None
    voltage: float
    phases: Phases
    length_ft: float | None = None
    length_m: float | None = None
    conductor_size: str | None = None
    conductor_material: str
    conductor_sets: int = 1
    conduit: str | None = None
    power_factor: float | None = None
    resistance_ohm_per_kft: float | None = None
    reactance_ohm_per_kft: float | None = None
    voltage_drop_volts: float | None = None
    voltage_drop_percent: float | None = None


class ByMethod(Wire):
    """The same drop by one method."""

    method: Method
    name: str
    voltage_drop_percent: float


class Ranked(Wire):
    """One of the circuits that a selector compared."""

    circuit_id: str
    circuit_name: str
    circuit_number: int
    panel_name: str
    load_amps: float
    length_ft: float
    conductor_size: str
    voltage_drop_volts: float
    voltage_drop_percent: float
    compliant: bool


class VoltageDrop(CalculationResult):
    """What calculate_voltage_drop returns.

    `voltageDropVolts` and `receivingEndVoltage` in V, `compliant` by the 3 % recommended for a
    branch circuit; lengths one way. `totalVoltageDropPercent` counts the feeders from the service
    too and is left out where one of them is not known.
    """

    circuit_id: str | None = None
    circuit_name: str | None = None
    circuit_number: int | None = None
    panel_name: str | None = None
    voltage_drop_percent: float
    voltage_drop_volts: float
    receiving_end_voltage: float
    compliant: bool
    recommendation: str | None = None
    limit_percent: float
    total_voltage_drop_percent: float | None = None
    total_compliant: bool | None = None
    total_limit_percent: float
    method: Method
    method_name: str
    by_method: list[ByMethod]
    load_amps: float
    voltage: float
    phases: Phases
    length_ft: float
    length_m: float
    conductor_size: str
    conductor_material: str
    smallest_complying_size: str | None = None
    greatest_length_ft: float
    greatest_length_m: float
    greatest_load_amps: float
    equipment_grounding_conductor: str | None = None
    legs: list[Leg]
    selector: Selector | None = None
    compared: int | None = None
    not_compared: list[str]
    ranking: list[Ranked]
