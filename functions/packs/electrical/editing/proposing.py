"""A circuit completed from what was said of it: kind, poles, place, breaker, wires, protection.

The rules are those of `sizing_up`, `places`, `capacity` and `protection`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from packs.electrical.calculations.conductors import SizingCase
from packs.electrical.calculations.loads.new_load import NewLoad, new_circuit
from packs.electrical.editing.capacity import Carried, carried
from packs.electrical.editing.places import (
    check_position,
    has_neutral,
    no_room,
    poles_for_volts,
    possible_starts,
)
from packs.electrical.editing.protection import Protection, protection_of
from packs.electrical.editing.sizing_up import as_recorded, sized
from packs.electrical.projects.records import Area, Circuit, Panel, Poles, Project
from packs.electrical.projects.selection import kind_words
from packs.electrical.results import Assumed, Words
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.text import terms
from rollcall.core.texts import Text

_ANY_ROOM = "room space חדר"
_BY_WORDS = Words(en="the description says so", he="כך עולה מהתיאור")


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete circuit and what stands behind it.

    Attributes:
        after: The project with it.
        case: How its conductors were checked; None for a circuit that carries nothing.
        problems: What is against a rule, with the argument at fault.
    """

    panel: Panel
    circuit: Circuit
    after: Project
    case: SizingCase | None
    protection: Protection
    carried: tuple[Carried, ...]
    problems: tuple[tuple[str, Words | Text], ...]
    assumed: tuple[Assumed, ...]


def plan(
    project: Project, panel: Panel, given: Mapping[str, Any], locale: str, *, as_built: bool = False
) -> Plan:
    """Complete a circuit of these fields, those of `Circuit` as far as they were said.

    Args:
        as_built: It is there already: only what every circuit has is chosen (kind, poles, position,
            breaker), and no size or protection.

    Raises:
        InvalidArgument: A field cannot be, or no conductor is enough.
        FailedPrecondition: The panel has no room, or not at the position that was asked.
    """
    fields, assumed = _kind_and_poles(panel, given, as_built=as_built)
    places = _places(panel, fields)
    fields.setdefault("id", f"c-{uuid.uuid4().hex[:12]}")
    if not as_built and "area" not in fields and (area := area_in(fields["description"])):
        fields["area"] = area
        assumed = (*assumed, Assumed("area", area, None, _BY_WORDS))
    choose = as_recorded if as_built else sized
    found = choose(project, panel, {**fields, "circuit_number": places[0]})
    circuit, loads = _placed(project, panel, Circuit.model_validate(found.fields), places)
    protection = protection_of(_with(project, panel, circuit), panel, circuit, locale)
    if not as_built:
        circuit = _protected(circuit, protection, given)
    return Plan(
        panel=panel,
        circuit=circuit,
        after=_with(project, panel, circuit),
        case=found.case,
        protection=protection,
        carried=tuple(loads),
        problems=(*found.problems, *_overloads(loads)),
        assumed=(*assumed, *(found.case.basis.assumptions if found.case else ())),
    )


def _places(panel: Panel, fields: Mapping[str, Any]) -> list[int]:
    """The position that was said, or those that may be."""
    poles: Poles = fields["poles"]
    if "circuit_number" in fields:
        check_position(panel, fields["circuit_number"], poles)
        return [fields["circuit_number"]]
    found = list(possible_starts(panel, poles))
    if not found:
        raise no_room(panel, poles)
    return found


def _protected(circuit: Circuit, needs: Protection, given: Mapping[str, Any]) -> Circuit:
    """The circuit with the protection that it needs, unless something else was said."""
    gfci, afci = given.get("gfci", needs.gfci), given.get("afci", needs.afci)
    return circuit.model_copy(update={"gfci": gfci, "afci": afci})


def _with(project: Project, panel: Panel, circuit: Circuit) -> Project:
    return with_circuits(project, panel, (*panel.circuits, circuit))


def with_circuits(project: Project, panel: Panel, circuits: tuple[Circuit, ...]) -> Project:
    """The project with other circuits in one panel, in the order of their positions.

    Raises:
        FailedPrecondition: They do not fit into it.
    """
    ordered = tuple(sorted(circuits, key=lambda circuit: circuit.circuit_number))
    changed = checked_panel(panel, ordered)
    panels = tuple(changed if each.id == panel.id else each for each in project.panels)
    return project.model_copy(update={"panels": panels})


def checked_panel(panel: Panel, circuits: tuple[Circuit, ...]) -> Panel:
    """The panel with these circuits.

    Raises:
        FailedPrecondition: Two take one position, or one has no place in it.
    """
    from pydantic import ValidationError

    try:
        return Panel.model_validate({**dict(panel), "circuits": circuits})
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise FailedPrecondition(reason, field="circuitNumber") from error


def _kind_and_poles(
    panel: Panel, given: Mapping[str, Any], *, as_built: bool
) -> tuple[dict[str, Any], tuple[Assumed, ...]]:
    """The fields with a kind of load and a number of poles, as capacity checks assume them."""
    fields = dict(given)
    poles = fields.get("poles")
    is_known = as_built and poles is not None
    fitting = None
    if "voltage" in fields and not is_known:
        fitting = poles_for_volts(panel, fields["voltage"])
    if poles is None and fitting is not None and len(fitting) == 1:
        poles = fitting[0]
    if poles == 3 and panel.phases == 1:
        raise InvalidArgument(
            f"{panel.name} has one phase; a circuit there has 1 or 2 poles, not 3", field="pole"
        )
    as_said = NewLoad(
        watts=fields["load_watts"],
        description=fields["description"],
        kind=fields.get("load_type"),
        continuous=fields.get("continuous"),
        poles=poles,
    )
    found = new_circuit(panel, as_said, [0.0] * (2 if panel.phases == 1 else 3))
    poles = found.circuit.poles
    if poles == 1 and not has_neutral(panel) and not is_known:
        if fields.get("poles") == 1:
            raise InvalidArgument(
                f"{panel.name} has no neutral, and a circuit of 1 pole needs one", field="pole"
            )
        poles = 2
    if fitting is not None and poles not in fitting:
        if fields.get("poles") is not None:
            raise InvalidArgument(
                f"{poles} poles of {panel.name} do not give {fields['voltage']:g} V; "
                f"{' or '.join(map(str, fitting))} would",
                field="pole",
            )
        poles = fitting[0]
    kind = fields.get("load_type") or found.circuit.load_type
    fields |= {"poles": poles, "load_type": kind}
    fields.setdefault("continuous", found.circuit.continuous)
    stated = (each for each in found.assumed if each.name in ("load_type", "poles"))
    return fields, tuple(stated)


def area_in(description: str) -> Area | None:
    """The one area that a description names; None if it names none, or several."""
    said = set(terms(description)) - set(terms(_ANY_ROOM))
    found = [area for area, words in _area_words().items() if said & words]
    return found[0] if len(found) == 1 else None


@cache
def _area_words() -> dict[Area, frozenset[str]]:
    return {area: frozenset(terms(kind_words(area))) for area in get_args(Area)}


def _placed(
    project: Project, panel: Panel, circuit: Circuit, places: list[int]
) -> tuple[Circuit, list[Carried]]:
    """The circuit at the first place whose lines take it; at the first of all if none does."""
    first: tuple[Circuit, list[Carried]] | None = None
    for place in places:
        here = circuit.model_copy(update={"circuit_number": place})
        loads = carried(project, _with(project, panel, here), panel)
        if not any(each.is_overloaded for each in loads):
            return here, loads
        first = first or (here, loads)
    assert first is not None  # there is at least one place
    return first


def _overloads(loads: list[Carried]) -> list[tuple[str, Words | Text]]:
    return [("loadWatts", each.words) for each in loads if each.is_overloaded]
