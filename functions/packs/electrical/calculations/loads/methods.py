"""The methods of Article 220: which applies to a panel, and its calculation."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.loads.calculation import (
    CONTINUOUS_MORE,
    Calculation,
    Load,
    Method,
    Premises,
    Step,
    of_kinds,
    step,
    surcharge,
)
from packs.electrical.calculations.loads.dwellings import standard
from packs.electrical.calculations.loads.equipment import COOKING_KINDS
from packs.electrical.calculations.loads.lines import spread, system_of
from packs.electrical.calculations.loads.optional_methods import (
    SEASONAL,
    UNITS_LEAST,
    existing,
    multifamily,
    optional,
)
from packs.electrical.calculations.loads.other_buildings import other_building
from packs.electrical.projects.records import Panel, Project
from packs.electrical.projects.topology import downstream, known_service_panel
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS
from rollcall.core.errors import FailedPrecondition
from rollcall.core.texts import Text

METHODS: tuple[Method, ...] = ("standard", "optional", "existing", "measured")
OPTIONAL_LEAST_AMPS = 100.0
"""Of the service or feeder (220.82(A))."""

MEASURED_FACTOR = 1.25
"""Of the measured maximum demand (220.87)."""

_GENERAL = frozenset({"lighting", "receptacle", "small_appliance", "laundry"})


def premises_of(project: Project, panel: Panel, measured_peak_va: float | None = None) -> Premises:
    """Return the premises of a panel: the whole building for the service panel, or where all
    lighting and receptacle circuits are behind the panel; else a part."""
    building = project.building
    whole = _is_whole(project, panel)
    return Premises(
        edition=project.edition,
        occupancy=building.occupancy,
        system=system_of(panel),
        floor_area_ft2=building.floor_area_ft2 if whole else None,
        dwelling_units=building.dwelling_units,
        small_appliance_circuits=building.small_appliance_circuits,
        laundry_circuits=building.laundry_circuits,
        is_whole=whole,
        service_amps=panel.main_breaker_amps or panel.bus_rating,
        measured_peak_va=measured_peak_va,
    )


def why_not(method: Method, loads: Sequence[Load], premises: Premises) -> Text | None:
    """Return why a method does not apply; None if it does."""

    def reason(key: str, section: str = "", **values: object) -> Text:
        return TEXTS.text(f"errors.methods.{key}", section=premises.at(section), **values)

    if method == "measured":
        has_peak = premises.measured_peak_va is not None
        return None if has_peak else reason("needs_measured", "220.87")
    if premises.occupancy != "dwelling":
        return None if method == "standard" else reason("for_dwellings")
    if premises.is_whole and premises.floor_area_ft2 is None:
        return reason("no_floor_area")
    if method == "standard":
        return None
    if not premises.is_whole:
        return reason("part_of_dwelling")
    units = premises.dwelling_units
    if units > 1:
        if method == "existing":
            return reason("one_unit", "220.83", units=units)
        if units < UNITS_LEAST:
            return reason("two_units", "220.85")
        if len(of_kinds(loads, *COOKING_KINDS)) < units:
            return reason("all_cooking", "220.84")
        if len(of_kinds(loads, *SEASONAL)) < units:
            return reason("all_heating", "220.84")
        return None
    if premises.system.phases == 3:
        return reason("three_phases")
    if method == "optional" and (premises.service_amps or 0) < OPTIONAL_LEAST_AMPS:
        return reason("least_amps", "220.82")
    return None


def applicable_methods(loads: Sequence[Load], premises: Premises) -> list[Method]:
    """Return the methods that apply."""
    return [method for method in METHODS if why_not(method, loads, premises) is None]


def choose_method(method: Method | None, loads: Sequence[Load], premises: Premises) -> Method:
    """Return the requested method; without one, the optional method where it applies, else the
    standard one.

    Raises:
        FailedPrecondition: The requested method does not apply; the message says why, and which do.
    """
    if method is None:
        return "optional" if why_not("optional", loads, premises) is None else "standard"
    reason = why_not(method, loads, premises)
    if reason is None:
        return method
    others = applicable_methods(loads, premises)
    key = "errors.method_others_apply" if others else "errors.method_does_not_apply"
    raise FailedPrecondition(
        TEXTS.text(key, method=method, reason=reason, others=", ".join(others)),
        field="measuredPeakVa" if method == "measured" else "method",
    )


def calculate(loads: Sequence[Load], premises: Premises, method: Method) -> Calculation:
    """Calculate the load by one method, which must apply."""
    if method == "measured":
        return measured(loads, premises)
    if premises.occupancy != "dwelling":
        return other_building(loads, premises)
    if method == "existing":
        return existing(loads, premises)
    if method == "optional":
        return (optional if premises.dwelling_units == 1 else multifamily)(loads, premises)
    return standard(loads, premises)


def measured(loads: Sequence[Load], premises: Premises) -> Calculation:
    """Count 125 % of the measured maximum demand, and the new loads at their rating (220.87).

    Args:
        loads: Only new ones count; the others are in the measurement.
        premises: With the measured demand: the highest of a year, or of 30 days with the season's
            load added.
    """
    assert premises.measured_peak_va is not None
    peak_va = premises.measured_peak_va
    of, article, basis = premises.system, premises.at("220.87"), Basis()
    peak = peak_va * MEASURED_FACTOR
    steps = [Step(TEXTS.text("loads.peak"), peak_va, peak, article, None, spread(of, peak))]
    new = [load for load in loads if load.is_new and load.va]
    if new:
        counted = sum(
            premises.evse_va(load.va) if load.kind == "ev_charger" else load.va for load in new
        )
        steps.append(step(TEXTS.text("loads.new"), new, of, article, demand_va=counted))
    continuous = [load for load in new if load.continuous or load.kind == "ev_charger"]
    if continuous:
        what = TEXTS.text("loads.continuous_new_more")
        steps.append(surcharge(what, continuous, of, CONTINUOUS_MORE, "230.42(A)(1)"))
    basis.assume("measurement", f"as {article} asks", None, TEXTS.text("loads.measurement"))
    basis.citations.append(premises.cite("220.87", "Determining existing loads"))
    return Calculation("measured", of, tuple(steps), basis)


def _is_whole(project: Project, panel: Panel) -> bool:
    service = known_service_panel(project)  # where it is not known, the circuits decide
    if service is not None and service.id == panel.id:
        return True
    behind = {each.id for each in downstream(project, panel)}
    general = [
        each.id in behind
        for each in project.panels
        for circuit in each.circuits
        if circuit.load_type in _GENERAL
    ]
    return bool(general) and all(general)
