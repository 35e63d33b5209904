"""220.82: the optional method for one dwelling unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packs.electrical.calculations.loads.premises import Notes, Premises, evse_va
from packs.electrical.calculations.loads.steps import (
    Calculation,
    Load,
    Step,
    of_kinds,
    step,
    va_of,
)
from packs.electrical.calculations.loads.tiers import (
    CONTINUOUS_ONCE,
    FEWEST_SEPARATE,
    NOT_AT_ONCE,
    SEASONAL,
    UNVERIFIED_2026,
    finished,
    in_tiers,
    rated_rows,
    separate_units,
)
from packs.electrical.results import Words

FIRST_VA = 10_000.0
"""220.82(B): counted in full; the rest at 40 %."""

FIRST_VA_2026 = 8_000.0
"""As secondary sources give 120.82 of 2026."""

CENTRAL_HEATING = 0.65
SEPARATE_HEATING = 0.4
"""Of four or more separately controlled units; fewer count as central heating (220.82(C))."""


def optional(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The calculated load of one dwelling unit by 220.82: the first 10 kVA of general loads in
    full, the rest at 40 %, and the largest of the selections of heating and cooling."""
    notes, is_2026 = Notes(), premises.edition == 2026
    if is_2026:
        notes.warnings.append(UNVERIFIED_2026)
    notes.assumed.append(CONTINUOUS_ONCE)
    # Secondary sources have the chargers of 2026 beside the general loads, in full.
    chargers = of_kinds(loads, "ev_charger") if is_2026 else []
    general = [load for load in loads if not is_2026 or load.kind != "ev_charger"]
    rows = rated_rows(general, premises, "220.82(B)")
    first = FIRST_VA_2026 if is_2026 else FIRST_VA
    steps = in_tiers(general, premises, notes, rows, first, "220.82(B)")
    steps += _season(general, premises, notes)
    if va_of(chargers):
        demand = sum(evse_va(load.va, premises) for load in chargers)
        article = premises.at("220.82(D)")
        steps.append(step(_CHARGERS, chargers, premises.system, article, demand_va=demand))
    notes.references.append(premises.cite("220.82", "Dwelling unit, optional calculation"))
    if of_kinds(loads, *SEASONAL):
        notes.references.append(premises.cite("220.82(C)", "Heating and air-conditioning load"))
    return finished("optional", premises, steps, notes)


def _season(loads: Sequence[Load], premises: Premises, notes: Notes) -> Iterator[Step]:
    """220.82(C): cooling in full; a heat pump with 65 % of its supplementary heat; central heating
    and fewer than four separate units at 65 %, four or more at 40 %. The largest counts."""
    of, article = premises.system, premises.at("220.82(C)")
    heaters = [load for load in of_kinds(loads, "space_heating") if load.va]
    pumps = [load for load in of_kinds(loads, "heat_pump") if load.va]
    cooling = [*(load for load in of_kinds(loads, "air_conditioning") if load.va), *pumps]
    if heaters and not pumps:
        notes.assumed.append(separate_units(heaters))
    separate = len(heaters) >= FEWEST_SEPARATE and not pumps
    factor = SEPARATE_HEATING if separate else CENTRAL_HEATING
    summer, winter = va_of(cooling), va_of(pumps) + factor * va_of(heaters)
    if summer >= winter:
        if cooling:
            yield step(_COOLING, cooling, of, article)
        if heaters:
            yield step(NOT_AT_ONCE, heaters, of, premises.at("220.60"), demand_va=0.0)
        return
    if pumps:
        yield step(_HEAT_PUMP, pumps, of, article)
    what = _SUPPLEMENTARY if pumps else _SEPARATE if separate else _CENTRAL
    yield step(what, heaters, of, article, demand_va=factor * va_of(heaters))
    idle = of_kinds(cooling, "air_conditioning")
    if idle:
        yield step(NOT_AT_ONCE, idle, of, premises.at("220.60"), demand_va=0.0)


_CHARGERS = Words(en="Electric vehicle chargers at 100 %", he="מטעני רכב חשמלי ב-100%")
_COOLING = Words(en="Cooling at 100 %", he="מיזוג אוויר ב-100%")
_HEAT_PUMP = Words(en="Heat pump at 100 %", he="משאבת חום ב-100%")
_SUPPLEMENTARY = Words(en="Supplementary heating at 65 %", he="חימום משלים ב-65%")
_CENTRAL = Words(en="Heating at 65 %", he="חימום ב-65%")
_SEPARATE = Words(
    en="Four or more separately controlled heaters at 40 %",
    he="ארבעה גופי חימום ויותר בבקרה נפרדת, ב-40%",
)
