"""What recorded conductors may carry, as `calculations.conductors` has it."""

from __future__ import annotations

from packs.electrical.calculations.conductors import (
    Ampacity,
    Installation,
    ampacity_of,
    default_terminal,
    largest_breaker,
    smallest_size,
)
from packs.electrical.calculations.requirements import Requirement
from packs.electrical.inspection.rule import Unknown, known
from packs.electrical.nec.ampacity import Rating, insulation_rating
from packs.electrical.nec.overcurrent import STANDARD_RATINGS, next_standard
from packs.electrical.nec.sizes import Size
from packs.electrical.projects.records import Wiring
from rollcall.core.errors import InvalidArgument

STANDARD_AMBIENT_C = 30.0
STANDARD_CONDUCTORS = 3
NM_TERMINAL: Rating = 60
NM_INSULATION: Rating = 90


def is_nm(wiring: Wiring) -> bool:
    """Whether it is nonmetallic-sheathed cable (Article 334)."""
    return wiring.conduit_type == "nm_cable" or (wiring.insulation or "").upper().startswith("NM")


def installation(wiring: Wiring, device_amps: float) -> Installation:
    """How recorded conductors are installed behind a device of a rating, A.

    Terminations that are not marked count as in 110.14(C)(1). Where no ambient temperature or
    number of conductors is recorded, those of Table 310.16 count: 30 °C and three. An insulation
    that is not recorded counts as good as the terminations, unless there is something to correct.
    NM cable is corrected from 90 °C and used at 60 °C (334.80).

    Raises:
        Unknown: There is no insulation, or none that the tables know.
    """
    terminal = wiring.terminal_rating_c or default_terminal(device_amps)
    return Installation(
        material=wiring.conductor_material,
        insulation_c=_insulation(wiring, terminal),
        terminal_c=NM_TERMINAL if is_nm(wiring) else terminal,
        ambient_c=STANDARD_AMBIENT_C if wiring.ambient_c is None else wiring.ambient_c,
        current_carrying=wiring.current_carrying_conductors or STANDARD_CONDUCTORS,
        sets=wiring.conductor_sets,
    )


def ampacity_behind(wiring: Wiring, device_amps: float) -> Ampacity:
    """What recorded conductors may carry behind a device of a rating, A.

    Raises:
        Unknown: There is no size, no insulation, or none that the tables know.
    """
    size = known(wiring.conductor_size, "conductorSize")
    how = installation(wiring, device_amps)
    try:
        return ampacity_of(size, how)
    except InvalidArgument as error:
        if error.field == "ambientC":  # too hot for the insulation: nothing may flow
            return Ampacity(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        raise Unknown("conductorSize") from error


def largest_device(ampacity: float, *, rounds_up: bool = True) -> float:
    """The largest device that may protect conductors of an ampacity, A (240.4(B), (C)).

    0 where nothing may flow in them, since it is too hot for their insulation.

    Args:
        rounds_up: Whether it may be the next standard rating above the ampacity.
    """
    need = Requirement(load_amps=1, required_amps=1, rounds_up=rounds_up)
    return largest_breaker(ampacity, need, None) if ampacity > 0 else 0


def smallest_behind(wiring: Wiring, device_amps: float, *, rounds_up: bool = True) -> Size | None:
    """The smallest size, installed alike, that a device may protect; None if none may.

    Args:
        rounds_up: Whether the device may be the next standard rating above the ampacity (240.4(B)).

    Raises:
        Unknown: As `installation`.
    """
    amps = int(device_amps)
    how = installation(wiring, device_amps)
    need = Requirement(load_amps=1, required_amps=1, breaker_amps=amps, rounds_up=rounds_up)
    try:
        return smallest_size(how, need)
    except InvalidArgument as error:
        if error.field == "ambientC":  # too hot for the insulation, whatever the size
            return None
        raise


def standard_from(amps: float) -> float:
    """The next standard rating of a device (240.6(A)); above the largest, the current itself."""
    return next_standard(amps) if amps <= STANDARD_RATINGS[-1] else amps


def _insulation(wiring: Wiring, terminal: Rating) -> Rating:
    if is_nm(wiring):
        return NM_INSULATION
    if wiring.insulation is None:
        corrected = wiring.ambient_c is not None
        if corrected or (wiring.current_carrying_conductors or 0) > STANDARD_CONDUCTORS:
            raise Unknown("insulation")
        return terminal
    try:
        return insulation_rating(wiring.insulation)
    except InvalidArgument as error:
        raise Unknown("insulation") from error
