"""The standard method for dwellings: Part III of Article 220, with its demand factors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from packs.electrical.calculations.loads.calculation import (
    SMALL_APPLIANCE_VA,
    Calculation,
    Load,
    Premises,
    Step,
    connected,
    figure_of,
    listed,
    of_kinds,
    step,
    subtotal,
    va_of,
    warn_of_tables,
)
from packs.electrical.calculations.loads.equipment import (
    COOKING_KINDS,
    OTHER_KINDS,
    heating_or_cooling,
    other_equipment,
)
from packs.electrical.calculations.loads.lines import Currents, currents, spread, total
from packs.electrical.nec.loads import (
    dryer_demand_w,
    lighting_demand_va,
    lighting_va_per_ft2,
    range_demand_w,
)
from packs.electrical.results import Basis, CodeReference
from packs.electrical.wording import TEXTS, number
from rollcall.core.texts import Text

SMALL_APPLIANCE_LEAST = 2
"""Circuits of each dwelling unit (210.11(C)(1))."""

LAUNDRY_LEAST = 1
"""Circuits of each dwelling unit (210.11(C)(2)); none where the building's record says so."""

MIN_APPLIANCES = 4
"""With this number of fastened-in-place appliances or more, 75 % counts (220.53)."""

APPLIANCE_FACTOR = 0.75
APPLIANCE_LEAST_VA = 500.0
"""From 2020 on, smaller ones are not among those of 220.53."""

COOKING_LEAST_VA = 1_750.0
"""Smaller cooking appliances are appliances like others (Table 220.55)."""

COOKING_MOST_VA = 27_000.0
"""Table 220.55 ends here."""

_AREA_ARTICLE = {2017: "220.12", 2020: "220.14(J)", 2023: "220.41", 2026: "220.41"}


def standard(loads: Sequence[Load], premises: Premises) -> Calculation:
    """Calculate the load of a dwelling, or of a part of it, by the standard method.

    Sources: 220.41 (220.12, 220.14(J)), 220.45 (220.42), 220.50 to 220.55, 220.57, 220.60, 430.24;
    215.2(A)(1) and 230.42(A)(1) for continuous loads that keep their full rating.
    """
    basis = Basis()
    general = general_loads(loads, premises, basis)
    demand = figure_of(lighting_demand_va(general.va, "dwelling", premises.edition), basis)
    table = premises.at("220.42")
    what = TEXTS.text("loads.general_demand")
    steps = (
        *general.steps,
        subtotal(what, general.va, demand, general.drawn, table, table=table),
        *_appliances(loads, premises),
        *_dryers(loads, premises),
        *_cooking(loads, premises),
        *heating_or_cooling(loads, premises),
        *other_equipment(loads, OTHER_KINDS, premises),
    )
    kinds = {load.kind for load in loads if load.va}
    tables = ["220.54"] if "dryer" in kinds else []
    if kinds & set(COOKING_KINDS):
        tables.append("220.55")
    warn_of_tables(tables, premises.edition, basis)
    basis.citations += _citations(loads, premises)
    return Calculation("standard", premises.system, steps, basis)


def _citations(loads: Sequence[Load], premises: Premises) -> Iterator[CodeReference]:
    kinds = {load.kind for load in loads}
    yield premises.cite("220.40", "Feeder and service load calculations")
    yield premises.cite("220.42", "Demand factors for general lighting", table="220.42")
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


# ---- General loads, with which every dwelling method begins ----


class General(Struct, frozen=True):
    """The general loads of a dwelling, listed: lighting and receptacles, small-appliance and
    laundry circuits.

    Attributes:
        drawn: Their connected current, A; loads without a circuit are spread over all lines.
    """

    steps: tuple[Step, ...]
    va: float
    drawn: Currents


def general_loads(loads: Sequence[Load], premises: Premises, basis: Basis) -> General:
    """List the general loads of a dwelling.

    Without a floor area, lighting and receptacles count by their circuits, which may be less than
    the code's minimum: an assumption says so.
    """
    of, units = premises.system, premises.dwelling_units
    steps = [_lighting(of_kinds(loads, "lighting", "receptacle"), premises, basis)]
    small = len(of_kinds(loads, "small_appliance"))
    laundry = len(of_kinds(loads, "laundry"))
    if premises.is_whole:
        least = SMALL_APPLIANCE_LEAST * units
        small = max(premises.small_appliance_circuits or 0, small, least)
        stated = premises.laundry_circuits
        laundry = max(laundry, LAUNDRY_LEAST * units if stated is None else stated)
    for kind, article, circuits in (
        ("small_appliance", "220.52(A)", small),
        ("laundry", "220.52(B)", laundry),
    ):
        if circuits:
            each = number(SMALL_APPLIANCE_VA)
            what = TEXTS.text(f"loads.{kind}", circuits=circuits, each=each)
            steps.append(listed(what, circuits * SMALL_APPLIANCE_VA, of, premises.at(article)))
    drawn = [step.drawn if any(step.drawn) else spread(of, step.connected_va) for step in steps]
    return General(tuple(steps), sum(step.connected_va for step in steps), total(of, drawn))


def _lighting(outlets: Sequence[Load], premises: Premises, basis: Basis) -> Step:
    of, area = premises.system, premises.floor_area_ft2
    article = premises.at(_AREA_ARTICLE[premises.edition])
    if area is None:
        whole = premises.is_whole
        reason = TEXTS.text("loads.area_unknown") if whole else TEXTS.text("loads.area_of_a_part")
        va = basis.assume("general_lighting", va_of(outlets), "VA", reason, is_default=whole)
        drawn = total(of, (load.drawn for load in outlets))
        return listed(TEXTS.text("loads.outlet_circuits"), va, of, article, drawn)
    if any(load.is_new for load in outlets):
        reason = TEXTS.text("loads.outlets_covered")
        basis.assume("general_outlets", "covered", None, reason, is_default=False)
    each = figure_of(lighting_va_per_ft2("dwelling", premises.edition), basis)
    what = TEXTS.text("loads.general_lighting", area=number(area), each=number(each))
    return listed(what, area * each, of, article)


# ---- Appliances, dryers and cooking ----


def _appliances(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.53: 75 % of four or more that are fastened in place, cooking and dryers aside."""
    small_cooking = (
        load for load in of_kinds(loads, *COOKING_KINDS) if load.va <= COOKING_LEAST_VA
    )
    fastened = [*of_kinds(loads, "appliance", "water_heater"), *small_cooking]
    least = APPLIANCE_LEAST_VA if premises.edition >= 2020 else 0.0
    counted = [load for load in fastened if load.va >= least and load.va]
    others = [load for load in fastened if 0 < load.va < least]
    of = premises.system
    if counted:
        demand = va_of(counted) * (APPLIANCE_FACTOR if len(counted) >= MIN_APPLIANCES else 1.0)
        what, article = TEXTS.text("loads.appliances"), premises.at("220.53")
        yield step(what, counted, of, article, demand_va=demand)
    if others:
        yield step(TEXTS.text("loads.small_appliances"), others, of, premises.at("220.14(A)"))


def _dryers(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.54: 5000 VA at least for each, and Table 220.54 for five or more."""
    if dryers := connected(loads, "dryer"):
        yield _by_table(TEXTS.text("loads.dryers"), dryers, premises, "220.54", dryer_demand_w)


def _cooking(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.55: household cooking appliances above 1750 W by the table and its notes."""
    appliances = of_kinds(loads, *COOKING_KINDS)
    by_table = [load for load in appliances if COOKING_LEAST_VA < load.va <= COOKING_MOST_VA]
    if by_table:
        yield _by_table(TEXTS.text("loads.cooking"), by_table, premises, "220.55", range_demand_w)
    beyond = [load for load in appliances if load.va > COOKING_MOST_VA]
    if beyond:
        what = TEXTS.text("loads.cooking_beyond")
        yield step(what, beyond, premises.system, premises.at("220.55"))


def _by_table(
    what: Text,
    loads: Sequence[Load],
    premises: Premises,
    number: str,
    demand: Callable[[Sequence[float]], float],
) -> Step:
    """Count appliances by a demand table.

    For one-phase appliances on three phases, take twice the largest number between any two lines,
    with the largest ratings; half of their demand counts for each of the three phases.
    """
    of, article = premises.system, premises.at(number)
    pairs = [
        tuple(line for line, amps in enumerate(load.drawn) if abs(amps) > 1e-9) for load in loads
    ]
    if of.lines == 2 or len(loads) < 2 or any(len(pair) != 2 for pair in pairs):
        va = demand([load.va for load in loads])
        return step(what, loads, of, article, demand_va=va, table=article)
    most = max(Counter(pairs).values())
    ratings = sorted((load.va for load in loads), reverse=True)[: 2 * most]
    ratings += ratings[:1] * (2 * most - len(ratings))
    va = demand(ratings) / 2 * 3
    return Step(what, va_of(loads), va, article, article, currents(of, range(of.lines), va))
