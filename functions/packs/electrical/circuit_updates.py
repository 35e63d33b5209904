"""The capability `update_circuit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct
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
from packs.electrical.calculations.conductors import circuit_sizing, problem_text
from packs.electrical.circuit_changes import (
    CLEARABLE,
    FIELDS,
    AnyPowerFactor,
    CircuitUpdated,
    Clearable,
    Pole,
    Position,
    Shown,
    Watts,
    arguments_of,
    change_fields,
    check_motors,
    field_name,
    fields_of,
    find_to_change,
    named,
    put_circuits,
    value_text,
    which_circuit,
)
from packs.electrical.circuit_design import (
    PanelLoading,
    high_leg_problems,
    loads_after,
    protection_of,
    with_circuits,
)
from packs.electrical.nec.editions import article
from packs.electrical.nec.overcurrent import not_standard
from packs.electrical.projects.access import OpenProject
from packs.electrical.projects.records import (
    Area,
    Circuit,
    ConductorMaterial,
    ConductorSize,
    Description,
    LoadType,
    PanelCircuit,
    Project,
    RecordId,
    Voltage,
)
from packs.electrical.projects.selection import CircuitId, CircuitNumber, CircuitWords, PanelName
from packs.electrical.results import CodeReference, finish, sentences, table
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.shapes import Display
from rollcall.core.texts import Text, isolated, short

Clear = Annotated[list[Clearable], Field(max_length=len(CLEARABLE))]
SELECTING = (
    "project_id", "circuit_id", "circuit_number", "panel_name", "circuit_description", "as_built",
    "clear", "as_shown",
)  # fmt: skip
"""Arguments that are no fields of the circuit."""
PROTECTION_FIELDS = frozenset(
    {"description", "load_type", "area", "poles", "breaker_amps", "gfci", "afci"}
)
"""Fields on which the need of ground-fault and arc-fault protection depends, and the protection."""


def _preview(ctx: ToolContext, **given: Any) -> Preview:
    """Show the fields that change, before and after, or fail."""
    opened, change = plan_change(ctx, given)
    locale, before, after = ctx.locale, change.before, change.after
    panel = change.found.panel
    question = TEXTS.say(locale, "circuits.update.question", name=named(panel, before))
    rows = [
        (
            field_name(name, locale),
            value_text(name, getattr(before, name), locale),
            value_text(name, getattr(after, name), locale),
        )
        for name in FIELDS
        if name in change.names
    ]
    place = f"{field_name('project', locale)}: {isolated(opened.project.name)}"
    as_built = [TEXTS.say(locale, "circuits.as_built")] if given["as_built"] else []
    display = Display(
        type="confirmation",
        title=TEXTS.say(locale, "circuits.update.title"),
        text="\n".join([question, place, *as_built, *sentences(locale, _warnings(change))]),
        **table(TEXTS.data(locale, "circuits.changes.words"), rows),
    )
    new, values = arguments_of(after), {}
    for name in change.names:
        alias = "pole" if name == "poles" else Circuit.model_fields[name].alias or name
        if alias in new:
            values["newCircuitNumber" if name == "circuit_number" else alias] = new[alias]
    arguments = {
        "projectId": opened.project.id,
        "circuitId": before.id,
        "panelName": panel.name,
        "asShown": before.dump(),
        **values,
        "asBuilt": given["as_built"],
    }
    if given["clear"]:
        arguments["clear"] = list(given["clear"])
    return Preview(display, arguments=arguments, shows=tuple(arguments))


def _warnings(change: Change) -> list[Text]:
    """The load of the panels on the way, where the load changes, the broken rules, and the
    protection that is missing, where the change may be about it."""
    loads = change.panel_loads if "load_watts" in change.names else ()
    return [*(each.text for each in loads), *change.problems, *change.cautions]


def _summary(given: dict[str, Any]) -> dict[str, str]:
    """Return the summary of an approval: the circuit and the fields that change."""
    no_fields = {
        "projectId", "circuitId", "circuitNumber", "panelName", "circuitDescription", "asShown",
    }  # fmt: skip
    values = {
        key: value
        for key, value in given.items()
        if key not in no_fields and value not in (None, False, [])
    }
    return {
        locale: TEXTS.say(
            locale,
            "circuits.update.summary",
            which=which_circuit(given),
            changes=", ".join(_change_text(key, value, locale) for key, value in values.items()),
        )
        for locale in TEXTS.languages
    }


def _change_text(key: str, value: Any, locale: str) -> str:
    """A field that changes, by its name for people."""
    fields = {field.alias or name: name for name, field in Circuit.model_fields.items()}
    name = {"pole": "poles", "newCircuitNumber": "circuit_number"}.get(key, fields.get(key, key))
    if name not in FIELDS:
        return f"{key}: {short(str(value), most=40)}"
    plain = int(value) if name == "poles" else value
    return f"{field_name(name, locale)}: {value_text(name, plain, locale)}"


def _undo_arguments(given: dict[str, Any], result: Any) -> dict[str, Any]:
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
    related=["add_circuit", "remove_circuit", "check_conductor_sizing"],
    effect="write",
    atomic=True,
    summary=_summary,
    preview=_preview,
    undo=Undo("update_circuit", _undo_arguments),
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
    done = TEXTS.say(ctx.locale, "circuits.update.done", name=name)
    aliases = [Circuit.model_fields[each].alias or each for each in change.names]
    old, new, edition = change.before.dump(), after.dump(), opened.project.edition
    result = CircuitUpdated(
        **change_fields(opened, panel, after, done),
        before={each: old[each] for each in aliases if each in old},
        after={each: new[each] for each in aliases if each in new},
        warnings=sentences(ctx.locale, _warnings(change)),
        citations=[CodeReference(edition=edition, table=article("310.16", edition))]
        if change.problems
        else [],
    )
    return finish(ctx, result, Display(type="text", text=done))


# ---- The change ----


class Change(Struct, frozen=True):
    """A circuit before and after.

    Attributes:
        names: The fields that differ, by their Python names.
        panel_loads: The loads of the panels on the way to the service.
        problems: The rules that are broken afterwards, as texts.
        cautions: The protection that is missing afterwards, or not decided.
    """

    found: PanelCircuit
    after: Circuit
    names: tuple[str, ...]
    panel_loads: tuple[PanelLoading, ...]
    problems: tuple[Text, ...]
    cautions: tuple[Text, ...]

    @property
    def before(self) -> Circuit:
        return self.found.circuit


def plan_change(ctx: ToolContext, given: Mapping[str, Any]) -> tuple[OpenProject, Change]:
    """Plan the change that update_circuit makes with these arguments.

    Raises:
        InvalidArgument, NotFound: An argument is wrong, or nothing would change.
        PermissionDenied: The user is no member of the project.
        FailedPrecondition: It does not fit, or the circuit was changed since it was shown.
    """
    opened, found = find_to_change(ctx, given)
    new = fields_of({name: each for name, each in given.items() if name not in SELECTING})
    breaker_amps = None if given["as_built"] else new.get("breaker_amps")
    if breaker_amps and (wrong := not_standard(breaker_amps, opened.project.edition)):
        raise InvalidArgument(wrong, field="breakerAmps")
    clear = given["clear"] or ()
    if twice := sorted(set(clear) & new.keys()):
        raise InvalidArgument(f"{twice[0]} is both given and cleared", field="clear")
    after = Circuit.model_validate({**dict(found.circuit), **dict.fromkeys(clear), **new})
    names = tuple(
        name
        for name in type(after).model_fields
        if getattr(after, name) != getattr(found.circuit, name)
    )
    if not names:
        raise invalid("description", "nothing_to_change", circuit=found.text)
    change = work_out(opened.project, found, after, names)
    if not given["as_built"]:
        check_change(change)
    return opened, change


def work_out(
    project: Project, found: PanelCircuit, after: Circuit, names: tuple[str, ...]
) -> Change:
    """Work out the effects of a changed circuit on its panel and those above it.

    Raises:
        FailedPrecondition: It does not fit, or motors of the project refer to it.
    """
    if {"circuit_number", "poles"} & set(names):
        check_motors(project, found, "moved")
    others = tuple(each for each in found.panel.circuits if each.id != found.circuit.id)
    changed = with_circuits(project, found.panel, (*others, after))
    problems = [text for _, text in high_leg_problems(found.panel, after)]
    if after.load_watts:
        case = circuit_sizing(changed, PanelCircuit(found.panel, after))
        sizing = None if case.size is None else case.size_conductors()
        if sizing is not None:
            checked = sizing.checked
            problems += [problem_text(each, checked, case) for each in checked.problems]
    loads = tuple(loads_after(project, changed, found.panel))
    cautions = tuple[Text, ...]()
    if PROTECTION_FIELDS.intersection(names):
        needed = protection_of(changed, found.panel, after)
        cautions = tuple(needed.cautions(after))
    return Change(found, after, names, loads, tuple(problems), cautions)


def check_change(change: Change) -> None:
    """Refuse a new position on a high leg, and a load above the rating of a panel on the way."""
    panel, moved = change.found.panel, {"circuit_number", "poles"} & set(change.names)
    problems = [*high_leg_problems(panel, change.after)] if moved else []
    problems += [("loadWatts", each.text) for each in change.panel_loads if each.is_overloaded]
    for field, text in problems:
        raise FailedPrecondition(
            TEXTS.text("errors.cannot_change", circuit=change.found.text, problem=text),
            field="newCircuitNumber" if field == "circuitNumber" else field,
            hint=TEXTS.text("hints.as_built"),
        )
