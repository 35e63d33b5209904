"""The capability `run_inspection`: a project, or a part of it, checked by the rules of the NEC."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any, Literal

from packs.electrical.calculations.conductors import STANDARD_AMBIENT_C, STANDARD_CONDUCTORS
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import Issue, Report, inspect
from packs.electrical.inspection.rule import CATEGORIES, SEVERITIES, Category, Severity
from packs.electrical.inspection.rules import RULES
from packs.electrical.nec.editions import Edition
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import RecordId, Wiring
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import AssumedValue, CodeReference, Input, Result, finish, sentences
from packs.electrical.wording import TEXTS, number
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.hidden import Hidden
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text

InspectionCategory = Literal["all", "panels", "circuits", "grounding", "feeders"]
TOP_ISSUES = 10
MAX_ISSUES = 200
MAX_ROWS = 50
MAX_GAPS = 20
MAX_CITED = 20
VERIFIED_UP_TO = 2023


class Where(Wire):
    """The place of an issue: a display label, and the ids that apply."""

    label: str
    panel_id: str | None = None
    panel_name: str | None = None
    circuit_id: str | None = None
    circuit_number: int | None = None
    feeder_id: str | None = None
    feeder_name: str | None = None
    transformer_id: str | None = None
    transformer_name: str | None = None
    motor_id: str | None = None
    motor_name: str | None = None


class InspectionIssue(Wire):
    """A rule that is violated in one place.

    Attributes:
        id: Stable while the place is there: `110.9-interrupting@main`.
        article: By the numbering of the project's edition.
        measured, required: In `unit`; conductor sizes without one.
    """

    id: str
    rule_id: str
    severity: Severity
    category: Category
    article: str | None
    table: str | None
    title: str
    where: Where
    message: str
    fix: str
    measured: float | str | None
    required: float | str | None
    unit: str | None


class NotChecked(Wire):
    """A rule that could not be checked for lack of a field of the project.

    Attributes:
        missing_field: The name of the field in the project's records.
        places: The number of places where it is missing; `where` names the first.
    """

    rule_id: str
    article: str | None
    missing_field: str
    places: int
    where: tuple[str, ...]


class PassedChecks(Wire):
    """How many checks of each category passed."""

    panels: int
    circuits: int
    grounding: int
    feeders: int


class Inspection(Result):
    """The result of an inspection.

    Attributes:
        warnings: The number of issues that are warnings, as `critical` and `info` are numbers. The
            warnings of other results are `notes` here.
        issues: The ten most severe. Direct callers get up to 200 in `all_issues`.
        more_issues: The number of issues beyond `issues`.
        overall_score: 0 to 100; `Report.score` has the formula.
        rules_checked: The number of rules of the edition and the category.
        not_checked: At most 20, those missing in most places first.
        checks_not_decided: The number of places that could not be checked, of all rules.
    """

    edition: Edition
    category: str
    panel_name: str | None
    total_issues: int
    critical: int
    warnings: int
    info: int
    issues: tuple[InspectionIssue, ...]
    more_issues: int
    overall_score: int
    rules_checked: int
    passed: PassedChecks
    not_checked: tuple[NotChecked, ...]
    checks_not_decided: int
    notes: tuple[str, ...]
    all_issues: Annotated[tuple[InspectionIssue, ...], Hidden()] = ()


@capability()
def run_inspection(
    ctx: ToolContext,
    *,
    category: InspectionCategory = "all",
    panel_name: PanelName | None = None,
    panel_id: PanelId | None = None,
    severity: Severity | None = None,
    project_id: RecordId | None = None,
) -> Inspection:
    """Inspect a project, or one part or panel of it, for violations of the NEC.

    Says what is wrong, where, by which article, and how to fix it, with a score from 0 to 100. A
    rule whose facts are not recorded is listed as not checked, never taken as passed. In the
    result `warnings` is the number of issues of that severity.

    Args:
        category: Which rules: panels (ratings, working space, labels, service), circuits (breakers,
            conductors, GFCI, AFCI, motors, appliances), grounding, feeders (and transformers).
        panel_name: Only this panel, its circuits, and what feeds it; the service and its grounding
            are looked at with the service panel.
        panel_id: The same, by id.
        severity: List only issues at least this grave; all are counted.
        project_id: Leave out for the project at hand.
    """
    project = open_project(ctx, project_id).project
    panel = None
    if panel_name is not None or panel_id is not None:
        panel = find_panel(project, panel_id=panel_id, panel_name=panel_name)
    locale, edition = ctx.locale, project.edition
    facts = Facts(project, None if panel is None else [panel])
    rules = [rule for rule in RULES if category in ("all", rule.category)]
    report = inspect(facts, rules)
    listed = SEVERITIES[: SEVERITIES.index(severity) + 1] if severity else SEVERITIES
    chosen = [issue for issue in report.issues if issue.rule.severity in listed]
    issues = tuple(_issue(each, edition, locale) for each in chosen[:MAX_ISSUES])
    undecided = sum(gap.places for gap in report.gaps)
    rules_broken = {issue.rule.id: issue.rule for issue in report.issues}.values()
    references = tuple(rule.reference(edition, locale) for rule in rules_broken)
    result = Inspection(
        answer=_answer(report, undecided, locale),
        project_id=project.id,
        inputs=(
            Input(name="edition", value=edition),
            Input(name="category", value=category, source="argument"),
            Input(name="panels", value=len(facts.panels)),
            Input(name="circuits", value=len(facts.circuits)),
            Input(name="feeders", value=len(facts.records("feeder"))),
        ),
        assumptions=tuple(each.say(locale) for each in dict.fromkeys(_assumptions(facts))),
        citations=references[:MAX_CITED] or (CodeReference(edition=edition),),
        edition=edition,
        category=category,
        panel_name=panel.name if panel else None,
        total_issues=len(report.issues),
        critical=report.count("critical"),
        warnings=report.count("warning"),
        info=report.count("info"),
        issues=issues[:TOP_ISSUES],
        more_issues=len(report.issues) - min(len(issues), TOP_ISSUES),
        overall_score=report.score,
        rules_checked=len(report.rules),
        passed=PassedChecks(**{each: report.passed_in(each) for each in CATEGORIES}),
        not_checked=tuple(
            NotChecked(
                rule_id=gap.rule.id,
                article=gap.rule.number_in(edition),
                missing_field=gap.field,
                places=gap.places,
                where=tuple(place.label.say(locale) for place in gap.first),
            )
            for gap in report.gaps[:MAX_GAPS]
        ),
        checks_not_decided=undecided,
        notes=sentences(locale, _notes(report, edition, undecided)),
        all_issues=issues,
    )
    return finish(ctx, result, _display(issues, result.answer, locale))


def _issue(issue: Issue, edition: Edition, locale: str) -> InspectionIssue:
    reference = issue.rule.reference(edition, locale)
    return InspectionIssue(
        id=issue.id,
        rule_id=issue.rule.id,
        severity=issue.rule.severity,
        category=issue.rule.category,
        article=reference.article,
        table=reference.table,
        title=issue.rule.title.say(locale),
        where=Where(label=issue.place.label.say(locale), **issue.place.fields),
        message=issue.message.say(locale),
        fix=issue.fix.say(locale),
        measured=issue.problem.measured,
        required=issue.problem.required,
        unit=issue.problem.unit,
    )


def _answer(report: Report, undecided: int, locale: str) -> str:
    counts = ", ".join(
        TEXTS.say(locale, f"inspection.counts.{each}", **_count(report.count(each)))
        for each in SEVERITIES
    )
    parts = [TEXTS.say(locale, "inspection.score", score=report.score, counts=counts)]
    if undecided:
        parts.append(TEXTS.say(locale, "inspection.undecided", **_count(undecided)))
    if report.issues:
        gravest = report.issues[0]
        values = {"place": gravest.place.label, "problem": gravest.message}
        parts.append(TEXTS.say(locale, "inspection.gravest", **values))
    return " ".join(parts)


def _notes(report: Report, edition: Edition, undecided: int) -> Iterator[Text]:
    if undecided:
        yield TEXTS.text("inspection.notes.undecided", **_count(undecided))
    if len(report.issues) > MAX_ISSUES:
        yield TEXTS.text("inspection.notes.too_many", most=MAX_ISSUES)
    if edition > VERIFIED_UP_TO:
        yield TEXTS.text("inspection.notes.edition", verified=VERIFIED_UP_TO, edition=edition)


def _count(count: int) -> dict[str, Any]:
    return {"count": count, "number": number(count)}


def _assumptions(facts: Facts) -> Iterator[AssumedValue]:
    """The defaults of the rules, for the inspected circuits and feeders."""
    circuits = [at.circuit for at in facts.circuits]
    feeders: list[Wiring] = facts.records("feeder")
    sized = [each for each in chain(circuits, feeders) if each.conductor_size is not None]
    for wiring in sized:
        if wiring.terminal_rating_c is None:
            yield _assumed("terminalRatingC", "60 or 75", "°C")
        if wiring.ambient_c is None:
            yield _assumed("ambientC", STANDARD_AMBIENT_C, "°C")
        if wiring.current_carrying_conductors is None:
            yield _assumed("currentCarryingConductors", STANDARD_CONDUCTORS)
        if wiring.insulation is None:
            yield _assumed("insulation", "as good as the terminations")
    if any(circuit.load_watts > 0 and circuit.power_factor is None for circuit in circuits):
        yield _assumed("powerFactor", 1)
    if any(circuit.load_watts <= 0 for circuit in circuits):
        yield _assumed("loadWatts", 0, "W")


def _assumed(name: str, value: float | str, unit: str | None = None) -> AssumedValue:
    return AssumedValue(name, value, unit, TEXTS.text(f"inspection.assumptions.{name}"))


def _display(issues: tuple[InspectionIssue, ...], answer: str, locale: str) -> Display:
    """The issues as a table, the most severe first; a text without any."""
    title = TEXTS.say(locale, "inspection.title")
    if not issues:
        return Display(type="text", title=title, text=answer)
    columns = TEXTS.data(locale, "inspection.columns")
    severities = TEXTS.data(locale, "inspection.severities")
    rows = [
        {
            columns["severity"]: severities[each.severity],
            columns["article"]: each.article or "",
            columns["where"]: each.where.label,
            columns["what"]: each.message,
            columns["fix"]: each.fix,
        }
        for each in issues[:MAX_ROWS]
    ]
    return Display(
        type="table", title=title, text=answer, columns=list(columns.values()), rows=rows
    )
