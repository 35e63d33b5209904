"""The general loads of a dwelling: lighting and receptacles by area, small-appliance and laundry
circuits. Every dwelling method begins with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packs.electrical.calculations.loads.phases import Currents, spread, total
from packs.electrical.calculations.loads.premises import (
    SMALL_APPLIANCE_VA,
    Notes,
    Premises,
)
from packs.electrical.calculations.loads.steps import (
    Load,
    Step,
    listed,
    of_kinds,
    va_of,
)
from packs.electrical.nec.demand import lighting_va_per_ft2
from packs.electrical.results import Assumed, Words, number
from rollcall.core.wording import isolated

SMALL_APPLIANCE_LEAST = 2
"""Circuits of each dwelling unit (210.11(C)(1))."""

LAUNDRY_LEAST = 1
"""Circuits of each dwelling unit (210.11(C)(2)); none where the building says so."""


@dataclass(frozen=True, slots=True)
class General:
    """The general loads, listed.

    Attributes:
        drawn: Their connected current, A: what has no circuit of its own is spread over all lines.
    """

    steps: tuple[Step, ...]
    va: float
    drawn: Currents


def general_loads(loads: Sequence[Load], premises: Premises, notes: Notes) -> General:
    """What a dwelling counts before its appliances.

    Without a floor area, lighting and receptacles count what their circuits say, which may be less
    than the code's minimum: an assumption says so.
    """
    of = premises.system
    outlets = of_kinds(loads, "lighting", "receptacle")
    steps = [_lighting(outlets, premises, notes)]
    for what, article, circuits in (
        (_SMALL_APPLIANCE, "220.52(A)", _small_appliance_circuits(loads, premises)),
        (_LAUNDRY, "220.52(B)", _laundry_circuits(loads, premises)),
    ):
        if circuits:
            va = circuits * SMALL_APPLIANCE_VA
            steps.append(listed(_times(what, circuits), va, of, premises.at(article)))
    drawn = [step.drawn if any(step.drawn) else spread(of, step.connected_va) for step in steps]
    return General(tuple(steps), sum(step.connected_va for step in steps), total(of, drawn))


def _lighting(outlets: Sequence[Load], premises: Premises, notes: Notes) -> Step:
    of, area = premises.system, premises.floor_area_ft2
    article = premises.at(_AREA[premises.edition])
    if area is None:
        notes.assumed.append(_by_circuits(va_of(outlets), whole=premises.is_whole))
        drawn = total(of, (load.drawn for load in outlets))
        return listed(_OUTLETS, va_of(outlets), of, article, drawn)
    if any(load.is_new for load in outlets):
        notes.assumed.append(_COVERED)
    each = notes.value(lighting_va_per_ft2("dwelling", premises.edition))
    said = isolated(f"{number(area)} ft² × {number(each)} VA/ft²")
    what = Words(
        en=f"General lighting and receptacles, {number(area)} ft² × {number(each)} VA/ft²",
        he=f"תאורה כללית ובתי תקע, {said}",
    )
    return listed(what, area * each, of, article)


def _small_appliance_circuits(loads: Sequence[Load], premises: Premises) -> int:
    circuits = len(of_kinds(loads, "small_appliance"))
    if not premises.is_whole:
        return circuits
    least = SMALL_APPLIANCE_LEAST * premises.dwelling_units
    return max(premises.small_appliance_circuits or 0, circuits, least)


def _laundry_circuits(loads: Sequence[Load], premises: Premises) -> int:
    circuits = len(of_kinds(loads, "laundry"))
    if not premises.is_whole:
        return circuits
    if premises.laundry_circuits is None:
        return max(circuits, LAUNDRY_LEAST * premises.dwelling_units)
    return max(premises.laundry_circuits, circuits)


def _by_circuits(va: float, *, whole: bool) -> Assumed:
    if whole:
        reason = Words(
            en="the floor area is not known, so lighting and receptacles count what their circuits "
            "say; the code's minimum by area may be higher",
            he="שטח הרצפה אינו ידוע, ולכן תאורה ובתי תקע נספרים לפי הרשום במעגלים; "
            "המינימום של התקן לפי שטח עשוי להיות גבוה יותר",
        )
    else:
        reason = Words(
            en="the panel serves a part of the dwelling, so lighting and receptacles count what "
            "their circuits say, and not the floor area",
            he="הלוח מזין חלק מהדירה, ולכן תאורה ובתי תקע נספרים לפי הרשום במעגלים ולא לפי השטח",
        )
    return Assumed("general_lighting", va, "VA", reason, whole)


def _times(what: Words, circuits: int) -> Words:
    each = f"{circuits} × {number(SMALL_APPLIANCE_VA)} VA"
    return Words(en=f"{what.en}, {each}", he=f"{what.he}, {isolated(each)}")


_COVERED = Assumed(
    "general_outlets",
    "covered",
    None,
    Words(
        en="general lighting and receptacles are in the load of the floor area already; more of "
        "them count nothing more",
        he="תאורה כללית ובתי תקע כלולים כבר בעומס לפי שטח הרצפה; תוספת שלהם אינה נספרת",
    ),
    is_default=False,
)
_AREA = {2017: "220.12", 2020: "220.14(J)", 2023: "220.41", 2026: "220.41"}
_OUTLETS = Words(en="Lighting and receptacle circuits", he="מעגלי תאורה ובתי תקע")
_SMALL_APPLIANCE = Words(en="Small-appliance circuits", he="מעגלי מכשירים קטנים")
_LAUNDRY = Words(en="Laundry circuits", he="מעגלי כביסה")
