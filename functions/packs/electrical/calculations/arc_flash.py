"""An arc-flash study of a panel: the parameters of its arc, the incident energy and the PPE.

Sources: IEEE Std 1584-2018, with Tables 8 (gaps), 9 (enclosures) and 10 (working distances) for
what is typical of a class of equipment. NFPA 70E-2018, 2021 and 2024: Table 130.7(C)(15)(c) for
the arc ratings of the PPE categories, 130.5(G) for what is worn, in our own words. By 130.5(F)
equipment is assessed by incident energy or by the category tables, not by both: the category here
is the one whose rating covers the energy, for orientation, and a label carries the energy.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.ieee_1584 import (
    BOUNDARY_J_CM2,
    J_PER_CAL,
    OPEN_AIR,
    Arc,
    Current,
    Electrodes,
    Enclosure,
    Exposure,
    SizeCorrection,
    arcing_current,
    check_range,
    exposure,
    reduced_current,
    size_correction,
    variation_factor,
)
from packs.electrical.calculations.short_circuit import fault_at
from packs.electrical.projects.records import Panel, Project
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.errors import FailedPrecondition
from rollcall.core.texts import Text

MAX_S = 2.0
"""The longest time that a person is assumed to stay near an arc, with a way out (IEEE 1584)."""

ASSUMED_ELECTRODES: Electrodes = "VCBB"
BURN_CAL_CM2 = 1.2
RATINGS_CAL_CM2: dict[int, float] = {1: 4, 2: 8, 3: 25, 4: 40}
"""The lowest arc rating of each PPE category."""

PpeRequirement = Literal["none", "category", "do_not_work_energized"]
T = TypeVar("T")


# ---- The study ----


class ArcParameters(Struct, frozen=True):
    """The parameters of an arc, from which a study is calculated.

    Attributes:
        voltage_v: Between lines, three-phase.
        bolted_ka: Bolted three-phase fault current, kA.
        enclosure: None in open air (VOA, HOA).
        clearing_time_s: Of the device upstream, at the arcing current.
        reduced_clearing_time_s: The same at the reduced arcing current; None takes the former.
    """

    voltage_v: float
    bolted_ka: float
    electrodes: Electrodes
    gap_mm: float
    working_distance_mm: float
    enclosure: Enclosure | None
    clearing_time_s: float
    reduced_clearing_time_s: float | None = None


class ArcCase(Struct, frozen=True):
    """The arc at one current."""

    current: Current
    clearing_time_s: float
    exposure: Exposure

    @property
    def energy_cal_cm2(self) -> float:
        return self.exposure.energy_j_cm2 / J_PER_CAL


class Study(Struct, frozen=True):
    """The result of an arc-flash study, with all intermediate values.

    Attributes:
        variation: VarCf, the variation of the arcing current.
        governing: The case with the higher energy.
    """

    arc: Arc
    correction: SizeCorrection
    variation: float
    full: ArcCase
    reduced: ArcCase
    governing: Literal["full", "reduced"]

    @property
    def worse(self) -> ArcCase:
        return self.full if self.governing == "full" else self.reduced

    @property
    def energy_cal_cm2(self) -> float:
        return self.worse.energy_cal_cm2

    @property
    def boundary_mm(self) -> float:
        """The distance at which 1.2 cal/cm2 is left, of the case that reaches farther."""
        return max(self.full.exposure.boundary_mm, self.reduced.exposure.boundary_mm)

    @property
    def time_to_burn_s(self) -> float:
        """The time until 1.2 cal/cm2 at the working distance: energy is proportional to time."""
        worse = self.worse
        return worse.clearing_time_s * BOUNDARY_J_CM2 / worse.exposure.energy_j_cm2

    def energy_at(self, distance_mm: float) -> float:
        """Incident energy at another distance, cal/cm2, of the case that is worse there: above
        600 V it may be the other one, since each fit falls with its own power of the distance."""
        arc = replace(self.arc, distance_mm=distance_mm)
        exposures = (
            exposure(arc, case.current, case.clearing_time_s * 1000)
            for case in (self.full, self.reduced)
        )
        return max(each.energy_j_cm2 for each in exposures) / J_PER_CAL


def study(parameters: ArcParameters) -> Study:
    """Calculate incident energy and arc-flash boundary by IEEE Std 1584-2018.

    Raises:
        InvalidArgument: Something is outside the range of the model, or a time is not above 0.
    """
    check_range(
        voltage_v=parameters.voltage_v,
        bolted_ka=parameters.bolted_ka,
        gap_mm=parameters.gap_mm,
        working_distance_mm=parameters.working_distance_mm,
        electrodes=parameters.electrodes,
        enclosure=parameters.enclosure,
    )
    voltage_kv = parameters.voltage_v / 1000
    correction = size_correction(parameters.enclosure, parameters.electrodes, voltage_kv)
    arc = Arc(
        voltage_kv,
        parameters.electrodes,
        parameters.bolted_ka,
        parameters.gap_mm,
        parameters.working_distance_mm,
        correction.factor,
    )
    full = arcing_current(arc)
    lower = reduced_current(arc, full)
    full_s = _time("clearingTimeS", parameters.clearing_time_s)
    other_s = parameters.reduced_clearing_time_s
    lower_s = full_s if other_s is None else _time("reducedClearingTimeS", other_s)
    first = ArcCase(full, full_s, exposure(arc, full, full_s * 1000))
    second = ArcCase(lower, lower_s, exposure(arc, lower, lower_s * 1000))
    return Study(
        arc=arc,
        correction=correction,
        variation=variation_factor(parameters.electrodes, voltage_kv),
        full=first,
        reduced=second,
        governing="full" if first.energy_cal_cm2 >= second.energy_cal_cm2 else "reduced",
    )


def _time(field: str, seconds: float) -> float:
    if not 0 < seconds < float("inf"):
        raise invalid(field, "arc_time", field=field, seconds=seconds)
    return seconds


# ---- The arc at a panel ----


class Typical(Struct, frozen=True):
    """The typical dimensions of a class of equipment, mm. A depth "above 203.2 mm" in the standard
    is 204 here: more depth makes no difference to the model."""

    gap_mm: float
    enclosure: Enclosure
    working_distance_mm: float


_WIDE = Enclosure(914.4, 914.4, 914.4)


def typical_of(
    kind: Literal["panelboard", "switchboard", "switchgear", "mcc"], voltage_v: float
) -> Typical:
    """Return the typical dimensions of a panel. Up to 600 V a panelboard or a motor control centre
    counts as a deep one, which gives the higher energy, until its depth is known."""
    if voltage_v <= 600:
        if kind in ("mcc", "panelboard"):
            return Typical(25, Enclosure(355.6, 304.8, 204), 457.2)
        return Typical(32, Enclosure(508, 508, 508), 609.6)
    if voltage_v <= 5_000:
        size = Enclosure(660.4, 660.4, 660.4) if kind == "mcc" else _WIDE
        return Typical(104, size, 914.4)
    return Typical(152, _WIDE if kind == "mcc" else Enclosure(1143, 762, 762), 914.4)


def panel_arc(
    project: Project,
    panel: Panel,
    basis: Basis,
    *,
    working_distance_mm: float | None = None,
    clearing_time_s: float | None = None,
    reduced_clearing_time_s: float | None = None,
    bolted_fault_ka: float | None = None,
    electrodes: Electrodes | None = None,
    gap_mm: float | None = None,
) -> ArcParameters:
    """Collect the parameters of an arc at a panel: those of the question, given here, else those of
    the record, else typical ones of the equipment.

    Raises:
        FailedPrecondition: The panel is single-phase, or its fault current cannot be calculated.
    """
    if panel.phases == 1:  # the model is fitted to three-phase arcs
        raise FailedPrecondition(
            TEXTS.text("errors.arc_three_phase", name=panel.name),
            field="panelName",
            hint=TEXTS.text("hints.arc_three_phase", range=TEXTS.text("hints.arc_range")),
        )
    place = f"panels.{panel.id}"

    def choose(
        name: str, unit: str | None, given: T | None, recorded: T | None, default: T, reason: Text
    ) -> T:
        if given is not None:
            basis.use(name, given, unit, "argument")
            return given
        if recorded is not None:
            basis.use(f"{place}.{name}", recorded, unit)
            return recorded
        return basis.assume(name, default, unit, reason)

    texts = "calculations.arc_flash"
    typical = typical_of(panel.kind, panel.voltage)
    basis.use(f"{place}.voltage", panel.voltage, "V")
    bolted_ka = _bolted_ka(project, panel, bolted_fault_ka, basis)
    reason = TEXTS.text(f"{texts}.electrodes")
    recorded = panel.electrode_configuration
    configuration: Electrodes = choose(
        "electrodeConfiguration", None, electrodes, recorded, ASSUMED_ELECTRODES, reason
    )
    reason = TEXTS.text(f"{texts}.typical", table="8")
    gap = choose("gapMm", "mm", gap_mm, panel.conductor_gap_mm, typical.gap_mm, reason)
    reason = TEXTS.text(f"{texts}.typical", table="10")
    distance = choose(
        "workingDistanceMm", "mm", working_distance_mm, None, typical.working_distance_mm, reason
    )
    enclosure: Enclosure | None = None
    if configuration not in OPEN_AIR and panel.enclosure is None:
        enclosure, reason = typical.enclosure, TEXTS.text(f"{texts}.enclosure")
        basis.assume("enclosure", enclosure.text, "mm", reason)
    elif configuration not in OPEN_AIR and panel.enclosure is not None:
        size = panel.enclosure
        enclosure = Enclosure(size.height_mm, size.width_mm, size.depth_mm)
        basis.use(f"{place}.enclosure", enclosure.text, "mm")
    reason = TEXTS.text(f"{texts}.longest")
    time_s = choose("clearingTimeS", "s", clearing_time_s, panel.clearing_time_s, MAX_S, reason)
    reason = TEXTS.text(f"{texts}.same_time")
    choose("reducedClearingTimeS", "s", reduced_clearing_time_s, None, time_s, reason)
    return ArcParameters(
        voltage_v=panel.voltage,
        bolted_ka=bolted_ka,
        electrodes=configuration,
        gap_mm=gap,
        working_distance_mm=distance,
        enclosure=enclosure,
        clearing_time_s=time_s,
        reduced_clearing_time_s=reduced_clearing_time_s,
    )


def _bolted_ka(project: Project, panel: Panel, given_ka: float | None, basis: Basis) -> float:
    """The bolted three-phase fault current, given or calculated."""
    if given_ka is not None:
        basis.use("boltedFaultKa", given_ka, "kA", "argument")
        return given_ka
    try:
        fault = fault_at(project, panel)
    except FailedPrecondition as error:
        key = "hints.or_fault_current" if error.hint_text else "hints.give_fault_current"
        hint = TEXTS.text(key, other=error.hint_text)
        raise FailedPrecondition(error.text, field=error.field, hint=hint) from error
    bolted_ka = fault.amps / 1000
    basis.use("boltedFaultKa", round(bolted_ka, 3), "kA", "calculated")
    basis.inputs += fault.basis.inputs
    basis.assumptions += fault.basis.assumptions
    return bolted_ka


# ---- Personal protective equipment ----


class Ppe(Struct, frozen=True):
    """The personal protective equipment for an incident energy.

    Attributes:
        category: 1 to 4; None if no arc-rated clothing is needed, and above 40 cal/cm2, where none
            is enough. `requirement` says which.
    """

    requirement: PpeRequirement
    category: int | None
    items: tuple[Text, ...]


_UNDER_EVERYTHING = ("hard_hat", "glasses", "hearing")
_NO_CATEGORY_ITEMS = ("no_arc_rated", "glasses")
_CATEGORY_ITEMS: dict[int, tuple[str, ...]] = {
    1: ("clothes", "shield", *_UNDER_EVERYTHING, "gloves", "shoes"),
    2: ("clothes", "shield_and_balaclava", *_UNDER_EVERYTHING, "gloves", "shoes"),
    3: ("suit", "hood", *_UNDER_EVERYTHING, "suit_gloves", "shoes"),
    4: ("suit", "hood", *_UNDER_EVERYTHING, "suit_gloves", "shoes"),
}
"""The items of each category, by their texts."""


def ppe_for(energy_cal_cm2: float) -> Ppe:
    """Find the PPE for an incident energy at the working distance, cal/cm2."""
    if energy_cal_cm2 <= BURN_CAL_CM2:
        return Ppe("none", None, _items(_NO_CATEGORY_ITEMS, 0))
    for category, rating in RATINGS_CAL_CM2.items():
        if energy_cal_cm2 <= rating:
            return Ppe("category", category, _items(_CATEGORY_ITEMS[category], rating))
    return Ppe("do_not_work_energized", None, _items(("no_work",), 0))


def _items(keys: tuple[str, ...], rating: float) -> tuple[Text, ...]:
    return tuple(
        TEXTS.text(f"calculations.arc_flash.ppe.{key}", rating=f"{rating:g}") for key in keys
    )
