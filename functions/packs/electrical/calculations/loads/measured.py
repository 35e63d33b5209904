"""220.87: the existing load as it was measured, and what is added to it."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.loads.phases import spread
from packs.electrical.calculations.loads.premises import (
    CONTINUOUS_MORE,
    Premises,
    evse_va,
)
from packs.electrical.calculations.loads.steps import Calculation, Load, Step, added, step
from packs.electrical.results import Assumed, Words

MEASURED_FACTOR = 1.25


def measured(loads: Sequence[Load], premises: Premises, *, peak_va: float) -> Calculation:
    """125 % of the measured maximum demand, and the new loads at their rating.

    Args:
        loads: Only those that are new count; the others are in the measurement.
        peak_va: The highest demand of a year, or of 30 days with the season's load added, VA.
    """
    of, article = premises.system, premises.at("220.87")
    peak = peak_va * MEASURED_FACTOR
    steps = [Step(_PEAK, peak_va, peak, article, None, spread(of, peak))]
    new = [load for load in loads if load.is_new and load.va]
    if new:
        counted = sum(evse_va(each.va, premises) if _charges(each) else each.va for each in new)
        steps.append(step(_NEW, new, of, article, demand_va=counted))
    continuous = [load for load in new if load.continuous or _charges(load)]
    if continuous:
        steps.append(added(_CONTINUOUS, continuous, of, CONTINUOUS_MORE, "230.42(A)(1)"))
    reference = premises.cite("220.87", "Determining existing loads")
    return Calculation("measured", of, tuple(steps), (_DATA,), (), (reference,))


def _charges(load: Load) -> bool:
    return load.kind == "ev_charger"


_PEAK = Words(en="Measured maximum demand at 125 %", he="שיא הביקוש שנמדד, ב-125%")
_NEW = Words(en="New loads", he="עומסים חדשים")
_CONTINUOUS = Words(en="25 % more for continuous new loads", he="תוספת 25% לעומסים חדשים רציפים")
_DATA = Assumed(
    "measurement",
    "as 220.87 asks",
    None,
    Words(
        en="the figure is the maximum demand of a year, or of 30 days of recording with the larger "
        "of heating and cooling in it, and there is no local generation or peak shaving",
        he="הנתון הוא שיא הביקוש של שנה, או של 30 ימי רישום הכוללים את הגדול מבין החימום והמיזוג, "
        "ואין ייצור מקומי או קיצוץ שיאים",
    ),
)
