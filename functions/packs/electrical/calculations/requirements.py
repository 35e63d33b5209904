"""What a circuit's conductors and breaker must be good for: continuous loads, motors, cooling.

Sources: NEC 210.19(A)(1), 210.20(A), 215.2(A)(1), 215.3, 220.55, 240.4(B)(1) and (G), 422.13,
424.4(B), 430.22, 430.24, 430.52, 430.53, 440.22(A), 440.32, 625.41, 625.42.
"""

from __future__ import annotations

from typing import NamedTuple

from packs.electrical.calculations.circuit_load import Load, motor_amps
from packs.electrical.calculations.conductors import CONTINUOUS, Need
from packs.electrical.nec.motors import MotorKind, largest_protection
from packs.electrical.nec.overcurrent import STANDARD_RATINGS, next_standard
from packs.electrical.projects.records import LoadType, Motor

ALWAYS_CONTINUOUS: dict[LoadType, str] = {
    "ev_charger": "625.42",
    "water_heater": "422.13",
    "space_heating": "424.4(B)",
    "motor": "430.22",
}
"""Loads that take 125 % whatever is recorded, with the section that says so; a motor here is one
of which nothing but its watts is known."""

BRANCH_CIRCUIT, FEEDER = ("210.19(A)(1)", "210.20(A)"), ("215.2(A)(1)", "215.3")
"""Conductors and device, of a branch circuit and of what runs to another panel."""

COOLING: frozenset[LoadType] = frozenset({"air_conditioning", "heat_pump"})
SEVERAL_OUTLETS: frozenset[LoadType] = frozenset({"receptacle", "small_appliance", "laundry"})
"""Cord-and-plug outlets: 240.4(B)(1) lets their device not be the next size up."""

COOLING_FIRST, COOLING_MOST = 1.75, 2.25
"""440.22(A): 175 %, and 225 % where the equipment does not start; 15 A is always allowed."""


class Required(NamedTuple):
    """A need, and where it comes from.

    Attributes:
        articles: The sections that made it, as numbers of the 2023 edition.
        continuous: Whether 125 % was taken for a continuous load.
    """

    need: Need
    articles: tuple[str, ...]
    continuous: bool


def required_of(
    load: Load, *, continuous: bool = False, breaker_amps: int | None = None
) -> Required:
    """What a branch circuit of this load needs.

    Args:
        continuous: Whether the whole load runs for three hours or more; some kinds always count so.

    Raises:
        InvalidArgument: The tables have no such motor.
    """
    if load.motors:
        return _motors(load.motors, breaker_amps)
    if load.load_type in COOLING:
        return _cooling(load.amps, breaker_amps)
    if load.load_type == "motor":
        return _motor_of_unknown_power(load, breaker_amps)
    by_kind = ALWAYS_CONTINUOUS.get(load.load_type) if load.load_type else None
    counts = continuous or by_kind is not None
    need = Need(
        load_amps=load.amps,
        required_amps=max(
            round(load.amps * (CONTINUOUS if counts else 1.0), 6), load.least_rating_amps
        ),
        breaker_amps=breaker_amps,
        rounds_up=load.load_type not in SEVERAL_OUTLETS and not load.by_table_220_55,
    )
    general = FEEDER if load.load_type == "subpanel" else BRANCH_CIRCUIT
    special = [by_kind] if by_kind else ["220.55"] if load.by_table_220_55 else []
    return Required(need, (*general, *special), counts)


def _motor_of_unknown_power(load: Load, breaker_amps: int | None) -> Required:
    """A motor of which nothing but its load is known, as its full-load current: 125 % for the
    conductors, and an inverse-time breaker of Table 430.52 at most."""
    required = round(load.amps * CONTINUOUS, 6)
    kind: MotorKind = "single_phase" if load.phases == 1 else "squirrel_cage"
    need = Need(
        load_amps=load.amps,
        required_amps=required,
        breaker_amps=breaker_amps,
        rule="motor",
        largest_breaker_amps=largest_protection(load.amps, kind, "inverse_time_breaker"),
        usual_breaker_amps=next_standard(required),
        chosen_alike=True,
    )
    return Required(need, ("430.22", "430.52"), False)


def _motors(motors: tuple[Motor, ...], breaker_amps: int | None) -> Required:
    """125 % of the largest and 100 % of the others; the device of 430.52, or of 430.53(C)(4) for
    several: that of the largest one, with the currents of the others."""
    ordered = sorted(motors, key=motor_amps, reverse=True)
    currents = [motor_amps(motor) for motor in ordered]
    first, others = ordered[0], sum(currents[1:])
    most = largest_protection(currents[0], kind_of(first), first.device)
    need = Need(
        load_amps=sum(currents),
        required_amps=round(currents[0] * CONTINUOUS + others, 6),
        breaker_amps=breaker_amps,
        rule="motor",
        largest_breaker_amps=_not_above(most + others) if others else most,
        usual_breaker_amps=_not_above(most + others) if others else most,
    )
    articles = (
        ("430.6(A)(1)", "430.24", "430.53") if others else ("430.6(A)(1)", "430.22", "430.52")
    )
    return Required(need, articles, False)


def kind_of(motor: Motor) -> MotorKind:
    """The row of Table 430.52; a motor of one phase has one of its own."""
    return "single_phase" if motor.phases == 1 else motor.kind


def _cooling(amps: float, breaker_amps: int | None) -> Required:
    need = Need(
        load_amps=amps,
        required_amps=round(amps * CONTINUOUS, 6),
        breaker_amps=breaker_amps,
        rule="cooling",
        largest_breaker_amps=max(_not_above(amps * COOLING_MOST), STANDARD_RATINGS[0]),
        usual_breaker_amps=max(_not_above(amps * COOLING_FIRST), STANDARD_RATINGS[0]),
    )
    return Required(need, ("440.22(A)", "440.32"), False)


def _not_above(amps: float) -> int:
    return max((rating for rating in STANDARD_RATINGS if rating <= amps + 1e-9), default=0)
