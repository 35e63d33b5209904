"""The capability `remove_circuit`."""

from __future__ import annotations

from typing import Any

from packs.electrical.calculations.loads.panel import feeder_circuits
from packs.electrical.circuit_changes import (
    CircuitRemoved,
    Shown,
    arguments_of,
    change_fields,
    check_motors,
    confirmation,
    find_to_change,
    named,
    put_circuits,
    which_circuit,
)
from packs.electrical.projects.records import Circuit, PanelCircuit, Project, RecordId
from packs.electrical.projects.selection import CircuitId, CircuitNumber, CircuitWords, PanelName
from packs.electrical.results import finish
from packs.electrical.wording import TEXTS, panel_text
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display
from rollcall.core.texts import isolated


def _preview(ctx: ToolContext, **given: Any) -> Preview:
    """Show the whole circuit, or fail with the reason why it cannot be removed."""
    opened, found = find_to_change(ctx, given)
    check_removable(opened.project, found)
    title = TEXTS.text("circuits.remove.title")
    name = named(found.panel, found.circuit)
    question = TEXTS.say(ctx.locale, "circuits.remove.question", name=name)
    arguments = {
        "projectId": opened.project.id,
        "circuitId": found.circuit.id,
        "panelName": found.panel.name,
        "asShown": found.circuit.dump(),
    }
    display = confirmation(title, question, opened.project, found.circuit, ctx.locale)
    return Preview(display, arguments=arguments, shows=tuple(arguments))


def _summary(given: dict[str, Any]) -> dict[str, str]:
    """Return the summary of an approval."""
    summary = TEXTS.by_language("circuits.remove.summary", which=which_circuit(given))
    if panel := given.get("panelName"):
        place = TEXTS.by_language("circuits.remove.from", panel=panel_text(str(panel)))
        summary = {locale: f"{text} {place[locale]}" for locale, text in summary.items()}
    return summary


def _undo_arguments(given: dict[str, Any], result: Any) -> dict[str, Any]:
    """Return the arguments that restore the circuit with its position and id, despite any rule."""
    circuit = Circuit.model_validate(result["circuit"])
    return {
        "projectId": result["projectId"],
        "panelName": result["panelName"],
        **arguments_of(circuit),
        "asBuilt": True,
    }


@capability(
    related=["add_circuit", "update_circuit"],
    effect="write",
    atomic=True,
    summary=_summary,
    preview=_preview,
    undo=Undo("add_circuit", _undo_arguments),
)
def remove_circuit(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    circuit_id: CircuitId | None = None,
    circuit_number: CircuitNumber | None = None,
    panel_name: PanelName | None = None,
    circuit_description: CircuitWords | None = None,
    as_shown: Shown | None = None,
) -> CircuitRemoved:
    """Remove one circuit from a panel of the project. The user sees all of it and is asked first;
    it can be taken back. A circuit that a motor or a feeder of the project refers to stays.

    Args:
        project_id: Leave out for the project at hand.
        circuit_id: The circuit's id.
        circuit_number: The circuit's number; with panel_name where several panels have it.
        panel_name: The panel.
        circuit_description: The circuit in words, such as "EV charger".
        as_shown: The circuit as the user was shown it; leave out.
    """
    given = {name: value for name, value in locals().items() if name != "ctx"}
    opened, found = find_to_change(ctx, given)
    check_removable(opened.project, found)
    panel, circuit = found.panel, found.circuit
    put_circuits(ctx, opened, panel, tuple(each for each in panel.circuits if each != circuit))
    done = TEXTS.say(
        ctx.locale,
        "circuits.remove.done",
        name=isolated(circuit.description),
        panel=panel_text(panel.name),
    )
    result = CircuitRemoved(**change_fields(opened, panel, circuit, done))
    return finish(ctx, result, Display(type="text", text=done))


def check_removable(project: Project, found: PanelCircuit) -> None:
    """Refuse to remove a circuit that something refers to.

    Raises:
        FailedPrecondition: A motor or a feeder refers to the circuit.
    """
    check_motors(project, found, "removed")
    for feeder_id, circuit in feeder_circuits(project, found.panel).items():
        if circuit.id == found.circuit.id:
            feeder = next(each for each in project.feeders if each.id == feeder_id)
            raise FailedPrecondition(
                TEXTS.text("errors.breaker_of_feeder", circuit=found.text, feeder=feeder.name),
                field="circuitNumber",
                hint=TEXTS.text("hints.remove_feeder_first"),
            )
