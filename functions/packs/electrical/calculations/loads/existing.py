"""220.83: an existing dwelling and what is added to it."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.loads.premises import Notes, Premises
from packs.electrical.calculations.loads.steps import Calculation, Load, of_kinds, step
from packs.electrical.calculations.loads.tiers import (
    CONTINUOUS_ONCE,
    FEWEST_SEPARATE,
    NOT_AT_ONCE,
    SEASON,
    SEASONAL,
    UNVERIFIED_2026,
    as_row,
    finished,
    in_tiers,
    larger_season,
    rated_rows,
    separate_units,
)
from packs.electrical.results import Assumed, Words

FIRST_VA_EXISTING = 8_000.0
"""Counted in full."""


def existing(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The load of an existing dwelling with what is added, by 220.83: the first 8 kVA in full, the
    rest at 40 %. Where heating or cooling is added, heating or cooling counts in full (B)."""
    notes, of = Notes(), premises.system
    notes.assumed.append(CONTINUOUS_ONCE)
    if premises.edition == 2026:
        notes.warnings.append(UNVERIFIED_2026)
    seasonal = of_kinds(loads, *SEASONAL)
    heating_added = any(load.is_new for load in seasonal)
    article = "220.83(B)" if heating_added else "220.83(A)"
    chosen, idle = larger_season(loads)
    rows = rated_rows(loads, premises, article)
    separate: list[Load] = []
    if heating_added:
        heaters = of_kinds(chosen, "space_heating")
        if heaters:
            notes.assumed.append(separate_units(heaters))
        separate = heaters if len(heaters) >= FEWEST_SEPARATE else []
        inside = separate
    else:
        inside = chosen
        if chosen:
            notes.assumed.append(_EXISTING_SEASON)
    if inside:
        rows.append(as_row(SEASON, inside, premises, article))
    steps = in_tiers(loads, premises, notes, rows, FIRST_VA_EXISTING, article)
    in_full = [load for load in chosen if heating_added and load not in separate]
    if in_full:
        steps.append(step(SEASON, in_full, of, premises.at(article)))
    if idle:
        steps.append(step(NOT_AT_ONCE, idle, of, premises.at("220.60"), demand_va=0.0))
    notes.references.append(premises.cite(article, "Existing dwelling unit"))
    return finished("existing", premises, steps, notes)


_EXISTING_SEASON = Assumed(
    "existing_heating_and_cooling",
    "included",
    None,
    Words(
        en="no heating or cooling is added; the larger of what exists counts with the other "
        "loads, which 220.83(A) leaves open",
        he="לא נוסף ציוד חימום או מיזוג; הגדול מבין הקיימים נספר עם שאר העומסים, "
        "דבר שסעיף 220.83(A) אינו קובע במפורש",
    ),
)
