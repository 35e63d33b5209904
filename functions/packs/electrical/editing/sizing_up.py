"""Breaker, conductors and equipment ground of a circuit that is to be added.

Sources: NEC 210.11(C), 210.19(A)(1), 210.20(A), 240.4, 240.6(A), 250.122, 310.16, 422.13, 424.4(B),
430.22, 440.22, 440.32, 625.41, 625.42.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from packs.electrical.calculations.conductors import (
    Sizing,
    SizingCase,
    circuit_sizing,
    grounding_size,
    problem_text,
    size_conductors,
    smallest_parallel,
)
from packs.electrical.editing.arguments import checked_standard
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.projects.selection import PanelCircuit
from rollcall.core.errors import InvalidArgument
from rollcall.core.texts import Text

SMALLEST_BREAKER_AMPS = 15
REQUIRED_20_A = frozenset({"small_appliance", "laundry"})
ROOMS_OF_20_A = frozenset({"kitchen", "bathroom", "laundry", "garage"})
"""Where 210.11(C) asks a dwelling for receptacle circuits of 20 A."""
SPARE_BREAKER_AMPS = 20
_AT_FAULT = {"breaker_too_small": "breakerAmps", "breaker_too_large": "breakerAmps"}


class Sized(NamedTuple):
    """A circuit's fields with all sizes, and their check; None where nothing can be checked."""

    fields: dict[str, Any]
    case: SizingCase | None
    sizing: Sizing | None

    @property
    def problems(self) -> list[tuple[str, Text]]:
        """What is against a rule, with the argument at fault."""
        if self.case is None or self.sizing is None:
            return []
        return [
            (
                _AT_FAULT.get(problem, "conductorSize"),
                problem_text(problem, self.sizing.checked, self.case),
            )
            for problem in self.sizing.checked.problems
        ]


def as_recorded(project: Project, panel: Panel, fields: dict[str, Any]) -> Sized:
    """The sizes of a circuit that is there already: nothing is chosen but a breaker, which every
    circuit has."""
    found = {"breaker_amps": SPARE_BREAKER_AMPS, **fields}
    circuit = Circuit.model_validate(found)
    if not circuit.load_watts or circuit.conductor_size is None:
        return Sized(found, None, None)
    try:
        case = circuit_sizing(project, PanelCircuit(panel, circuit))
        done = size_conductors(circuit.conductor_size, case.how, case.need)
    except InvalidArgument:  # of a marking or a size that no table has
        return Sized(found, None, None)
    return Sized(found, case, done)


def sized(project: Project, panel: Panel, fields: dict[str, Any]) -> Sized:
    """Breaker, conductors and equipment ground, chosen where they were not said.

    Raises:
        InvalidArgument: The breaker is no standard one, or no conductors are enough.
    """
    if "breaker_amps" in fields:
        checked_standard(fields["breaker_amps"])
    if not fields["load_watts"]:
        return Sized({"breaker_amps": SPARE_BREAKER_AMPS, **fields}, None, None)
    fields = dict(fields)
    if "terminal_rating_c" not in fields and (rating := _marked(panel)) is not None:
        fields["terminal_rating_c"] = rating
    draft = Circuit.model_validate({"breaker_amps": 1, **fields})
    need = circuit_sizing(project, PanelCircuit(panel, draft)).need
    if "breaker_amps" not in fields:
        by_load = replace(need, breaker_amps=None).device_amps
        fields["breaker_amps"] = max(by_load, _least_breaker(project, draft))
    draft = Circuit.model_validate(fields)
    case = circuit_sizing(project, PanelCircuit(panel, draft))
    done = size_conductors(draft.conductor_size, case.how, case.need)
    if done is None:
        return _in_parallel(project, panel, fields, case)
    fields["conductor_size"] = done.checked.size
    if "egc_size" not in fields:
        fields["egc_size"] = grounding_size(
            fields["breaker_amps"],
            fields["conductor_size"],
            done.smallest,
            fields.get("egc_material", "copper"),
            project.edition,
        )
    return Sized(fields, case, done)


def _in_parallel(
    project: Project,
    panel: Panel,
    fields: dict[str, Any],
    case: SizingCase,
) -> Sized:
    found = smallest_parallel(case.how, case.need)
    if found is None:
        raise InvalidArgument(
            f"no conductors are enough for {case.need.required_amps:g} A: divide the load",
            field="loadWatts",
        )
    sets, size = found
    more = {**fields, "conductor_sets": sets, "conductor_size": size}
    return sized(project, panel, more)


def _marked(panel: Panel) -> int | None:
    """The rating of the panel's terminals, where its other circuits agree on one."""
    known = {each.terminal_rating_c for each in panel.circuits if each.terminal_rating_c}
    return known.pop() if len(known) == 1 else None


def _least_breaker(project: Project, circuit: Circuit) -> int:
    """20 A where 210.11(C) asks for it, else 15 A, the smallest of a branch circuit."""
    if circuit.load_type in REQUIRED_20_A:
        return 20
    is_home = project.building.occupancy == "dwelling"
    is_outlet = circuit.load_type == "receptacle" and circuit.area in ROOMS_OF_20_A
    return 20 if is_home and is_outlet else SMALLEST_BREAKER_AMPS
