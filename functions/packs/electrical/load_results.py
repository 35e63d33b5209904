"""Parts of the results of load calculations: rows, limits, lines, and their charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from packs.electrical.calculations.loads.calculation import Calculation, Method
from packs.electrical.calculations.loads.limits import Element, Limit
from packs.electrical.calculations.loads.panel import Demand
from packs.electrical.charts import axis, chart, mark
from packs.electrical.nec.editions import Edition, article
from packs.electrical.results import rounded
from packs.electrical.wording import TEXTS, number, unmarked
from rollcall.core.shapes import Wire
from rollcall.core.texts import Text


class DemandStep(Wire):
    """One row of a load calculation. `demand_va` is absent where a later row counts it with others;
    `part_of_above` marks a row whose connected load is already in rows above."""

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
    """An element that limits the load, and its rating, A."""

    element: Element
    rating_amps: float
    name: str | None


def demand_steps(calculation: Calculation, locale: str) -> list[DemandStep]:
    """The rows of a calculation in the locale's language."""
    return [
        DemandStep(
            what=step.what.say(locale),
            connected_va=round(step.connected_va, 1),
            factor_percent=rounded(step.factor_percent, 1),
            demand_va=rounded(step.demand_va, 1),
            article=step.article,
            table=step.table,
            part_of_above=step.is_part_of_above,
        )
        for step in calculation.steps
    ]


def step_table(steps: Sequence[DemandStep], locale: str) -> dict[str, Any]:
    """The rows of a calculation as the columns and rows of a display."""
    names: dict[str, str] = TEXTS.data(locale, "load_results.columns.words")
    return {
        "columns": list(names.values()),
        "rows": [
            {column: getattr(step, field) for field, column in names.items()} for step in steps
        ],
    }


def limit_text(limit: Limit) -> Text:
    """`the bus (200 A)`, with the name of a feeder or transformer."""
    rating = f"{number(limit.amps, digits=0)} A"
    named = f"{limit.name}, {rating}" if limit.name else rating
    element = TEXTS.text(f"load_results.elements.{limit.element}")
    return TEXTS.text("load_results.limit", element=element, rating=unmarked(named))


def method_text(method: Method) -> Text:
    """`optional method`."""
    return TEXTS.text(f"load_results.methods.{method}")


def other_total(
    used: Method, others: Sequence[tuple[Method, Demand]], edition: Edition
) -> Iterator[Text]:
    """The total of the other method for dwellings, optional or existing, where both apply."""
    pair = {"optional": "existing", "existing": "optional"}
    for method, demand in others:
        if pair.get(used) == method:
            load = unmarked(f"{number(demand.demand_va, digits=0)} VA")
            articles = {
                "optional": article("220.82", edition),
                "existing": article("220.83", edition),
            }
            yield TEXTS.text(f"load_results.other_total.{used}", load=load, **articles)


def lines_chart(now: Demand, then: Demand, locale: str) -> dict[str, Any]:
    """Chart each line's current, with a rule at the rating."""
    words = TEXTS.data(locale, "load_results.chart")
    rows = [
        {"line": name, "amps": round(amps, 1), "when": when}
        for when, demand in _moments(now, then, words)
        for name, amps in zip(demand.calculation.system.names, demand.line_amps, strict=True)
    ]
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": axis("line", words["line"], "nominal"),
            "xOffset": {"field": "when"},
            "y": axis("amps", words["amps"]),
            "color": axis("when", words["when"], "nominal"),
        },
    }
    return chart(rows, bars, _rating(then.rating_amps, words), title=words["lines"])


def service_chart(now: Demand, then: Demand, rating_amps: float, locale: str) -> dict[str, Any]:
    """Chart the calculated load now and with the proposed loads, with a rule at the rating."""
    words = TEXTS.data(locale, "load_results.chart")
    rows = [
        {"when": when, "amps": round(demand.demand_amps, 1)}
        for when, demand in _moments(now, then, words)
    ]
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": axis("when", words["when"], "nominal", sort=None),
            "y": axis("amps", words["amps"]),
        },
    }
    return chart(rows, bars, _rating(rating_amps, words), title=words["service"])


def _moments(now: Demand, then: Demand, words: dict[str, str]) -> list[tuple[str, Demand]]:
    moments = [(words["now"], now)]
    return moments if then is now else [*moments, (words["then"], then)]


def _rating(amps: float, words: dict[str, str]) -> dict[str, Any]:
    row = {"amps": round(amps, 1), "name": words["rating"]}
    return mark("rule", row, y="amps", tooltip=True, strokeDash=[6, 4])
