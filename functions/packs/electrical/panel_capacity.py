"""Whether a panel can take more load."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.calculations.loads.calculation import Method
from packs.electrical.calculations.loads.limits import Element
from packs.electrical.calculations.loads.spaces import free_positions
from packs.electrical.capacity.charts import LINES_TITLE, lines_chart
from packs.electrical.capacity.checking import Capacity, capacity_of
from packs.electrical.capacity.proposing import Asked
from packs.electrical.capacity.shapes import (
    ByMethod,
    DemandStep,
    LimitingElement,
    LineLoad,
    Upstream,
    limit_shown,
    lines_shown,
    method_shown,
    step_columns,
    step_rows,
    steps_shown,
    upstream_shown,
)
from packs.electrical.capacity.words import (
    carried,
    takes_it,
    unbalanced,
    with_more,
)
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import LoadType, Panel, Poles, Project, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import CalculationResult, Input, Words, finish, said
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display
from rollcall.core.texts import Text

Watts = Annotated[float, Field(ge=0, le=2_000_000)]
VoltAmperes = Annotated[float, Field(gt=0, le=10_000_000)]
LoadWords = Annotated[str, Field(min_length=1, max_length=200)]
_UNBALANCED_PERCENT = 20.0
"""Above this departure of a line from the mean a warning says so; the code sets no figure."""


class PanelCapacity(CalculationResult):
    """What a panel carries and what is left, by Article 220.

    Attributes:
        bus_rating: A.
        current_load_watts: The calculated load, VA: after demand factors, continuous loads at
            125 % where the method counts them so.
        current_utilization: Of the limiting element's rating, percent.
        available_capacity_watts: What is left of that rating, VA; negative where nothing is.
        additional_load_watts: As asked for; `additional_demand_va` is what of it counts.
        can_accommodate: The load fits this panel and all upstream of it, line by line, and there is
            room for its breaker.
        proposed_circuit_number: Where it would stand.
        limits: Everything that bounds the panel, the smallest first.
        steps: The calculation row by row, with the new load.
        by_method: What the other methods that apply here say.
    """

    panel_id: str
    panel_name: str
    method: Method
    bus_rating: float
    main_breaker_amps: float | None
    rating_amps: float
    limiting_element: Element
    current_load_watts: float
    current_load_amps: float
    current_utilization: float
    available_capacity_watts: float
    available_capacity_amps: float
    additional_load_watts: float
    additional_demand_va: float = Field(alias="additionalDemandVA")
    projected_load_watts: float
    projected_load_amps: float
    projected_utilization: float
    can_accommodate: bool
    recommendation: str | None
    spaces: int
    free_spaces: int
    proposed_circuit_number: int | None
    proposed_poles: int | None
    phases: list[LineLoad]
    imbalance_percent: float
    limits: list[LimitingElement]
    steps: list[DemandStep]
    by_method: list[ByMethod]
    upstream: list[Upstream]


@capability(
    name={"en": "Panel capacity", "he": "קיבולת לוח"},
    category="electrical",
    keywords=[
        "panel capacity",
        "available capacity",
        "spare capacity",
        "can the panel handle",
        "panel load",
        "panel utilization",
        "how loaded is the panel",
        "add load to panel",
        "demand load",
        "Article 220",
        "free spaces",
        "phase balance",
        "are the phases balanced",
        "phase imbalance",
        "is there room for another load",
        "קיבולת לוח",
        "קיבולת פנויה",
        "עומס הלוח",
        "כמה עמוס הלוח",
        "האם הלוח יכול לשאת",
        "להוסיף עומס ללוח",
        "איזון פאזות",
        "האם הפאזות מאוזנות",
        "האם אפשר להוסיף ללוח",
        "האם ניתן להוסיף ללוח",
        "האם יש מקום בלוח",
        "מקומות פנויים בלוח",
        "load calculation",
        "how much room is left",
        "overloaded panel",
        "spare amps",
        "עומס בלוח",
        "כמה מקום יש בלוח",
        "כמה אמפר פנוי",
        "הלוח יעמוד ב",
    ],
    examples=[
        {
            "userRequest": "Can the Main Panel take a 9600 W EV charger?",
            "parameters": {
                "panelName": "Main Panel",
                "additionalLoadWatts": 9600,
                "additionalLoadDescription": "EV charger",
            },
        },
        {
            "userRequest": "How loaded is panel LP1?",
            "parameters": {"panelName": "LP1"},
        },
        {
            "userRequest": "האם אפשר להוסיף מזגן של 3500 וואט ללוח LP1?",
            "parameters": {
                "panelName": "LP1",
                "additionalLoadWatts": 3500,
                "additionalLoadDescription": "מזגן",
            },
        },
    ],
    related=["check_service_upgrade", "run_inspection", "add_circuit"],
)
def check_panel_capacity(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    panel_id: PanelId | None = None,
    panel_name: PanelName | None = None,
    additional_load_watts: Watts | None = None,
    additional_load_description: LoadWords | None = None,
    additional_load_type: LoadType | None = None,
    continuous: bool | None = None,
    poles: Poles | None = None,
    method: Literal["standard", "optional", "existing", "measured"] | None = None,
    measured_peak_va: VoltAmperes | None = None,
) -> PanelCapacity:
    """Check how loaded a panel is, and whether it can accommodate an additional load.

    A load calculation by NEC Article 220 with everything downstream of the panel, its lines one
    by one, against its bus, main breaker and supply. Without an additional load it says what is
    left.

    Args:
        project_id: The project; leave out for the one at hand.
        panel_id: The panel's id.
        panel_name: The panel's name, such as "LP1"; leave out if the project has one panel.
        additional_load_watts: The new load, W.
        additional_load_description: What it is, such as "EV charger".
        additional_load_type: Its kind; by the description if left out.
        continuous: Whether it runs for three hours or more.
        poles: 1, 2 or 3; by its size if left out.
        method: "standard" (Part III), "optional" (220.82, 220.84), "existing" (220.83) or
            "measured" (220.87); for a whole dwelling the optional one if left out, else the
            standard one.
        measured_peak_va: For "measured": the highest demand that was measured, VA.
    """
    project = open_project(ctx, project_id).project
    panel = find_panel(project, panel_id=panel_id, panel_name=panel_name)
    if method is None and measured_peak_va is not None:
        method = "measured"
    asked = Asked(
        additional_load_watts or 0.0,
        additional_load_description,
        additional_load_type,
        continuous,
        poles,
    )
    found = capacity_of(project, panel, asked, method=method, peak_va=measured_peak_va)
    result = _result(ctx, project, found, asked)
    display = Display(
        type="chart",
        title=LINES_TITLE.say(ctx.locale),
        text=result.answer,
        chart=lines_chart(found.now, found.then, ctx.locale),
        columns=step_columns(ctx.locale),
        rows=step_rows(result.steps, ctx.locale),
    )
    return finish(ctx, result, display)


def _result(ctx: ToolContext, project: Project, found: Capacity, asked: Asked) -> PanelCapacity:
    panel, now, then, new = found.panel, found.now, found.then, found.new
    calculation = then.calculation
    more = [with_more(then), *([takes_it()] if found.fits else [])] if new else []
    told = [carried(panel, now), *more, *found.advice]
    advice = " ".join(each.say(ctx.locale) for each in found.advice)
    assumed = [*calculation.basis.assumptions, *(new.assumed if new else ())]
    return PanelCapacity(
        answer=" ".join(each.say(ctx.locale) for each in told),
        project_id=project.id,
        panel_id=panel.id,
        panel_name=panel.name,
        method=calculation.method,
        bus_rating=panel.bus_rating,
        main_breaker_amps=panel.main_breaker_amps,
        rating_amps=round(now.rating_amps, 1),
        limiting_element=now.limit.element,
        current_load_watts=round(now.demand_va, 1),
        current_load_amps=round(now.demand_amps, 1),
        current_utilization=round(now.utilization_percent, 1),
        available_capacity_watts=round(now.available_va, 1),
        available_capacity_amps=round(now.rating_amps - now.heaviest_amps, 1),
        additional_load_watts=asked.watts,
        additional_demand_va=round(then.demand_va - now.demand_va, 1),
        projected_load_watts=round(then.demand_va, 1),
        projected_load_amps=round(then.demand_amps, 1),
        projected_utilization=round(then.utilization_percent, 1),
        can_accommodate=found.fits,
        recommendation=advice or None,
        spaces=panel.spaces,
        free_spaces=len(free_positions(panel)),
        proposed_circuit_number=new.number if new else None,
        proposed_poles=new.circuit.poles if new else None,
        phases=lines_shown(now, then),
        imbalance_percent=round(then.imbalance_percent, 1),
        limits=[limit_shown(each) for each in sorted(then.limits, key=lambda limit: limit.amps)],
        steps=steps_shown(calculation, ctx.locale),
        by_method=[method_shown(method, each) for method, each in found.others],
        upstream=[upstream_shown(of, each) for of, each in found.upstream],
        inputs=tuple(_inputs(project, panel, asked)),
        assumptions=tuple(each.say(ctx.locale) for each in assumed),
        warnings=said(ctx.locale, _warnings(found)),
        citations=calculation.basis.citations,
    )


def _inputs(project: Project, panel: Panel, asked: Asked) -> list[Input]:
    given = [
        Input(name="edition", value=project.edition),
        Input(name="voltage", value=panel.voltage, unit="V"),
        Input(name="phases", value=panel.phases),
        Input(name="busRating", value=panel.bus_rating, unit="A"),
        Input(name="floorAreaFt2", value=project.building.floor_area_ft2, unit="ft²"),
    ]
    if asked.watts:
        watts = Input(name="additionalLoadWatts", value=asked.watts, unit="W", source="argument")
        given.append(watts)
    return [each for each in given if each.value is not None]


def _warnings(found: Capacity) -> list[Words | Text]:
    warnings = list(found.then.calculation.basis.warnings)
    if found.then.imbalance_percent > _UNBALANCED_PERCENT:
        warnings.append(unbalanced(found.then))
    return warnings
