"""The standard method for dwellings: Part III of Article 220, with its demand factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packs.electrical.calculations.loads.equipment import (
    OTHER_KINDS,
    heating_or_cooling,
    other_equipment,
)
from packs.electrical.calculations.loads.general import general_loads
from packs.electrical.calculations.loads.household import (
    COOKING_KINDS,
    cooking,
    dryers,
    small_cooking,
)
from packs.electrical.calculations.loads.premises import (
    Notes,
    Premises,
)
from packs.electrical.calculations.loads.steps import (
    Calculation,
    Load,
    Step,
    of_kinds,
    step,
    together,
    va_of,
)
from packs.electrical.nec.demand import lighting_demand_va
from packs.electrical.results import CodeReference, Words

FEWEST_APPLIANCES = 4
"""From so many fastened-in-place appliances on, 75 % counts (220.53)."""

APPLIANCE_FACTOR = 0.75
APPLIANCE_LEAST_VA = 500.0
"""From 2020 on, smaller ones are not among those of 220.53."""


def standard(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The calculated load of a dwelling, or of a part of it, by the standard method.

    Sources: 220.41 (220.12, 220.14(J)), 220.45 (220.42), 220.50 to 220.55, 220.57, 220.60, 430.24;
    215.2(A)(1) and 230.42(A)(1) for continuous loads that keep their full rating.
    """
    notes, of = Notes(), premises.system
    general = general_loads(loads, premises, notes)
    demand = notes.value(lighting_demand_va(general.va, "dwelling", premises.edition))
    table = premises.at("220.42")
    steps = [
        *general.steps,
        together(_GENERAL, general.va, demand, general.drawn, table, table=table),
        *_appliances(loads, premises),
        *dryers(loads, premises),
        *cooking(loads, premises),
        *heating_or_cooling(loads, premises),
        *other_equipment(loads, OTHER_KINDS, premises),
    ]
    notes.tables(_tables(loads), premises.edition)
    notes.references += [
        premises.cite("220.40", "Feeder and service load calculations"),
        premises.cite("220.42", "Demand factors for general lighting", table="220.42"),
        *_references(loads, premises),
    ]
    return Calculation(
        "standard",
        of,
        tuple(steps),
        tuple(notes.assumed),
        tuple(notes.warnings),
        tuple(notes.references),
    )


def _appliances(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.53: 75 % of four or more that are fastened in place, cooking and dryers aside."""
    fastened = [*of_kinds(loads, "appliance", "water_heater"), *small_cooking(loads)]
    least = APPLIANCE_LEAST_VA if premises.edition >= 2020 else 0.0
    counted = [load for load in fastened if load.va >= least and load.va]
    others = [load for load in fastened if 0 < load.va < least]
    if counted:
        many = len(counted) >= FEWEST_APPLIANCES
        factor = APPLIANCE_FACTOR if many else 1.0
        yield step(
            _APPLIANCES,
            counted,
            premises.system,
            premises.at("220.53"),
            demand_va=va_of(counted) * factor,
        )
    if others:
        yield step(_SMALL_APPLIANCES, others, premises.system, premises.at("220.14(A)"))


def _tables(loads: Sequence[Load]) -> Iterator[str]:
    kinds = {load.kind for load in loads if load.va}
    if "dryer" in kinds:
        yield "220.54"
    if kinds & set(COOKING_KINDS):
        yield "220.55"


def _references(loads: Sequence[Load], premises: Premises) -> Iterator[CodeReference]:
    kinds = {load.kind for load in loads}
    if kinds & {"appliance", "water_heater"}:
        yield premises.cite("220.53", "Appliance load, dwelling units")
    if "dryer" in kinds:
        yield premises.cite("220.54", "Electric clothes dryers", table="220.54")
    if kinds & set(COOKING_KINDS):
        yield premises.cite("220.55", "Electric cooking appliances", table="220.55")
    if kinds & {"space_heating", "air_conditioning", "heat_pump"}:
        yield premises.cite("220.60", "Noncoincident loads")
    if any(load.is_motor for load in loads):
        yield premises.cite("430.24", "Several motors or a motor and other loads")
    if "ev_charger" in kinds and premises.edition >= 2023:
        yield premises.cite("220.57", "Electric vehicle supply equipment load")


_GENERAL = Words(
    en="Demand of general lighting, small appliances and laundry",
    he="ביקוש של תאורה כללית, מכשירים קטנים וכביסה",
)
_APPLIANCES = Words(en="Appliances fastened in place", he="מכשירים קבועים")
_SMALL_APPLIANCES = Words(en="Appliances below 500 VA", he="מכשירים מתחת ל-500 VA")
