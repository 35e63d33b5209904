"""The design of a new circuit: kind, poles, position, breaker, conductors, protection, capacity.

Fields that are left out are chosen; each broken rule is collected with the argument at fault.

Sources: NEC 110.15, 210.11(C), 210.19(A)(1), 210.20(A), 240.4, 240.6(A), 250.122, 310.16, 408.3(E)
(the high leg is phase B), 408.36, 408.54, 422.13, 424.4(B), 430.22, 440.22, 440.32, 625.41, 625.42.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.conductors import (
    Sizing,
    SizingCase,
    circuit_sizing,
    grounding_size,
    problem_text,
    smallest_parallel,
)
from packs.electrical.calculations.loads.lines import line_at, system_of
from packs.electrical.calculations.loads.new_load import (
    NewLoad,
    free_positions,
    is_on_high_leg,
    new_circuit,
    starts,
)
from packs.electrical.calculations.loads.panel import Demand, panel_demand
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import Problem, Rule, Unknown
from packs.electrical.inspection.rules import gfci as gfci_rules
from packs.electrical.nec.overcurrent import not_standard
from packs.electrical.projects.labels import places_in
from packs.electrical.projects.records import Area, Circuit, Panel, PanelCircuit, Poles, Project
from packs.electrical.projects.topology import panels_above
from packs.electrical.results import AssumedValue
from packs.electrical.wording import TEXTS, amps, invalid, panel_text, percent, volts
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.inputs import reason_of
from rollcall.core.texts import Text, isolated


class Plan(Struct, frozen=True):
    """A complete circuit, its design, and the rules that it breaks.

    Attributes:
        after: The project with the circuit.
        case: The check of its conductors; None for a circuit without a load.
        problems: The broken rules as texts, each with the argument at fault.
    """

    panel: Panel
    circuit: Circuit
    after: Project
    case: SizingCase | None
    protection: Protection
    panel_loads: tuple[PanelLoading, ...]
    problems: tuple[tuple[str, Text], ...]
    assumed: tuple[AssumedValue, ...]


def plan(
    project: Project, panel: Panel, given: Mapping[str, Any], *, as_built: bool = False
) -> Plan:
    """Complete a circuit from some of the fields of `Circuit`.

    Args:
        as_built: The circuit exists already: only the fields that every circuit has are chosen
            (kind, poles, position, breaker), and no size or protection.

    Raises:
        InvalidArgument: A field is not possible, or no conductor is enough.
        FailedPrecondition: The panel has no room, or none at the requested position.
    """
    fields, assumed = _kind_and_poles(panel, given, as_built=as_built)
    poles: Poles = fields["poles"]
    if "circuit_number" in fields:
        check_position(panel, fields["circuit_number"], poles)
        positions = [fields["circuit_number"]]
    elif not (positions := list(possible_starts(panel, poles))):
        raise no_room(panel, poles)
    fields.setdefault("id", f"c-{uuid.uuid4().hex[:12]}")
    if not as_built and "area" not in fields and (area := area_in(fields["description"])):
        fields["area"] = area
        by_description = TEXTS.text("circuits.by_description")
        assumed = (*assumed, AssumedValue("area", area, None, by_description))
    choose = as_recorded if as_built else sized
    sizes = choose(project, panel, {**fields, "circuit_number": positions[0]})
    draft = Circuit.model_validate(sizes.fields)
    circuit, loads = _positioned(project, panel, draft, positions)
    protection = protection_of(_with(project, panel, circuit), panel, circuit)
    if not as_built:
        gfci, afci = given.get("gfci", protection.gfci), given.get("afci", protection.afci)
        circuit = circuit.model_copy(update={"gfci": gfci, "afci": afci})
    overloads = (("loadWatts", each.text) for each in loads if each.is_overloaded)
    return Plan(
        panel=panel,
        circuit=circuit,
        after=_with(project, panel, circuit),
        case=sizes.case,
        protection=protection,
        panel_loads=tuple(loads),
        problems=(*high_leg_problems(panel, circuit), *sizes.problems, *overloads),
        assumed=(*assumed, *(sizes.case.basis.assumptions if sizes.case else ())),
    )


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
        reason = reason_of(error.errors(include_url=False)[0])
        raise FailedPrecondition(reason, field="circuitNumber") from error


def _kind_and_poles(
    panel: Panel, given: Mapping[str, Any], *, as_built: bool
) -> tuple[dict[str, Any], tuple[AssumedValue, ...]]:
    """Add the kind of load and the number of poles, by the assumptions of a capacity check."""
    fields = dict(given)
    poles = fields.get("poles")
    is_known = as_built and poles is not None
    fitting = None
    if "voltage" in fields and not is_known:
        fitting = poles_for_volts(panel, fields["voltage"])
    if poles is None and fitting is not None and len(fitting) == 1:
        poles = fitting[0]
    if poles == 3 and panel.phases == 1:
        raise invalid("pole", "three_poles_of_one_phase", panel=panel_text(panel.name))
    load = NewLoad(
        watts=fields["load_watts"],
        description=fields["description"],
        kind=fields.get("load_type"),
        continuous=fields.get("continuous"),
        poles=poles,
    )
    new = new_circuit(panel, load, [0.0] * (2 if panel.phases == 1 else 3))
    poles = new.circuit.poles
    if poles == 1 and not has_neutral(panel) and not is_known:
        if fields.get("poles") == 1:
            raise invalid("pole", "no_neutral", panel=panel_text(panel.name))
        poles = 2
    if fitting is not None and poles not in fitting:
        if fields.get("poles") is not None:
            raise invalid(
                "pole",
                "poles_of_voltage",
                poles=poles,
                panel=panel_text(panel.name),
                voltage=fields["voltage"],
                fitting=", ".join(map(str, fitting)),
            )
        poles = fitting[0]
    kind = fields.get("load_type") or new.circuit.load_type
    fields |= {"poles": poles, "load_type": kind}
    fields.setdefault("continuous", new.circuit.continuous)
    return fields, tuple(each for each in new.assumed if each.name in ("load_type", "poles"))


def area_in(description: str) -> Area | None:
    """The one area that a description names; None if it names none, or several."""
    places = places_in(description)
    return places[0] if len(places) == 1 else None


def _positioned(
    project: Project, panel: Panel, circuit: Circuit, positions: list[int]
) -> tuple[Circuit, list[PanelLoading]]:
    """The circuit at the first position whose lines carry it; at the first of all if none does."""
    first: tuple[Circuit, list[PanelLoading]] | None = None
    for position in positions:
        here = circuit.model_copy(update={"circuit_number": position})
        loads = loads_after(project, _with(project, panel, here), panel)
        if not any(each.is_overloaded for each in loads):
            return here, loads
        first = first or (here, loads)
    assert first is not None  # there is at least one position
    return first


# ---- Breaker and conductors ----


SMALLEST_BREAKER_AMPS = 15
REQUIRED_20_A = frozenset({"small_appliance", "laundry"})
ROOMS_OF_20_A = frozenset({"kitchen", "bathroom", "laundry", "garage"})
"""Where 210.11(C) asks a dwelling for receptacle circuits of 20 A."""
SPARE_BREAKER_AMPS = 20
_AT_FAULT = {"breaker_too_small": "breakerAmps", "breaker_too_large": "breakerAmps"}


class CircuitDesign(Struct, frozen=True):
    """A circuit's fields with all sizes, and their check where it is possible."""

    fields: dict[str, Any]
    case: SizingCase | None
    sizing: Sizing | None

    @property
    def problems(self) -> list[tuple[str, Text]]:
        """The broken rules as texts, each with the argument at fault."""
        if self.case is None or self.sizing is None:
            return []
        return [
            (
                _AT_FAULT.get(problem, "conductorSize"),
                problem_text(problem, self.sizing.checked, self.case),
            )
            for problem in self.sizing.checked.problems
        ]


def as_recorded(project: Project, panel: Panel, fields: dict[str, Any]) -> CircuitDesign:
    """Check the sizes of a circuit that exists already; only a breaker is chosen, which every
    circuit has."""
    fields = {"breaker_amps": SPARE_BREAKER_AMPS, **fields}
    circuit = Circuit.model_validate(fields)
    if not circuit.load_watts or circuit.conductor_size is None:
        return CircuitDesign(fields, None, None)
    try:
        case = circuit_sizing(project, PanelCircuit(panel, circuit))
        return CircuitDesign(fields, case, case.size_conductors())
    except InvalidArgument:  # a marking or a size that no table has
        return CircuitDesign(fields, None, None)


def sized(project: Project, panel: Panel, fields: dict[str, Any]) -> CircuitDesign:
    """Choose breaker, conductors and equipment grounding conductor where they are not given.

    Raises:
        InvalidArgument: The breaker has no standard rating, or no conductors are enough.
    """
    breaker_amps = fields.get("breaker_amps")
    if breaker_amps and (wrong := not_standard(breaker_amps, project.edition)):
        raise InvalidArgument(wrong, field="breakerAmps")
    if not fields["load_watts"]:
        return CircuitDesign({"breaker_amps": SPARE_BREAKER_AMPS, **fields}, None, None)
    fields = dict(fields)
    marked = {each.terminal_rating_c for each in panel.circuits if each.terminal_rating_c}
    if "terminal_rating_c" not in fields and len(marked) == 1:  # the other circuits agree on one
        fields["terminal_rating_c"] = marked.pop()
    draft = Circuit.model_validate({"breaker_amps": 1, **fields})
    need = circuit_sizing(project, PanelCircuit(panel, draft)).need
    if "breaker_amps" not in fields:
        by_load = replace(need, breaker_amps=None).device_amps
        fields["breaker_amps"] = max(by_load, _least_breaker(project, draft))
    draft = Circuit.model_validate(fields)
    case = circuit_sizing(project, PanelCircuit(panel, draft))
    sizing = case.size_conductors()
    if sizing is None:
        parallel = smallest_parallel(case.how, case.need)
        if parallel is None:
            raise invalid("loadWatts", "load_too_large", required_amps=case.need.required_amps)
        sets, size = parallel
        return sized(project, panel, {**fields, "conductor_sets": sets, "conductor_size": size})
    fields["conductor_size"] = sizing.checked.size
    if "egc_size" not in fields:
        fields["egc_size"] = grounding_size(
            fields["breaker_amps"],
            fields["conductor_size"],
            sizing.smallest,
            fields.get("egc_material", "copper"),
            project.edition,
            case.how.sets,
        )
    return CircuitDesign(fields, case, sizing)


def _least_breaker(project: Project, circuit: Circuit) -> int:
    """20 A where 210.11(C) requires it, else 15 A, the smallest of a branch circuit."""
    if circuit.load_type in REQUIRED_20_A:
        return 20
    is_home = project.building.occupancy == "dwelling"
    is_outlet = circuit.load_type == "receptacle" and circuit.area in ROOMS_OF_20_A
    return 20 if is_home and is_outlet else SMALLEST_BREAKER_AMPS


# ---- Places in a panel ----


VOLTS_APART = 0.1
"""The largest difference of a stated voltage from the panel's: 115 V names a 120 V circuit."""

_NUMBER = "circuitNumber"


def poles_for_volts(panel: Panel, voltage: float) -> tuple[Poles, ...]:
    """The numbers of poles that give a voltage.

    Raises:
        InvalidArgument: The panel has no such voltage.
    """
    poles: list[Poles] = []
    if _near(voltage, panel.line_to_neutral) and has_neutral(panel):
        poles.append(1)
    if _near(voltage, panel.voltage):
        poles += [2, 3] if panel.phases == 3 else [2]
    if not poles:
        key = "errors.voltages_of_panel" if has_neutral(panel) else "errors.voltage_of_panel"
        values = {"lines": panel.voltage, "neutral": panel.line_to_neutral, "given": voltage}
        panel_has = TEXTS.text(key, panel=panel_text(panel.name), **values)
        raise InvalidArgument(panel_has, field="voltage")
    return tuple(poles)


def has_neutral(panel: Panel) -> bool:
    """Whether loads of one pole can be connected: always, unless three wires are recorded."""
    return not (panel.phases == 3 and panel.wires == 3)


def possible_starts(panel: Panel, poles: Poles) -> Iterator[int]:
    """Positions at which a circuit may begin, ascending, one for each set of lines: the others on
    the same lines differ in nothing but the number."""
    here, seen = system_of(panel), set()
    for first in starts(panel, poles):
        line = line_at(first, here)
        if line not in seen:
            seen.add(line)
            yield first


def no_room(panel: Panel, poles: Poles) -> FailedPrecondition:
    """Return the error that the panel has no free position for a number of poles."""
    free = free_positions(panel)
    listed = ", ".join(map(str, free[:12]))
    left = TEXTS.text("errors.are_free", free=listed) if free else TEXTS.text("errors.none_free")
    spaces = {"panel": panel_text(panel.name), "spaces": panel.spaces, "left": left}
    return FailedPrecondition(
        TEXTS.text("errors.no_room", count=poles, **spaces),
        field=_NUMBER,
        hint=TEXTS.text("hints.another_panel"),
    )


def check_position(panel: Panel, first: int, poles: Poles) -> None:
    """Refuse a position that is taken or outside the panel.

    Raises:
        FailedPrecondition: A circuit is there, or the panel ends before it.
    """
    wanted = range(first, first + 2 * poles, 2)
    if wanted[-1] > panel.spaces:
        raise FailedPrecondition(
            TEXTS.text(
                "errors.beyond_panel",
                poles=poles,
                first=first,
                last=wanted[-1],
                panel=panel_text(panel.name),
                spaces=panel.spaces,
            ),
            field=_NUMBER,
        )
    for circuit in panel.circuits:
        for position in circuit.positions:
            if position in wanted:
                free = ", ".join(str(each) for each in starts(panel, poles)[:8])
                taken = TEXTS.text(
                    "errors.position_taken",
                    count=poles,
                    position=position,
                    panel=panel_text(panel.name),
                    number=circuit.circuit_number,
                    description=isolated(circuit.description),
                    free=free or TEXTS.text("errors.none"),
                )
                raise FailedPrecondition(taken, field=_NUMBER)


def high_leg_problems(panel: Panel, circuit: Circuit) -> list[tuple[str, Text]]:
    """The problem of a circuit to the neutral on a high leg (240.85), if it has it."""
    if not is_on_high_leg(panel, circuit.circuit_number, circuit.poles):
        return []
    volts_to_neutral = volts(panel.voltage * 3**0.5 / 2, 0)
    free = ", ".join(str(each) for each in starts(panel, 1)[:8]) or "-"
    values = {"number": circuit.circuit_number, "volts": volts_to_neutral, "free": isolated(free)}
    return [(_NUMBER, TEXTS.text("circuits.high_leg", **values))]


def _near(voltage: float, of: float) -> bool:
    return abs(voltage - of) <= of * VOLTS_APART


# ---- Protection ----


class Protection(Struct, frozen=True):
    """The ground-fault and arc-fault protection that a circuit needs.

    Attributes:
        rules: The rules that require it.
        undecided: The facts that decide the other rules and are not known, as texts.
    """

    gfci: bool
    afci: bool
    rules: tuple[Rule, ...]
    undecided: tuple[Text, ...]

    def cautions(self, circuit: Circuit) -> Iterator[Text]:
        """The facts that are not known, and the protection that a circuit needs and lacks."""
        yield from self.undecided
        for needed, installed, kind in (
            (self.gfci, circuit.gfci, "GFCI"),
            (self.afci, circuit.afci, "AFCI"),
        ):
            if needed and not installed:
                yield TEXTS.text("circuits.protection_missing", kind=kind)


def protection_of(project: Project, panel: Panel, circuit: Circuit) -> Protection:
    """Find the protection that a circuit of the project needs, whatever it has now."""
    if circuit.is_spare:
        return Protection(False, False, (), ())
    bare = circuit.model_copy(update={"gfci": False, "afci": False})
    facts, branch = Facts(project), PanelCircuit(panel, bare)
    gfci = afci = False
    rules, undecided = [], []
    for rule in gfci_rules.RULES:
        if not rule.is_in(project.edition):
            continue
        try:
            finding = rule.check(facts, branch)
        except Unknown as unknown:
            kind = "GFCI" if _is_gfci(rule) else "AFCI"
            if unknown.field == "area":
                text = TEXTS.text("circuits.area_undecided", kind=kind)
            else:
                values = {
                    "kind": kind,
                    "article": rule.number_in(project.edition),
                    "field": unknown.field,
                }
                text = TEXTS.text("circuits.protection_undecided", **values)
            undecided.append((rule, text))
            continue
        if isinstance(finding, Problem):
            rules.append(rule)
            gfci, afci = gfci or _is_gfci(rule), afci or not _is_gfci(rule)
    open_questions = (text for rule, text in undecided if not (gfci and _is_gfci(rule)))
    return Protection(gfci, afci, tuple(rules), tuple(dict.fromkeys(open_questions)))


def _is_gfci(rule: Rule) -> bool:
    return rule.id != "210.12-afci"


# ---- Load of the panels on the way ----


_SAME = 1e-6


class PanelLoading(Struct, frozen=True):
    """One panel's load after a change.

    Attributes:
        is_overloaded: The load is above the rating, and more than before the change.
    """

    panel: Panel
    after: Demand
    is_overloaded: bool

    @property
    def text(self) -> Text:
        """The load as a share of the rating."""
        after = self.after
        return TEXTS.text(
            "circuits.load",
            panel=panel_text(self.panel.name),
            load=amps(after.heaviest_amps),
            most=amps(after.rating_amps, 0),
            share=percent(100 * after.heaviest_amps / after.rating_amps),
        )


def loads_after(before: Project, after: Project, panel: Panel) -> list[PanelLoading]:
    """Calculate the loads of the panel that changes, first, and of those above it.

    Raises:
        FailedPrecondition: A load cannot be calculated.
    """
    loads = []
    for each in (panel, *reversed(panels_above(before, panel))):
        demand = panel_demand(after, after.panel(each.id) or each)
        is_overloaded = False
        if not demand.fits:
            earlier = panel_demand(before, before.panel(each.id) or each)
            is_overloaded = demand.heaviest_amps > earlier.heaviest_amps * (1 + _SAME)
        loads.append(PanelLoading(each, demand, is_overloaded))
    return loads
