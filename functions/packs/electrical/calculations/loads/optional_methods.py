"""The optional methods for dwellings: one unit (220.82), an existing one (220.83), many (220.84).

Loads are listed at their rating; a row counts the first part in full and the rest at 40 % or, in a
multifamily dwelling, all of them by a factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packs.electrical.calculations.loads.calculation import (
    Calculation,
    Load,
    Premises,
    Step,
    connected,
    listed,
    of_kinds,
    step,
    subtotal,
    va_of,
)
from packs.electrical.calculations.loads.dwellings import General, general_loads
from packs.electrical.calculations.loads.equipment import COOKING_KINDS, OTHER_KINDS
from packs.electrical.calculations.loads.lines import Currents, scaled, total
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS, number
from rollcall.core.texts import Text

FIRST_VA = 10_000.0
"""220.82(B): counted in full; the rest at 40 %."""

FIRST_VA_2026 = 8_000.0
"""120.82 of 2026, by secondary sources."""

FIRST_VA_EXISTING = 8_000.0
"""220.83: counted in full."""

REST = 0.4
"""The demand factor above the first part (220.82(B), 220.83)."""

CENTRAL_HEATING = 0.65
SEPARATE_HEATING = 0.4
"""For four or more separately controlled units; fewer count as central heating (220.82(C))."""

MIN_SEPARATE = 4
"""The number of separately controlled heaters from which they count less than central heating
(220.82(C), 220.83(B))."""

UNITS_LEAST = 3
"""The dwelling units from which 220.84 applies."""

UNITS_PERCENT: tuple[tuple[int, int], ...] = (
    (5, 45), (7, 44), (10, 43), (11, 42), (13, 41), (15, 40), (17, 39), (20, 38), (21, 37),
    (23, 36), (25, 35), (27, 34), (30, 33), (31, 32), (33, 31), (36, 30), (38, 29), (42, 28),
    (45, 27), (50, 26), (55, 25), (61, 24),
)  # fmt: skip
"""Table 220.84: up to a number of dwelling units, percent; 23 above. Sources: NFPA 70 Annex D,
Example D4(b) for 20 and 40 units; public copies of the table that agree."""

UNITS_PERCENT_MORE = 23
SEASONAL: tuple[LoadType, ...] = ("space_heating", "air_conditioning", "heat_pump")
_AT_RATING: tuple[tuple[str, tuple[LoadType, ...]], ...] = (
    ("cooking_at_rating", COOKING_KINDS),
    ("dryers", ("dryer",)),
    ("water_heaters", ("water_heater",)),
    ("other_appliances", ("appliance",)),
    ("motors", ("motor",)),
    ("chargers", ("ev_charger",)),
    ("other_equipment", OTHER_KINDS),
)
"""The rows of loads at their rating, by their texts, and the kinds of each."""


def optional(loads: Sequence[Load], premises: Premises) -> Calculation:
    """Calculate the load of one dwelling unit by 220.82.

    The first 10 kVA of general loads count in full, the rest at 40 %, with the largest of the
    selections of heating and cooling.
    """
    basis, is_2026 = Basis(), premises.edition == 2026
    if is_2026:
        basis.warnings.append(TEXTS.text("loads.unverified_2026"))
    _assume_continuous_once(basis)
    # Secondary sources have the chargers of 2026 beside the general loads, in full.
    chargers = of_kinds(loads, "ev_charger") if is_2026 else []
    general = [load for load in loads if not is_2026 or load.kind != "ev_charger"]
    rows = _rated_rows(general, premises, "220.82(B)")
    first = FIRST_VA_2026 if is_2026 else FIRST_VA
    steps = _in_tiers(general, premises, basis, rows, first, "220.82(B)")
    steps += _season(general, premises, basis)
    if va_of(chargers):
        demand = sum(premises.evse_va(load.va) for load in chargers)
        what, article = TEXTS.text("loads.chargers_in_full"), premises.at("220.82(D)")
        steps.append(step(what, chargers, premises.system, article, demand_va=demand))
    basis.citations.append(premises.cite("220.82", "Dwelling unit, optional calculation"))
    if of_kinds(loads, *SEASONAL):
        basis.citations.append(premises.cite("220.82(C)", "Heating and air-conditioning load"))
    return Calculation("optional", premises.system, tuple(steps), basis)


def existing(loads: Sequence[Load], premises: Premises) -> Calculation:
    """Calculate the load of an existing dwelling and its additions, by 220.83.

    The first 8 kVA count in full, the rest at 40 %. Where heating or cooling is added, heating or
    cooling counts in full (B).
    """
    basis, of = Basis(), premises.system
    _assume_continuous_once(basis)
    if premises.edition == 2026:
        basis.warnings.append(TEXTS.text("loads.unverified_2026"))
    heating_added = any(load.is_new for load in of_kinds(loads, *SEASONAL))
    article = "220.83(B)" if heating_added else "220.83(A)"
    chosen, idle = _larger_season(loads)
    rows = _rated_rows(loads, premises, article)
    inside = chosen  # the loads of the season that count in the tiers
    if heating_added:
        heaters = of_kinds(chosen, "space_heating")
        if heaters:
            _assume_separate_units(heaters, basis)
        inside = heaters if len(heaters) >= MIN_SEPARATE else []
    elif chosen:
        reason = TEXTS.text("loads.existing_season", section=premises.at("220.83(A)"))
        basis.assume("existing_heating_and_cooling", "included", None, reason)
    season = TEXTS.text("loads.season")
    if inside:
        rows.append(_rated_row(season, inside, premises, article))
    steps = _in_tiers(loads, premises, basis, rows, FIRST_VA_EXISTING, article)
    in_full = [load for load in chosen if load not in inside]
    if in_full:
        steps.append(step(season, in_full, of, premises.at(article)))
    steps += _idle(idle, premises, "220.60")
    basis.citations.append(premises.cite(article, "Existing dwelling unit"))
    return Calculation("existing", of, tuple(steps), basis)


def multifamily(loads: Sequence[Load], premises: Premises) -> Calculation:
    """Calculate the load of three or more dwelling units by 220.84.

    Everything connected, with the larger of heating and cooling, counts by the factor of Table
    220.84.
    """
    basis = Basis()
    _assume_continuous_once(basis)
    reason = TEXTS.text("loads.no_house_loads", section=premises.at("220.84(B)"))
    basis.assume("house_loads", "with_the_units", None, reason)
    article = premises.at("220.84")
    general = general_loads(loads, premises, basis)
    chosen, idle = _larger_season(loads)
    rows = _rated_rows(loads, premises, "220.84(C)")
    if chosen:
        rows.append(_rated_row(TEXTS.text("loads.season"), chosen, premises, "220.84(C)"))
    va, drawn = _sum(general, rows, premises)
    percent = units_percent(premises.dwelling_units)
    what = TEXTS.text("loads.units_factor", percent=percent, units=premises.dwelling_units)
    steps = (
        *general.steps,
        *rows,
        subtotal(what, va, va * percent / 100, drawn, article, table=article),
        *_idle(idle, premises, "220.84(C)"),
    )
    basis.citations.append(
        premises.cite("220.84", "Multifamily dwelling, optional calculation", table="220.84")
    )
    return Calculation("optional", premises.system, steps, basis)


def units_percent(units: int) -> int:
    """The demand factor of Table 220.84 for three dwelling units or more, percent."""
    return next((percent for most, percent in UNITS_PERCENT if units <= most), UNITS_PERCENT_MORE)


def _season(loads: Sequence[Load], premises: Premises, basis: Basis) -> Iterator[Step]:
    """Count the largest selection of 220.82(C): cooling in full; a heat pump with 65 % of its
    supplementary heat; central heating and fewer than four separate units at 65 %, else at 40 %."""
    of, article = premises.system, premises.at("220.82(C)")
    heaters, pumps = connected(loads, "space_heating"), connected(loads, "heat_pump")
    cooling = [*connected(loads, "air_conditioning"), *pumps]
    if heaters and not pumps:
        _assume_separate_units(heaters, basis)
    separate = len(heaters) >= MIN_SEPARATE and not pumps
    factor = SEPARATE_HEATING if separate else CENTRAL_HEATING
    if va_of(cooling) >= va_of(pumps) + factor * va_of(heaters):
        if cooling:
            yield step(TEXTS.text("loads.cooling_in_full"), cooling, of, article)
        yield from _idle(heaters, premises, "220.60")
        return
    if pumps:
        yield step(TEXTS.text("loads.heat_pump"), pumps, of, article)
    key = "supplementary_heating" if pumps else "separate_heating" if separate else "heating_at_65"
    demand = factor * va_of(heaters)
    yield step(TEXTS.text(f"loads.{key}"), heaters, of, article, demand_va=demand)
    yield from _idle(of_kinds(cooling, "air_conditioning"), premises, "220.60")


def _idle(loads: Sequence[Load], premises: Premises, number: str) -> Iterator[Step]:
    """A row of the other season's equipment, which counts nothing."""
    if loads:
        what, article = TEXTS.text("loads.not_at_once"), premises.at(number)
        yield step(what, loads, premises.system, article, demand_va=0.0)


def _larger_season(loads: Sequence[Load]) -> tuple[list[Load], list[Load]]:
    """The loads of the larger season at their rating, and the idle loads of the other (220.60)."""
    winter, summer = (
        connected(loads, "space_heating", "heat_pump"),
        connected(loads, "air_conditioning", "heat_pump"),
    )
    if va_of(winter) >= va_of(summer):
        return winter, connected(loads, "air_conditioning")
    return summer, connected(loads, "space_heating")


def _in_tiers(
    loads: Sequence[Load],
    premises: Premises,
    basis: Basis,
    rows: Sequence[Step],
    first: float,
    article: str,
) -> list[Step]:
    """The listed loads, and a row that counts the first part in full and the rest at 40 %."""
    general = general_loads(loads, premises, basis)
    va, drawn = _sum(general, rows, premises)
    demand = min(va, first) + REST * max(va - first, 0)
    what = TEXTS.text("loads.tiers", first=number(first))
    row = subtotal(what, va, demand, drawn, premises.at(article))
    return [*general.steps, *rows, row]


def _sum(general: General, rows: Sequence[Step], premises: Premises) -> tuple[float, Currents]:
    """The VA and the line currents of general loads and rows together."""
    va = general.va + sum(row.connected_va for row in rows)
    return va, total(premises.system, [general.drawn, *(row.drawn for row in rows)])


def _rated_rows(loads: Sequence[Load], premises: Premises, article: str) -> list[Step]:
    """Appliances, motors and all other loads at their rating, a row for each kind."""
    return [
        _rated_row(TEXTS.text(f"loads.{key}"), rated, premises, article)
        for key, kinds in _AT_RATING
        if (rated := connected(loads, *kinds))
    ]


def _rated_row(what: Text, loads: Sequence[Load], premises: Premises, article: str) -> Step:
    """Loads of one kind, listed at what each counts."""
    counted = [
        premises.evse_va(load.va) if load.kind == "ev_charger" else load.va for load in loads
    ]
    drawn = [scaled(each.drawn, va / each.va) for each, va in zip(loads, counted, strict=True)]
    of = premises.system
    return listed(what, sum(counted), of, premises.at(article), total(of, drawn))


def _assume_separate_units(heaters: Sequence[Load], basis: Basis) -> None:
    """Note that each heater counts as one separately controlled unit."""
    reason = TEXTS.text("loads.unit_for_each")
    basis.assume("separately_controlled_heaters", len(heaters), None, reason)


def _assume_continuous_once(basis: Basis) -> None:
    """Note that continuous loads count once, as in all optional methods."""
    reason = TEXTS.text("loads.continuous_once")
    basis.assume("continuous_loads", 100, "%", reason, is_default=False)
