"""The capability `calculate_arc_flash`: incident energy, arc-flash boundary and PPE at a panel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec.structs import replace
from pydantic import Field

from packs.electrical.arguments import check_one
from packs.electrical.calculations.arc_flash import (
    BURN_CAL_CM2,
    MAX_S,
    ArcCase,
    ArcParameters,
    Ppe,
    Study,
    panel_arc,
    ppe_for,
    study,
)
from packs.electrical.calculations.ieee_1584 import WORKING_DISTANCE_MM, Electrodes
from packs.electrical.charts import axis, chart, mark
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import Panel, Project, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import Basis, CalculationResult, CodeReference, finish
from packs.electrical.wording import MM_PER_IN, TEXTS, inches, number, panel_text
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text, isolated

Millimetres = Annotated[float, Field(gt=0, le=1_000)]
Inches = Annotated[float, Field(gt=0, le=400)]
DistanceMm = Annotated[float, Field(gt=0, le=10_000)]
Seconds = Annotated[float, Field(gt=0, le=60)]
KiloAmps = Annotated[float, Field(gt=0, le=500)]
CHART_TIMES_S = (0.03, 0.1, 0.5, 2.0)
"""Clearing times that the chart shows beside the governing one."""

CHART_STEPS = 24


class ArcCaseResult(Wire):
    """The arc at its full, or at its reduced current."""

    arcing_current_ka: float
    clearing_time_s: float
    incident_energy_cal_cm2: float
    incident_energy_j_cm2: float
    boundary_mm: float


class ArcFlashLabel(Wire):
    """The figures of a label (NFPA 70E, 130.5(H)): energy and its distance, not the category."""

    nominal_voltage_volts: float
    arc_flash_boundary_in: float
    incident_energy_cal_cm2: float
    working_distance_in: float
    date: str


class ArcFlash(CalculationResult):
    """An arc-flash study of a panel.

    Attributes:
        incident_energy: At the working distance, cal/cm2.
        arc_flash_boundary: The distance at which 1.2 cal/cm2 is left, in; beside it in ft and mm.
        ppe_category: 1 to 4; absent if none is needed or none is enough, as `ppe_requirement` says.
        required_ppe: The items to wear, in words.
        label_required: Whether the energy is above 1.2 cal/cm2.
        time_to_burn_s: The time until 1.2 cal/cm2 at the working distance.
        governing: Which of the two cases gives the higher energy.
    """

    panel_id: str
    panel_name: str
    incident_energy: float
    incident_energy_j_cm2: float
    arc_flash_boundary: float
    arc_flash_boundary_ft: float
    arc_flash_boundary_mm: int
    ppe_category: int | None
    ppe_requirement: Literal["none", "category", "do_not_work_energized"]
    required_ppe: list[str] = Field(alias="requiredPPE")
    label_required: bool
    label: ArcFlashLabel | None
    working_distance_in: float
    working_distance_mm: float
    bolted_fault_ka: float
    electrode_configuration: Electrodes
    gap_mm: float
    time_to_burn_s: float
    governing: Literal["full", "reduced"]
    full: ArcCaseResult
    reduced: ArcCaseResult


@capability(related=["calculate_short_circuit", "run_inspection"])
def calculate_arc_flash(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    panel_id: PanelId | None = None,
    panel_name: PanelName | None = None,
    working_distance_inches: Inches | None = None,
    working_distance_mm: DistanceMm | None = None,
    clearing_time_s: Seconds | None = None,
    reduced_clearing_time_s: Seconds | None = None,
    bolted_fault_ka: KiloAmps | None = None,
    electrode_configuration: Electrodes | None = None,
    gap_mm: Millimetres | None = None,
) -> ArcFlash:
    """Calculate arc-flash incident energy, boundary and required PPE at a three-phase panel.

    By IEEE 1584-2018, 208 to 15000 V, with the panel's fault current, at the full and at the
    reduced arcing current. Figures given here stand in place of the project's, for "what if".

    Args:
        project_id: The project; leave out for the one at hand.
        panel_id: The panel's id.
        panel_name: The panel's name, such as "MDP"; leave out if the project has one panel.
        working_distance_inches: From the arc to face and chest, in, at least 12; typical of the
            equipment if left out.
        working_distance_mm: The same in mm; give one of the two.
        clearing_time_s: How long the device upstream takes to clear the arcing current, s; the
            panel's if left out, or 2 s.
        reduced_clearing_time_s: The same at the reduced arcing current; equal if left out.
        bolted_fault_ka: Bolted three-phase fault current, kA; calculated if left out.
        electrode_configuration: VCB: vertical conductors in a box; VCBB: those that end at an
            insulating barrier; HCB: horizontal ones; VOA, HOA: in open air.
        gap_mm: Gap between conductors, mm.
    """
    project = open_project(ctx, project_id).project
    panel = find_panel(project, panel_id=panel_id, panel_name=panel_name)
    check_one(
        working_distance_inches, working_distance_mm, "workingDistanceMm", "one_working_distance"
    )
    if working_distance_inches is not None:
        working_distance_mm = working_distance_inches * MM_PER_IN
    basis = Basis()
    arc = panel_arc(
        project,
        panel,
        basis,
        working_distance_mm=working_distance_mm,
        clearing_time_s=clearing_time_s,
        reduced_clearing_time_s=reduced_clearing_time_s,
        bolted_fault_ka=bolted_fault_ka,
        electrodes=electrode_configuration,
        gap_mm=gap_mm,
    )
    try:
        studied = study(arc)
    except InvalidArgument as error:
        if error.field != "workingDistanceMm" or working_distance_inches is None:
            raise
        name = "workingDistanceInches"
        raise InvalidArgument(error.text, field=name, hint=error.hint) from error
    ppe = ppe_for(studied.energy_cal_cm2)
    basis.warnings += arc_warnings(arc, ppe, basis)
    basis.citations += _citations(project)
    result = _result(ctx, project, panel, arc, studied, ppe, basis)
    display = Display(
        type="chart",
        title=TEXTS.say(ctx.locale, "arc_flash.chart.title"),
        text=answer_text(panel, studied, ppe).say(ctx.locale),
        chart=energy_chart(studied, ctx.locale),
    )
    return finish(ctx, result, display)


def _result(
    ctx: ToolContext,
    project: Project,
    panel: Panel,
    arc: ArcParameters,
    studied: Study,
    ppe: Ppe,
    basis: Basis,
) -> ArcFlash:
    energy, boundary_in = studied.energy_cal_cm2, studied.boundary_mm / MM_PER_IN
    label = ArcFlashLabel(
        nominal_voltage_volts=panel.voltage,
        arc_flash_boundary_in=round(boundary_in, 1),
        incident_energy_cal_cm2=round(energy, 2),
        working_distance_in=round(studied.arc.distance_mm / MM_PER_IN, 1),
        date=ctx.now.date().isoformat(),
    )
    needs_label = energy > BURN_CAL_CM2
    return ArcFlash(
        project_id=project.id,
        panel_id=panel.id,
        panel_name=panel.name,
        incident_energy=round(energy, 3),
        incident_energy_j_cm2=round(studied.worse.exposure.energy_j_cm2, 3),
        arc_flash_boundary=round(boundary_in, 1),
        arc_flash_boundary_ft=round(boundary_in / 12, 2),
        arc_flash_boundary_mm=round(studied.boundary_mm),
        ppe_category=ppe.category,
        ppe_requirement=ppe.requirement,
        required_ppe=[item.say(ctx.locale) for item in ppe.items],
        label_required=needs_label,
        label=label if needs_label else None,
        working_distance_in=round(arc.working_distance_mm / MM_PER_IN, 1),
        working_distance_mm=round(arc.working_distance_mm, 1),
        bolted_fault_ka=round(arc.bolted_ka, 3),
        electrode_configuration=arc.electrodes,
        gap_mm=arc.gap_mm,
        time_to_burn_s=float(f"{studied.time_to_burn_s:.3g}"),
        governing=studied.governing,
        full=_case_result(studied.full),
        reduced=_case_result(studied.reduced),
        **basis.fields(ctx.locale),
    )


def _case_result(case: ArcCase) -> ArcCaseResult:
    exposure = case.exposure
    return ArcCaseResult(
        arcing_current_ka=round(case.current.final_ka, 3),
        clearing_time_s=case.clearing_time_s,
        incident_energy_cal_cm2=round(case.energy_cal_cm2, 3),
        incident_energy_j_cm2=round(exposure.energy_j_cm2, 3),
        boundary_mm=round(exposure.boundary_mm, 1),
    )


def answer_text(panel: Panel, studied: Study, ppe: Ppe) -> Text:
    """The energy, the boundary and the PPE in one sentence."""
    return TEXTS.text(
        "arc_flash.answer",
        panel=panel_text(panel.name),
        energy=_energy_text(studied.energy_cal_cm2),
        distance=inches(studied.arc.distance_mm),
        boundary=inches(studied.boundary_mm),
        ppe=TEXTS.text(f"arc_flash.ppe.{ppe.requirement}", category=ppe.category),
    )


def _energy_text(energy_cal_cm2: float) -> str:
    return isolated(f"{number(energy_cal_cm2)} cal/cm²")


def arc_warnings(arc: ArcParameters, ppe: Ppe, basis: Basis) -> Iterator[Text]:
    """Warn of forbidden work, of the limits of the result, and of other electrode
    configurations."""
    if ppe.requirement == "do_not_work_energized":
        yield from ppe.items
    if ppe.requirement == "category":
        yield TEXTS.text("arc_flash.not_both")
    if arc.clearing_time_s > MAX_S:
        yield TEXTS.text("arc_flash.long")
    if arc.voltage_v <= 240 and arc.bolted_ka < 2:
        yield TEXTS.text("arc_flash.unlikely")
    if basis.assumes("electrodeConfiguration"):
        facing = study(replace(arc, electrodes="HCB")).energy_cal_cm2
        yield TEXTS.text("arc_flash.facing", energy=_energy_text(facing))


def _citations(project: Project) -> list[CodeReference]:
    return [
        CodeReference(
            code="IEEE 1584",
            edition=2018,
            title="Guide for Performing Arc-Flash Hazard Calculations",
        ),
        CodeReference(
            code="NFPA 70E",
            edition=2024,
            table="130.7(C)(15)(c)",
            title="Personal Protective Equipment (PPE)",
        ),
        CodeReference(
            code="NFPA 70E", edition=2024, article="130.5(H)", title="Equipment Labeling"
        ),
        CodeReference(edition=project.edition, article="110.16", title="Arc-Flash Hazard Warning"),
    ]


# ---- The chart of incident energy over distance ----


def energy_chart(studied: Study, locale: str) -> dict[str, Any]:
    """Chart energy over distance, a line for each clearing time. The boundary of that time is where
    the line crosses 1.2 cal/cm2."""
    words = TEXTS.data(locale, "arc_flash.chart")
    governing_s = studied.worse.clearing_time_s
    farthest = max(1.5 * studied.boundary_mm, 2 * studied.arc.distance_mm)
    step = (farthest - WORKING_DISTANCE_MM) / CHART_STEPS
    rows = []
    for n in range(CHART_STEPS + 1):
        distance = WORKING_DISTANCE_MM + step * n
        energy = studied.energy_at(distance)
        for time in sorted({*CHART_TIMES_S, governing_s}):  # energy is proportional to time
            at_time = float(f"{energy * time / governing_s:.4g}")
            rows.append(
                {"distance": round(distance / MM_PER_IN, 1), "energy": at_time, "time": time}
            )
    lines = {
        "mark": {"type": "line", "tooltip": True},
        "encoding": {
            "x": axis("distance", words["distance"]),
            "y": axis("energy", words["energy"], scale={"type": "log"}),
            "color": axis("time", words["time"], "ordinal"),
        },
    }
    here = {
        "distance": round(studied.arc.distance_mm / MM_PER_IN, 1),
        "energy": round(studied.energy_cal_cm2, 3),
        "name": words["here"],
    }
    burn = {"energy": BURN_CAL_CM2, "name": words["burn"]}
    return chart(
        rows,
        lines,
        mark("rule", burn, y="energy", color="firebrick", tooltip=True),
        mark("point", here, x="distance", y="energy", color="firebrick", tooltip=True),
        title=words["title"],
    )
