"""The current of a circuit: out of the question, out of its motors, or out of its recorded load.

Sources: NEC 220.5(A) (loads count in volt-amperes), 220.55 with its note 4 (household ranges),
430.6(A)(1) and Tables 430.248 and 430.250.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from packs.electrical.calculations.supply import amps_of, phases_of, volts_of
from packs.electrical.nec.appliances import (
    LARGEST_W,
    SMALLEST_W,
    cooking_branch_circuit_w,
)
from packs.electrical.nec.motors import full_load_amps
from packs.electrical.projects.records import (
    Circuit,
    LoadType,
    Motor,
    Phases,
    Project,
)
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import Assumed, Words
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated

DEFAULT_POWER_FACTOR = 0.9
RANGE_FROM_W, RANGE_LEAST_AMPS = 8_750.0, 40
"""A household range of 8.75 kW or more is on a circuit of 40 A or more (210.19)."""

RESISTIVE: frozenset[LoadType] = frozenset(
    {"range", "cooktop", "oven", "dryer", "water_heater", "space_heating"}
)
"""Loads that are heating elements, or nearly: their power factor is 1."""

Source = Literal["project", "argument", "table"]


@dataclass(frozen=True, slots=True)
class Load:
    """What flows in a circuit.

    Attributes:
        amps: The current of the whole load, nothing added for continuous ones.
        volts: Between the circuit's wires.
        power_factor: As it was stated or assumed.
        motors: Those on the circuit, where they make the current.
        load_type: None where there is no circuit.
        least_rating_amps: Of its branch circuit, where the code gives one; 0 where it does not.
        by_table_220_55: Whether it is the demand of a household range, not its nameplate.
    """

    amps: float
    volts: float
    phases: Phases
    power_factor: float
    source: Source
    load_type: LoadType | None = None
    motors: tuple[Motor, ...] = ()
    assumed: tuple[Assumed, ...] = ()
    least_rating_amps: int = 0
    by_table_220_55: bool = False


def load_of(
    project: Project,
    found: PanelCircuit,
    *,
    load_amps: float | None = None,
    load_watts: float | None = None,
    voltage: float | None = None,
    power_factor: float | None = None,
    by_nameplate: bool = False,
) -> Load:
    """The load of a circuit, or what is asked instead of it.

    Args:
        by_nameplate: A motor's own current where it is recorded, not the tables', and all of a
            range: what really flows, where conductors go by the tables.

    Raises:
        InvalidArgument: Both amperes and watts are given, or the circuit has no load.
    """
    check_one_load(load_amps, load_watts)
    circuit = found.circuit
    volts = voltage or volts_of(found.panel, circuit)
    phases = phases_of(circuit.poles)
    stated = power_factor or circuit.power_factor
    factor, assumed = known_power_factor(stated, circuit.load_type)
    motors = motors_of(project, found)
    source: Source = "argument"
    watts = load_watts if load_watts is not None else circuit.load_watts
    by_table = None
    if not by_nameplate and load_amps is None and not motors:
        by_table = household_range_watts(project, circuit, watts)
    demand = watts if by_table is None else by_table
    if load_amps is not None:
        amps, motors = load_amps, ()
    elif load_watts is not None:
        amps, more = amps_from(demand, volts, phases, stated)
        motors, assumed = (), (*assumed, *more)
    elif motors:
        amps, source = (
            sum(motor_amps(motor, by_nameplate=by_nameplate) for motor in motors),
            "table",
        )
    elif circuit.load_watts:
        amps, more = amps_from(demand, volts, phases, stated)
        assumed, source = (*assumed, *more), "project"
    else:
        raise InvalidArgument(
            f"{found.label} has no load recorded; give loadAmps or loadWatts", field="loadAmps"
        )
    load = Load(amps, volts, phases, factor, source, circuit.load_type, motors, assumed)
    if by_table is None:
        return load
    counted = Assumed("rangeDemandWatts", by_table, "W", _BY_220_55, is_default=False)
    return replace(
        load,
        assumed=(*assumed, counted),
        least_rating_amps=RANGE_LEAST_AMPS if watts >= RANGE_FROM_W else 0,
        by_table_220_55=True,
    )


def household_range_watts(project: Project, circuit: Circuit, watts: float) -> float | None:
    """What a household range of so many watts counts on its circuit by note 4 of Table 220.55, W;
    None for anything else. One oven or one counter-mounted unit keeps its nameplate."""
    in_dwelling = project.building.occupancy == "dwelling"
    if in_dwelling and circuit.load_type == "range" and SMALLEST_W < watts <= LARGEST_W:
        return cooking_branch_circuit_w(range_w=watts)
    return None


def check_one_load(load_amps: float | None, load_watts: float | None) -> None:
    """Raises InvalidArgument where a load is given twice."""
    if load_amps is not None and load_watts is not None:
        raise InvalidArgument("give loadAmps or loadWatts, not both", field="loadWatts")


def amps_from(
    watts: float, volts: float, phases: Phases, power_factor: float | None
) -> tuple[float, tuple[Assumed, ...]]:
    """The current of so many watts; without a power factor they count as volt-amperes."""
    amps = amps_of(watts, volts=volts, phases=phases, power_factor=power_factor or 1.0)
    return amps, () if power_factor else (WATTS_AS_VOLT_AMPERES,)


def motor_amps(motor: Motor, *, by_nameplate: bool = False) -> float:
    """The full-load current of a motor, A.

    Raises:
        InvalidArgument: The tables have no such motor.
    """
    if by_nameplate and motor.nameplate_amps:
        return motor.nameplate_amps
    return full_load_amps(motor.hp, motor.voltage, motor.phases)


def motors_of(project: Project, found: PanelCircuit) -> tuple[Motor, ...]:
    """The motors on a circuit."""
    place = (found.panel.id, found.circuit.circuit_number)
    return tuple(
        motor for motor in project.motors if (motor.panel_id, motor.circuit_number) == place
    )


def known_power_factor(
    stated: float | None, load_type: LoadType | None
) -> tuple[float, tuple[Assumed, ...]]:
    """The power factor that is stated, or the one that is assumed for the kind of load."""
    if stated:
        return stated, ()
    if load_type in RESISTIVE:
        return 1.0, (Assumed("powerFactor", 1.0, None, _HEATING),)
    return DEFAULT_POWER_FACTOR, (Assumed("powerFactor", DEFAULT_POWER_FACTOR, None, _USUAL),)


_USUAL = Words(
    en="no power factor is recorded; 0.9 lagging is a usual one for mixed loads",
    he="לא נרשם מקדם הספק; 0.9 (השראי) מקובל לעומסים מעורבים",
)
_HEATING = Words(
    en="no power factor is recorded; the load is a heating element",
    he="לא נרשם מקדם הספק; העומס הוא גוף חימום",
)
_BY_220_55 = Words(
    en="a household range counts on its circuit by Table 220.55, note 4, not by its nameplate",
    he=f"תנור וכיריים ביתיים נספרים במעגל לפי טבלה {isolated('220.55')}, הערה 4, ולא לפי ההספק "
    "הנקוב",
)
WATTS_AS_VOLT_AMPERES = Assumed(
    "loadWatts",
    "volt-amperes",
    None,
    Words(
        en="watts count as volt-amperes for the current, as in Article 220, since no power factor "
        "is recorded",
        he="לצורך חישוב הזרם ואט נחשב כוולט-אמפר, כמו בסעיף 220, כי לא נרשם מקדם הספק",
    ),
)
