"""The capability `add_circuit`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from packs.electrical.arguments import (
    AmbientC,
    BreakerAmps,
    Conduit,
    CurrentCarrying,
    Insulation,
    LengthFt,
    LengthM,
    Sets,
    TerminalRating,
)
from packs.electrical.calculations.voltage_drop import BRANCH_LIMIT_PERCENT, circuit_run, drop
from packs.electrical.circuit_changes import (
    AnyPowerFactor,
    CircuitAdded,
    PanelLoad,
    Pole,
    Position,
    Watts,
    arguments_of,
    change_fields,
    confirmation,
    fields_of,
    in_short,
    put_circuits,
)
from packs.electrical.circuit_design import Plan, plan
from packs.electrical.nec.conductors import label
from packs.electrical.nec.editions import article
from packs.electrical.projects.access import OpenProject, open_project
from packs.electrical.projects.labels import is_source
from packs.electrical.projects.records import (
    Area,
    ConductorMaterial,
    ConductorSize,
    Description,
    LoadType,
    PanelCircuit,
    RecordId,
    Voltage,
)
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import Basis, CodeReference, finish, sentences
from packs.electrical.wording import TEXTS, invalid, number, panel_text, percent
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from rollcall.core.shapes import Display
from rollcall.core.texts import Text, isolated, short


def _preview(ctx: ToolContext, **given: Any) -> Preview:
    """Show the whole circuit, with all choices made for it, or fail before the user is asked."""
    opened, planned = plan_addition(ctx, given)
    circuit, panel = planned.circuit, planned.panel
    message = TEXTS.text(
        "circuits.add.question",
        name=isolated(circuit.description),
        watts=number(circuit.load_watts),
        panel=panel_text(panel.name),
    )
    cautions = _cautions(planned, as_built=given["as_built"])
    loads = sentences(ctx.locale, (each.text for each in planned.panel_loads))
    as_built = [TEXTS.say(ctx.locale, "circuits.as_built")] if given["as_built"] else []
    notes = (message.say(ctx.locale), *as_built, *loads, *sentences(ctx.locale, cautions))
    title = TEXTS.text("circuits.add.title")
    arguments = {
        "projectId": opened.project.id,
        "panelId": panel.id,
        "panelName": panel.name,
        **arguments_of(circuit),
        "asBuilt": given["as_built"],
    }
    display = confirmation(title, "\n".join(notes), opened.project, circuit, ctx.locale)
    return Preview(display, arguments=arguments, shows=tuple(arguments))


def _summary(given: dict[str, Any]) -> dict[str, str]:
    """Return the summary of an approval, whose arguments have all choices: `Add EV charger
    (9,600 W) to Panel A: circuit 7, 20 A breaker, AWG 12`."""
    name, watts = short(str(given["description"])), number(float(given["loadWatts"]))
    summary = {}
    for locale in TEXTS.languages:
        text = TEXTS.say(locale, "circuits.add.summary", name=name, watts=watts)
        if panel := given.get("panelName"):
            text += " " + TEXTS.say(locale, "circuits.add.to", panel=panel_text(str(panel)))
        parts = []
        if "circuitNumber" in given:
            parts.append(TEXTS.say(locale, "circuits.add.circuit", number=given["circuitNumber"]))
        if "breakerAmps" in given:
            breaker = isolated(f"{given['breakerAmps']} A")
            parts.append(TEXTS.say(locale, "circuits.add.breaker", amps=breaker))
        if "conductorSize" in given:
            parts.append(isolated(label(given["conductorSize"])))
        summary[locale] = f"{text}: {', '.join(parts)}" if parts else text
    return summary


_PLACE = ("projectId", "panelName", "circuitId")


@capability(
    related=["update_circuit", "remove_circuit", "check_conductor_sizing"],
    effect="write",
    atomic=True,
    summary=_summary,
    preview=_preview,
    undo=Undo("remove_circuit", lambda given, result: {name: result[name] for name in _PLACE}),
)
def add_circuit(
    ctx: ToolContext,
    *,
    description: Description,
    load_watts: Watts,
    project_id: RecordId | None = None,
    panel_id: PanelId | None = None,
    panel_name: PanelName | None = None,
    breaker_amps: BreakerAmps | None = None,
    pole: Pole | None = None,
    circuit_number: Position | None = None,
    circuit_id: RecordId | None = None,
    load_type: LoadType | None = None,
    continuous: bool | None = None,
    area: Area | None = None,
    voltage: Voltage | None = None,
    power_factor: AnyPowerFactor | None = None,
    length_ft: LengthFt | None = None,
    length_m: LengthM | None = None,
    conductor_size: ConductorSize | None = None,
    conductor_material: ConductorMaterial | None = None,
    conductor_sets: Sets | None = None,
    insulation: Insulation | None = None,
    conduit_type: Conduit | None = None,
    egc_size: ConductorSize | None = None,
    egc_material: ConductorMaterial | None = None,
    ambient_c: AmbientC | None = None,
    current_carrying_conductors: CurrentCarrying | None = None,
    terminal_rating_c: TerminalRating | None = None,
    gfci: bool | None = None,
    afci: bool | None = None,
    disconnect_in_sight: bool | None = None,
    as_built: bool = False,
) -> CircuitAdded:
    """Add a circuit to a panel of the project. Position, poles, breaker, conductors and GFCI or
    AFCI protection are proposed where they are left out, checked against spaces and capacity, and
    shown to the user, who is asked before anything is written. It can be taken back.

    Use it only where the user wants a circuit to be added. Give what the user said and leave the
    rest out.

    Args:
        description: What the circuit supplies, such as "EV charger".
        load_watts: Its load, W.
        project_id: Leave out for the project at hand.
        panel_id: The panel's id, instead of panel_name.
        panel_name: The panel; leave out where the project has one.
        breaker_amps: Its breaker, A, a standard rating.
        pole: "1", "2" or "3".
        circuit_number: The position in the panel; the first of several with more poles.
        circuit_id: An id for the circuit; leave out.
        load_type: The kind of load, such as "ev_charger" or "receptacle".
        continuous: Whether it runs for three hours or more.
        area: Where it is, such as "garage"; GFCI and AFCI depend on it.
        voltage: Of the load, V: between lines, or to neutral with one pole.
        power_factor: Of the load.
        length_ft: Length of the run, one way, ft.
        length_m: The same in m, instead of length_ft.
        conductor_size: AWG or kcmil, such as "12", "2/0", "250 kcmil".
        conductor_material: "copper" or "aluminum".
        conductor_sets: Conductors in parallel for each line.
        insulation: Its marking, such as "THHN".
        conduit_type: The raceway or cable, such as "emt".
        egc_size: The equipment grounding conductor.
        egc_material: Its material.
        ambient_c: Temperature around the conductors, °C.
        current_carrying_conductors: How many carry current in the same raceway or cable.
        terminal_rating_c: Marked on the terminals: 60, 75 or 90 °C.
        gfci: Whether it has GFCI protection.
        afci: Whether it has AFCI protection.
        disconnect_in_sight: Whether the load has a disconnecting means in sight.
        as_built: The circuit is there already: record it as it is, and only warn of sizes and
            capacity.
    """
    given = {name: value for name, value in locals().items() if name != "ctx"}
    opened, found = plan_addition(ctx, given)
    circuit, panel = found.circuit, found.panel
    put_circuits(ctx, opened, panel, (*panel.circuits, circuit))
    done = TEXTS.say(
        ctx.locale,
        "circuits.add.done",
        name=isolated(circuit.description),
        panel=panel_text(panel.name),
        number=circuit.circuit_number,
        what=in_short(circuit),
    )
    result = CircuitAdded(
        **change_fields(opened, panel, circuit, done),
        panel_loads=[
            PanelLoad(
                panel_name=each.panel.name,
                load_amps=round(each.after.heaviest_amps, 2),
                rating_amps=each.after.rating_amps,
                utilization_percent=round(
                    100 * each.after.heaviest_amps / each.after.rating_amps, 1
                ),
            )
            for each in found.panel_loads
        ],
        inputs=list(found.case.basis.inputs) if found.case else [],
        assumptions=[each.say(ctx.locale) for each in found.assumed],
        warnings=sentences(ctx.locale, _cautions(found, as_built=as_built)),
        citations=list(_citations(found, ctx.locale)),
    )
    return finish(ctx, result, Display(type="text", text=done))


def plan_addition(ctx: ToolContext, given: Mapping[str, Any]) -> tuple[OpenProject, Plan]:
    """Read the project and complete the circuit that these arguments of add_circuit describe.

    Raises:
        InvalidArgument, NotFound: An argument is wrong, or names something that does not exist.
        PermissionDenied: The user is no member of the project.
        FailedPrecondition: The panel has no room, or cannot carry it.
    """
    opened = open_project(ctx, given["project_id"], role="member")
    panel = find_panel(opened.project, panel_id=given["panel_id"], panel_name=given["panel_name"])
    as_built = given["as_built"]
    if not as_built and not given["load_watts"] and given["load_type"] != "spare":
        raise invalid("loadWatts", "circuit_without_load")
    if not as_built and given["load_type"] == "subpanel":
        raise invalid("loadType", "breaker_of_subpanel")
    fields = fields_of({name: value for name, value in given.items() if name != "as_built"})
    if any(circuit.id == fields.get("id") for circuit in panel.circuits):
        raise AlreadyExists(
            TEXTS.text("errors.circuit_exists", panel=panel_text(panel.name), id=fields["id"])
        )
    planned = plan(opened.project, panel, fields, as_built=as_built)
    if planned.problems and not as_built:
        field, text = planned.problems[0]
        raise FailedPrecondition(
            TEXTS.text(
                "errors.cannot_add",
                circuit=isolated(planned.circuit.description),
                panel=panel_text(panel.name),
                problem=text,
            ),
            field=field,
            hint=TEXTS.text("hints.circuit_as_built"),
        )
    return opened, planned


def _citations(planned: Plan, locale: str) -> Iterator[CodeReference]:
    """Return the citations of the rules that the plan follows."""
    edition = planned.after.edition
    if planned.case is None:
        yield CodeReference(edition=edition, article="408.36")
    else:
        yield CodeReference(edition=edition, table=article("310.16", edition))
        for section in (*planned.case.articles, "240.4", "240.6(A)"):
            yield CodeReference(edition=edition, article=section)
        yield CodeReference(edition=edition, table="250.122")
    if planned.panel_loads:
        yield from planned.panel_loads[0].after.calculation.basis.citations
    for rule in planned.protection.rules:
        yield rule.reference(edition, locale)


def _cautions(planned: Plan, *, as_built: bool) -> Iterator[Text]:
    """What the user should know before approving the circuit."""
    if as_built:
        for _, text in planned.problems:
            yield text
    circuit = planned.circuit
    yield from planned.protection.cautions(circuit)
    if is_source(circuit.description):
        yield TEXTS.text("circuits.source")
    if circuit.load_type == "motor":
        yield TEXTS.text("circuits.no_motor")
    if circuit.length_ft is None or circuit.conductor_size is None or not circuit.load_watts:
        return
    branch = PanelCircuit(planned.panel, circuit)
    run = circuit_run(planned.after, branch, Basis())
    try:
        lost = drop(run).percent
    except InvalidArgument:  # Table 9 has no such size
        return
    if lost > BRANCH_LIMIT_PERCENT:
        values = {"drop": percent(lost), "limit": percent(BRANCH_LIMIT_PERCENT)}
        yield TEXTS.text("circuits.voltage_drop", **values)
