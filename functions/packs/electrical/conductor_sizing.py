"""Whether the conductors of a circuit are large enough."""

from __future__ import annotations

from dataclasses import replace

from packs.electrical.calculations.conductors import smallest_parallel
from packs.electrical.calculations.sizing import Sizing, sizing
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import ConductorMaterial, ConductorSize, RecordId
from packs.electrical.projects.selection import (
    CircuitId,
    CircuitNumber,
    CircuitWords,
    PanelName,
    find_circuit,
)
from packs.electrical.results import Words, finish
from packs.electrical.wiring.arguments import (
    AmbientC,
    AmbientF,
    BreakerAmps,
    Insulation,
    LoadAmps,
    LoadWatts,
    Sets,
    TerminalRating,
    Together,
    ambient_of,
)
from packs.electrical.wiring.sizing_cases import (
    Asked,
    Case,
    case_of,
    case_without_circuit,
)
from packs.electrical.wiring.sizing_results import ConductorSizing, conductor_sizing
from packs.electrical.wiring.sizing_steps import step_columns, step_rows
from packs.electrical.wiring.sizing_words import sentence
from packs.electrical.wiring.words import circuit_words
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display


@capability(
    name={"en": "Conductor sizing", "he": "חתך מוליכים"},
    category="electrical",
    keywords=[
        "conductor size",
        "wire size",
        "conductor sizing",
        "enough ampacity",
        "wire gauge",
        "what size wire",
        "is the wire big enough",
        "undersized wire",
        "derating",
        "Table 310.16",
        "can this wire carry",
        "bundling",
        "חתך מוליך",
        "חתך מוליכים",
        "עובי חוט",
        "כושר הולכה",
        "העמסה מותרת",
        "איזה חתך",
        "גודל מוליך",
        "האם החוט מספיק",
        "wire for a load",
        "size wire for amps",
        "check the wire",
        "החתך תקין",
        "חתך כבל",
        "המוליך מספיק",
        "החוט עבה מספיק",
    ],
    examples=[
        {
            "userRequest": "Is the wire on circuit 12 of Panel A large enough?",
            "parameters": {"circuitNumber": 12, "panelName": "Panel A"},
        },
        {
            "userRequest": "Can 10 AWG carry 28 A at 40 °C with six conductors in the conduit?",
            "parameters": {
                "loadAmps": 28,
                "conductorSize": "10",
                "ambientC": 40,
                "currentCarryingConductors": 6,
            },
        },
        {"userRequest": "What size wire for 48 A?", "parameters": {"loadAmps": 48}},
        {
            "userRequest": "האם חתך המוליך של המטען לרכב מספיק?",
            "parameters": {"circuitDescription": "מטען לרכב"},
        },
    ],
    related=["calculate_voltage_drop"],
)
def check_conductor_sizing(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    circuit_id: CircuitId | None = None,
    circuit_number: CircuitNumber | None = None,
    panel_name: PanelName | None = None,
    circuit_description: CircuitWords | None = None,
    load_amps: LoadAmps | None = None,
    load_watts: LoadWatts | None = None,
    conductor_size: ConductorSize | None = None,
    conductor_material: ConductorMaterial | None = None,
    conductor_sets: Sets | None = None,
    insulation: Insulation | None = None,
    ambient_c: AmbientC | None = None,
    ambient_f: AmbientF | None = None,
    current_carrying_conductors: Together | None = None,
    terminal_rating_c: TerminalRating | None = None,
    continuous: bool | None = None,
    breaker_amps: BreakerAmps | None = None,
) -> ConductorSizing:
    """Check whether a circuit's conductors are large enough, or find the smallest size that is:
    Table 310.16 with temperature correction, bundling, terminal limits, small-conductor rule and
    the overcurrent device.

    Name a circuit of the project, or give load_amps without one, and conductor_size to check a
    size. The other arguments count instead of what is recorded.

    Args:
        project_id: Leave out for the project at hand.
        circuit_id: The circuit's id.
        circuit_number: The circuit's number; with panel_name where several panels have it.
        panel_name: The panel.
        circuit_description: The circuit in words, such as "EV charger".
        load_amps: The load's current, A, nothing added for continuous loads.
        load_watts: The load of the named circuit, W.
        conductor_size: AWG or kcmil, such as "12", "2/0", "250 kcmil".
        conductor_material: "copper" or "aluminum".
        conductor_sets: Conductors in parallel for each line.
        insulation: Its marking, such as "THHN", "XHHW-2", "NM-B".
        ambient_c: Temperature around the conductors, °C.
        ambient_f: The same in °F, instead of ambient_c.
        current_carrying_conductors: How many carry current in the same raceway or cable.
        terminal_rating_c: Marked on the equipment: 60, 75 or 90 °C.
        continuous: Whether the load runs for three hours or more.
        breaker_amps: The overcurrent device, A.
    """
    asked = Asked(
        load_amps=load_amps,
        load_watts=load_watts,
        conductor_size=conductor_size,
        conductor_material=conductor_material,
        conductor_sets=conductor_sets,
        insulation=insulation,
        ambient_c=ambient_of(ambient_c, ambient_f),
        current_carrying_conductors=current_carrying_conductors,
        terminal_rating_c=terminal_rating_c,
        continuous=continuous,
        breaker_amps=breaker_amps,
    )
    project_id_, name = None, _THE_CIRCUIT
    if circuit_id is None and circuit_number is None and circuit_description is None:
        case = case_without_circuit(asked)
    else:
        project = open_project(ctx, project_id).project
        found = find_circuit(
            project,
            circuit_id=circuit_id,
            circuit_number=circuit_number,
            panel_name=panel_name,
            circuit_description=circuit_description,
        )
        case = case_of(project, found, asked)
        project_id_, name = project.id, circuit_words(found)
    case, done = _sized(case)
    result = conductor_sizing(ctx.locale, case, done, project_id_)
    display = Display(
        type="table",
        title=_TITLE.say(ctx.locale),
        text=sentence(done, case, name).say(ctx.locale),
        columns=step_columns(ctx.locale),
        rows=step_rows(result.steps, ctx.locale),
    )
    return finish(ctx, result, display)


def _sized(case: Case) -> tuple[Case, Sizing]:
    """The check; where no single conductor is enough and none was asked about, of the fewest in
    parallel."""
    need = case.required.need
    done = sizing(case.size, case.how, need)
    if done is None and (parallel := smallest_parallel(case.how, need)) is not None:
        case = replace(case, how=replace(case.how, sets=parallel[0]))
        done = sizing(case.size, case.how, need)
    if done is None:
        raise FailedPrecondition(
            f"no conductors of Table 310.16 are enough for {need.required_amps:g} A as they are "
            "installed, in parallel neither; divide the load",
            field="loadAmps",
        )
    return case, done


_TITLE = Words("Conductor sizing", "חתך מוליכים")
_THE_CIRCUIT = Words("the circuit", "המעגל")
