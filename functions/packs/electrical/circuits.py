"""Circuits added to a panel."""

from __future__ import annotations

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
from packs.electrical.editing.adding import (
    cautions,
    done_text,
    notes,
    plan_addition,
    references,
)
from packs.electrical.editing.arguments import (
    AnyPowerFactor,
    Pole,
    Position,
    Watts,
    arguments_of,
)
from packs.electrical.editing.shapes import CircuitAdded, PanelLoad
from packs.electrical.editing.storing import put_circuits
from packs.electrical.editing.words import confirmation, in_short
from packs.electrical.nec.conductors import label
from packs.electrical.projects.records import (
    Area,
    ConductorMaterial,
    ConductorSize,
    Description,
    LoadType,
    RecordId,
    Voltage,
)
from packs.electrical.projects.selection import PanelId, PanelName
from packs.electrical.results import Words, finish, number, panel_words
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated, say, short


def _preview(ctx: ToolContext, **given: Any) -> Preview:
    """The circuit in full, with what was chosen for it, or a refusal before anybody is asked."""
    opened, found = plan_addition(ctx, given)
    circuit, panel = found.circuit, panel_words(found.panel.name)
    name, watts = isolated(circuit.description), number(circuit.load_watts)
    message = Words(
        en=f"Add {name} ({watts} W) to {panel.en}?",
        he=f"להוסיף את {name} ({watts} ואט) ל{panel.he}?",
    )
    told = notes(found, ctx.locale, as_built=given["as_built"])
    return Preview(
        confirmation(_TITLE, message, circuit, told, ctx.locale),
        arguments={
            "projectId": opened.project.id,
            "panelId": found.panel.id,
            "panelName": found.panel.name,
            **arguments_of(circuit),
            "asBuilt": given["as_built"],
        },
    )


def _summary(given: dict[str, Any]) -> dict[str, str]:
    """The line of an approval: all that was chosen is in its arguments."""
    name, panel = short(str(given["description"])), given.get("panelName")
    watts = number(float(given["loadWatts"]))
    en, he = _chosen(given, "en"), _chosen(given, "he")
    where = panel_words(str(panel)) if panel else None
    return {
        "en": f"Add {name} ({watts} W)" + (f" to {where.en}" if where else "") + en,
        "he": f"להוסיף את {name} ({watts} ואט)" + (f" ל{where.he}" if where else "") + he,
    }


def _chosen(given: dict[str, Any], locale: str) -> str:
    """`: circuit 7, 20 A breaker, AWG 12`, as far as it was chosen."""
    parts = []
    if "circuitNumber" in given:
        parts.append(say(locale, en="circuit {n}", he="מעגל {n}", n=str(given["circuitNumber"])))
    if "breakerAmps" in given:
        breaker = isolated(f"{given['breakerAmps']} A")
        parts.append(say(locale, en="{amps} breaker", he="מפסק {amps}", amps=breaker))
    if "conductorSize" in given:
        parts.append(isolated(label(given["conductorSize"])))
    return f": {', '.join(parts)}" if parts else ""


def _taken_back(given: dict[str, Any], result: Any) -> dict[str, Any]:
    return {
        "projectId": result["projectId"],
        "panelName": result["panelName"],
        "circuitId": result["circuitId"],
    }


@capability(
    name={"en": "Add a circuit", "he": "הוספת מעגל"},
    category="electrical",
    keywords=[
        "add circuit",
        "add a circuit",
        "new circuit",
        "install a circuit",
        "put a circuit",
        "add a breaker",
        "new breaker",
        "add an outlet circuit",
        "add EV charger circuit",
        "הוסף מעגל",
        "הוסיפי מעגל",
        "להוסיף מעגל",
        "תוסיף מעגל",
        "מעגל חדש",
        "הוספת מעגל",
        "הוסף מפסק",
        "התקן מעגל",
        "add a load",
        "install a new circuit",
        "put on the panel",
    ],
    examples=[
        {
            "userRequest": "Add a 9600 W EV charger circuit to Panel A",
            "parameters": {
                "panelName": "Panel A",
                "description": "EV charger",
                "loadWatts": 9600,
            },
        },
        {
            "userRequest": "Add a 1500 W single-pole circuit for the workshop heater, 20 A",
            "parameters": {
                "description": "Workshop heater",
                "loadWatts": 1500,
                "breakerAmps": 20,
                "pole": "1",
            },
        },
        {
            "userRequest": "הוסף מעגל של 2000 ואט למייבש כביסה בלוח הראשי",
            "parameters": {
                "panelName": "לוח ראשי",
                "description": "מייבש כביסה",
                "loadWatts": 2000,
            },
        },
    ],
    related=["update_circuit", "remove_circuit", "check_conductor_sizing"],
    effect="write",
    atomic=True,
    summary=_summary,
    preview=_preview,
    undo=Undo("remove_circuit", _taken_back),
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
    done = done_text(found, ctx.locale, in_short(circuit))
    result = CircuitAdded(
        done=done,
        project_id=opened.project.id,
        panel_id=panel.id,
        panel_name=panel.name,
        circuit_id=circuit.id,
        circuit_number=circuit.circuit_number,
        circuit=circuit,
        panel_loads=[
            PanelLoad(
                panel_name=each.panel.name,
                load_amps=round(each.after.heaviest_amps, 2),
                rating_amps=each.after.rating_amps,
                utilization_percent=round(
                    100 * each.after.heaviest_amps / each.after.rating_amps, 1
                ),
            )
            for each in found.carried
        ],
        inputs=list(found.case.basis.inputs) if found.case else [],
        assumptions=[each.say(ctx.locale) for each in found.assumed],
        warnings=cautions(found, ctx.locale, as_built=as_built),
        citations=references(found),
    )
    return finish(ctx, result, Display(type="text", text=done))


_TITLE = Words("Add a new circuit?", "להוסיף מעגל חדש?")
