"""Every rule fires on a violation, is silent on its compliant twin, and says what it lacks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import Report, inspect
from packs.electrical.inspection.rules import RULES
from tests.support.for_every import for_every
from tests.unit.packs.electrical.inspection.buildings import Patch, building
from tests.unit.packs.electrical.inspection.cases import CASES, Case

BY_ID = {rule.id: rule for rule in RULES}
NEVER_FIRES = {"210.8-b-basement", "680.23-lighting"}
"""Whether a basement is finished and at which voltage a pool's lights are is not recorded: without
GFCI they are not checked, no more."""
every_case = for_every("case", CASES, ids=lambda case: case.rule)


def _inspect_by(base: dict[str, Any], rule: str, *patches: Patch) -> Report:
    return inspect(Facts(building(base, *patches)), [BY_ID[rule]])


def test_every_rule_has_one_case() -> None:
    assert Counter(case.rule for case in CASES) == Counter(BY_ID.keys())
    assert len(RULES) >= 40


@for_every(
    "case", [each for each in CASES if each.rule not in NEVER_FIRES], ids=lambda case: case.rule
)
def test_it_fires_on_a_violation(case: Case) -> None:
    report = _inspect_by(case.base, case.rule, case.good, case.bad)
    assert case.at in [issue.place.key for issue in report.issues]


@every_case
def test_it_is_silent_on_the_compliant_twin(case: Case) -> None:
    report = _inspect_by(case.base, case.rule, case.good)
    assert report.issues == ()
    assert report.passed[case.rule] > 0
    assert report.score == 100


@for_every("case", [each for each in CASES if each.unknown], ids=lambda case: case.rule)
def test_what_is_unknown_is_told_and_not_passed(case: Case) -> None:
    assert case.unknown is not None
    patch, field = case.unknown
    before = _inspect_by(case.base, case.rule, case.good)
    report = _inspect_by(case.base, case.rule, case.good, patch)
    assert field in [gap.field for gap in report.gaps]
    assert report.passed[case.rule] <= before.passed[case.rule]
    assert not any(issue.place.key == case.at for issue in report.issues)
