"""Incident energy, arc-flash boundary and PPE at a panel."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.calculations.arc_flash.enclosure import MM_PER_IN
from packs.electrical.calculations.arc_flash.ppe import BURN_CAL_CM2, Ppe, ppe_for
from packs.electrical.calculations.arc_flash.study import Study, study
from packs.electrical.faults.arc_case import Asked, Case, case_at
from packs.electrical.faults.arc_shapes import (
    ArcCase,
    ArcFlashLabel,
    EnclosureCorrection,
    arc_case,
    enclosure_of,
    label_of,
)
from packs.electrical.faults.arc_words import told, warnings_of
from packs.electrical.faults.energy_chart import TITLE, energy_chart
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import Panel, Project, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import (
    CalculationResult,
    CodeReference,
    finish,
    said,
)
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Display

Millimetres = Annotated[float, Field(gt=0, le=1_000)]
Inches = Annotated[float, Field(ge=12, le=400)]
DistanceMm = Annotated[float, Field(ge=304.8, le=10_000)]
Seconds = Annotated[float, Field(gt=0, le=60)]
KiloAmps = Annotated[float, Field(gt=0, le=500)]
ElectrodeConfiguration = Literal["VCB", "VCBB", "HCB", "VOA", "HOA"]


class ArcFlash(CalculationResult):
    """An arc-flash study of a panel.

    Attributes:
        incident_energy: At the working distance, cal/cm2.
        arc_flash_boundary: Where 1.2 cal/cm2 is left, in; beside it in ft and mm.
        ppe_category: 1 to 4; absent if none is needed or none is enough, as `ppe_requirement` says.
        required_ppe: What to wear, in words.
        label_required: Whether the energy is above 1.2 cal/cm2.
        time_to_burn_s: How long until 1.2 cal/cm2 at the working distance.
        governing: Which of the two cases gives the higher energy.
        variation_factor: VarCf; half of it is taken off the arcing current in the reduced case.
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
    electrode_configuration: ElectrodeConfiguration
    gap_mm: float
    time_to_burn_s: float
    governing: Literal["full", "reduced"]
    variation_factor: float
    enclosure: EnclosureCorrection
    full: ArcCase
    reduced: ArcCase


@capability(
    name={"en": "Arc flash", "he": "קשת חשמלית"},
    category="electrical",
    keywords=[
        "arc flash",
        "incident energy",
        "arc flash boundary",
        "PPE",
        "PPE category",
        "protective equipment",
        "cal/cm2",
        "IEEE 1584",
        "NFPA 70E",
        "arc flash label",
        "קשת חשמלית",
        "הבזק קשת",
        "אנרגיית קשת",
        "ציוד מגן",
        "ציוד מגן אישי",
        "גבול הקשת",
        "what to wear",
        "work live",
        "energized work",
        "ללבוש",
        "עבודה תחת מתח",
    ],
    examples=[
        {
            "userRequest": "What is the arc flash incident energy at panel HP1?",
            "parameters": {"panelName": "HP1"},
        },
        {
            "userRequest": "Which PPE is needed at MDP at 24 inches if the breaker takes 0.2 s?",
            "parameters": {"panelName": "MDP", "workingDistanceInches": 24, "clearingTimeS": 0.2},
        },
        {
            "userRequest": "איזה ציוד מגן נדרש נגד קשת חשמלית בלוח MDP?",
            "parameters": {"panelName": "MDP"},
        },
    ],
    related=["calculate_short_circuit", "run_inspection"],
)
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
    electrode_configuration: ElectrodeConfiguration | None = None,
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
    asked = Asked(
        working_distance_mm=_distance(working_distance_inches, working_distance_mm),
        clearing_time_s=clearing_time_s,
        reduced_clearing_time_s=reduced_clearing_time_s,
        bolted_fault_ka=bolted_fault_ka,
        electrodes=electrode_configuration,
        gap_mm=gap_mm,
    )
    case = case_at(project, panel, asked)
    found = study(case.given)
    ppe = ppe_for(found.energy_cal_cm2)
    result = _result(ctx, project, panel, case, found, ppe)
    display = Display(
        type="chart",
        title=TITLE.say(ctx.locale),
        text=told(panel, found, ppe).say(ctx.locale),
        chart=energy_chart(found, ctx.locale),
    )
    return finish(ctx, result, display)


def _distance(inches_given: float | None, mm_given: float | None) -> float | None:
    if inches_given is not None and mm_given is not None:
        raise InvalidArgument(
            "give workingDistanceInches or workingDistanceMm, not both", field="workingDistanceMm"
        )
    return inches_given * MM_PER_IN if inches_given is not None else mm_given


def _result(
    ctx: ToolContext, project: Project, panel: Panel, case: Case, found: Study, ppe: Ppe
) -> ArcFlash:
    given = case.given
    needs_label = found.energy_cal_cm2 > BURN_CAL_CM2
    return ArcFlash(
        project_id=project.id,
        panel_id=panel.id,
        panel_name=panel.name,
        incident_energy=round(found.energy_cal_cm2, 3),
        incident_energy_j_cm2=round(found.worse.exposure.energy_j_cm2, 3),
        arc_flash_boundary=round(found.boundary_mm / MM_PER_IN, 1),
        arc_flash_boundary_ft=round(found.boundary_mm / MM_PER_IN / 12, 2),
        arc_flash_boundary_mm=round(found.boundary_mm),
        ppe_category=ppe.category,
        ppe_requirement=ppe.requirement,
        required_ppe=[item.say(ctx.locale) for item in ppe.items],
        label_required=needs_label,
        label=label_of(panel, found, ctx.now.date()) if needs_label else None,
        working_distance_in=round(given.working_distance_mm / MM_PER_IN, 1),
        working_distance_mm=round(given.working_distance_mm, 1),
        bolted_fault_ka=round(given.bolted_ka, 3),
        electrode_configuration=given.electrodes,
        gap_mm=given.gap_mm,
        time_to_burn_s=float(f"{found.time_to_burn_s:.3g}"),
        governing=found.governing,
        variation_factor=round(found.variation, 4),
        enclosure=enclosure_of(found.correction),
        full=arc_case(found.full),
        reduced=arc_case(found.reduced),
        inputs=list(case.inputs),
        assumptions=[each.say(ctx.locale) for each in case.assumptions],
        warnings=said(ctx.locale, warnings_of(case, found, ppe)),
        citations=_references(project),
    )


def _references(project: Project) -> list[CodeReference]:
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
