"""The capability `check_conductor_sizing`: whether the conductors of a circuit are large enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from packs.electrical.arguments import (
    AmbientC,
    AmbientF,
    BreakerAmps,
    CurrentCarrying,
    Insulation,
    LoadAmps,
    LoadWatts,
    Sets,
    TerminalRating,
    ambient_in_celsius,
    check_one,
)
from packs.electrical.calculations.conductors import (
    LARGEST_COMMON,
    Sizing,
    SizingCase,
    article_of,
    circuit_sizing,
    grounding_size,
    problem_text,
    rounding_article,
    smallest_parallel,
    smallest_size,
    stated_sizing,
)
from packs.electrical.nec.conductors import Size, rank, size_text
from packs.electrical.nec.editions import article
from packs.electrical.nec.overcurrent import not_standard
from packs.electrical.nec.tables import unchecked
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import ConductorMaterial, ConductorSize, RecordId
from packs.electrical.projects.selection import (
    CircuitId,
    CircuitNumber,
    CircuitWords,
    PanelName,
    find_circuit,
)
from packs.electrical.results import CalculationResult, CodeReference, Step, finish, table
from packs.electrical.wording import TEXTS, amps
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display
from rollcall.core.texts import Text, isolated


class ConductorSizing(CalculationResult):
    """The result of check_conductor_sizing.

    `ampacity` is that after correction, adjustment and the terminals' limit, A, of all conductors
    in parallel together; `requiredAmps` counts 125 % of continuous loads and motors. Without a size
    to check, `conductorSize` is the smallest that complies, and `isProposed` is true.
    """

    circuit_id: str | None = None
    circuit_name: str | None = None
    circuit_number: int | None = None
    panel_name: str | None = None
    conductor_size: str
    conductor_material: str
    conductor_sets: int
    is_proposed: bool
    load_amps: float
    required_amps: float
    ampacity: float
    compliant: bool
    nec_reference: str
    recommendation: str | None = None
    problems: list[str]
    breaker_amps: int
    largest_breaker_amps: int
    smallest_complying_size: str | None = None
    equipment_grounding_conductor: str
    steps: list[Step]


@capability(related=["calculate_voltage_drop"])
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
    current_carrying_conductors: CurrentCarrying | None = None,
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
    check_one(load_amps, load_watts, "loadWatts", "one_load")
    figures: dict[str, Any] = {
        "load_amps": load_amps,
        "load_watts": load_watts,
        "conductor_size": conductor_size,
        "conductor_material": conductor_material,
        "conductor_sets": conductor_sets,
        "insulation": insulation,
        "ambient_c": ambient_in_celsius(ambient_c, ambient_f),
        "current_carrying_conductors": current_carrying_conductors,
        "terminal_rating_c": terminal_rating_c,
        "continuous": continuous,
        "breaker_amps": breaker_amps,
    }
    from_project, name = None, TEXTS.text("conductor_sizing.the_circuit")
    if circuit_id is None and circuit_number is None and circuit_description is None:
        case = stated_sizing(figures)
    else:
        project = open_project(ctx, project_id).project
        branch = find_circuit(
            project,
            circuit_id=circuit_id,
            circuit_number=circuit_number,
            panel_name=panel_name,
            circuit_description=circuit_description,
        )
        case = circuit_sizing(project, branch.with_figures(**figures))
        from_project, name = project.id, branch.text
    case, sizing = _size(case)
    result = sizing_result(ctx.locale, case, sizing, from_project)
    rows = [
        (
            TEXTS.say(ctx.locale, f"conductor_sizing.steps.{each.name}"),
            each.text,
            isolated(each.reference) if each.reference else "",
        )
        for each in result.steps
    ]
    display = Display(
        type="table",
        title=TEXTS.say(ctx.locale, "conductor_sizing.title"),
        text=_answer(sizing, case, name, ctx.locale),
        **table(TEXTS.data(ctx.locale, "conductor_sizing.columns.words"), rows),
    )
    return finish(ctx, result, display)


def _size(case: SizingCase) -> tuple[SizingCase, Sizing]:
    """Check the conductors; where none are given and no single one is enough, size the fewest in
    parallel."""
    sizing = case.size_conductors()
    if sizing is None and (parallel := smallest_parallel(case.how, case.need)) is not None:
        case = replace(case, how=replace(case.how, sets=parallel[0]))
        sizing = case.size_conductors()
    if sizing is None:
        raise FailedPrecondition(
            TEXTS.text("errors.installed_load_too_large", required_amps=case.need.required_amps),
            field="loadAmps",
        )
    return case, sizing


def sizing_result(
    locale: str, case: SizingCase, sizing: Sizing, project_id: str | None
) -> ConductorSizing:
    """Make the result of a check in the locale's language."""
    checked, need, branch = sizing.checked, case.need, case.branch
    advice = _recommendation(sizing, case)
    ground = grounding_size(
        sizing.breaker_amps,
        checked.size,
        sizing.smallest,
        branch.circuit.egc_material if branch else case.how.material,
        case.edition,
        case.how.sets,
    )
    case.basis.citations += _citations(case, sizing)
    case.basis.warnings += _warnings(case, sizing, ground)
    return ConductorSizing(
        project_id=project_id,
        circuit_id=branch.circuit.id if branch else None,
        circuit_name=branch.circuit.description if branch else None,
        circuit_number=branch.circuit.circuit_number if branch else None,
        panel_name=branch.panel.name if branch else None,
        conductor_size=checked.size,
        conductor_material=case.how.material,
        conductor_sets=case.how.sets,
        is_proposed=sizing.is_proposed,
        load_amps=round(need.load_amps, 3),
        required_amps=round(need.required_amps, 3),
        ampacity=round(checked.ampacity.amps, 2),
        compliant=checked.compliant,
        nec_reference=", ".join(
            f"Table {each.table}" if each.table else each.article or ""
            for each in case.basis.citations
        ),
        recommendation=advice.say(locale) if advice else None,
        problems=[problem_text(each, checked, case).say(locale) for each in checked.problems],
        breaker_amps=sizing.breaker_amps,
        largest_breaker_amps=checked.largest_breaker_amps,
        smallest_complying_size=sizing.smallest,
        equipment_grounding_conductor=ground,
        steps=list(_steps(case, sizing)),
        **case.basis.fields(locale),
    )


def _steps(case: SizingCase, sizing: Sizing) -> Iterator[Step]:
    checked, need = sizing.checked, case.need
    allowed = checked.ampacity
    table, heat, bundling = (
        f"Table {article(each, case.edition)}"
        for each in ("310.16", "310.15(B)(1)(1)", "310.15(C)(1)")
    )
    yield Step(name="tableAmpacity", value=allowed.table_amps, unit="A", reference=table)
    yield Step(name="temperatureFactor", value=allowed.temperature_factor, reference=heat)
    yield Step(name="adjustmentFactor", value=allowed.adjustment_factor, reference=bundling)
    protection = {"motor": "430.52", "cooling": "440.22(A)"}.get(
        need.rule, f"{rounding_article(sizing.breaker_amps)}, 240.6(A)"
    )
    for name, value, reference in (
        ("correctedAmpacity", allowed.corrected_amps, "310.15"),
        ("terminalLimit", allowed.terminal_amps, "334.80" if case.is_nm else "110.14(C)"),
        ("ampacity", allowed.amps, table),
        ("loadAmps", need.load_amps, None),
        ("requiredAmps", need.required_amps, ", ".join(case.articles)),
        ("smallConductorLimit", checked.small_conductor_amps, "240.4(D)"),
        ("largestBreaker", checked.largest_breaker_amps, protection),
        ("breaker", sizing.breaker_amps, "240.6(A)"),
    ):
        if value is not None:
            yield Step(name=name, value=round(value, 3), unit="A", reference=reference)


def _citations(case: SizingCase, sizing: Sizing) -> Iterator[CodeReference]:
    edition, need, checked = case.edition, case.need, sizing.checked
    for key in _ampacity_tables(sizing):
        yield CodeReference(edition=edition, table=article(key, edition))
    places = ["110.14(C)", *case.articles, "240.6(A)"]
    if need.rule == "general":
        small = checked.small_conductor_amps is not None
        places.append("240.4(D)" if small else rounding_article(sizing.breaker_amps))
    places += [article_of(problem, case, checked) for problem in checked.problems]
    for place in dict.fromkeys(places):
        yield CodeReference(edition=edition, article=place)
    yield CodeReference(edition=edition, table="250.122")


def _ampacity_tables(sizing: Sizing) -> list[str]:
    """Table 310.16 and those of the factors that are not 1, by their keys."""
    allowed = sizing.checked.ampacity
    return [
        "310.16",
        *(["310.15(B)(1)(1)"] if allowed.temperature_factor != 1 else []),
        *(["310.15(C)(1)"] if allowed.adjustment_factor != 1 else []),
    ]


def _warnings(case: SizingCase, sizing: Sizing, ground: Size) -> Iterator[Any]:
    need = case.need
    is_60_assumed = case.basis.assumes("terminalRatingC") and case.how.terminal_c == 60
    if need.rule == "cooling":
        yield TEXTS.text("conductor_sizing.nameplate")
    if need.breaker_amps and (unusual := not_standard(need.breaker_amps, case.edition)):
        yield unusual
    if case.load.load_type == "welder":
        yield TEXTS.text("conductor_sizing.welder")
    if need.rule == "motor" and not case.load.motors:
        yield TEXTS.text("conductor_sizing.no_motor")
    if is_60_assumed and not case.is_nm and sizing.smallest is not None:
        smaller = smallest_size(replace(case.how, terminal_c=75), need.with_suitable_device)
        if smaller is not None and rank(smaller) < rank(sizing.smallest):
            size = size_text(smaller, case.how.sets)
            yield TEXTS.text("conductor_sizing.with_marked_terminals", size=size)
    known = case.branch.circuit.egc_size if case.branch else None
    if known is not None and rank(known) < rank(ground):
        yield TEXTS.text(
            "conductor_sizing.small_ground", size=size_text(known), needed=size_text(ground)
        )
    tables = _ampacity_tables(sizing)
    if sizing.checked.small_conductor_amps is not None:
        tables.append("240.4(D)")
    tables += ["240.6(A)", "250.122"]
    if need.rule == "motor":
        tables.append("430.52")
        phases = sorted({motor.phases for motor in case.load.motors})
        tables += ["430.248" if each == 1 else "430.250" for each in phases]
    if unsure := unchecked(tables, case.edition):
        yield unsure


def _answer(sizing: Sizing, case: SizingCase, name: Text, locale: str) -> str:
    """The check in a few sentences: the size, the problems, the advice, the sections that allow an
    ampacity below the required current or below the breaker."""
    checked, need = sizing.checked, case.need
    key = "needs" if sizing.is_proposed else "complies" if checked.compliant else "does_not_comply"
    start = TEXTS.say(
        locale,
        f"conductor_sizing.{key}",
        name=name,
        size=size_text(checked.size, case.how.sets),
        metal=TEXTS.text(f"names.{case.how.material}"),
        able=amps(checked.ampacity.amps),
        load=amps(need.load_amps),
        required=amps(need.required_amps),
    )
    parts = [start[:1].upper() + start[1:]]
    if checked.problems:
        problems = (problem_text(each, checked, case).say(locale) for each in checked.problems)
        parts.append("; ".join(problems) + ".")
    if advice := _recommendation(sizing, case):
        parts.append(advice.say(locale))
    if sizing.is_proposed and case.how.sets > 1:
        largest = size_text(LARGEST_COMMON)
        parts.append(TEXTS.say(locale, "conductor_sizing.why_parallel", largest=largest))
    if checked.compliant and need.is_by_240_4:
        able = checked.ampacity.amps
        values = {
            "able": amps(able),
            "load": amps(need.load_amps),
            "device": amps(sizing.breaker_amps, 0),
        }
        if able < need.required_amps:
            parts.append(TEXTS.say(locale, "conductor_sizing.before_correction", **values))
        if able < sizing.breaker_amps:
            parts.append(TEXTS.say(locale, "conductor_sizing.next_size_up", **values))
    return " ".join(parts)


def _recommendation(sizing: Sizing, case: SizingCase) -> Text | None:
    """What would comply; None where the conductors do."""
    if sizing.checked.compliant:
        return None
    metal = TEXTS.text(f"names.{case.how.material}")
    if sizing.smallest is not None and sizing.parallel is None:
        size = size_text(sizing.smallest, case.how.sets)
        if case.need.breaker_amps not in (None, sizing.breaker_amps):
            device = amps(sizing.breaker_amps, 0)
            return TEXTS.text("conductor_sizing.use_breaker", device=device, size=size, metal=metal)
        return TEXTS.text("conductor_sizing.upgrade", size=size, metal=metal)
    if sizing.parallel is not None:
        sets, parallel_size = sizing.parallel
        size = size_text(parallel_size, sets)
        key = "parallel" if sizing.smallest is None else "commonly_parallel"
        return TEXTS.text(f"conductor_sizing.{key}", size=size, metal=metal)
    return TEXTS.text("conductor_sizing.divide")
