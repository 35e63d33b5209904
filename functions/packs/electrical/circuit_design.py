"""The design of a new circuit: kind, poles, place, breaker, conductors, protection, and capacity.

What is given of a circuit is completed; what is against a rule is collected with the argument at
fault.

Sources: NEC 110.15, 210.11(C), 210.19(A)(1), 210.20(A), 240.4, 240.6(A), 250.122, 310.16, 408.3(E)
(the high leg is phase B), 408.36, 408.54, 422.13, 424.4(B), 430.22, 440.22, 440.32, 625.41, 625.42.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
from packs.electrical.nec.overcurrent import STANDARD_RATINGS, is_standard
from packs.electrical.projects.labels import places_in
from packs.electrical.projects.records import Area, Circuit, Panel, Poles, Project
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.projects.topology import path_to
from packs.electrical.results import AssumedValue, CodeReference
from packs.electrical.wording import TEXTS, amps, invalid, panel_text, percent, volts
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.inputs import reason_of
from rollcall.core.texts import Text, isolated


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete circuit, how it was designed, and what is against a rule.

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
    panel_loads: tuple[PanelLoading, ...]
    problems: tuple[tuple[str, Text], ...]
    assumed: tuple[AssumedValue, ...]


def plan(
    project: Project, panel: Panel, given: Mapping[str, Any], locale: str, *, as_built: bool = False
) -> Plan:
    """Complete a circuit of these fields, those of `Circuit` as far as they are given.

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
        by_description = TEXTS.text("circuits.by_description")
        assumed = (*assumed, AssumedValue("area", area, None, by_description))
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
        panel_loads=tuple(loads),
        problems=(*high_leg_problems(panel, circuit), *found.problems, *_overloads(loads)),
        assumed=(*assumed, *(found.case.basis.assumptions if found.case else ())),
    )


def _places(panel: Panel, fields: Mapping[str, Any]) -> list[int]:
    """The position that is given, or those that may be."""
    poles: Poles = fields["poles"]
    if "circuit_number" in fields:
        check_position(panel, fields["circuit_number"], poles)
        return [fields["circuit_number"]]
    found = list(possible_starts(panel, poles))
    if not found:
        raise no_room(panel, poles)
    return found


def _protected(circuit: Circuit, needs: Protection, given: Mapping[str, Any]) -> Circuit:
    """The circuit with the protection that it needs, unless something else is given."""
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
        reason = reason_of(error.errors(include_url=False)[0])
        raise FailedPrecondition(reason, field="circuitNumber") from error


def _kind_and_poles(
    panel: Panel, given: Mapping[str, Any], *, as_built: bool
) -> tuple[dict[str, Any], tuple[AssumedValue, ...]]:
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
        raise invalid("pole", "three_poles_of_one_phase", panel=panel_text(panel.name))
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
                fitting=" or ".join(map(str, fitting)),
            )
        poles = fitting[0]
    kind = fields.get("load_type") or found.circuit.load_type
    fields |= {"poles": poles, "load_type": kind}
    fields.setdefault("continuous", found.circuit.continuous)
    stated = (each for each in found.assumed if each.name in ("load_type", "poles"))
    return fields, tuple(stated)


def area_in(description: str) -> Area | None:
    """The one area that a description names; None if it names none, or several."""
    found = places_in(description)
    return found[0] if len(found) == 1 else None


def _placed(
    project: Project, panel: Panel, circuit: Circuit, places: list[int]
) -> tuple[Circuit, list[PanelLoading]]:
    """The circuit at the first place whose lines take it; at the first of all if none does."""
    first: tuple[Circuit, list[PanelLoading]] | None = None
    for place in places:
        here = circuit.model_copy(update={"circuit_number": place})
        loads = loads_after(project, _with(project, panel, here), panel)
        if not any(each.is_overloaded for each in loads):
            return here, loads
        first = first or (here, loads)
    assert first is not None  # there is at least one place
    return first


def _overloads(loads: list[PanelLoading]) -> list[tuple[str, Text]]:
    return [("loadWatts", each.text) for each in loads if each.is_overloaded]


# ---- Breaker and conductors ----


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
    """Breaker, conductors and equipment ground, chosen where they are not given.

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
        raise invalid("loadWatts", "load_too_large", required_amps=case.need.required_amps)
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


def checked_standard(breaker_amps: int) -> int:
    """The rating, if breakers are made of it.

    Raises:
        InvalidArgument: They are not (240.6(A)).
    """
    if not is_standard(breaker_amps):
        near = sorted(STANDARD_RATINGS, key=lambda rating: abs(rating - breaker_amps))[:2]
        raise invalid(
            "breakerAmps",
            "not_standard",
            breaker_amps=breaker_amps,
            below=min(near),
            above=max(near),
        )
    return breaker_amps


# ---- Places in a panel ----


VOLTS_APART = 0.1
"""Of a stated voltage and the panel's: 115 V names a circuit to neutral of 120 V."""

_NUMBER = "circuitNumber"


def poles_for_volts(panel: Panel, voltage: float) -> tuple[Poles, ...]:
    """The numbers of poles that give a voltage.

    Raises:
        InvalidArgument: The panel has no such voltage.
    """
    found: list[Poles] = []
    if _near(voltage, panel.line_to_neutral) and has_neutral(panel):
        found.append(1)
    if _near(voltage, panel.voltage):
        found += [2, 3] if panel.phases == 3 else [2]
    if not found:
        key = "errors.voltages_of_panel" if has_neutral(panel) else "errors.voltage_of_panel"
        told = {"lines": panel.voltage, "neutral": panel.line_to_neutral, "given": voltage}
        panel_has = TEXTS.text(key, panel=panel_text(panel.name), **told)
        raise InvalidArgument(panel_has, field="voltage")
    return tuple(found)


def has_neutral(panel: Panel) -> bool:
    """Whether a load of one pole can be connected; a panel that does not say counts as having."""
    return not (panel.phases == 3 and panel.wires == 3)


def possible_starts(panel: Panel, poles: Poles) -> Iterator[int]:
    """Positions at which such a circuit may begin, ascending, the first of each set of lines: which
    of several on the same lines it is changes nothing but its number."""
    here, seen = system_of(panel), set()
    for first in starts(panel, poles):
        line = line_at(first, here)
        if line not in seen:
            seen.add(line)
            yield first


def no_room(panel: Panel, poles: Poles) -> FailedPrecondition:
    """Nothing is free for so many poles."""
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
    """
    Raises:
        FailedPrecondition: Something stands there, or the panel ends before it.
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
    """What is wrong with the position of a circuit to the neutral on a high leg (240.85)."""
    if not is_on_high_leg(panel, circuit.circuit_number, circuit.poles):
        return []
    volts_to_neutral = volts(panel.voltage * 3**0.5 / 2, 0)
    free = ", ".join(str(each) for each in starts(panel, 1)[:8]) or "-"
    values = {"number": circuit.circuit_number, "volts": volts_to_neutral, "free": isolated(free)}
    return [(_NUMBER, TEXTS.text("circuits.high_leg", **values))]


def _near(voltage: float, of: float) -> bool:
    return abs(voltage - of) <= of * VOLTS_APART


# ---- Protection ----


@dataclass(frozen=True, slots=True)
class Protection:
    """The ground-fault and arc-fault protection that a circuit needs.

    Attributes:
        undecided: What would have to be known to tell, as texts.
    """

    gfci: bool
    afci: bool
    references: tuple[CodeReference, ...]
    undecided: tuple[Text, ...]


def protection_of(project: Project, panel: Panel, circuit: Circuit, locale: str) -> Protection:
    """What a circuit without any such protection would need, as the project stands with it."""
    if circuit.is_spare:
        return Protection(False, False, (), ())
    bare = circuit.model_copy(update={"gfci": False, "afci": False})
    facts, found = Facts(project), PanelCircuit(panel, bare)
    gfci = afci = False
    references, undecided = [], []
    for rule in gfci_rules.RULES:
        if not rule.is_in(project.edition):
            continue
        try:
            finding = rule.check(facts, found)
        except Unknown as unknown:
            undecided.append((rule, _undecided(rule, unknown)))
            continue
        if isinstance(finding, Problem):
            references.append(rule.reference(project.edition, locale))
            gfci, afci = gfci or _is_gfci(rule), afci or not _is_gfci(rule)
    open_questions = (text for rule, text in undecided if not (gfci and _is_gfci(rule)))
    return Protection(gfci, afci, tuple(references), tuple(dict.fromkeys(open_questions)))


def _is_gfci(rule: Rule) -> bool:
    return rule.id != "210.12-afci"


def _undecided(rule: Rule, unknown: Unknown) -> Text:
    kind = "GFCI" if _is_gfci(rule) else "AFCI"
    if unknown.field == "area":
        return TEXTS.text("circuits.area_undecided", kind=kind)
    values = {"kind": kind, "article": rule.article, "field": unknown.field}
    return TEXTS.text("circuits.protection_undecided", **values)


# ---- Load of the panels on the way ----


_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class PanelLoading:
    """One panel's load after a change.

    Attributes:
        is_overloaded: It is above its rating, by the change or already before and now more so.
    """

    panel: Panel
    after: Demand
    is_overloaded: bool

    @property
    def text(self) -> Text:
        """The load that it would carry of its rating."""
        after = self.after
        return TEXTS.text(
            "circuits.load",
            panel=panel_text(self.panel.name),
            load=amps(after.heaviest_amps),
            most=amps(after.rating_amps, 0),
            share=percent(100 * after.heaviest_amps / after.rating_amps),
        )


def loads_after(before: Project, after: Project, panel: Panel) -> list[PanelLoading]:
    """The panel that changes, and each before it up to the service; itself first.

    Raises:
        FailedPrecondition: Its load cannot be calculated.
    """
    return [_load_after(before, after, each) for each in _on_the_way(before, panel)]


def _load_after(before: Project, after: Project, panel: Panel) -> PanelLoading:
    found = panel_demand(after, _of(after, panel))
    if found.fits:
        return PanelLoading(panel, found, is_overloaded=False)
    was = panel_demand(before, _of(before, panel))
    return PanelLoading(panel, found, found.heaviest_amps > was.heaviest_amps * (1 + _SAME))


def _on_the_way(project: Project, panel: Panel) -> Iterator[Panel]:
    yield panel
    try:
        path = path_to(project, panel)
    except FailedPrecondition:  # nothing says how it is supplied: only itself can be looked at
        return
    above = [path.service_panel, *(leg.target for leg in path.legs)]
    for each in reversed(above):
        if isinstance(each, Panel) and each.id != panel.id:
            yield each


def _of(project: Project, panel: Panel) -> Panel:
    found = project.panel(panel.id)
    assert found is not None  # a change of circuits takes no panel away
    return found
