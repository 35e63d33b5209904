"""An inspection of a project by the rules of the NEC."""

from __future__ import annotations

from typing import Literal

from packs.electrical.inspection.answers import (
    MAX_ISSUES,
    TOP_ISSUES,
    Inspection,
    cited,
    gaps_of,
    issues_of,
    passed_of,
    shown,
)
from packs.electrical.inspection.assumed import assumed
from packs.electrical.inspection.catalog import RULES
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import Progress, Report, inspect
from packs.electrical.inspection.rule import SEVERITIES, Severity
from packs.electrical.inspection.wording import counted
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import Panel, Project, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import Input, Words, finish, said
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.wording import isolated

InspectionCategory = Literal["all", "panels", "circuits", "grounding", "feeders"]
MANY_CIRCUITS = 200
"""From so many circuits on the user is told how far it is."""
_STEPS = 10
_VERIFIED_UP_TO = 2023


@capability(
    name={"en": "NEC inspection", "he": "בדיקת התאמה לתקן"},
    category="electrical",
    keywords=[
        "inspection",
        "inspect",
        "violations",
        "code violations",
        "compliance",
        "code compliance",
        "NEC audit",
        "is it up to code",
        "what is wrong",
        "inspection score",
        "check grounding",
        "check the panels",
        "check all circuits",
        "בדיקה",
        "ביקורת חשמל",
        "ליקויים",
        "הפרות",
        "תקינות",
        "התאמה לתקן",
        "ציון בדיקה",
        "בדיקת הארקה",
        "תאימות לקוד",
        "meet code",
        "what is not right",
        "לא תקין",
        "בעיות",
        "problems",
        "ביקורת",
    ],
    examples=[
        {
            "userRequest": "Run an NEC inspection on the whole project",
            "parameters": {"category": "all"},
        },
        {
            "userRequest": "Check the grounding for violations",
            "parameters": {"category": "grounding"},
        },
        {
            "userRequest": "Inspect the circuits of Panel A",
            "parameters": {"category": "circuits", "panelName": "Panel A"},
        },
        {
            "userRequest": "תריץ בדיקת ליקויים על כל הפרויקט",
            "parameters": {"category": "all"},
        },
    ],
)
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
    facts = Facts(project, None if panel is None else [panel])
    rules = [rule for rule in RULES if category in ("all", rule.category)]
    report = inspect(facts, rules, _progress(ctx, facts))
    result = _result(ctx.locale, project, panel, category, facts, report, severity)
    return finish(ctx, result, shown(result.all_issues, result.answer, ctx.locale))


def _result(
    locale: str,
    project: Project,
    panel: Panel | None,
    category: str,
    facts: Facts,
    report: Report,
    severity: Severity | None,
) -> Inspection:
    edition = project.edition
    listed = issues_of(_at_least(report, severity), edition, locale)
    undecided = sum(gap.places for gap in report.gaps)
    return Inspection(
        answer=_answer(report, undecided).say(locale),
        project_id=project.id,
        inputs=_inputs(facts, category),
        assumptions=tuple(each.say(locale) for each in assumed(facts)),
        citations=cited(report, edition, locale),
        edition=edition,
        category=category,
        panel_name=panel.name if panel else None,
        total_issues=len(report.issues),
        critical=report.count("critical"),
        warnings=report.count("warning"),
        info=report.count("info"),
        issues=listed[:TOP_ISSUES],
        more_issues=len(report.issues) - min(len(listed), TOP_ISSUES),
        overall_score=report.score,
        rules_checked=len(report.rules),
        passed=passed_of(report),
        not_checked=gaps_of(report, edition, locale),
        checks_not_decided=undecided,
        notes=said(locale, _notes(report, edition, undecided)),
        all_issues=listed,
    )


def _at_least(report: Report, severity: Severity | None) -> Report:
    """The report with only the issues that are this grave."""
    if severity is None:
        return report
    listed = SEVERITIES[: SEVERITIES.index(severity) + 1]
    issues = tuple(issue for issue in report.issues if issue.rule.severity in listed)
    return Report(report.rules, issues, report.gaps, report.passed)


def _inputs(facts: Facts, category: str) -> tuple[Input, ...]:
    return (
        Input(name="edition", value=facts.edition),
        Input(name="category", value=category, source="argument"),
        Input(name="panels", value=len(facts.panels)),
        Input(name="circuits", value=len(facts.circuits)),
        Input(name="feeders", value=len(facts.subjects("feeder"))),
    )


def _notes(report: Report, edition: int, undecided: int) -> list[Words]:
    found = []
    if undecided:
        checks = counted("check", undecided)
        found.append(
            Words(
                f"{checks.en} could not be decided because the project does not record what they "
                "need; notChecked lists it.",
                f"{checks.he} לא {'הוכרעה' if undecided == 1 else 'הוכרעו'} כי הנתונים הדרושים "
                f"אינם רשומים בפרויקט; הרשימה ב-{isolated('notChecked')}.",
            )
        )
    if len(report.issues) > MAX_ISSUES:
        found.append(
            Words(
                f"Only the {MAX_ISSUES} gravest issues are listed.",
                f"רשומים רק {MAX_ISSUES} הליקויים החמורים ביותר.",
            )
        )
    if edition > _VERIFIED_UP_TO:
        found.append(
            Words(
                f"The rules are those of {_VERIFIED_UP_TO} with the renumberings that are known; "
                f"they were not checked against {edition}.",
                f"הכללים הם של מהדורת {_VERIFIED_UP_TO} עם שינויי המספור הידועים; הם לא נבדקו מול "
                f"מהדורת {edition}.",
            )
        )
    return found


def _answer(report: Report, undecided: int) -> Words:
    found = [counted(severity, report.count(severity)) for severity in SEVERITIES]
    parts = [
        Words(
            f"Score {report.score} of 100: {', '.join(each.en for each in found)}.",
            f"ציון {report.score} מתוך 100: {', '.join(each.he for each in found)}.",
        )
    ]
    if undecided:
        checks = counted("check", undecided)
        parts.append(
            Words(
                f"{checks.en} could not be decided because data is missing.",
                f"{checks.he} לא {'הוכרעה' if undecided == 1 else 'הוכרעו'} מחוסר נתונים.",
            )
        )
    if report.issues:
        worst = report.issues[0]
        parts.append(
            Words(
                f"The gravest: {worst.place.label.en}: {worst.problem.what.en}",
                f"החמור ביותר: {worst.place.label.he}: {worst.problem.what.he}",
            )
        )
    return Words(" ".join(part.en for part in parts), " ".join(part.he for part in parts))


def _progress(ctx: ToolContext, facts: Facts) -> Progress | None:
    if len(facts.circuits) < MANY_CIRCUITS:
        return None
    text = Words("inspecting", "בודק").say(ctx.locale)

    def tell(done: int, total: int) -> None:
        if done % _STEPS == 0:
            ctx.progress(text, done=done, total=total)

    return tell
