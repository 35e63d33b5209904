"""Circuits taken out of a panel."""

from __future__ import annotations

from typing import Any

from packs.electrical.editing.arguments import Shown, arguments_of
from packs.electrical.editing.changing import check_removable, find_to_change
from packs.electrical.editing.shapes import CircuitRemoved
from packs.electrical.editing.storing import put_circuits
from packs.electrical.editing.words import confirmation, named, which_circuit
from packs.electrical.projects.records import Circuit, RecordId
from packs.electrical.projects.selection import (
    CircuitId,
    CircuitNumber,
    CircuitWords,
    PanelName,
)
from packs.electrical.results import Words, finish, panel_words
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated, say


def _preview(ctx: ToolContext, **given: Any) -> Preview:
    """The circuit, whole, or why it stays."""
    opened, found = find_to_change(ctx, given)
    check_removable(opened.project, found)
    name = named(found.panel, found.circuit)
    message = Words(f"Remove {name.en}?", f"להסיר את {name.he}?")
    return Preview(
        confirmation(_TITLE, message, found.circuit, (), ctx.locale),
        arguments={
            "projectId": opened.project.id,
            "circuitId": found.circuit.id,
            "panelName": found.panel.name,
            "asShown": found.circuit.dump(),
        },
    )


def _summary(given: dict[str, Any]) -> dict[str, str]:
    which, panel = which_circuit(given), given.get("panelName")
    where = panel_words(str(panel)) if panel else None
    return {
        "en": f"Remove {which.en}" + (f" from {where.en}" if where else ""),
        "he": f"להסיר את {which.he}" + (f" מ{where.he}" if where else ""),
    }


def _added_again(given: dict[str, Any], result: Any) -> dict[str, Any]:
    """All of it, at its position and under its id, whatever the rules say of it."""
    circuit = Circuit.model_validate(result["circuit"])
    return {
        "projectId": result["projectId"],
        "panelName": result["panelName"],
        **arguments_of(circuit),
        "asBuilt": True,
    }


@capability(
    name={"en": "Remove a circuit", "he": "הסרת מעגל"},
    category="electrical",
    keywords=[
        "remove circuit",
        "delete circuit",
        "take out the circuit",
        "remove the breaker",
        "delete the breaker",
        "get rid of the circuit",
        "הסר מעגל",
        "הסר את המעגל",
        "הסירי מעגל",
        "מחק מעגל",
        "תמחק את המעגל",
        "להסיר מעגל",
        "הסרת מעגל",
        "הסר מפסק",
        "get rid of the",
        "תוריד את המעגל",
        "תורידי את המעגל",
        "הורד את המעגל",
    ],
    examples=[
        {
            "userRequest": "Remove circuit 22 from Panel A",
            "parameters": {"circuitNumber": 22, "panelName": "Panel A"},
        },
        {
            "userRequest": "הסר את המעגל של מזגן סלון",
            "parameters": {"circuitDescription": "מזגן סלון"},
        },
    ],
    related=["add_circuit", "update_circuit"],
    effect="write",
    atomic=True,
    summary=_summary,
    preview=_preview,
    undo=Undo("add_circuit", _added_again),
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
    done = say(
        ctx.locale,
        en="Removed {name} from {panel}",
        he="המעגל {name} הוסר מ{panel}",
        name=isolated(circuit.description),
        panel=panel_words(panel.name).say(ctx.locale),
    )
    result = CircuitRemoved(
        done=done,
        project_id=opened.project.id,
        panel_id=panel.id,
        panel_name=panel.name,
        circuit_id=circuit.id,
        circuit_number=circuit.circuit_number,
        circuit=circuit,
    )
    return finish(ctx, result, Display(type="text", text=done))


_TITLE = Words("Remove the circuit?", "להסיר את המעגל?")
