"""Buildings other than dwellings: Part III of Article 220, with continuous loads at 125 %."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packs.electrical.calculations.loads.equipment import (
    OTHER_KINDS,
    heating_or_cooling,
    other_equipment,
)
from packs.electrical.calculations.loads.household import COOKING_KINDS
from packs.electrical.calculations.loads.phases import spread
from packs.electrical.calculations.loads.premises import (
    CONTINUOUS_MORE,
    Notes,
    Premises,
)
from packs.electrical.calculations.loads.steps import (
    Calculation,
    Load,
    Step,
    added,
    of_kinds,
    step,
    va_of,
)
from packs.electrical.nec.demand import (
    lighting_demand_va,
    lighting_va_per_ft2,
    receptacle_demand_va,
)
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Assumed, Words, number
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated

KITCHEN_PERCENT = {1: 100, 2: 100, 3: 90, 4: 80, 5: 70}
"""Table 220.56 by the number of appliances; 65 for six and more. Sources: public code reviews and
forum quotations of the table that agree."""

KITCHEN_PERCENT_MORE = 65
OFFICE_RECEPTACLES_VA_PER_FT2 = 1.0
_RATED_KINDS: tuple[LoadType, ...] = ("appliance", "water_heater", "dryer", *OTHER_KINDS)
_OUTLET_KINDS: tuple[LoadType, ...] = ("receptacle", "small_appliance", "laundry")


def other_building(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The calculated load of a building that is no dwelling, or of a part of it.

    Sources: 220.42 (220.12), 220.45 (220.42), 220.47 (220.44), 220.14(I) and (K), 220.50, 220.51,
    220.56, 220.57, 220.60, 430.24; 215.2(A)(1) and 230.42(A)(1) for continuous loads.
    """
    notes, of = Notes(), premises.system
    steps = [
        *_lighting(loads, premises, notes),
        *_receptacles(loads, premises, notes),
        *_kitchen(loads, premises, notes),
        *heating_or_cooling(loads, premises),
        *other_equipment(loads, _RATED_KINDS, premises),
    ]
    notes.references.append(premises.cite("220.40", "Feeder and service load calculations"))
    notes.references.append(premises.cite("230.42(A)(1)", "Continuous loads at 125 %"))
    if any(load.is_motor for load in loads):
        notes.references.append(
            premises.cite("430.24", "Several motors or a motor and other loads")
        )
    if _both_seasons(loads):
        notes.assumed.append(_ONE_SEASON)
    return Calculation(
        "standard",
        of,
        tuple(steps),
        tuple(notes.assumed),
        tuple(notes.warnings),
        tuple(notes.references),
    )


def _lighting(loads: Sequence[Load], premises: Premises, notes: Notes) -> Iterator[Step]:
    """The larger of the area's and the connected lighting, both with 125 % for its hours."""
    lights = [load for load in of_kinds(loads, "lighting") if load.va]
    of, article = premises.system, premises.at("220.12")
    connected = _after_demand(va_of(lights), premises, notes) if lights else 0.0
    by_area = _by_area(premises, notes)
    if by_area is not None:
        notes.references.append(premises.cite("220.12", "Lighting load by area", table="220.12"))
        what, va, demand = by_area
        if demand > connected * (1 + CONTINUOUS_MORE):
            drawn = spread(of, demand)
            yield Step(what, va, demand, article, article, drawn)
            return
    elif lights:
        notes.assumed.append(_by_circuits(va_of(lights)))
    if lights:
        yield step(_LIGHTING, lights, of, premises.at("220.42"), demand_va=connected)
        share = connected / va_of(lights) * CONTINUOUS_MORE
        yield added(_LIGHTING_MORE, lights, of, share, "230.42(A)(1)")


def _by_area(premises: Premises, notes: Notes) -> tuple[Words, float, float] | None:
    """The lighting load of the floor area, what is connected and what counts, VA; None where the
    area is not known, the panel serves a part, or the table has no such occupancy."""
    area = premises.floor_area_ft2
    if area is None or not premises.is_whole:
        return None
    try:
        each = notes.value(lighting_va_per_ft2(premises.occupancy, premises.edition))
    except InvalidArgument:  # the table has no such occupancy: its circuits say what there is
        return None
    va = area * each
    demand = _after_demand(va, premises, notes)
    said = f"{number(area)} ft² × {number(each)} VA/ft²"
    if premises.edition == 2017:
        what = Words(en=f"Lighting, {said}, at 125 %", he=f"תאורה, {isolated(said)}, ב-125%")
        return what, va, demand * (1 + CONTINUOUS_MORE)
    what = Words(en=f"Lighting, {said}, 125 % included", he=f"תאורה, {isolated(said)}, כולל 125%")
    return what, va, demand


def _after_demand(va: float, premises: Premises, notes: Notes) -> float:
    return notes.value(lighting_demand_va(va, premises.occupancy, premises.edition))


def _receptacles(loads: Sequence[Load], premises: Premises, notes: Notes) -> Iterator[Step]:
    """220.44: the first 10 kVA in full, the rest at 50 %; offices count 1 VA/ft² at least."""
    of = premises.system
    outlets = [load for load in of_kinds(loads, *_OUTLET_KINDS) if load.va]
    steady = [load for load in outlets if load.continuous]
    others = [load for load in outlets if not load.continuous]
    table = premises.at("220.44")
    demand = receptacle_demand_va(va_of(others))
    area = premises.floor_area_ft2 if premises.is_whole else None
    if premises.occupancy == "office" and area and area * OFFICE_RECEPTACLES_VA_PER_FT2 > demand:
        va = area * OFFICE_RECEPTACLES_VA_PER_FT2
        article = premises.at("220.14(K)" if premises.edition <= 2020 else "220.43")
        yield Step(_office(area), va, va, article, None, spread(of, va))
    elif others:
        notes.references.append(premises.cite("220.44", "Receptacle loads", table="220.44"))
        notes.tables(["220.44"], premises.edition)
        yield step(_RECEPTACLES, others, of, table, demand_va=demand, table=table)
    if steady:
        yield step(_STEADY, steady, of, premises.at("220.14"))
        yield added(_STEADY_MORE, steady, of, CONTINUOUS_MORE, "230.42(A)(1)")


def _kitchen(loads: Sequence[Load], premises: Premises, notes: Notes) -> Iterator[Step]:
    """220.56: by the number of appliances, and the two largest at least."""
    found = [load for load in of_kinds(loads, *COOKING_KINDS) if load.va]
    if not found:
        return
    article = premises.at("220.56")
    percent = KITCHEN_PERCENT.get(len(found), KITCHEN_PERCENT_MORE)
    two = sum(sorted((load.va for load in found), reverse=True)[:2])
    demand = max(va_of(found) * percent / 100, two)
    notes.references.append(premises.cite("220.56", "Kitchen equipment", table="220.56"))
    yield step(_KITCHEN, found, premises.system, article, demand_va=demand, table=article)


def _both_seasons(loads: Sequence[Load]) -> bool:
    kinds = {load.kind for load in loads if load.va}
    return "space_heating" in kinds and bool(kinds & {"air_conditioning", "heat_pump"})


def _by_circuits(va: float) -> Assumed:
    reason = Words(
        en="lighting counts what its circuits say: the panel serves a part of the building, or "
        "there is no verified load for its floor area",
        he="התאורה נספרת לפי הרשום במעגלים: הלוח מזין חלק מהמבנה, או שאין ערך מאומת לפי שטח",
    )
    return Assumed("lighting", va, "VA", reason, is_default=False)


def _office(area: float) -> Words:
    said = f"{number(area)} ft² × 1 VA/ft²"
    return Words(
        en=f"Office receptacles, at least {said}",
        he=f"בתי תקע במשרדים, לפחות {isolated(said)}",
    )


_LIGHTING = Words(en="Lighting circuits", he="מעגלי תאורה")
_LIGHTING_MORE = Words(en="25 % more for lighting: continuous", he="תוספת 25% לתאורה: עומס רציף")
_RECEPTACLES = Words(
    en="Receptacles: first 10 kVA at 100 %, the rest at 50 %",
    he="בתי תקע: 10 kVA ראשונים ב-100%, היתר ב-50%",
)
_STEADY = Words(en="Receptacles with continuous loads", he="בתי תקע לעומסים רציפים")
_STEADY_MORE = Words(en="25 % more for these receptacles", he="תוספת 25% לבתי תקע אלה")
_KITCHEN = Words(en="Kitchen equipment", he="ציוד מטבח")
_ONE_SEASON = Assumed(
    "noncoincident",
    "heating or cooling",
    None,
    Words(
        en="heating and cooling do not run at the same time (220.60); count both where they may",
        he="חימום ומיזוג אינם פועלים באותו זמן (220.60); אם הם עשויים לפעול יחד, יש לספור את שניהם",
    ),
)
