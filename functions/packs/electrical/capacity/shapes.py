"""What results about loads are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from packs.electrical.calculations.loads.calculation import Calculation, Method, Step
from packs.electrical.calculations.loads.limits import Element, Limit
from packs.electrical.calculations.loads.panel import Demand
from packs.electrical.projects.records import Panel
from packs.electrical.results import Words
from rollcall.core.shapes import Wire

_COLUMNS = {
    "what": Words("Load", "עומס"),
    "connected_va": Words("Connected, VA", "עומס מחובר, VA"),
    "factor_percent": Words("Factor, %", "מקדם, %"),
    "demand_va": Words("Demand, VA", "ביקוש, VA"),
    "article": Words("Article", "סעיף"),
}


class DemandStep(Wire):
    """One row of a load calculation. `demand_va` is absent where a later row counts it together
    with others; `part_of_above` marks a row whose connected load stands above already."""

    what: str
    connected_va: float = Field(alias="connectedVA")
    factor_percent: float | None
    demand_va: float | None = Field(alias="demandVA")
    article: str
    table: str | None
    part_of_above: bool


class LineLoad(Wire):
    """The current of one line, by the positions of the circuits, A."""

    phase: Literal["A", "B", "C", "L1", "L2"]
    current_amps: float
    projected_amps: float
    utilization_percent: float


class LimitingElement(Wire):
    """Something that bounds the load, and its rating, A."""

    element: Element
    rating_amps: float
    name: str | None


class ByMethod(Wire):
    """What another method that applies here says of the same load."""

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


def step_shown(step: Step, locale: str) -> DemandStep:
    """A row in the locale's language."""
    factor = step.factor_percent
    return DemandStep(
        what=step.what.say(locale),
        connected_va=round(step.connected_va, 1),
        factor_percent=None if factor is None else round(factor, 1),
        demand_va=None if step.demand_va is None else round(step.demand_va, 1),
        article=step.article,
        table=step.table,
        part_of_above=step.is_part_of_above,
    )


def steps_shown(calculation: Calculation, locale: str) -> list[DemandStep]:
    """All rows."""
    return [step_shown(step, locale) for step in calculation.steps]


def step_rows(steps: Sequence[DemandStep], locale: str) -> list[dict[str, Any]]:
    """The rows of a table that people read, under `step_columns`."""
    return [
        {words.say(locale): getattr(step, field) for field, words in _COLUMNS.items()}
        for step in steps
    ]


def step_columns(locale: str) -> list[str]:
    """What its columns are called."""
    return [words.say(locale) for words in _COLUMNS.values()]


def limit_shown(limit: Limit) -> LimitingElement:
    """A limit as a result carries it."""
    return LimitingElement(element=limit.element, rating_amps=round(limit.amps, 1), name=limit.name)


def lines_shown(now: Demand, then: Demand) -> list[LineLoad]:
    """Each line now and with what is proposed."""
    return [
        LineLoad.model_validate(
            {
                "phase": name,
                "current_amps": round(before, 1),
                "projected_amps": round(after, 1),
                "utilization_percent": round(100 * after / then.rating_amps, 1),
            }
        )
        for name, before, after in zip(
            now.calculation.system.names, now.line_amps, then.line_amps, strict=True
        )
    ]


def method_shown(method: Method, demand: Demand) -> ByMethod:
    """One method's outcome."""
    return ByMethod(
        method=method,
        demand_va=round(demand.demand_va, 1),
        demand_amps=round(demand.demand_amps, 1),
        utilization_percent=round(demand.utilization_percent, 1),
        fits=demand.fits,
    )


def upstream_shown(panel: Panel, demand: Demand) -> Upstream:
    """A panel on the way from the service."""
    return Upstream(
        panel_id=panel.id,
        panel_name=panel.name,
        demand_amps=round(demand.demand_amps, 1),
        rating_amps=round(demand.rating_amps, 1),
        utilization_percent=round(demand.utilization_percent, 1),
        limiting_element=demand.limit.element,
        fits=demand.fits,
    )
