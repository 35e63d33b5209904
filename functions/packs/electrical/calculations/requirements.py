"""The currents that the conductors and the device of a branch circuit or feeder must be rated for.

Sources: NEC 210.19(A)(1), 210.20(A), 215.2(A)(1), 215.3, 220.55, 240.4(B)(1) and (G), 422.13,
424.4(B), 430.22, 430.24, 430.52, 430.53, 440.22(A), 440.32, 625.41, 625.42.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.circuit_load import Load, motor_amps
from packs.electrical.nec.motors import MotorKind, largest_protection
from packs.electrical.nec.overcurrent import next_standard, standard_not_above
from packs.electrical.projects.records import LoadType, Motor

Rule = Literal["general", "motor", "cooling"]
"""The rule of protection: 240.4 in general. 430.52 for motors and 440.22 for air conditioners allow
a larger device, since these have their own overload protection."""

CONTINUOUS = 1.25
ALWAYS_CONTINUOUS: dict[LoadType, str] = {
    "ev_charger": "625.42",
    "water_heater": "422.13",
    "space_heating": "424.4(B)",
    "motor": "430.22",
}
"""Loads that count 125 % whatever is recorded, with the section; "motor" is one of which only the
watts are known."""

BRANCH_CIRCUIT, FEEDER = ("210.19(A)(1)", "210.20(A)"), ("215.2(A)(1)", "215.3")
"""The sections for conductors and device, of a branch circuit and of a feeder."""

COOLING: frozenset[LoadType] = frozenset({"air_conditioning", "heat_pump"})
SEVERAL_OUTLETS: frozenset[LoadType] = frozenset({"receptacle", "small_appliance", "laundry"})
"""Cord-and-plug outlets: 240.4(B)(1) does not allow the next size up for their device."""

COOLING_FIRST, COOLING_MOST = 1.75, 2.25
"""440.22(A): 175 %, or 225 % if the equipment does not start; 15 A is always allowed."""


class Requirement(Struct, frozen=True):
    """The current that the conductors of a circuit must carry, and the device that protects them.

    Attributes:
        load_amps: The current of the load.
        required_amps: The current with 125 % of the continuous part, or of the largest motor.
        breaker_amps: The device; None to choose the smallest possible one.
        rounds_up: Whether 240.4(B) allows the next standard size: not for several receptacles.
        largest_breaker_amps: The limit of 430.52 or 440.22, where those rules apply.
        usual_breaker_amps: The device that those rules allow first; else the smallest for the
            required current.
        new_by_240_4: Whether 240.4 protects conductors that are chosen, though not existing ones:
            too little is known of the motor to choose smaller conductors.
        by_240_4: Whether 240.4 protects the conductors, whatever the rule.
        articles: The sections of the requirement, by the numbers of the 2023 edition.
        continuous: Whether it counts 125 % for a continuous load.
    """

    load_amps: float
    required_amps: float
    breaker_amps: int | None = None
    rule: Rule = "general"
    rounds_up: bool = True
    largest_breaker_amps: int | None = None
    usual_breaker_amps: int | None = None
    new_by_240_4: bool = False
    by_240_4: bool = False
    articles: tuple[str, ...] = ()
    continuous: bool = False

    @property
    def is_by_240_4(self) -> bool:
        """Whether the device protects the conductors by 240.4(A) to (D)."""
        return self.rule == "general" or self.by_240_4

    @property
    def device_amps(self) -> int:
        """The rating of the device, or of the one to choose."""
        return self.breaker_amps or self.usual_breaker_amps or next_standard(self.required_amps)

    @property
    def with_suitable_device(self) -> Requirement:
        """The same, without the device if it does not suit the load."""
        if self.breaker_amps is None:
            return self
        least = self.required_amps if self.rule == "general" else self.load_amps
        most = self.largest_breaker_amps
        suits = self.breaker_amps >= least and (most is None or self.breaker_amps <= most)
        return self if suits else replace(self, breaker_amps=None)


def requirement_of(
    load: Load, *, continuous: bool = False, breaker_amps: int | None = None
) -> Requirement:
    """Return the requirement for the branch circuit of a load.

    Args:
        continuous: Whether the whole load runs for three hours or more; some kinds always do.

    Raises:
        InvalidArgument: The tables have no such motor.
    """
    if load.motors:
        return requirement_of_motors(load.motors, breaker_amps)
    if load.load_type in COOLING:
        return Requirement(
            load_amps=load.amps,
            required_amps=round(load.amps * CONTINUOUS, 6),
            breaker_amps=breaker_amps,
            rule="cooling",
            largest_breaker_amps=max(15, standard_not_above(load.amps * COOLING_MOST + 1e-9)),
            usual_breaker_amps=max(15, standard_not_above(load.amps * COOLING_FIRST + 1e-9)),
            articles=("440.22(A)", "440.32"),
        )
    if load.load_type == "motor":
        return _of_unknown_motor(load, breaker_amps)
    by_kind = ALWAYS_CONTINUOUS.get(load.load_type) if load.load_type else None
    counts = continuous or by_kind is not None
    general = FEEDER if load.load_type == "subpanel" else BRANCH_CIRCUIT
    special = [by_kind] if by_kind else ["220.55"] if load.by_table_220_55 else []
    return Requirement(
        load_amps=load.amps,
        required_amps=max(
            round(load.amps * (CONTINUOUS if counts else 1.0), 6), load.least_rating_amps
        ),
        breaker_amps=breaker_amps,
        rounds_up=load.load_type not in SEVERAL_OUTLETS and not load.by_table_220_55,
        articles=(*general, *special),
        continuous=counts,
    )


def _of_unknown_motor(load: Load, breaker_amps: int | None) -> Requirement:
    """A motor of which only the load is known: it counts as the full-load current, with 125 % for
    the conductors and at most an inverse-time breaker of Table 430.52."""
    required = round(load.amps * CONTINUOUS, 6)
    kind: MotorKind = "single_phase" if load.phases == 1 else "squirrel_cage"
    return Requirement(
        load_amps=load.amps,
        required_amps=required,
        breaker_amps=breaker_amps,
        rule="motor",
        largest_breaker_amps=largest_protection(load.amps, kind, "inverse_time_breaker"),
        usual_breaker_amps=next_standard(required),
        new_by_240_4=True,
        articles=("430.22", "430.52"),
    )


def requirement_of_motors(motors: Sequence[Motor], breaker_amps: int | None = None) -> Requirement:
    """Return the requirement for motors on one circuit: 125 % of the largest and 100 % of the
    others. The device is that of 430.52 or, for several motors, of 430.53(C)(4): that of the
    largest one plus the currents of the others.

    Raises:
        InvalidArgument: The tables have no such motor.
    """
    ordered = sorted(motors, key=motor_amps, reverse=True)
    currents = [motor_amps(motor) for motor in ordered]
    first, others = ordered[0], sum(currents[1:])
    most = largest_protection(currents[0], kind_of(first), first.device)
    device = standard_not_above(most + others + 1e-9) if others else most
    return Requirement(
        load_amps=sum(currents),
        required_amps=round(currents[0] * CONTINUOUS + others, 6),
        breaker_amps=breaker_amps,
        rule="motor",
        largest_breaker_amps=device,
        usual_breaker_amps=device,
        articles=("430.6(A)(1)", *(("430.24", "430.53") if others else ("430.22", "430.52"))),
    )


def kind_of(motor: Motor) -> MotorKind:
    """Return the row of Table 430.52; single-phase motors have their own."""
    return "single_phase" if motor.phases == 1 else motor.kind
