"""The capability `calculate_voltage_drop`: the voltage drop of a circuit and of its feeders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from packs.electrical.arguments import (
    Conduit,
    LengthFt,
    LengthM,
    LoadAmps,
    LoadWatts,
    PowerFactor,
    Sets,
    Volts,
    check_one,
    length_in_feet,
)
from packs.electrical.calculations.circuit_load import volt_amperes_of
from packs.electrical.calculations.conductors import grounding_size
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    TOTAL_LIMIT_PERCENT,
    FeederDrop,
    Method,
    Run,
    Study,
    circuit_run,
    drop,
    feeder_drops,
    passes_transformer,
    stated_run,
    study,
    within,
)
from packs.electrical.charts import axis, chart, mark
from packs.electrical.nec.conductors import Size, ampacity, label, rank, size_text
from packs.electrical.nec.editions import DEFAULT
from packs.electrical.nec.tables import unchecked
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import (
    ConductorMaterial,
    ConductorSize,
    PanelCircuit,
    Phases,
    Project,
    RecordId,
)
from packs.electrical.projects.selection import (
    CircuitId,
    CircuitNumber,
    CircuitWords,
    PanelName,
    find_circuit,
    panel_named,
)
from packs.electrical.results import Basis, CalculationResult, CodeReference, finish, rounded, table
from packs.electrical.wording import FT_PER_M, TEXTS, amps, feet, percent, volts
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text, isolated

Selector = Literal["longest", "highest_load", "worst"]
MAX_LISTED = 50
_NO_BRANCH = ("spare", "subpanel")
"""A spare has no load; the conductors to a panel are a feeder."""

_TABLES: dict[Method, str] = {
    "exact": "Chapter 9 Table 9",
    "approximate": "Chapter 9 Table 8",
}
_RECOMMENDED = "informational note: voltage drop of 3 % and 5 % recommended"


class Leg(Wire):
    """A feeder or the branch circuit on the way from the service; None where a figure is unknown.

    Resistance and reactance are those of one conductor, ohm per 1000 ft.
    """

    kind: Literal["feeder", "branch"]
    name: str
    load_amps: float | None = None
    voltage: float
    phases: Phases
    length_ft: float | None = None
    length_m: float | None = None
    conductor_size: str | None = None
    conductor_material: str
    conductor_sets: int = 1
    conduit: str | None = None
    power_factor: float | None = None
    resistance_ohm_per_kft: float | None = None
    reactance_ohm_per_kft: float | None = None
    voltage_drop_volts: float | None = None
    voltage_drop_percent: float | None = None


class MethodDrop(Wire):
    """The same drop by one method."""

    method: Method
    name: str
    voltage_drop_percent: float


class RankedCircuit(Wire):
    """One of the circuits that a selector compared."""

    circuit_id: str
    circuit_name: str
    circuit_number: int
    panel_name: str
    load_amps: float
    length_ft: float
    conductor_size: str
    voltage_drop_volts: float
    voltage_drop_percent: float
    compliant: bool


class VoltageDrop(CalculationResult):
    """The result of calculate_voltage_drop.

    `voltageDropVolts` and `receivingEndVoltage` are in V, lengths one way; `compliant` is by the
    3 % recommended for a branch circuit. `totalVoltageDropPercent` includes the feeders from the
    service and is left out where one of them is not known.
    """

    circuit_id: str | None = None
    circuit_name: str | None = None
    circuit_number: int | None = None
    panel_name: str | None = None
    voltage_drop_percent: float
    voltage_drop_volts: float
    receiving_end_voltage: float
    compliant: bool
    recommendation: str | None = None
    limit_percent: float
    total_voltage_drop_percent: float | None = None
    total_compliant: bool | None = None
    total_limit_percent: float
    method: Method
    method_name: str
    by_method: list[MethodDrop]
    load_amps: float
    voltage: float
    phases: Phases
    length_ft: float
    length_m: float
    conductor_size: str
    conductor_material: str
    smallest_complying_size: str | None = None
    greatest_length_ft: float
    greatest_length_m: float
    greatest_load_amps: float
    equipment_grounding_conductor: str | None = None
    legs: list[Leg]
    selector: Selector | None = None
    compared: int | None = None
    not_compared: list[str]
    ranking: list[RankedCircuit]


@capability(related=["check_conductor_sizing"])
def calculate_voltage_drop(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    circuit_id: CircuitId | None = None,
    circuit_number: CircuitNumber | None = None,
    panel_name: PanelName | None = None,
    circuit_description: CircuitWords | None = None,
    selector: Selector | None = None,
    method: Method = "exact",
    load_amps: LoadAmps | None = None,
    load_watts: LoadWatts | None = None,
    length_ft: LengthFt | None = None,
    length_m: LengthM | None = None,
    conductor_size: ConductorSize | None = None,
    conductor_material: ConductorMaterial | None = None,
    conductor_sets: Sets | None = None,
    power_factor: PowerFactor | None = None,
    conduit_type: Conduit | None = None,
    voltage: Volts | None = None,
    phases: Phases | None = None,
) -> VoltageDrop:
    """Calculate the voltage drop of a circuit, in volts and percent, against the recommended 3 %
    for a branch circuit and 5 % with its feeders.

    Name a circuit of the project, or let a selector find it. The other arguments ask "what if":
    each counts instead of what is recorded. Without a circuit, give voltage, length, size and load.

    Args:
        project_id: Leave out for the project at hand.
        circuit_id: The circuit's id.
        circuit_number: The circuit's number; with panel_name where several panels have it.
        panel_name: The panel; with a selector, only its circuits are compared.
        circuit_description: The circuit in words, such as "EV charger".
        selector: "longest", "highest_load" or "worst" (the highest percentage).
        method: "exact" (Table 9, R cos + X sin) or "approximate" (K / circular mils of Table 8).
        load_amps: The load's current, A, instead of the recorded load.
        load_watts: The load, W, instead of the recorded one.
        length_ft: Length one way, ft.
        length_m: Length one way, m, instead of length_ft.
        conductor_size: AWG or kcmil, such as "12", "2/0", "250 kcmil".
        conductor_material: "copper" or "aluminum".
        conductor_sets: Conductors in parallel for each line.
        power_factor: Of the load, 0.2 to 1.
        conduit_type: The raceway or cable, such as "emt" or "pvc".
        voltage: Of the load, V: between lines, or to neutral with one pole.
        phases: 1 or 3, without a circuit; a circuit's poles say it.
    """
    check_one(load_amps, load_watts, "loadWatts", "one_load")
    figures: dict[str, Any] = {
        "load_amps": load_amps,
        "load_watts": load_watts,
        "length_ft": length_in_feet(length_ft, length_m),
        "conductor_size": conductor_size,
        "conductor_material": conductor_material,
        "conductor_sets": conductor_sets,
        "power_factor": power_factor,
        "conduit_type": conduit_type,
        "voltage": voltage,
    }
    named = circuit_id or circuit_number or circuit_description
    if named is None and selector is None:
        basis = Basis()
        studied = study(stated_run({**figures, "phases": phases}, basis), None, method)
        result = _result(ctx.locale, studied, basis, None, None)
        run = TEXTS.text("voltage_drop.the_run")
        return _finish_with_chart(ctx, result, studied, run, run.say(ctx.locale))
    project = open_project(ctx, project_id).project
    if named is None and selector is not None:
        return selected_drop(ctx, project, figures, method, selector, panel_name)
    branch = find_circuit(
        project,
        circuit_id=circuit_id,
        circuit_number=circuit_number,
        panel_name=panel_name,
        circuit_description=circuit_description,
    )
    return circuit_drop(ctx, project, branch, figures, method)


def circuit_drop(
    ctx: ToolContext,
    project: Project,
    branch: PanelCircuit,
    figures: Mapping[str, Any],
    method: Method,
) -> VoltageDrop:
    """Calculate the drop of one circuit and show it with its chart."""
    studied, basis = _study(project, branch, figures, method)
    result = _result(ctx.locale, studied, basis, project, branch)
    name = branch.text
    return _finish_with_chart(ctx, result, studied, name, branch.circuit.description)


def selected_drop(
    ctx: ToolContext,
    project: Project,
    figures: Mapping[str, Any],
    method: Method,
    selector: Selector,
    panel_name: str | None,
) -> VoltageDrop:
    """Calculate the drop of the circuit that a selector chooses, and rank the others.

    Raises:
        FailedPrecondition: No circuit can be compared.
    """
    ranked, left_out = compare(project, figures, method, selector, panel_name)
    first = ranked[0].branch
    warnings = []
    if left_out:
        missing, total = len(left_out), len(ranked) + len(left_out)
        warnings.append(TEXTS.text("voltage_drop.not_compared", missing=missing, total=total))
    studied, basis = _study(project, first, figures, method, warnings)
    result = _result(ctx.locale, studied, basis, project, first)
    rows = [_ranked(each, method) for each in ranked[:MAX_LISTED]]
    result = result.model_copy(
        update={
            "selector": selector,
            "compared": len(ranked),
            "not_compared": [each.say(ctx.locale) for each in left_out[:MAX_LISTED]],
            "ranking": rows,
        }
    )
    cells = [
        (
            f"{row.panel_name} / {row.circuit_number}",
            row.circuit_name,
            row.load_amps,
            row.length_ft,
            isolated(label(row.conductor_size)),
            row.voltage_drop_percent,
        )
        for row in rows
    ]
    display = Display(
        type="table",
        title=TEXTS.say(ctx.locale, "voltage_drop.title"),
        text=_answer(studied, first.text, ctx.locale),
        **table(TEXTS.data(ctx.locale, "voltage_drop.columns.words"), cells),
    )
    return finish(ctx, result, display)


def _finish_with_chart(
    ctx: ToolContext, result: VoltageDrop, studied: Study, name: Text, place: str
) -> VoltageDrop:
    display = Display(
        type="chart",
        title=TEXTS.say(ctx.locale, "voltage_drop.title"),
        text=_answer(studied, name, ctx.locale),
        chart=_chart(studied, place, ctx.locale),
    )
    return finish(ctx, result, display)


# ---- Circuits that a selector compares ----


class Candidate(Struct, frozen=True):
    """A circuit that a selector may choose, its run, and the value it is ranked by."""

    branch: PanelCircuit
    run: Run
    value: float


def compare(
    project: Project,
    figures: Mapping[str, Any],
    method: Method,
    selector: Selector,
    panel_name: str | None,
) -> tuple[list[Candidate], list[AgentError]]:
    """Rank the circuits of a project, or of one panel, by a selector.

    Returns:
        The circuits with the chosen one first, and the reasons why others cannot be compared.

    Raises:
        FailedPrecondition: None can be compared.
    """
    panels = [panel_named(project, panel_name)] if panel_name else project.panels
    candidates, left_out = list[Candidate](), list[AgentError]()
    for panel in panels:
        for circuit in panel.circuits:
            if circuit.load_type in _NO_BRANCH:
                continue
            branch = PanelCircuit(panel, circuit)
            try:
                run = circuit_run(project, branch.with_figures(**figures), Basis())
                value = drop(run, method).percent
            except InvalidArgument as error:  # something about it is not recorded
                left_out.append(error)
                continue
            if selector == "longest":
                value = run.length_ft
            elif selector == "highest_load":
                value = volt_amperes_of(run.amps, volts=run.volts, phases=run.phases)
            candidates.append(Candidate(branch, run, value))
    if not candidates:
        reasons = [each.text for each in left_out[:3]] or TEXTS.text("errors.no_circuits")
        raise FailedPrecondition(
            TEXTS.text("errors.no_circuit_to_compare", selector=selector, reasons=reasons)
        )
    # Equals by their position, whatever order they were read in.
    candidates.sort(
        key=lambda each: (-each.value, each.branch.panel.name, each.branch.circuit.circuit_number)
    )
    return candidates, left_out


def _ranked(candidate: Candidate, method: Method) -> RankedCircuit:
    panel, circuit, run = candidate.branch.panel, candidate.branch.circuit, candidate.run
    lost = drop(run, method)
    return RankedCircuit(
        circuit_id=circuit.id,
        circuit_name=circuit.description,
        circuit_number=circuit.circuit_number,
        panel_name=panel.name,
        load_amps=round(run.amps, 2),
        length_ft=round(run.length_ft, 1),
        conductor_size=run.size,
        voltage_drop_volts=round(lost.volts, 3),
        voltage_drop_percent=round(lost.percent, 3),
        compliant=within(lost.percent, BRANCH_LIMIT_PERCENT),
    )


# ---- The result ----


def _study(
    project: Project,
    branch: PanelCircuit,
    figures: Mapping[str, Any],
    method: Method,
    warnings: Sequence[Text] = (),
) -> tuple[Study, Basis]:
    """Study a circuit with its feeders; the basis begins with these warnings."""
    basis = Basis(warnings=list(warnings))
    run = circuit_run(project, branch.with_figures(**figures), basis)
    feeders: tuple[FeederDrop, ...] | None
    try:
        feeders = feeder_drops(project, branch.panel, method)
        if passes_transformer(project, branch.panel):
            basis.warnings.append(TEXTS.text("voltage_drop.transformer"))
    except FailedPrecondition as error:
        feeders = None
        reason = error.text
        basis.warnings.append(TEXTS.text("voltage_drop.total_unknown", reason=reason))
    return study(run, feeders, method), basis


def _result(
    locale: str,
    studied: Study,
    basis: Basis,
    project: Project | None,
    branch: PanelCircuit | None,
) -> VoltageDrop:
    run = studied.run
    edition = project.edition if project else DEFAULT
    grounding = None
    if branch is not None and project is not None:
        grounding = _grounding(branch, studied, project)
    _warn(studied, grounding, basis)
    tables = [_TABLES[studied.method], *(["250.122"] if grounding else [])]
    if unsure := unchecked(tables, edition):
        basis.warnings.append(unsure)
    basis.citations += [
        CodeReference(edition=edition, table=_TABLES[studied.method]),
        CodeReference(edition=edition, article="210.19", title=_RECOMMENDED),
    ]
    if studied.feeders:
        basis.citations.append(CodeReference(edition=edition, article="215.2", title=_RECOMMENDED))
    if grounding:
        title = "conductors made larger"
        basis.citations.append(CodeReference(edition=edition, article="250.122(B)", title=title))
    advice = _recommendation(studied)
    branch_name = branch.text.plain(locale) if branch else TEXTS.say(locale, "voltage_drop.the_run")
    return VoltageDrop(
        project_id=project.id if project else None,
        circuit_id=branch.circuit.id if branch else None,
        circuit_name=branch.circuit.description if branch else None,
        circuit_number=branch.circuit.circuit_number if branch else None,
        panel_name=branch.panel.name if branch else None,
        voltage_drop_percent=round(studied.drop.percent, 3),
        voltage_drop_volts=round(studied.drop.volts, 3),
        receiving_end_voltage=round(studied.drop.receiving_volts, 2),
        compliant=studied.compliant,
        recommendation=advice.say(locale) if advice else None,
        limit_percent=BRANCH_LIMIT_PERCENT,
        total_voltage_drop_percent=rounded(studied.total_percent),
        total_compliant=studied.total_compliant,
        total_limit_percent=TOTAL_LIMIT_PERCENT,
        method=studied.method,
        method_name=TEXTS.say(locale, f"voltage_drop.methods.{studied.method}"),
        by_method=[
            MethodDrop(
                method=method,
                name=TEXTS.say(locale, f"voltage_drop.methods.{method}"),
                voltage_drop_percent=round(share, 3),
            )
            for method, share in studied.by_method.items()
        ],
        load_amps=round(run.amps, 3),
        voltage=round(run.volts, 2),
        phases=run.phases,
        length_ft=round(run.length_ft, 2),
        length_m=round(run.length_ft / FT_PER_M, 2),
        conductor_size=run.size,
        conductor_material=run.material,
        smallest_complying_size=studied.smallest_size,
        greatest_length_ft=round(studied.greatest_length_ft, 1),
        greatest_length_m=round(studied.greatest_length_ft / FT_PER_M, 1),
        greatest_load_amps=round(studied.greatest_amps, 2),
        equipment_grounding_conductor=grounding,
        legs=[*map(_feeder_leg, studied.feeders or ()), _branch_leg(branch_name, studied)],
        not_compared=[],
        ranking=[],
        **basis.fields(locale),
    )


def _feeder_leg(leg: FeederDrop) -> Leg:
    feeder, run = leg.feeder, leg.run
    return Leg(
        kind="feeder",
        name=feeder.name,
        load_amps=rounded(leg.amps),
        voltage=round(leg.volts, 2),
        phases=leg.phases,
        length_ft=feeder.length_ft,
        length_m=round(feeder.length_ft / FT_PER_M, 2) if feeder.length_ft else None,
        conductor_size=feeder.conductor_size,
        conductor_material=feeder.conductor_material,
        conductor_sets=feeder.conductor_sets,
        conduit=run.conduit if run else None,
        power_factor=run.power_factor if run else None,
        voltage_drop_volts=rounded(leg.lost_volts),
        voltage_drop_percent=rounded(leg.percent),
    )


def _branch_leg(name: str, studied: Study) -> Leg:
    run, lost = studied.run, studied.drop
    return Leg(
        kind="branch",
        name=name,
        load_amps=round(run.amps, 3),
        voltage=round(run.volts, 2),
        phases=run.phases,
        length_ft=round(run.length_ft, 2),
        length_m=round(run.length_ft / FT_PER_M, 2),
        conductor_size=run.size,
        conductor_material=run.material,
        conductor_sets=run.sets,
        conduit=run.conduit,
        power_factor=run.power_factor,
        resistance_ohm_per_kft=round(lost.impedance.r_ohm_per_kft, 5),
        reactance_ohm_per_kft=round(lost.impedance.x_ohm_per_kft, 5),
        voltage_drop_volts=round(lost.volts, 3),
        voltage_drop_percent=round(lost.percent, 3),
    )


def _grounding(branch: PanelCircuit, studied: Study, project: Project) -> Size | None:
    """The equipment grounding conductor that larger conductors require (250.122(B)); None where the
    conductors stay as recorded.

    The larger conductors are those that would comply, or those of the question.
    """
    recorded = branch.circuit.conductor_size or studied.run.size
    larger = max(studied.smallest_size or recorded, studied.run.size, key=rank)
    if rank(larger) <= rank(recorded):
        return None
    circuit, sets = branch.circuit, studied.run.sets
    return grounding_size(
        circuit.breaker_amps, larger, recorded, circuit.egc_material, project.edition, sets
    )


def _warn(studied: Study, grounding: Size | None, basis: Basis) -> None:
    """Warn of feeders that are not known, of the grounding conductor, and of too small a size."""
    run = studied.run
    for leg in studied.feeders or ():
        for missing in leg.missing:
            basis.warnings.append(TEXTS.text("voltage_drop.feeder_unknown", missing=missing))
    if grounding is not None:
        basis.warnings.append(TEXTS.text("voltage_drop.grounding", size=size_text(grounding)))
    if studied.drop.percent >= 100:
        basis.warnings.append(TEXTS.text("voltage_drop.nothing_left"))
    try:
        able = ampacity(run.size, run.material, 75) * run.sets
    except InvalidArgument:  # Table 310.16 does not have the size
        return
    if run.amps > able:
        size, load, most = size_text(run.size, run.sets), amps(run.amps), amps(able)
        text = TEXTS.text("voltage_drop.ampacity_exceeded", size=size, load=load, most=most)
        basis.warnings.append(text)


# ---- The answer ----


def _answer(studied: Study, name: Text, locale: str) -> str:
    """The drop in one to three sentences: the circuit, its total with the feeders, the advice."""
    texts = [
        TEXTS.text(
            "voltage_drop.within" if studied.compliant else "voltage_drop.above",
            name=name,
            share=percent(studied.drop.percent),
            lost=volts(studied.drop.volts),
            left=volts(studied.drop.receiving_volts, 1),
            limit=percent(BRANCH_LIMIT_PERCENT),
        )
    ]
    if studied.feeders and studied.total_percent is None:
        texts.append(TEXTS.text("voltage_drop.no_total"))
    elif studied.feeders and studied.total_percent is not None:
        total, limit = percent(studied.total_percent), percent(TOTAL_LIMIT_PERCENT)
        key = "total_within" if studied.total_compliant else "total_above"
        texts.append(TEXTS.text(f"voltage_drop.{key}", total=total, limit=limit))
    if advice := _recommendation(studied):
        texts.append(advice)
    return " ".join(text.say(locale) for text in texts)


def _recommendation(studied: Study) -> Text | None:
    """What would comply; None where the circuit does."""
    if studied.compliant and studied.total_compliant is not False:
        return None
    if studied.allowed_percent <= 0:
        return TEXTS.text("voltage_drop.enlarge_feeders", limit=percent(TOTAL_LIMIT_PERCENT))
    others = TEXTS.text(
        "voltage_drop.shorten",
        length=feet(studied.greatest_length_ft),
        load=amps(studied.greatest_amps),
    )
    limit = percent(studied.allowed_percent)
    if studied.smallest_size is None:
        return TEXTS.text("voltage_drop.parallel", limit=limit, others=others)
    size = size_text(studied.smallest_size, studied.run.sets)
    return TEXTS.text("voltage_drop.enlarge", size=size, limit=limit, others=others)


def _chart(studied: Study, name: str, locale: str) -> dict[str, Any]:
    """Chart the voltage along the supply, scaled to the circuit's voltage: from the service where
    all feeders are known, else from the panel."""
    words = TEXTS.data(locale, "voltage_drop.axes")
    feeders = [] if studied.total_percent is None else studied.feeders or ()
    feeders = [leg for leg in feeders if leg.percent is not None]
    nominal, lost_percent, at_ft = studied.run.volts, 0.0, 0.0
    points = [{"ft": 0.0, "volts": nominal, "place": words["start"]}]
    legs = [(leg.feeder.length_ft or 0.0, leg.percent or 0.0, leg.feeder.name) for leg in feeders]
    for length_ft, share, place in [*legs, (studied.run.length_ft, studied.drop.percent, name)]:
        at_ft += length_ft
        lost_percent += share
        left = max(nominal * (1 - lost_percent / 100), 0.0)
        points.append({"ft": round(at_ft, 1), "volts": round(left, 2), "place": place})
    limit = TOTAL_LIMIT_PERCENT if feeders else BRANCH_LIMIT_PERCENT
    least = nominal * (1 - limit / 100)
    line: dict[str, Any] = {
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": axis("ft", words["x"]),
            "y": axis("volts", words["y"], scale={"zero": False}),
            "tooltip": [
                {"field": "place", "title": words["place"]},
                {"field": "ft"},
                {"field": "volts"},
            ],
        },
    }
    row = {"limit": f"{limit:g} %", "volts": round(least, 2)}
    return chart(points, line, mark("rule", row, y="volts", strokeDash=[4, 4], color="firebrick"))
