"""The available fault current at a panel, and whether the panel can interrupt it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.arguments import LengthFt, LengthM, Sets, length_in_feet
from packs.electrical.calculations.short_circuit.asymmetry import (
    asymmetrical_factor,
    peak_factor,
)
from packs.electrical.calculations.short_circuit.at_panel import Fault, fault_at
from packs.electrical.faults.fault_points import FaultPoint, path_of
from packs.electrical.faults.interrupting import Check, check, told_of
from packs.electrical.faults.path_chart import TITLE, path_chart
from packs.electrical.faults.supply import Asked, told, with_asked
from packs.electrical.nec.editions import Edition
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import ConductorSize, Panel, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import (
    CalculationResult,
    CodeReference,
    Input,
    finish,
    said,
)
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display

FaultAmps = Annotated[float, Field(gt=0, le=300_000)]
Kva = Annotated[float, Field(gt=0, le=50_000)]
Percent = Annotated[float, Field(gt=0, le=20)]


class ShortCircuit(CalculationResult):
    """The fault current at a panel against what it can interrupt; currents in A.

    Attributes:
        available_fault_current: The highest bolted fault current at the panel, symmetrical RMS,
            motors counted.
        required_aic: The smallest standard interrupting rating that suffices; none above 200 kA.
        compliant: Whether the panel's own rating suffices; absent where it is not known.
        xr_ratio: Reactance over resistance of the supply at the panel.
        panel_aic_amps: The panel's own interrupting rating.
        motor_contribution_amps: What running motors add.
        asymmetrical_amps: RMS with the direct-current part, half a cycle after the fault.
        peak_amps: The highest instantaneous current.
        duty_amps: The current as it counts against a breaker tested at a lower X/R.
        tested_xr_ratio: X/R at which a breaker of the panel's rating is tested.
        path: Each point from the service on.
    """

    panel_id: str
    panel_name: str
    available_fault_current: int
    required_aic: int | None = Field(alias="requiredAIC")
    compliant: bool | None
    xr_ratio: float
    panel_aic_amps: float | None
    series_rated: bool
    motor_contribution_amps: int
    line_to_line_amps: int | None
    line_to_neutral_amps: int | None
    asymmetrical_amps: int
    peak_amps: int
    duty_amps: int | None
    tested_xr_ratio: float | None
    path: list[FaultPoint]


@capability(
    name={"en": "Short circuit", "he": "זרם קצר"},
    category="electrical",
    keywords=[
        "short circuit",
        "fault current",
        "available fault current",
        "AIC",
        "interrupting rating",
        "interrupting capacity",
        "kAIC",
        "point to point",
        "bolted fault",
        "X/R",
        "110.9",
        "זרם קצר",
        "קצר",
        "זרם קצר זמין",
        "כושר ניתוק",
        "כושר הניתוק של הלוח",
        "Isc",
        "short-circuit current",
        "AIC rating",
    ],
    examples=[
        {
            "userRequest": "Is the AIC rating of panel LP1 high enough for the fault current?",
            "parameters": {"panelName": "LP1"},
        },
        {
            "userRequest": "What is the short-circuit current at MDP with 42 kA from the utility?",
            "parameters": {"panelName": "MDP", "availableFaultCurrentAmps": 42_000},
        },
        {
            "userRequest": "מה זרם הקצר בלוח הראשי והאם כושר הניתוק מספיק?",
            "parameters": {"panelName": "לוח ראשי"},
        },
    ],
    related=["calculate_arc_flash", "run_inspection"],
)
def calculate_short_circuit(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    panel_id: PanelId | None = None,
    panel_name: PanelName | None = None,
    available_fault_current_amps: FaultAmps | None = None,
    transformer_kva: Kva | None = None,
    transformer_impedance_percent: Percent | None = None,
    length_ft: LengthFt | None = None,
    length_m: LengthM | None = None,
    conductor_size: ConductorSize | None = None,
    conductor_sets: Sets | None = None,
    panel_aic_amps: FaultAmps | None = None,
    include_motors: bool = True,
) -> ShortCircuit:
    """Calculate the available fault current at a panel and check its interrupting rating (110.9).

    By the point-to-point method from the utility through transformers and feeders, running motors
    counted. Figures given here stand in place of the project's, for "what if" questions.

    Args:
        project_id: The project; leave out for the one at hand.
        panel_id: The panel's id.
        panel_name: The panel's name, such as "LP1"; leave out if the project has one panel.
        available_fault_current_amps: Fault current at the utility's terminals, A.
        transformer_kva: Rating of the utility's transformer, kVA, in place of its fault current.
        transformer_impedance_percent: Its impedance, percent, as its plate says.
        length_ft: One-way length of the conductors that supply the panel, ft.
        length_m: The same in metres; give one of the two.
        conductor_size: Their size, such as "1/0" or "500 kcmil".
        conductor_sets: How many of them run in parallel per phase.
        panel_aic_amps: Interrupting rating to check against, A, in place of the panel's own.
        include_motors: Whether running motors feed the fault.
    """
    project = open_project(ctx, project_id).project
    panel = find_panel(project, panel_id=panel_id, panel_name=panel_name)
    asked = Asked(
        available_fault_current_amps=available_fault_current_amps,
        transformer_kva=transformer_kva,
        transformer_impedance_percent=transformer_impedance_percent,
        length_ft=length_in_feet(length_ft, length_m),
        conductor_size=conductor_size,
        conductor_sets=conductor_sets,
    )
    changed = with_asked(project, panel, asked)
    fault = fault_at(changed.project, panel, with_motors=include_motors)
    rating = panel_aic_amps if panel_aic_amps is not None else panel.aic_rating
    found = check(project, panel, fault, rating)
    inputs = told(fault.inputs, changed.names)
    if rating is not None:
        source: Literal["project", "argument"] = "project" if panel_aic_amps is None else "argument"
        name = f"panels.{panel.id}.aicRating"
        inputs.append(Input(name=name, value=rating, unit="A", source=source))
    result = _result(ctx, project.id, project.edition, fault, found, rating, inputs)
    display = Display(
        type="chart",
        title=TITLE.say(ctx.locale),
        text=told_of(panel, fault, found, rating).say(ctx.locale),
        chart=path_chart(fault, rating, ctx.locale),
    )
    return finish(ctx, result, display)


def _result(
    ctx: ToolContext,
    project_id: str,
    edition: Edition,
    fault: Fault,
    found: Check,
    rating: float | None,
    inputs: list[Input],
) -> ShortCircuit:
    end, panel = fault.points[-1], fault.panel
    single = end.phases == 1
    return ShortCircuit(
        project_id=project_id,
        panel_id=panel.id,
        panel_name=panel.name,
        available_fault_current=round(fault.amps),
        required_aic=found.required,
        compliant=found.compliant,
        xr_ratio=round(fault.xr_ratio, 2),
        panel_aic_amps=rating,
        series_rated=panel.series_rated,
        motor_contribution_amps=round(fault.motors.contribution_amps),
        line_to_line_amps=round(end.line_amps) if single else None,
        line_to_neutral_amps=None if end.neutral_amps is None else round(end.neutral_amps),
        asymmetrical_amps=round(fault.amps * asymmetrical_factor(fault.xr_ratio)),
        peak_amps=round(fault.amps * peak_factor(fault.xr_ratio)),
        duty_amps=None if found.duty_amps is None else round(found.duty_amps),
        tested_xr_ratio=None if found.tested_xr is None else round(found.tested_xr, 2),
        path=path_of(fault, ctx.locale),
        inputs=inputs,
        assumptions=[each.say(ctx.locale) for each in fault.assumptions],
        warnings=said(ctx.locale, found.warnings),
        citations=_references(edition, panel),
    )


def _references(edition: Edition, panel: Panel) -> list[CodeReference]:
    titles = {
        "110.9": "Interrupting Rating",
        "110.10": "Circuit Impedance, Short-Circuit Current Ratings, and Other Characteristics",
        "110.24": "Available Fault Current",
    }
    if panel.series_rated:
        titles["240.86"] = "Series Ratings"
    return [
        CodeReference(edition=edition, article=article, title=title)
        for article, title in titles.items()
    ]
