"""Voltage-drop results, put together for a person."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.drop_study import Study, study
from packs.electrical.calculations.feeder_runs import (
    FeederRun,
    feeder_runs,
    passes_transformer,
)
from packs.electrical.calculations.loads.panel import panel_demand
from packs.electrical.calculations.voltage_drop import Method
from packs.electrical.nec.sizes import label
from packs.electrical.projects.records import Project
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import Words, finish
from packs.electrical.wiring import drop_words
from packs.electrical.wiring.drop_cases import Asked, case_of, case_without_circuit
from packs.electrical.wiring.drop_fields import voltage_drop
from packs.electrical.wiring.drop_results import Ranked, Selector, VoltageDrop
from packs.electrical.wiring.drop_selection import MAX_LISTED, compare, ranking
from packs.electrical.wiring.words import circuit_words
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated


def answer(
    ctx: ToolContext, project: Project, found: PanelCircuit, asked: Asked, method: Method
) -> VoltageDrop:
    """The drop of one circuit, shown with its chart."""
    result, studied = _calculate(ctx, project, found, asked, method)
    name = circuit_words(found)
    display = Display(
        type="chart",
        title=_TITLE.say(ctx.locale),
        text=drop_words.sentence(studied, name).say(ctx.locale),
        chart=drop_words.chart(studied, found.circuit.description, ctx.locale),
    )
    return finish(ctx, result, display)


def without_circuit(ctx: ToolContext, asked: Asked, method: Method) -> VoltageDrop:
    """The drop of a run that the question alone describes."""
    case = case_without_circuit(asked)
    studied = study(case.run, None, method)
    result = voltage_drop(ctx.locale, case, studied, project=None)
    display = Display(
        type="chart",
        title=_TITLE.say(ctx.locale),
        text=drop_words.sentence(studied, _THE_RUN).say(ctx.locale),
        chart=drop_words.chart(studied, _THE_RUN.say(ctx.locale), ctx.locale),
    )
    return finish(ctx, result, display)


def answer_selected(
    ctx: ToolContext,
    project: Project,
    asked: Asked,
    method: Method,
    selector: Selector,
    panel_name: str | None,
) -> VoltageDrop:
    """The drop of the circuit that a selector finds, among those that can be compared.

    Raises:
        FailedPrecondition: None can.
    """
    compared = compare(project, asked, method, selector, panel_name)
    first, left_out = compared.ranked[0].found, compared.left_out
    more = (_not_compared(len(left_out), compared.total),) if left_out else ()
    result, studied = _calculate(ctx, project, first, asked, method, more)
    rows = ranking(project, compared, asked, method)
    result = result.model_copy(
        update={
            "selector": selector,
            "compared": len(compared.ranked),
            "not_compared": list(left_out[:MAX_LISTED]),
            "ranking": rows,
        }
    )
    text = drop_words.sentence(studied, circuit_words(first)).say(ctx.locale)
    return finish(ctx, result, _table(ctx.locale, text, rows))


def _calculate(
    ctx: ToolContext,
    project: Project,
    found: PanelCircuit,
    asked: Asked,
    method: Method,
    more: tuple[Words, ...] = (),
) -> tuple[VoltageDrop, Study]:
    case = case_of(project, found, asked)
    feeders, unknown = _feeders(project, found)
    studied = study(case.run, feeders, method)
    more = (*more, unknown) if unknown else more
    return voltage_drop(ctx.locale, case, studied, project=project, more=more), studied


def _feeders(project: Project, found: PanelCircuit) -> tuple[list[FeederRun] | None, Words | None]:
    """The feeders before a circuit, and what a person should know of them."""
    try:
        runs = feeder_runs(
            project, found.panel, lambda panel: panel_demand(project, panel).demand_va
        )
        transformed = passes_transformer(project, found.panel)
    except FailedPrecondition as error:
        return None, Words(
            en=f"the total from the service is not known: {error.message}",
            he=f"המפל הכולל מהחיבור לרשת אינו ידוע: {isolated(error.message)}",
        )
    return runs, _TRANSFORMER if transformed else None


def _table(locale: str, text: str, ranking: Sequence[Ranked]) -> Display:
    words = _COLUMNS["he" if locale.startswith("he") else "en"]
    rows = [
        dict(
            zip(
                words,
                (
                    f"{row.panel_name} / {row.circuit_number}",
                    row.circuit_name,
                    row.load_amps,
                    row.length_ft,
                    isolated(label(row.conductor_size)),
                    row.voltage_drop_percent,
                ),
                strict=True,
            )
        )
        for row in ranking
    ]
    return Display(type="table", title=_TITLE.say(locale), text=text, columns=words, rows=rows)


def _not_compared(count: int, of: int) -> Words:
    return Words(
        en=f"{count} of {of} circuits could not be compared: something of them is not recorded",
        he=f"{count} מתוך {of} מעגלים לא הושוו: חסר בהם נתון",
    )


_TITLE = Words("Voltage drop", "מפל מתח")
_THE_RUN = Words("the run", "הקו")
_COLUMNS = {
    "en": ["Circuit", "Description", "Load, A", "Length, ft", "Size", "Drop, %"],
    "he": ["מעגל", "תיאור", "זרם, A", "אורך, רגל", "חתך", "מפל, %"],
}
_TRANSFORMER = Words(
    en="the total leaves out what the transformer itself loses under load",
    he="המפל הכולל אינו כולל את המפל בשנאי עצמו תחת עומס",
)
