"""The capability `check_panel_capacity`: whether a panel can take more load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Struct
from pydantic import Field

from packs.electrical.arguments import VoltAmperes, check_one
from packs.electrical.calculations.loads.calculation import Method
from packs.electrical.calculations.loads.limits import Element
from packs.electrical.calculations.loads.new_load import (
    NewCircuit,
    NewLoad,
    check_is_load,
    free_positions,
    new_circuit,
    of_amps,
)
from packs.electrical.calculations.loads.panel import (
    Demand,
    panel_demand,
    panel_loads,
    with_extra_circuits,
)
from packs.electrical.load_results import (
    DemandStep,
    LimitingElement,
    LineLoad,
    demand_steps,
    limit_text,
    lines_chart,
    method_text,
    other_total,
    step_table,
)
from packs.electrical.nec.editions import Edition
from packs.electrical.nec.overcurrent import STANDARD_RATINGS
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import LoadType, Panel, Poles, Project, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.projects.topology import panels_above
from packs.electrical.results import AssumedValue, CalculationResult, finish
from packs.electrical.wording import TEXTS, invalid, number, panel_text, unmarked
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text

Watts = Annotated[float, Field(ge=0, le=2_000_000)]
LoadWords = Annotated[str, Field(min_length=1, max_length=200)]
_UNBALANCED_PERCENT = 20.0
"""A larger departure of a line from the mean is warned of; the code sets no figure."""


class MethodDemand(Wire):
    """The same load by another method that applies here."""

    method: Method
    demand_va: float = Field(alias="demandVA")
    demand_amps: float
    utilization_percent: float
    fits: bool


class Upstream(Wire):
    """A panel on the way from the service, with the new load."""

    panel_id: str
    panel_name: str
    demand_amps: float
    rating_amps: float
    utilization_percent: float
    limiting_element: Element
    fits: bool


class PanelCapacity(CalculationResult):
    """The load and the spare capacity of a panel, by Article 220.

    Attributes:
        bus_rating: A.
        current_load_watts: The calculated load, VA, after demand factors, with continuous loads at
            125 % where the method requires it.
        current_utilization: Percent of the limiting element's rating.
        available_capacity_watts: The rest of that rating, VA; negative where nothing is left.
        additional_load_watts: The requested load; `additional_demand_va` is its demand.
        can_accommodate: Whether the load fits this panel and all upstream of it, line by line, and
            there is room for its breaker.
        proposed_circuit_number: The position for it.
        limits: All limiting elements, the smallest first.
        steps: The calculation row by row, with the new load.
        by_method: The demand by the other methods that apply here.
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
    by_method: list[MethodDemand]
    upstream: list[Upstream]


@capability(related=["check_service_upgrade", "run_inspection", "add_circuit"])
def check_panel_capacity(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    panel_id: PanelId | None = None,
    panel_name: PanelName | None = None,
    additional_load_watts: Watts | None = None,
    additional_load_amps: Annotated[float, Field(gt=0, le=6_000)] | None = None,
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
        additional_load_amps: The new load, A, where its watts are not known; at the voltage of
            its poles, of two if they are left out.
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
    is_sized = additional_load_watts is not None or additional_load_amps is not None
    if (additional_load_description or additional_load_type) and not is_sized:
        raise invalid("additionalLoadWatts", "no_new_load")
    load = NewLoad(
        additional_load_watts or 0.0,
        additional_load_description,
        additional_load_type,
        continuous,
        poles,
    )
    check_is_load("additionalLoadDescription", load)
    check_one(additional_load_watts, additional_load_amps, "additionalLoadAmps", "one_new_load")
    by_amps = None
    if additional_load_amps is not None:
        load, by_amps = of_amps(panel, load, additional_load_amps)
    capacity = capacity_of(project, panel, load, method=method, peak_va=measured_peak_va)
    result = _result(ctx, project, capacity, load, by_amps)
    display = Display(
        type="chart",
        title=TEXTS.say(ctx.locale, "load_results.chart.lines"),
        text=result.answer,
        chart=lines_chart(capacity.now, capacity.then, ctx.locale),
        **step_table(result.steps, ctx.locale),
    )
    return finish(ctx, result, display)


def _result(
    ctx: ToolContext,
    project: Project,
    capacity: Capacity,
    load: NewLoad,
    by_amps: AssumedValue | None,
) -> PanelCapacity:
    panel, now, then, new = capacity.panel, capacity.now, capacity.then, capacity.new
    calculation, texts = then.calculation, list(advice(capacity))
    basis = calculation.basis
    basis.use("edition", project.edition)
    basis.use("voltage", panel.voltage, "V")
    basis.use("phases", panel.phases)
    basis.use("busRating", panel.bus_rating, "A")
    basis.use("floorAreaFt2", project.building.floor_area_ft2, "ft²")
    if by_amps:
        basis.assumptions.append(by_amps)
    elif load.watts:
        basis.use("additionalLoadWatts", load.watts, "W", "argument")
    basis.assumptions += new.assumed if new else ()
    if then.imbalance_percent > _UNBALANCED_PERCENT:
        percent = number(then.imbalance_percent, digits=0)
        basis.warnings.append(TEXTS.text("panel_capacity.unbalanced", percent=percent))
    answer = [*_load_texts(capacity, project.edition), *texts]
    return PanelCapacity(
        answer=" ".join(each.say(ctx.locale) for each in answer),
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
        additional_load_watts=load.watts,
        additional_demand_va=round(then.demand_va - now.demand_va, 1),
        projected_load_watts=round(then.demand_va, 1),
        projected_load_amps=round(then.demand_amps, 1),
        projected_utilization=round(then.utilization_percent, 1),
        can_accommodate=capacity.fits,
        recommendation=" ".join(each.say(ctx.locale) for each in texts) or None,
        spaces=panel.spaces,
        free_spaces=len(free_positions(panel)),
        proposed_circuit_number=new.number if new else None,
        proposed_poles=new.circuit.poles if new else None,
        phases=[
            LineLoad.model_validate(
                {
                    "phase": name,
                    "current_amps": round(before, 1),
                    "projected_amps": round(after, 1),
                    "utilization_percent": round(100 * after / then.rating_amps, 1),
                }
            )
            for name, before, after in zip(
                calculation.system.names, now.line_amps, then.line_amps, strict=True
            )
        ],
        imbalance_percent=round(then.imbalance_percent, 1),
        limits=[
            LimitingElement(element=each.element, rating_amps=round(each.amps, 1), name=each.name)
            for each in sorted(then.limits, key=lambda limit: limit.amps)
        ],
        steps=demand_steps(calculation, ctx.locale),
        by_method=[
            MethodDemand(
                method=method,
                demand_va=round(demand.demand_va, 1),
                demand_amps=round(demand.demand_amps, 1),
                utilization_percent=round(demand.utilization_percent, 1),
                fits=demand.fits,
            )
            for method, demand in capacity.others
        ],
        upstream=[
            Upstream(
                panel_id=above.id,
                panel_name=above.name,
                demand_amps=round(demand.demand_amps, 1),
                rating_amps=round(demand.rating_amps, 1),
                utilization_percent=round(demand.utilization_percent, 1),
                limiting_element=demand.limit.element,
                fits=demand.fits,
            )
            for above, demand in capacity.upstream
        ],
        **basis.fields(ctx.locale),
    )


# ---- The capacity of a panel ----


class Capacity(Struct, frozen=True):
    """The load of a panel, now and with a new load.

    Attributes:
        now: The demand without the new load, `then` with it.
        others: The demand `then` by other methods that apply.
        upstream: The panels on the way from the service, with the new load.
    """

    panel: Panel
    now: Demand
    then: Demand
    new: NewCircuit | None
    others: tuple[tuple[Method, Demand], ...]
    upstream: tuple[tuple[Panel, Demand], ...]

    @property
    def fits(self) -> bool:
        """Whether the load fits here and upstream, and there is room for its breaker."""
        has_room = self.new is None or self.new.number is not None
        return self.then.fits and has_room and all(each.fits for _, each in self.upstream)


def capacity_of(
    project: Project,
    panel: Panel,
    load: NewLoad,
    *,
    method: Method | None = None,
    peak_va: float | None = None,
) -> Capacity:
    """Work out the capacity of a panel for a load of `load.watts`, none if that is 0.

    Raises:
        FailedPrecondition: The method does not apply here.
        InvalidArgument: The load has more poles than the panel.
    """
    loads = panel_loads(project, panel, peak_va)
    chosen = loads.method(method)
    now = loads.demand(chosen)
    new = new_circuit(panel, load, now.line_amps) if load.watts else None
    if new is not None:
        loads = loads.with_new(project, panel, (new.circuit,))
    then = loads.demand(chosen) if new else now
    others = [each for each in loads.methods() if each not in (chosen, "measured")]
    by_others = tuple((each, loads.demand(each)) for each in others)
    grown = with_extra_circuits(project, panel, (new.circuit,)) if new else project
    upstream = tuple(
        (each, panel_demand(grown, grown.panel(each.id) or each))
        for each in panels_above(project, panel)
    )
    return Capacity(panel, now, then, new, by_others, upstream)


def _load_texts(capacity: Capacity, edition: Edition) -> Iterator[Text]:
    """The load of a panel now and, where there is a new load, with it."""
    now, then = capacity.now, capacity.then
    yield TEXTS.text(
        "panel_capacity.carried",
        panel=panel_text(capacity.panel.name, plain=True),
        load=_va(now.demand_va),
        current=_amps(now.demand_amps),
        method=method_text(now.calculation.method),
        percent=number(now.utilization_percent, digits=0),
        limit=limit_text(now.limit),
    )
    if capacity.new:
        yield TEXTS.text(
            "panel_capacity.with_more",
            load=_va(then.demand_va),
            current=_amps(then.demand_amps),
            percent=number(then.utilization_percent, digits=0),
        )
    if capacity.new and capacity.fits:
        yield TEXTS.text("panel_capacity.fits")
    yield from other_total(now.calculation.method, capacity.others, edition)


def advice(capacity: Capacity) -> Iterator[Text]:
    """What to do where the load does not fit; nothing where it does."""
    then, limit = capacity.then, limit_text(capacity.then.limit)
    if then.demand_amps > then.rating_amps:
        need = _amps(then.heaviest_amps)
        size = next((each for each in STANDARD_RATINGS if each >= then.heaviest_amps), None)
        if size is None:
            yield TEXTS.text("panel_capacity.over_every_limit", need=need, limit=limit)
        else:
            yield TEXTS.text("panel_capacity.over_limit", need=need, limit=limit, size=size)
    elif not then.fits:
        line, current = _heaviest(then)
        yield TEXTS.text("panel_capacity.over_line", line=line, current=current, limit=limit)
    if capacity.new is not None and capacity.new.number is None:
        panel, poles = panel_text(capacity.panel.name, plain=True), capacity.new.circuit.poles
        yield TEXTS.text("panel_capacity.no_space", panel=panel, poles=poles)
    fitting = [] if then.fits else [method for method, each in capacity.others if each.fits]
    if fitting:
        yield TEXTS.text("panel_capacity.other_method", method=method_text(fitting[0]))
    for above, demand in capacity.upstream:
        if demand.fits:
            continue
        line, current = _heaviest(demand)
        values = {"name": unmarked(above.name), "limit": limit_text(demand.limit)}
        if demand.demand_amps > demand.rating_amps:
            current = _amps(demand.demand_amps)
            yield TEXTS.text("panel_capacity.over_upstream", current=current, **values)
        else:
            key = "panel_capacity.over_upstream_line"
            yield TEXTS.text(key, line=line, current=current, **values)


def _heaviest(demand: Demand) -> tuple[str, str]:
    """The heaviest line and its current."""
    amps = dict(zip(demand.calculation.system.names, demand.line_amps, strict=True))
    line = max(amps, key=lambda name: amps[name])
    return line, _amps(amps[line])


def _va(va: float) -> str:
    return f"{number(va, digits=0)} VA"


def _amps(amps: float) -> str:
    return f"{number(amps, digits=1)} A"
