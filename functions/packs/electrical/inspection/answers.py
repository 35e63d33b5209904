"""An inspection as its result carries it, and as it is shown."""

from __future__ import annotations

from typing import Annotated

from packs.electrical.inspection.places import Place
from packs.electrical.inspection.report import Gap, Issue, Report
from packs.electrical.inspection.rule import CATEGORIES, Category, Severity
from packs.electrical.nec.editions import Edition
from packs.electrical.results import CodeReference, Grounded, Words
from rollcall.core.hidden import Hidden
from rollcall.core.shapes import Display, Wire

TOP_ISSUES = 10
MAX_ISSUES = 200
MAX_ROWS = 50
MAX_GAPS = 20
MAX_CITED = 20
_SEVERITY = {
    "critical": Words("critical", "חמור"),
    "warning": Words("warning", "אזהרה"),
    "info": Words("info", "מידע"),
}
_COLUMNS = {
    "severity": Words("Severity", "חומרה"),
    "article": Words("Article", "סעיף"),
    "where": Words("Where", "היכן"),
    "what": Words("What is wrong", "הליקוי"),
    "fix": Words("How to fix it", "התיקון"),
}


class Where(Wire):
    """The place of an issue; `label` says it to people, the ids that fit are set."""

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
    """One rule that does not hold in one place.

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
    """A rule that could not be decided for want of a field of the project.

    Attributes:
        missing_field: As the project's records name it.
        places: In how many places it is missing; `where` names the first.
    """

    rule_id: str
    article: str | None
    missing_field: str
    places: int
    where: tuple[str, ...]


class PassedChecks(Wire):
    """How many checks of each category held."""

    panels: int
    circuits: int
    grounding: int
    feeders: int


class Inspection(Grounded):
    """What came of an inspection.

    Attributes:
        warnings: How many issues are warnings: a count, as `critical` and `info` are. What other
            results say as warnings stands in `notes`.
        issues: The ten gravest. A caller that is no model gets up to 200 in `all_issues`.
        more_issues: How many there are beyond `issues`.
        overall_score: 0 to 100; `Report.score` has the formula.
        rules_checked: Rules of the edition and the category that were looked at.
        not_checked: At most 20, those missing in most places first.
        checks_not_decided: Of all rules together, how many places could not be decided.
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


def issues_of(report: Report, edition: Edition, locale: str) -> tuple[InspectionIssue, ...]:
    """The gravest issues, at most `MAX_ISSUES`."""
    return tuple(_issue(each, edition, locale) for each in report.issues[:MAX_ISSUES])


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
        where=_where(issue.place, locale),
        message=issue.problem.what.say(locale),
        fix=issue.problem.how_to_fix().say(locale),
        measured=issue.problem.measured,
        required=issue.problem.required,
        unit=issue.problem.unit,
    )


def _where(place: Place, locale: str) -> Where:
    return Where(label=place.label.say(locale), **place.fields)


def gaps_of(report: Report, edition: Edition, locale: str) -> tuple[NotChecked, ...]:
    """What could not be decided, at most `MAX_GAPS`."""
    return tuple(_gap(each, edition, locale) for each in report.gaps[:MAX_GAPS])


def _gap(gap: Gap, edition: Edition, locale: str) -> NotChecked:
    return NotChecked(
        rule_id=gap.rule.id,
        article=gap.rule.reference(edition, locale).article,
        missing_field=gap.field,
        places=gap.places,
        where=tuple(place.label.say(locale) for place in gap.first),
    )


def passed_of(report: Report) -> PassedChecks:
    """By category."""
    return PassedChecks(**{category: report.passed_in(category) for category in CATEGORIES})


def cited(report: Report, edition: Edition, locale: str) -> tuple[CodeReference, ...]:
    """The rules that are broken, the gravest first; the edition alone where none is."""
    rules = {issue.rule.id: issue.rule for issue in report.issues}
    found = tuple(rule.reference(edition, locale) for rule in rules.values())
    return found[:MAX_CITED] or (CodeReference(edition=edition),)


def shown(issues: tuple[InspectionIssue, ...], text: str, locale: str) -> Display:
    """The issues as a table, the gravest first; a text where there is none."""
    title = Words("NEC inspection", "בדיקת התאמה לתקן").say(locale)
    if not issues:
        return Display(type="text", title=title, text=text)
    columns = {key: words.say(locale) for key, words in _COLUMNS.items()}
    rows = [
        {
            columns["severity"]: _SEVERITY[each.severity].say(locale),
            columns["article"]: each.article or "",
            columns["where"]: each.where.label,
            columns["what"]: each.message,
            columns["fix"]: each.fix,
        }
        for each in issues[:MAX_ROWS]
    ]
    return Display(type="table", title=title, text=text, columns=list(columns.values()), rows=rows)
