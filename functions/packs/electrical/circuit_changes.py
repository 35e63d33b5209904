"""The common arguments, texts and results of the capabilities that change circuits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from packs.electrical.arguments import length_in_feet
from packs.electrical.calculations.circuit_load import motors_of
from packs.electrical.circuit_design import with_circuits
from packs.electrical.nec.conductors import size_text
from packs.electrical.projects.access import OpenProject, open_project
from packs.electrical.projects.documents import unchanged
from packs.electrical.projects.records import MAX_SPACES, Circuit, Panel, PanelCircuit, Project
from packs.electrical.projects.selection import find_circuit
from packs.electrical.projects.wording import value_name
from packs.electrical.results import CalculationResult, table
from packs.electrical.wording import TEXTS, amps, feet, number, panel_text
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text, isolated, short


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Pole = Annotated[Literal["1", "2", "3"], BeforeValidator(_as_text)]
Position = Annotated[int, Field(ge=1, le=MAX_SPACES)]
Watts = Annotated[float, Field(ge=0, le=2_000_000)]
AnyPowerFactor = Annotated[float, Field(gt=0, le=1)]
Shown = dict[str, Any]
"""A circuit as it was shown to the person who approved."""

Clearable = Literal[
    "power_factor", "voltage", "area", "conductor_size", "insulation", "conduit_type", "length_ft",
    "egc_size", "ambient_c", "current_carrying_conductors", "terminal_rating_c",
    "disconnect_in_sight",
]  # fmt: skip
"""Fields that may be unknown."""

CLEARABLE: tuple[Clearable, ...] = get_args(Clearable)
_RENAMED = {"circuit_id": "id", "pole": "poles", "new_circuit_number": "circuit_number"}
_NO_FIELDS = frozenset({"length_m", "panel_id", "panel_name", "project_id"})


def fields_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a circuit's fields, by their Python names, from a capability's arguments.

    Raises:
        InvalidArgument: The length is given in two units.
    """
    fields = {
        _RENAMED.get(name, name): value
        for name, value in given.items()
        if value is not None and name not in _NO_FIELDS
    }
    length = length_in_feet(given.get("length_ft"), given.get("length_m"))
    if length is not None:
        fields["length_ft"] = round(length, 2)
    if "poles" in fields:
        fields["poles"] = int(fields["poles"])
    return fields


def arguments_of(circuit: Circuit) -> dict[str, Any]:
    """Return a circuit's known fields as arguments of add_circuit: plain JSON, camelCase."""
    arguments = circuit.dump()
    arguments["circuitId"] = arguments.pop("id")
    arguments["pole"] = str(arguments.pop("poles"))
    return arguments


# ---- Results ----


class PanelLoad(Wire):
    """The load of a panel after the change: its heaviest line, A, as a share of its rating."""

    panel_name: str
    load_amps: float
    rating_amps: float
    utilization_percent: float


class CircuitChange(CalculationResult):
    """The result of a change of a circuit; `done` says it in the user's language."""

    done: str
    panel_id: str
    panel_name: str
    circuit_id: str
    circuit_number: int
    circuit: Circuit


def change_fields(opened: OpenProject, panel: Panel, circuit: Circuit, done: str) -> dict[str, Any]:
    """Return the fields of a `CircuitChange`."""
    return {
        "done": done,
        "project_id": opened.project.id,
        "panel_id": panel.id,
        "panel_name": panel.name,
        "circuit_id": circuit.id,
        "circuit_number": circuit.circuit_number,
        "circuit": circuit,
    }


class CircuitAdded(CircuitChange):
    """The result of add_circuit."""

    panel_loads: list[PanelLoad]


class CircuitUpdated(CircuitChange):
    """The result of update_circuit. `before` and `after` have the fields that changed, as far as
    they were and are known."""

    before: dict[str, Any]
    after: dict[str, Any]


class CircuitRemoved(CircuitChange):
    """The result of remove_circuit: the whole circuit, as it was."""


# ---- Texts ----

FIELDS: tuple[str, ...] = (
    "circuit_number", "description", "poles", "load_watts", "breaker_amps", "conductor_size",
    "conductor_material", "conductor_sets", "egc_size", "egc_material", "load_type", "continuous",
    "area", "voltage", "power_factor", "length_ft", "gfci", "afci", "insulation", "conduit_type",
    "ambient_c", "current_carrying_conductors", "terminal_rating_c", "disconnect_in_sight",
)  # fmt: skip
"""A circuit's fields in the order in which a change shows them; their names are texts."""


def field_name(name: str, locale: str) -> str:
    """The name of a field for people."""
    return TEXTS.say(locale, f"circuits.fields.{name}")


def value_text(name: str, value: Any, locale: str) -> str:
    """The value of a field with its unit."""
    if value is None:
        return TEXTS.say(locale, "circuits.unknown")
    if isinstance(value, bool):
        return TEXTS.say(locale, "circuits.yes" if value else "circuits.no")
    if (words := value_name(name, value)) is not None:
        return isolated(words.say(locale))
    match name:
        case "load_watts":
            return isolated(f"{number(value)} W")
        case "breaker_amps":
            return amps(value, 0)
        case "conductor_size" | "egc_size":
            return size_text(value)
        case "length_ft":
            return feet(value)
        case "voltage":
            return isolated(f"{number(value)} V")
        case "ambient_c" | "terminal_rating_c":
            return isolated(f"{number(value)} °C")
    return isolated(str(value))


def confirmation(
    title: Text, question: str, project: Project, circuit: Circuit, locale: str
) -> Display:
    """The question for an approval, with the project and all known fields of the circuit."""
    known = {"project": project.name, **{name: getattr(circuit, name) for name in FIELDS}}
    rows = [
        (field_name(name, locale), value_text(name, value, locale))
        for name, value in known.items()
        if value is not None
    ]
    columns = TEXTS.data(locale, "circuits.columns.words")
    shown = table(columns, rows)
    return Display(type="confirmation", title=title.say(locale), text=question, **shown)


def named(panel: Panel, circuit: Circuit) -> Text:
    """A circuit by description, number and panel."""
    return TEXTS.text(
        "circuits.named",
        name=short(circuit.description),
        number=circuit.circuit_number,
        panel=panel_text(panel.name),
    )


def which_circuit(given: Mapping[str, Any]) -> Text:
    """The circuit of some arguments in one line: `circuit 7 (EV charger)`."""
    shown = given.get("asShown") or {}
    name = shown.get("description") or given.get("circuitDescription") or given.get("circuitId")
    number = shown.get("circuitNumber") or given.get("circuitNumber")
    parts = [str(number) if number else "", short(str(name)) if name else ""]
    if all(parts):
        parts = [parts[0], f"({parts[1]})"]
    return TEXTS.text("circuits.which", which=" ".join(part for part in parts if part))


def in_short(circuit: Circuit) -> str:
    """`50 A, 2 poles, AWG 6`."""
    parts = [amps(circuit.breaker_amps, 0)]
    if circuit.conductor_size:
        parts.append(size_text(circuit.conductor_size, circuit.conductor_sets))
    return ", ".join(parts)


# ---- Storing ----


def put_circuits(
    ctx: ToolContext, opened: OpenProject, panel: Panel, circuits: tuple[Circuit, ...]
) -> None:
    """Store a panel's new circuits, unless the project changes before the batch is committed: the
    capacity depends on other panels of the feeder, and a removal on the project's motors.

    Raises:
        FailedPrecondition: They do not fit into the panel.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    changed = with_circuits(opened.project, panel, circuits).panel(panel.id) or panel
    document = opened.stored.panels[panel.id]
    stored = {"circuits": [circuit.dump() for circuit in changed.circuits]}
    ctx.batch.update(document.reference, stored, option=unchanged(document))
    touched = {"updatedAt": SERVER_TIMESTAMP}
    project = opened.stored.project
    ctx.batch.update(project.reference, touched, option=unchanged(project))


# ---- The circuit that is changed ----


def find_to_change(ctx: ToolContext, given: Mapping[str, Any]) -> tuple[OpenProject, PanelCircuit]:
    """Find the circuit of the arguments, if the user may change it and it is still as shown.

    Raises:
        InvalidArgument, NotFound: Several circuits match, or none.
        PermissionDenied: The user is no member of the project.
        FailedPrecondition: It was changed since it was shown.
    """
    opened = open_project(ctx, given["project_id"], role="member")
    branch = find_circuit(
        opened.project,
        circuit_id=given["circuit_id"],
        circuit_number=given["circuit_number"],
        panel_name=given["panel_name"],
        circuit_description=given["circuit_description"],
    )
    shown, now = given["as_shown"], branch.circuit.dump()
    if shown is None or shown == now:
        return opened, branch
    changes = ", ".join(
        f"{key} {shown.get(key, '—')} → {now.get(key, '—')}"
        for key in sorted(shown.keys() | now.keys())
        if shown.get(key) != now.get(key)
    )
    if changes:
        raise FailedPrecondition(
            TEXTS.text("errors.changed_since_shown", circuit=branch.text, what=changes),
            field="asShown",
            hint=TEXTS.text("hints.ask_again"),
        )
    return opened, branch


def check_motors(
    project: Project, branch: PanelCircuit, change: Literal["moved", "removed"]
) -> None:
    """Refuse to move or remove a circuit that supplies a motor.

    Raises:
        FailedPrecondition: It supplies one.
    """
    motors = motors_of(project, branch)
    if motors:
        names = ", ".join(repr(motor.name) for motor in motors)
        raise FailedPrecondition(
            TEXTS.text(f"errors.motor_of_{change}", circuit=branch.text, names=names),
            field="newCircuitNumber" if change == "moved" else "circuitNumber",
            hint=TEXTS.text("hints.remove_motor_first"),
        )
