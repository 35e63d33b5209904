"""A change or a removal worked out for one user, and whether the circuit is as it was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packs.electrical.calculations.circuit_load import motors_of
from packs.electrical.calculations.conductors import (
    Sizing,
    circuit_sizing,
    problem_text,
    size_conductors,
)
from packs.electrical.calculations.loads.panel import feeder_circuits
from packs.electrical.editing.arguments import Clearable, checked_standard, fields_of
from packs.electrical.editing.capacity import Carried, carried
from packs.electrical.editing.proposing import with_circuits
from packs.electrical.projects.access import Opened, open_project
from packs.electrical.projects.records import Circuit, Project
from packs.electrical.projects.selection import PanelCircuit, find_circuit
from packs.electrical.results import Words
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.texts import Text

SELECTING = (
    "project_id", "circuit_id", "circuit_number", "panel_name", "circuit_description", "as_built",
    "clear", "as_shown",
)  # fmt: skip
_NUMBER = "newCircuitNumber"


@dataclass(frozen=True, slots=True)
class Change:
    """A circuit before and after.

    Attributes:
        names: The fields that differ, by their Python names.
        carried: The panels on the way, where the load changes.
        problems: What is against a rule afterwards, in words.
    """

    found: PanelCircuit
    after: Circuit
    project: Project
    names: tuple[str, ...]
    carried: tuple[Carried, ...]
    problems: tuple[Words | Text, ...]

    @property
    def before(self) -> Circuit:
        return self.found.circuit


def find_to_change(ctx: ToolContext, given: Mapping[str, Any]) -> tuple[Opened, PanelCircuit]:
    """The circuit that is named, if the user may change it and it is as it was shown.

    Raises:
        InvalidArgument, NotFound: It is not clear which one, or there is none.
        PermissionDenied: The user is no member of the project.
        FailedPrecondition: It was changed since.
    """
    opened = open_project(ctx, given["project_id"], role="member")
    found = find_circuit(
        opened.project,
        circuit_id=given["circuit_id"],
        circuit_number=given["circuit_number"],
        panel_name=given["panel_name"],
        circuit_description=given["circuit_description"],
    )
    _check_as_shown(found, given["as_shown"])
    return opened, found


def plan_change(ctx: ToolContext, given: Mapping[str, Any]) -> tuple[Opened, Change]:
    """Work out what update_circuit would do with these arguments.

    Raises:
        InvalidArgument, NotFound: An argument is wrong, or nothing would change.
        PermissionDenied: The user is no member of the project.
        FailedPrecondition: It does not fit, or the circuit was changed since it was shown.
    """
    opened, found = find_to_change(ctx, given)
    told = fields_of({name: each for name, each in given.items() if name not in SELECTING})
    if "breaker_amps" in told and not given["as_built"]:
        checked_standard(told["breaker_amps"])
    after = _changed(found.circuit, told, given["clear"] or ())
    names = tuple(
        name
        for name in type(after).model_fields
        if getattr(after, name) != getattr(found.circuit, name)
    )
    if not names:
        raise InvalidArgument(
            f"nothing of {found.label} would change; give the fields and their new values",
            field="description",
        )
    change = _worked_out(opened.project, found, after, names)
    if not given["as_built"]:
        _check_capacity(change)
    return opened, change


def check_removable(project: Project, found: PanelCircuit) -> None:
    """
    Raises:
        FailedPrecondition: A motor or a feeder refers to the circuit.
    """
    _check_motors(project, found, "removed")
    for feeder_id, circuit in feeder_circuits(project, found.panel).items():
        if circuit.id == found.circuit.id:
            feeder = next(each for each in project.feeders if each.id == feeder_id)
            raise FailedPrecondition(
                f"{found.label} is the breaker of feeder {feeder.name!r}, so it cannot be removed",
                field="circuitNumber",
                hint="take the feeder out of the project first",
            )


def _changed(circuit: Circuit, told: Mapping[str, Any], clear: Sequence[Clearable]) -> Circuit:
    if twice := sorted(set(clear) & told.keys()):
        raise InvalidArgument(f"{twice[0]} is both given and cleared", field="clear")
    nothing: dict[str, Any] = dict.fromkeys(clear)
    fields: dict[str, Any] = {**dict(circuit), **nothing, **told}
    return Circuit.model_validate(fields)


def _worked_out(
    project: Project, found: PanelCircuit, after: Circuit, names: tuple[str, ...]
) -> Change:
    if {"circuit_number", "poles"} & set(names):
        _check_motors(project, found, "moved")
    others = tuple(each for each in found.panel.circuits if each.id != found.circuit.id)
    changed = with_circuits(project, found.panel, (*others, after))
    sized = _sized(changed, PanelCircuit(found.panel, after)) if after.load_watts else None
    problems = () if sized is None else sized
    loads = tuple(carried(project, changed, found.panel))
    return Change(found, after, changed, names, loads, problems)


def _sized(project: Project, found: PanelCircuit) -> tuple[Words | Text, ...]:
    """What is against a rule of conductors and breaker; nothing where no size is recorded."""
    case = circuit_sizing(project, found)
    if case.size is None:
        return ()
    done: Sizing | None = size_conductors(case.size, case.how, case.need)
    if done is None:
        return ()
    return tuple(problem_text(each, done.checked, case) for each in done.checked.problems)


def _check_capacity(change: Change) -> None:
    for each in change.carried:
        if each.is_overloaded:
            text = each.words.en.replace("\u2068", "").replace("\u2069", "")
            raise FailedPrecondition(
                f"{change.found.label} cannot be changed so: {text}",
                field="loadWatts",
                hint="asBuilt records what is there already",
            )


def _check_motors(project: Project, found: PanelCircuit, what: str) -> None:
    motors = motors_of(project, found)
    if motors:
        names = ", ".join(repr(motor.name) for motor in motors)
        raise FailedPrecondition(
            f"{found.label} supplies the motor {names}, so it cannot be {what}",
            field=_NUMBER if what == "moved" else "circuitNumber",
            hint="take the motor out of the project first",
        )


def _check_as_shown(found: PanelCircuit, shown: Mapping[str, Any] | None) -> None:
    if shown is None:
        return
    now = found.circuit.dump()
    differ = sorted(key for key in shown.keys() | now.keys() if shown.get(key) != now.get(key))
    if differ:
        what = ", ".join(
            f"{key} {shown.get(key, 'unknown')} → {now.get(key, 'unknown')}" for key in differ
        )
        raise FailedPrecondition(
            f"{found.label} was changed after it was shown: {what}; nothing was written",
            field="asShown",
            hint="ask again",
        )
