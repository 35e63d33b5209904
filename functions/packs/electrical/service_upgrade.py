"""Whether a service carries proposed loads, and what size would."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.calculations.loads.calculation import Method
from packs.electrical.calculations.loads.limits import Element
from packs.electrical.capacity.charts import SERVICE_TITLE, service_chart
from packs.electrical.capacity.proposing import Asked
from packs.electrical.capacity.service import Upgrade, upgrade_of
from packs.electrical.capacity.service_shapes import (
    LoadManagement,
    ProposedLoad,
    ServiceConductor,
    conductor_shown,
    management_shown,
    service_references,
)
from packs.electrical.capacity.service_words import (
    class_320,
    managed,
    method_note,
    service_load,
    service_load_with,
    suffices,
    upgrade,
)
from packs.electrical.capacity.shapes import (
    DemandStep,
    step_columns,
    step_rows,
    steps_shown,
)
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import Project, RecordId
from packs.electrical.results import (
    CalculationResult,
    Input,
    Words,
    finish,
    said,
)
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Display

MAX_PROPOSED = 50
Watts = Annotated[float, Field(ge=0, le=5_000_000)]
VoltAmperes = Annotated[float, Field(gt=0, le=10_000_000)]


class ServiceUpgrade(CalculationResult):
    """The load of a service, now and with what is proposed, by Article 220.

    Attributes:
        current_service_amps: The rating of its disconnecting means.
        current_load_va: The calculated load now, VA.
        proposed_additional_va: The proposed loads as they are given, VA.
        proposed_demand_va: What of them counts, VA.
        total_load_va: `current_load_va` and `proposed_demand_va` together.
        current_utilization: Of the service's rating, percent, as `projected_utilization`.
        required_amps: The current of the heaviest line, A.
        needs_upgrade: The service, or what it ends at, does not carry it.
        recommended_service: The next common size, A; absent where none is needed.
    """

    service_voltage: float
    phases: int
    method: Method
    current_service_amps: float
    current_load_va: float = Field(alias="currentLoadVA")
    proposed_additional_va: float = Field(alias="proposedAdditionalVA")
    proposed_demand_va: float = Field(alias="proposedDemandVA")
    total_load_va: float = Field(alias="totalLoadVA")
    current_load_amps: float
    required_amps: float
    current_utilization: float
    projected_utilization: float
    needs_upgrade: bool
    limiting_element: Element
    limiting_amps: float
    recommended_service: int | None
    recommended_conductors: list[ServiceConductor]
    load_management: LoadManagement | None
    recommendation: str
    steps: list[DemandStep]


@capability(
    name={"en": "Service upgrade", "he": "הגדלת חיבור חשמל"},
    category="electrical",
    keywords=[
        "service upgrade",
        "service size",
        "upgrade the service",
        "is the service big enough",
        "200 amp service",
        "400 amp service",
        "proposed loads",
        "existing load",
        "load calculation",
        "measured demand",
        "load management",
        "220.83",
        "220.87",
        "הגדלת חיבור",
        "שדרוג חיבור",
        "גודל החיבור",
        "האם החיבור מספיק",
        "עומסים מתוכננים",
        "חישוב עומסים",
        "ניהול עומסים",
        "bigger service",
        "total service load",
        "חיבור לחברת החשמל",
        "החיבור הקיים",
        "להגדיל חיבור",
    ],
    examples=[
        {
            "userRequest": "Do I need a service upgrade for an 11.5 kW EV charger and a hot tub?",
            "parameters": {
                "proposedLoads": [
                    {"description": "EV charger", "watts": 11500},
                    {"description": "hot tub", "watts": 6000},
                ]
            },
        },
        {
            "userRequest": "Would the service carry another 15000 W?",
            "parameters": {"totalAdditionalWatts": 15000},
        },
        {
            "userRequest": "האם צריך להגדיל את החיבור בשביל מטען לרכב של 7400 וואט?",
            "parameters": {"proposedLoads": [{"description": "מטען לרכב", "watts": 7400}]},
        },
    ],
    related=["check_panel_capacity", "add_circuit"],
)
def check_service_upgrade(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    proposed_loads: Annotated[list[ProposedLoad], Field(max_length=MAX_PROPOSED)] | None = None,
    total_additional_watts: Watts | None = None,
    method: Literal["standard", "optional", "existing", "measured"] | None = None,
    measured_peak_va: VoltAmperes | None = None,
) -> ServiceUpgrade:
    """Analyze whether the electrical service is large enough for proposed loads.

    By NEC Article 220, with the size, the conductors, and whether load management would avoid an
    upgrade. Without proposed loads it says how loaded the service is.

    Args:
        project_id: The project; leave out for the one at hand.
        proposed_loads: The new loads, each with a description and watts.
        total_additional_watts: Their sum, W, where they are not known one by one.
        method: "standard" (Part III), "optional" (220.82, 220.84), "existing" (220.83) or
            "measured" (220.87). If left out: measured where a peak is given, existing for a
            one-family dwelling, else as for a panel.
        measured_peak_va: The highest demand that was measured, VA.
    """
    asked = _asked(proposed_loads or [], total_additional_watts)
    project = open_project(ctx, project_id).project
    found = upgrade_of(project, asked, method=method, peak_va=measured_peak_va)
    result = _result(ctx, project, found, asked, measured_peak_va)
    amps = project.service.service_amps
    display = Display(
        type="chart",
        title=SERVICE_TITLE.say(ctx.locale),
        text=result.answer,
        chart=service_chart(found.now, found.then, amps, ctx.locale),
        columns=step_columns(ctx.locale),
        rows=step_rows(result.steps, ctx.locale),
    )
    return finish(ctx, result, display)


def _asked(loads: Sequence[ProposedLoad], total: float | None) -> list[Asked]:
    """The loads; the sum alone counts as one.

    Raises:
        InvalidArgument: Both are given, and differ.
    """
    watts = math.fsum(load.watts for load in loads)
    if loads and total is not None and not math.isclose(watts, total, abs_tol=0.5):
        raise InvalidArgument(
            f"proposedLoads are {watts:g} W together, and totalAdditionalWatts is {total:g} W; "
            f"give one of them, or the same sum",
            field="totalAdditionalWatts",
        )
    if loads:
        return [
            Asked(each.watts, each.description, each.load_type, each.continuous) for each in loads
        ]
    return [Asked(total)] if total else []


def _result(
    ctx: ToolContext,
    project: Project,
    found: Upgrade,
    asked: Sequence[Asked],
    peak_va: float | None,
) -> ServiceUpgrade:
    now, then, amps = found.now, found.then, project.service.service_amps
    calculation = then.calculation
    told = [service_load(amps, now)]
    watts = math.fsum(each.watts for each in asked)
    told += [service_load_with(amps, then, watts)] if found.new else []
    recommendation = " ".join(text.say(ctx.locale) for text in _advice(found))
    return ServiceUpgrade(
        answer=" ".join([*(text.say(ctx.locale) for text in told), recommendation]),
        project_id=project.id,
        service_voltage=project.service.service_voltage,
        phases=project.service.phases,
        method=calculation.method,
        current_service_amps=amps,
        current_load_va=round(now.demand_va, 1),
        proposed_additional_va=round(watts, 1),
        proposed_demand_va=round(then.demand_va - now.demand_va, 1),
        total_load_va=round(then.demand_va, 1),
        current_load_amps=round(now.demand_amps, 1),
        required_amps=round(then.heaviest_amps, 1),
        current_utilization=round(100 * now.demand_amps / amps, 1),
        projected_utilization=round(100 * then.demand_amps / amps, 1),
        needs_upgrade=found.is_needed,
        limiting_element=then.limit.element,
        limiting_amps=round(then.rating_amps, 1),
        recommended_service=found.recommended,
        recommended_conductors=[conductor_shown(each, project) for each in found.conductors],
        load_management=management_shown(found, ctx.locale),
        recommendation=recommendation,
        steps=steps_shown(calculation, ctx.locale),
        inputs=tuple(_inputs(project, asked, peak_va)),
        assumptions=tuple(
            each.say(ctx.locale) for each in (*calculation.basis.assumptions, *found.assumed)
        ),
        warnings=said(ctx.locale, calculation.basis.warnings),
        citations=(*calculation.basis.citations, *service_references(project, found)),
    )


def _advice(found: Upgrade) -> list[Words]:
    if not found.is_needed:
        return [suffices()]
    texts = [upgrade(found.then, found.recommended)]
    if found.recommended == 400 and found.premises.occupancy == "dwelling":
        texts.append(class_320())
    if found.management is not None:
        texts.append(managed(found.management.amps, charger=found.management.charger))
    note = method_note(found.then.calculation.method)
    return [*texts, *([note] if note else [])]


def _inputs(project: Project, asked: Sequence[Asked], peak_va: float | None) -> list[Input]:
    service = project.service
    given = [
        Input(name="edition", value=project.edition),
        Input(name="serviceVoltage", value=service.service_voltage, unit="V"),
        Input(name="phases", value=service.phases),
        Input(name="serviceAmps", value=service.service_amps, unit="A"),
        Input(name="floorAreaFt2", value=project.building.floor_area_ft2, unit="ft²"),
        Input(name="measuredPeakVa", value=peak_va, unit="VA", source="argument"),
    ]
    given += [
        Input(name=each.description or "proposed", value=each.watts, unit="W", source="argument")
        for each in asked
    ]
    return [each for each in given if each.value is not None]
