"""The voltage drop of a circuit, and of the feeders before it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from packs.electrical.calculations.voltage_drop import Method
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import (
    ConductorMaterial,
    ConductorSize,
    Phases,
    RecordId,
)
from packs.electrical.projects.selection import (
    CircuitId,
    CircuitNumber,
    CircuitWords,
    PanelName,
    find_circuit,
)
from packs.electrical.wiring.arguments import (
    Conduit,
    LengthFt,
    LengthM,
    LoadAmps,
    LoadWatts,
    PowerFactor,
    Sets,
    Volts,
    length_of,
)
from packs.electrical.wiring.drop_answers import answer, answer_selected, without_circuit
from packs.electrical.wiring.drop_cases import Asked
from packs.electrical.wiring.drop_results import Selector, VoltageDrop
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext

Temperature = Annotated[float, Field(ge=-40, le=250)]


@capability(
    name={"en": "Voltage drop", "he": "מפל מתח"},
    category="electrical",
    keywords=[
        "voltage drop",
        "volt drop",
        "drop on circuit",
        "receiving end voltage",
        "voltage at the load",
        "voltage at the end of the run",
        "long run",
        "longest circuit",
        "worst voltage drop",
        "3 percent",
        "5 percent",
        "wire size for distance",
        "what if the run were longer",
        "מפל מתח",
        "נפילת מתח",
        "מפל המתח",
        "מתח בקצה הקו",
        "מפל המתח הגרוע ביותר",
        "המעגל הארוך ביותר",
        "אורך קו",
        "שלושה אחוז",
        "VD",
        "volts lost",
        "lose on the run",
        "enough voltage at the end",
    ],
    examples=[
        {
            "userRequest": "What's the voltage drop on circuit 14 of Panel A?",
            "parameters": {"circuitNumber": 14, "panelName": "Panel A"},
        },
        {
            "userRequest": "Which circuit has the worst voltage drop?",
            "parameters": {"selector": "worst"},
        },
        {
            "userRequest": "What would the drop of the EV charger be with AWG 4 at 60 m?",
            "parameters": {
                "circuitDescription": "EV charger",
                "conductorSize": "4",
                "lengthM": 60,
            },
        },
        {
            "userRequest": "מה מפל המתח במעגל של המטען לרכב?",
            "parameters": {"circuitDescription": "מטען לרכב"},
        },
    ],
    related=["check_conductor_sizing"],
)
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
    conductor_temperature_c: Temperature | None = None,
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
        method: "exact" (Table 9, R cos + X sin), "approximate" (K / circular mils of Table 8), or
            "receiving_end" (Table 9, solved for the voltage at the load).
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
        conductor_temperature_c: Of the conductor in service, °C; 75 is that of the tables.
    """
    asked = Asked(
        load_amps=load_amps,
        load_watts=load_watts,
        length_ft=length_of(length_ft, length_m),
        conductor_size=conductor_size,
        conductor_material=conductor_material,
        conductor_sets=conductor_sets,
        power_factor=power_factor,
        conduit_type=conduit_type,
        voltage=voltage,
        phases=phases,
        conductor_temperature_c=conductor_temperature_c,
    )
    named = circuit_id or circuit_number or circuit_description
    if named is None and selector is None:
        return without_circuit(ctx, asked, method)
    project = open_project(ctx, project_id).project
    if named is None and selector is not None:
        return answer_selected(ctx, project, asked, method, selector, panel_name)
    found = find_circuit(
        project,
        circuit_id=circuit_id,
        circuit_number=circuit_number,
        panel_name=panel_name,
        circuit_description=circuit_description,
    )
    return answer(ctx, project, found, asked, method)
