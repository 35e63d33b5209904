"""The load of a circuit: its current, its voltage and number of phases, and the motors on it.

Sources: NEC 220.5(A) (loads count in volt-amperes), 220.55 with its note 4 (household ranges),
430.6(A)(1) and Tables 430.248 and 430.250 (motors).
"""

from __future__ import annotations

from msgspec import Struct

from packs.electrical.nec.editions import article
from packs.electrical.nec.loads import LARGEST_W, SMALLEST_W, range_demand_w
from packs.electrical.nec.motors import full_load_amps
from packs.electrical.projects.records import (
    Circuit,
    LoadType,
    Motor,
    Panel,
    PanelCircuit,
    Phases,
    Poles,
    Project,
)
from packs.electrical.results import Basis, Source
from packs.electrical.wording import TEXTS, invalid, unmarked
from rollcall.core.texts import isolated

DEFAULT_POWER_FACTOR = 0.9
RESISTIVE: frozenset[LoadType] = frozenset(
    {"range", "cooktop", "oven", "dryer", "water_heater", "space_heating"}
)
"""Heating elements and loads that are mostly such: their power factor is 1."""

RANGE_FROM_W, RANGE_LEAST_AMPS = 8_750.0, 40
"""A household range of 8.75 kW or more is on a branch circuit of 40 A or more (210.19)."""


class Load(Struct, frozen=True):
    """The load of a circuit.

    Attributes:
        amps: The current of the whole load, A, without any addition for continuous loads.
        volts: The voltage between the circuit's wires.
        motors: The circuit's motors, where the current is theirs.
        load_type: None where there is no circuit.
        least_rating_amps: The smallest rating that the code allows for its branch circuit, A, or 0.
        by_table_220_55: Whether it is the demand of a household range, not its nameplate.
    """

    amps: float
    volts: float
    phases: Phases
    source: Source
    load_type: LoadType | None = None
    motors: tuple[Motor, ...] = ()
    least_rating_amps: int = 0
    by_table_220_55: bool = False

    @property
    def input_source(self) -> Source:
        """The source of the current as an input: from recorded watts it is calculated."""
        return "calculated" if self.source == "project" else self.source


def load_of(
    project: Project, branch: PanelCircuit, basis: Basis, *, by_nameplate: bool = False
) -> Load:
    """Find the load of a circuit.

    Args:
        by_nameplate: Take the actual current: a motor's nameplate current, where it is recorded,
            instead of the tables', and the whole nameplate of a range.

    Raises:
        InvalidArgument: The circuit has no load.
    """
    circuit = branch.circuit
    volts, phases = volts_of(branch.panel, circuit), phases_of(circuit.poles)
    if branch.load_amps is not None:
        return Load(branch.load_amps, volts, phases, "argument", circuit.load_type)
    is_stated = "load_watts" in branch.stated
    motors = motors_of(project, branch)
    if motors and not is_stated:
        currents = [motor_amps(motor, by_nameplate=by_nameplate) for motor in motors]
        for motor, current in zip(motors, currents, strict=True):
            if motor.kind == "synchronous":
                assume_nameplate(motor, current, basis)
        return Load(sum(currents), volts, phases, "table", circuit.load_type, motors)
    watts = circuit.load_watts
    if not watts:
        raise invalid("loadAmps", "no_load_recorded", circuit=branch.text)
    demand = None
    if not by_nameplate and not motors:
        demand = household_range_watts(project, circuit, watts)
    counted = watts if demand is None else demand
    amps = amps_of_watts(counted, volts, phases, circuit.power_factor, basis)
    source: Source = "argument" if is_stated else "project"
    if demand is None:
        return Load(amps, volts, phases, source, circuit.load_type)
    table = article("220.55", project.edition)
    reason = TEXTS.text("calculations.circuit_load.range_demand", table=table)
    basis.assume("rangeDemandWatts", demand, "W", reason, is_default=False)
    return Load(
        amps,
        volts,
        phases,
        source,
        circuit.load_type,
        least_rating_amps=RANGE_LEAST_AMPS if watts >= RANGE_FROM_W else 0,
        by_table_220_55=True,
    )


def household_range_watts(project: Project, circuit: Circuit, watts: float) -> float | None:
    """The demand of a household range on its circuit by note 4 of Table 220.55, W.

    None for anything else. One oven or one counter-mounted unit keeps its nameplate.
    """
    in_dwelling = project.building.occupancy == "dwelling"
    if in_dwelling and circuit.load_type == "range" and SMALLEST_W < watts <= LARGEST_W:
        return range_demand_w([watts])
    return None


def amps_of_watts(
    watts: float, volts: float, phases: Phases, power_factor: float | None, basis: Basis
) -> float:
    """The current of a load in watts, A; without a power factor they count as volt-amperes."""
    if not power_factor:
        reason = TEXTS.text("calculations.circuit_load.watts_as_volt_amperes")
        basis.assume("loadWatts", "volt-amperes", None, reason)
    return amps_of(watts, volts=volts, phases=phases, power_factor=power_factor or 1.0)


def motor_amps(motor: Motor, *, by_nameplate: bool = False) -> float:
    """The full-load current of a motor, A: of Tables 430.248 and 430.250; of a synchronous motor,
    whose columns are not here, by its nameplate.

    Raises:
        InvalidArgument: The tables have no such motor, or a synchronous one has no nameplate.
    """
    is_synchronous = motor.kind == "synchronous"
    if motor.nameplate_amps and (by_nameplate or is_synchronous):
        return motor.nameplate_amps
    if is_synchronous:
        field = f"motors.{motor.id}.nameplateAmps"
        raise invalid(field, "synchronous_motor", name=isolated(motor.name))
    return full_load_amps(motor.hp, motor.voltage, motor.phases)


def assume_nameplate(motor: Motor, amps: float, basis: Basis) -> None:
    """Note that a motor's nameplate counts, since the tables do not have it."""
    reason = TEXTS.text("loads.nameplate", name=unmarked(motor.name))
    basis.assume(f"motor_{motor.id}", amps, "A", reason)


def motors_of(project: Project, branch: PanelCircuit) -> tuple[Motor, ...]:
    """The motors on a circuit."""
    place = (branch.panel.id, branch.circuit.circuit_number)
    return tuple(
        motor for motor in project.motors if (motor.panel_id, motor.circuit_number) == place
    )


def usual_power_factor(load_type: LoadType | None) -> float:
    """Return the usual power factor of a kind of load."""
    return 1.0 if load_type in RESISTIVE else DEFAULT_POWER_FACTOR


def power_factor_of(stated: float | None, load_type: LoadType | None, basis: Basis) -> float:
    """Return the stated power factor; without one, assume the usual one of the kind of load."""
    if stated:
        return stated
    usual = usual_power_factor(load_type)
    key = "heating_element" if load_type in RESISTIVE else "usual_power_factor"
    return basis.assume("powerFactor", usual, None, TEXTS.text(f"calculations.circuit_load.{key}"))


def phases_of(poles: Poles) -> Phases:
    """Return the number of phases of a load: 3 with three poles, else 1."""
    return 3 if poles == 3 else 1


def volts_of(panel: Panel, circuit: Circuit) -> float:
    """Return the voltage of a circuit's load, V: the recorded one, else to neutral with one pole
    and between lines with more."""
    return circuit.voltage or (panel.line_to_neutral if circuit.poles == 1 else panel.voltage)


def amps_of(watts: float, *, volts: float, phases: Phases, power_factor: float = 1.0) -> float:
    """Return the current of a load, A; with a power factor of 1, `watts` may be volt-amperes."""
    return watts / (volts * power_factor * (1.0 if phases == 1 else 3**0.5))


def volt_amperes_of(amps: float, *, volts: float, phases: Phases) -> float:
    """The apparent power of a current, VA."""
    return amps * volts * (1.0 if phases == 1 else 3**0.5)
