"""Heating or cooling, motors, chargers and other equipment, in dwellings and elsewhere alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from packs.electrical.calculations.loads.phases import scaled
from packs.electrical.calculations.loads.premises import (
    CONTINUOUS_MORE,
    LARGEST_MOTOR_MORE,
    Premises,
    evse_va,
)
from packs.electrical.calculations.loads.steps import (
    Load,
    Step,
    added,
    of_kinds,
    step,
    va_of,
)
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Words
from rollcall.core.wording import isolated

MOTOR_COMPARED_FROM = 2020
"""The first edition whose 220.60 counts a motor with 125 % where noncoincident loads are compared;
source: public discussions of the change by code instructors, which agree on the edition."""

OTHER_KINDS: tuple[LoadType, ...] = ("equipment", "welder", "subpanel", "other")


def heating_or_cooling(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.60: the season that needs more, from 2020 on with the quarter of its largest motor; then
    430.24, which adds that quarter to the season that counts in every edition.

    A heat pump runs in both.
    """
    of = premises.system
    heating = [load for load in of_kinds(loads, "space_heating", "heat_pump") if load.va]
    cooling = [load for load in of_kinds(loads, "air_conditioning", "heat_pump") if load.va]
    motors = [load for load in of_kinds(loads, "motor") if load.va]
    needs = va_of if premises.edition < MOTOR_COMPARED_FROM else partial(_with_motor, motors)
    winter, summer = needs(heating), needs(cooling)
    chosen, left_out = (heating, cooling) if winter >= summer else (cooling, heating)
    if chosen:
        article = premises.at("220.51" if chosen is heating else "220.60")
        yield step(_HEATING if chosen is heating else _COOLING, chosen, of, article)
    idle = [load for load in left_out if load.kind != "heat_pump"]
    if idle:
        yield step(_NOT_AT_ONCE, idle, of, premises.at("220.60"), demand_va=0.0)
    if motors:
        yield step(_MOTORS, motors, of, "430.24")
    largest = largest_motor([*chosen, *motors])
    if largest is not None:
        yield added(_named(_LARGEST, largest), [largest], of, LARGEST_MOTOR_MORE, "430.24")


def largest_motor(loads: Sequence[Load]) -> Load | None:
    """The motor that counts 125 %; of two alike, the one that loads a line more."""
    motors = [load for load in loads if load.is_motor and load.va]
    return max(motors, key=_size, default=None)


def _size(load: Load) -> tuple[float, float, str]:
    # The name is there for those that are alike in all: the order of circuits decides nothing.
    return round(load.va, 6), round(max(map(abs, load.drawn)), 6), load.name


def _with_motor(motors: Sequence[Load], season: Sequence[Load]) -> float:
    largest = largest_motor([*season, *motors])
    return va_of(season) + (largest.va * LARGEST_MOTOR_MORE if largest else 0.0)


def other_equipment(
    loads: Sequence[Load], kinds: Sequence[LoadType], premises: Premises
) -> Iterator[Step]:
    """Chargers and equipment of these kinds at their rating, and a quarter more for what is
    continuous: charging is so by 625.42, whatever its record says."""
    of = premises.system
    chargers = [_as_counted(load, premises) for load in of_kinds(loads, "ev_charger") if load.va]
    if chargers:
        article = premises.at("220.57" if premises.edition >= 2023 else "220.14(A)")
        yield step(_CHARGERS, chargers, of, article)
    others = [load for load in of_kinds(loads, *kinds) if load.va]
    if others:
        yield step(_OTHERS, others, of, premises.at("220.14(A)"))
    continuous = [*chargers, *(load for load in others if load.continuous)]
    if continuous:
        yield added(_CONTINUOUS, continuous, of, CONTINUOUS_MORE, "230.42(A)(1)")


def _as_counted(load: Load, premises: Premises) -> Load:
    va = evse_va(load.va, premises)
    return replace(load, va=va, drawn=scaled(load.drawn, va / load.va))


def _named(words: Words, load: Load) -> Words:
    return Words(en=f"{words.en} ({load.name})", he=f"{words.he} ({isolated(load.name)})")


_HEATING = Words(en="Heating", he="חימום")
_COOLING = Words(en="Cooling", he="מיזוג אוויר")
_NOT_AT_ONCE = Words(
    en="The other season's equipment, not at the same time",
    he="ציוד העונה האחרת, שאינו פועל באותו זמן",
)
_MOTORS = Words(en="Motors", he="מנועים")
_LARGEST = Words(en="25 % more for the largest motor", he="תוספת 25% למנוע הגדול ביותר")
_CHARGERS = Words(en="Electric vehicle chargers", he="מטעני רכב חשמלי")
_OTHERS = Words(en="Other equipment", he="ציוד אחר")
_CONTINUOUS = Words(en="25 % more for continuous loads", he="תוספת 25% לעומסים רציפים")
