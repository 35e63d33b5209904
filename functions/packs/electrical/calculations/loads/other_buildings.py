"""Buildings other than dwellings: Part III of Article 220, with continuous loads at 125 %."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packs.electrical.calculations.loads.calculation import (
    CONTINUOUS_MORE,
    Calculation,
    Load,
    Premises,
    Step,
    connected,
    figure_of,
    step,
    surcharge,
    va_of,
    warn_of_tables,
)
from packs.electrical.calculations.loads.equipment import (
    COOKING_KINDS,
    OTHER_KINDS,
    heating_or_cooling,
    other_equipment,
)
from packs.electrical.calculations.loads.lines import spread
from packs.electrical.nec.loads import lighting_demand_va, lighting_va_per_ft2, receptacle_demand_va
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS, number
from rollcall.core.errors import InvalidArgument

KITCHEN_PERCENT = {1: 100, 2: 100, 3: 90, 4: 80, 5: 70}
"""Table 220.56 by the number of appliances; 65 for six and more. Sources: public code reviews and
forum quotations of the table that agree."""

KITCHEN_PERCENT_MORE = 65
OFFICE_RECEPTACLES_VA_PER_FT2 = 1.0
_RATED_KINDS: tuple[LoadType, ...] = ("appliance", "water_heater", "dryer", *OTHER_KINDS)
_OUTLET_KINDS: tuple[LoadType, ...] = ("receptacle", "small_appliance", "laundry")


def other_building(loads: Sequence[Load], premises: Premises) -> Calculation:
    """Calculate the load of a building that is no dwelling, or of a part of it.

    Sources: 220.42 (220.12), 220.45 (220.42), 220.47 (220.44), 220.14(I) and (K), 220.50, 220.51,
    220.56, 220.57, 220.60, 430.24; 215.2(A)(1) and 230.42(A)(1) for continuous loads.
    """
    basis = Basis()
    steps = (
        *_lighting(loads, premises, basis),
        *_receptacles(loads, premises, basis),
        *_kitchen(loads, premises, basis),
        *heating_or_cooling(loads, premises),
        *other_equipment(loads, _RATED_KINDS, premises),
    )
    basis.citations.append(premises.cite("220.40", "Feeder and service load calculations"))
    basis.citations.append(premises.cite("230.42(A)(1)", "Continuous loads at 125 %"))
    if any(load.is_motor for load in loads):
        title = "Several motors or a motor and other loads"
        basis.citations.append(premises.cite("430.24", title))
    if connected(loads, "space_heating") and connected(loads, "air_conditioning", "heat_pump"):
        reason = TEXTS.text("loads.one_season", section=premises.at("220.60"))
        basis.assume("noncoincident", "heating or cooling", None, reason)
    return Calculation("standard", premises.system, steps, basis)


def _lighting(loads: Sequence[Load], premises: Premises, basis: Basis) -> Iterator[Step]:
    """Count the larger of the area's and the connected lighting, both with 125 % for its hours."""
    lights = connected(loads, "lighting")
    of, article = premises.system, premises.at("220.12")
    circuits_va = _after_demand(va_of(lights), premises, basis) if lights else 0.0
    by_area = _lighting_by_area(premises, basis)
    if by_area is not None:
        basis.citations.append(premises.cite("220.12", "Lighting load by area", table="220.12"))
        if (by_area.demand_va or 0) > circuits_va * (1 + CONTINUOUS_MORE):
            yield by_area
            return
    elif lights:
        reason = TEXTS.text("loads.lighting_by_circuits")
        basis.assume("lighting", va_of(lights), "VA", reason, is_default=False)
    if lights:
        what, article = TEXTS.text("loads.lighting_circuits"), premises.at("220.42")
        yield step(what, lights, of, article, demand_va=circuits_va)
        share = circuits_va / va_of(lights) * CONTINUOUS_MORE
        yield surcharge(TEXTS.text("loads.lighting_more"), lights, of, share, "230.42(A)(1)")


def _lighting_by_area(premises: Premises, basis: Basis) -> Step | None:
    """The lighting load of the floor area; None where the area is not known, the panel serves a
    part, or the table has no such occupancy."""
    area = premises.floor_area_ft2
    if area is None or not premises.is_whole:
        return None
    try:
        each = figure_of(lighting_va_per_ft2(premises.occupancy, premises.edition), basis)
    except InvalidArgument:  # the table has no such occupancy: the circuits count
        return None
    va, article = area * each, premises.at("220.12")
    demand = _after_demand(va, premises, basis)
    values = {"area": number(area), "each": number(each)}
    if premises.edition == 2017:
        demand *= 1 + CONTINUOUS_MORE
        what = TEXTS.text("loads.lighting_at_125", **values)
    else:
        what = TEXTS.text("loads.lighting_with_125", **values)
    return Step(what, va, demand, article, article, spread(premises.system, demand))


def _after_demand(va: float, premises: Premises, basis: Basis) -> float:
    return figure_of(lighting_demand_va(va, premises.occupancy, premises.edition), basis)


def _receptacles(loads: Sequence[Load], premises: Premises, basis: Basis) -> Iterator[Step]:
    """220.44: the first 10 kVA in full, the rest at 50 %; offices count 1 VA/ft² at least."""
    of = premises.system
    outlets = connected(loads, *_OUTLET_KINDS)
    continuous = [load for load in outlets if load.continuous]
    others = [load for load in outlets if not load.continuous]
    table = premises.at("220.44")
    demand = receptacle_demand_va(va_of(others))
    area = premises.floor_area_ft2 if premises.is_whole else None
    if premises.occupancy == "office" and area and area * OFFICE_RECEPTACLES_VA_PER_FT2 > demand:
        va = area * OFFICE_RECEPTACLES_VA_PER_FT2
        article = premises.at("220.14(K)" if premises.edition <= 2020 else "220.43")
        what = TEXTS.text("loads.office_receptacles", area=number(area))
        yield Step(what, va, va, article, None, spread(of, va))
    elif others:
        basis.citations.append(premises.cite("220.44", "Receptacle loads", table="220.44"))
        warn_of_tables(["220.44"], premises.edition, basis)
        what = TEXTS.text("loads.receptacles")
        yield step(what, others, of, table, demand_va=demand, table=table)
    if continuous:
        article = premises.at("220.14")
        yield step(TEXTS.text("loads.continuous_receptacles"), continuous, of, article)
        what = TEXTS.text("loads.continuous_receptacles_more")
        yield surcharge(what, continuous, of, CONTINUOUS_MORE, "230.42(A)(1)")


def _kitchen(loads: Sequence[Load], premises: Premises, basis: Basis) -> Iterator[Step]:
    """220.56: by the number of appliances, and the two largest at least."""
    kitchen = connected(loads, *COOKING_KINDS)
    if not kitchen:
        return
    article = premises.at("220.56")
    percent = KITCHEN_PERCENT.get(len(kitchen), KITCHEN_PERCENT_MORE)
    two = sum(sorted((load.va for load in kitchen), reverse=True)[:2])
    demand = max(va_of(kitchen) * percent / 100, two)
    basis.citations.append(premises.cite("220.56", "Kitchen equipment", table="220.56"))
    what, of = TEXTS.text("loads.kitchen"), premises.system
    yield step(what, kitchen, of, article, demand_va=demand, table=article)
