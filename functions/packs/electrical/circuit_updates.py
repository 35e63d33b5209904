"""Circuits changed, field by field."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

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
from packs.electrical.editing.arguments import (
    CLEARABLE,
    AnyPowerFactor,
    Clearable,
    Pole,
    Position,
    Shown,
    Watts,
    arguments_of,
)
from packs.electrical.editing.changing import (
    Change,
    plan_change,
)
from packs.electrical.editing.shapes import CircuitUpdated
from packs.electrical.editing.storing import put_circuits
from packs.electrical.editing.words import NAMES, changes, named, value_text, which_circuit
from packs.electrical.projects.records import (
    Area,
    Circuit,
    ConductorMaterial,
    ConductorSize,
    Description,
    LoadType,
    RecordId,
    Voltage,
)
from packs.electrical.projects.selection import (
    CircuitId,
    CircuitNumber,
    CircuitWords,
    PanelName,
)
from packs.electrical.results import CodeReference, Words, finish, said
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display
from rollcall.core.texts import Text
from rollcall.core.wording import short

Clear = Annotated[list[Clearable], Field(max_length=len(CLEARABLE))]


def _preview_update(ctx: ToolContext, **given: Any) -> Preview:
    """The fields that change, before and after, or a refusal."""
    opened, change = plan_change(ctx, given)
    name = named(change.found.panel, change.before)
    shown = changes(change.before, change.after, _shown(change), ctx.locale)
    text = Words(f"Change {name.en}?", f"לשנות את {name.he}?").say(ctx.locale)
    display = shown.model_copy(
        update={
            "title": _TITLE.say(ctx.locale),
            "text": "\n".join([text, *said(ctx.locale, _warnings(change))]),
        }
    )
    arguments = {**_completed(opened.project.id, change), "asBuilt": given["as_built"]}
    if given["clear"]:
        arguments["clear"] = list(given["clear"])
    return Preview(display, arguments=arguments)


def _completed(project_id: str, change: Change) -> dict[str, Any]:
    """The circuit by its id, as it is shown, and the values that it is to have."""
    after = arguments_of(change.after)
    wire = {
        "circuit_number": ("newCircuitNumber", "circuitNumber"),
        "poles": ("pole", "pole"),
    }
    values = {}
    for name in change.names:
        alias = Circuit.model_fields[name].alias or name
        to, of = wire.get(name, (alias, alias))
        if of in after:
            values[to] = after[of]
    return {
        "projectId": project_id,
        "circuitId": change.before.id,
        "panelName": change.found.panel.name,
        "asShown": change.before.dump(),
        **values,
    }


def _shown(change: Change) -> list[str]:
    return [name for name in NAMES if name in change.names]


def _warnings(change: Change) -> list[Words | Text]:
    loads: list[Words | Text] = (
        [each.words for each in change.carried] if "load_watts" in change.names else []
    )
    return [*loads, *change.problems]


def _summarize_update(given: dict[str, Any]) -> dict[str, str]:
    which = which_circuit(given)
    held = {"projectId", "circuitId", "circuitNumber", "panelName", "circuitDescription", "asShown"}
    told = {key: v for key, v in given.items() if key not in held and v not in (None, False, [])}
    said = {
        locale: ", ".join(_told(key, value, locale) for key, value in told.items())
        for locale in ("en", "he")
    }
    return {
        "en": f"Change {which.en}: {said['en']}",
        "he": f"לשנות את {which.he}: {said['he']}",
    }


def _told(key: str, value: Any, locale: str) -> str:
    """A field that changes, by its name for people."""
    fields = {field.alias or name: name for name, field in Circuit.model_fields.items()}
    name = {"pole": "poles", "newCircuitNumber": "circuit_number"}.get(key, fields.get(key, key))
    if name not in NAMES:
        return f"{key}: {short(str(value), most=40)}"
    plain = int(value) if name == "poles" else value
    return f"{NAMES[name].say(locale)}: {value_text(name, plain, locale)}"


def _put_back(given: dict[str, Any], result: Any) -> dict[str, Any]:
    before = result["before"]
    names = {"poles": "pole", "circuitNumber": "newCircuitNumber"}
    by_alias = {Circuit.model_fields[name].alias or name: name for name in CLEARABLE}
    changed = [*before, *(key for key in result["after"] if key not in before)]
    return {
        "projectId": result["projectId"],
        "panelName": result["panelName"],
        "circuitId": result["circuitId"],
        **{
            names.get(key, key): str(value) if key == "poles" else value
            for key, value in before.items()
        },
        "clear": [by_alias[key] for key in changed if key not in before],
        "asBuilt": True,
    }


@capability(
    name={"en": "Change a circuit", "he": "שינוי מעגל"},
    category="electrical",
    keywords=[
        "update circuit",
        "change circuit",
        "change the breaker",
        "change the wire",
        "rename circuit",
        "move circuit",
        "edit circuit",
        "set the length",
        "set the load",
        "make it 30 A",
        "correct the circuit",
        "עדכן מעגל",
        "שנה מעגל",
        "שני מעגל",
        "לשנות מעגל",
        "תשנה את המפסק",
        "החלף מפסק",
        "עדכון מעגל",
        "שינוי מעגל",
        "upgrade the breaker",
        "change the load",
        "update the load",
        "replace the wire",
        "make the circuit",
        "עדכן את ההספק",
        "שנה את ההספק",
        "שנה את המפסק",
        "שנה את החוט",
        "החלף את החוט",
        "תחליף את החוט",
        "תחליף את המפסק",
    ],
    examples=[
        {
            "userRequest": "Change the breaker of circuit 12 in Panel A to 30 A",
            "parameters": {"circuitNumber": 12, "panelName": "Panel A", "breakerAmps": 30},
        },
        {
            "userRequest": "The EV charger's run is 120 ft of 6 AWG",
            "parameters": {
                "circuitDescription": "EV charger",
                "lengthFt": 120,
                "conductorSize": "6",
            },
        },
        {
            "userRequest": "שנה את המפסק של המקרר ל-15 אמפר",
            "parameters": {"circuitDescription": "מקרר", "breakerAmps": 15},
        },
    ],
    related=["add_circuit", "remove_circuit", "check_conductor_sizing"],
    effect="write",
    atomic=True,
    summary=_summarize_update,
    preview=_preview_update,
    undo=Undo("update_circuit", _put_back),
)
def update_circuit(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    circuit_id: CircuitId | None = None,
    circuit_number: CircuitNumber | None = None,
    panel_name: PanelName | None = None,
    circuit_description: CircuitWords | None = None,
    description: Description | None = None,
    new_circuit_number: Position | None = None,
    pole: Pole | None = None,
    load_watts: Watts | None = None,
    breaker_amps: BreakerAmps | None = None,
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
    clear: Clear | None = None,
    as_built: bool = False,
    as_shown: Shown | None = None,
) -> CircuitUpdated:
    """Change fields of one circuit of the project: its breaker, conductors, load, length,
    description, position. Only what is given changes. The user sees it before and after and is
    asked first; it can be taken back.

    Args:
        project_id: Leave out for the project at hand.
        circuit_id: The circuit to change, by its id.
        circuit_number: The circuit to change, by its number; with panel_name.
        panel_name: The panel it is in.
        circuit_description: The circuit to change, in words, such as "EV charger".
        description: A new description.
        new_circuit_number: A new position.
        pole: "1", "2" or "3".
        load_watts: Its load, W.
        breaker_amps: Its breaker, A, a standard rating.
        load_type: The kind of load.
        continuous: Whether it runs for three hours or more.
        area: Where it is.
        voltage: Of the load, V.
        power_factor: Of the load.
        length_ft: Length of the run, one way, ft.
        length_m: The same in m, instead of length_ft.
        conductor_size: AWG or kcmil, such as "12", "2/0".
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
        clear: Fields that are to be unknown again.
        as_built: Record what is there already, whatever the panel's capacity says.
        as_shown: The circuit as the user was shown it; leave out.
    """
    given = {name: value for name, value in locals().items() if name != "ctx"}
    opened, change = plan_change(ctx, given)
    panel, after = change.found.panel, change.after
    others = tuple(each for each in panel.circuits if each.id != after.id)
    put_circuits(ctx, opened, panel, (*others, after))
    name = named(panel, after)
    done = Words(f"Changed {name.en}", f"המעגל שונה: {name.he}").say(ctx.locale)
    aliases = [Circuit.model_fields[each].alias or each for each in change.names]
    old, new = change.before.dump(), after.dump()
    result = CircuitUpdated(
        done=done,
        project_id=opened.project.id,
        panel_id=panel.id,
        panel_name=panel.name,
        circuit_id=after.id,
        circuit_number=after.circuit_number,
        circuit=after,
        before={each: old[each] for each in aliases if each in old},
        after={each: new[each] for each in aliases if each in new},
        warnings=list(said(ctx.locale, _warnings(change))),
        citations=[CodeReference(edition=opened.project.edition, table="310.16")]
        if change.problems
        else [],
    )
    return finish(ctx, result, Display(type="text", text=done))


_TITLE = Words("Change the circuit?", "לשנות את המעגל?")
