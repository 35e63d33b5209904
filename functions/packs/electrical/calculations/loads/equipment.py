"""Heating and cooling, motors, chargers and other equipment, in dwellings and other buildings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from packs.electrical.calculations.loads.calculation import (
    CONTINUOUS_MORE,
    LARGEST_MOTOR_MORE,
    Load,
    Premises,
    Step,
    connected,
    step,
    surcharge,
    va_of,
)
from packs.electrical.calculations.loads.lines import scaled
from packs.electrical.projects.records import LoadType
from packs.electrical.wording import TEXTS, unmarked

MOTOR_COMPARED_FROM = 2020
"""The first edition whose 220.60 counts a motor with 125 % where noncoincident loads are compared;
source: public discussions of the change by code instructors, which agree on the edition."""

OTHER_KINDS: tuple[LoadType, ...] = ("equipment", "welder", "subpanel", "other")
COOKING_KINDS: tuple[LoadType, ...] = ("range", "cooktop", "oven")


def heating_or_cooling(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """Count the season with the larger load, and the motors.

    From 2020 on, 220.60 compares the seasons with 25 % of the largest motor of each. In every
    edition 430.24 adds these 25 % to the season that counts. A heat pump runs in both seasons.
    """
    of = premises.system
    heating = connected(loads, "space_heating", "heat_pump")
    cooling = connected(loads, "air_conditioning", "heat_pump")
    motors = connected(loads, "motor")

    def needs(season: Sequence[Load]) -> float:
        largest = largest_motor([*season, *motors])
        if premises.edition < MOTOR_COMPARED_FROM or largest is None:
            return va_of(season)
        return va_of(season) + largest.va * LARGEST_MOTOR_MORE

    is_winter = needs(heating) >= needs(cooling)
    chosen, left_out = (heating, cooling) if is_winter else (cooling, heating)
    if chosen and is_winter:
        yield step(TEXTS.text("loads.heating"), chosen, of, premises.at("220.51"))
    elif chosen:
        yield step(TEXTS.text("loads.cooling"), chosen, of, premises.at("220.60"))
    idle = [load for load in left_out if load.kind != "heat_pump"]
    if idle:
        article = premises.at("220.60")
        yield step(TEXTS.text("loads.not_at_once"), idle, of, article, demand_va=0.0)
    if motors:
        yield step(TEXTS.text("loads.motors"), motors, of, "430.24")
    largest = largest_motor([*chosen, *motors])
    if largest is not None:
        what = TEXTS.text("loads.largest_motor", name=unmarked(largest.name))
        yield surcharge(what, [largest], of, LARGEST_MOTOR_MORE, "430.24")


def largest_motor(loads: Sequence[Load]) -> Load | None:
    """Return the motor that counts 125 %; of two equal ones, that with more line current."""
    motors = [load for load in loads if load.is_motor and load.va]
    # Between equal motors the name decides, and not the order of circuits.
    return max(
        motors,
        key=lambda load: (round(load.va, 6), round(max(map(abs, load.drawn)), 6), load.name),
        default=None,
    )


def other_equipment(
    loads: Sequence[Load], kinds: Sequence[LoadType], premises: Premises
) -> Iterator[Step]:
    """Count chargers and equipment of these kinds at their rating, and 25 % more for continuous
    loads, which chargers are by 625.42 whatever their record says."""
    of = premises.system
    chargers = []
    for load in connected(loads, "ev_charger"):
        va = premises.evse_va(load.va)
        chargers.append(replace(load, va=va, drawn=scaled(load.drawn, va / load.va)))
    if chargers:
        article = premises.at("220.57" if premises.edition >= 2023 else "220.14(A)")
        yield step(TEXTS.text("loads.chargers"), chargers, of, article)
    others = connected(loads, *kinds)
    if others:
        yield step(TEXTS.text("loads.other_equipment"), others, of, premises.at("220.14(A)"))
    continuous = [*chargers, *(load for load in others if load.continuous)]
    if continuous:
        what = TEXTS.text("loads.continuous_more")
        yield surcharge(what, continuous, of, CONTINUOUS_MORE, "230.42(A)(1)")
