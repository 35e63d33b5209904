"""Whole inspections: the findings of the sample, their order, and the score."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import Issue, Report, inspect
from packs.electrical.inspection.rule import CATEGORIES
from packs.electrical.inspection.rules import RULES
from packs.electrical.projects.records import Project
from packs.electrical.wording import TEXTS
from rollcall.core.texts import Text
from seed.electrical.sample import projects
from tests.support.for_every import for_every
from tests.support.packs.electrical.tower import tower
from tests.unit.packs.electrical.inspection.buildings import HOME, SHOP, building
from tests.unit.packs.electrical.inspection.cases import CASES, Case

HEBREW = re.compile("[א-ת]")
FEW = settings(max_examples=settings.default.max_examples // 2)
"""For examples that inspect whole buildings several times."""
SAMPLES = {sample.project.id: sample for sample in projects()}
PLACES = {"service": "service", "tx1": "transformer/tx1"}
FEEDERS = {"sp": "feeder/mp-sp", "yard": "feeder/mp-yard"}
SAME = {"250.24(A)(5)": "250.142(B)", "210.19(A)": "", "310.15": ""}
"""Articles that the sample names where the rule that finds it stands elsewhere: 250.142(B) says the
same of every edition, and of overloaded circuits the rule that is broken first speaks."""


def _all(project: Project) -> Report:
    return inspect(Facts(project), RULES)


def _facts_of(report: Report) -> tuple[Any, ...]:
    issues = [
        (issue.id, issue.message, issue.fix, issue.problem.measured, issue.problem.required)
        for issue in report.issues
    ]
    gaps = [(gap.rule.id, gap.field, gap.places, gap.first) for gap in report.gaps]
    return issues, gaps, report.passed, report.score


@pytest.mark.parametrize("id", ["house", "office", "dira"])
def test_sound_samples_break_no_rule_that_binds(id: str) -> None:
    report = _all(SAMPLES[id].project)
    assert {issue.rule.severity for issue in report.issues} <= {"info"}
    assert report.score >= 99


@for_every("wrong", SAMPLES["workshop"].violations, ids=lambda wrong: wrong["what"])
def test_what_was_built_wrong_in_the_workshop_is_found(wrong: dict[str, Any]) -> None:
    found = _all(SAMPLES["workshop"].project)
    keys = {wrong["at"], PLACES.get(wrong["at"], ""), FEEDERS.get(wrong["at"], "")}
    number = wrong.get("circuitNumber")
    article = SAME.get(wrong["article"], wrong["article"])
    assert [
        issue
        for issue in found.issues
        if (issue.place.key in keys or issue.place.fields.get("panel_id") in keys)
        and issue.place.fields.get("circuit_number") == number
        and issue.rule.article.startswith(article)
    ]


@FEW
@given(st.randoms(use_true_random=False), st.sampled_from(["workshop", "office", "tower"]))
def test_the_order_of_records_changes_nothing(random: Any, name: str) -> None:
    project = tower(4, 12) if name == "tower" else SAMPLES[name].project

    def shuffled(records: Any) -> tuple[Any, ...]:
        return tuple(random.sample(records, len(records)))

    panels = [
        panel.model_copy(update={"circuits": shuffled(panel.circuits)}) for panel in project.panels
    ]
    changed = project.model_copy(
        update={
            "panels": shuffled(panels),
            "feeders": shuffled(project.feeders),
            "motors": shuffled(project.motors),
            "transformers": shuffled(project.transformers),
        }
    )
    assert _facts_of(_all(changed)) == _facts_of(_all(project))


FAULTS = [case for case in CASES if case.bad and not case.good]


@FEW
@given(st.lists(st.sampled_from(FAULTS), max_size=12, unique_by=lambda case: str(case.bad.keys())))
def test_one_more_fault_never_raises_the_score(faults: list[Case]) -> None:
    base = HOME if not faults else faults[0].base
    scores, found = [], 0
    patches = [case.bad for case in faults if case.base is base]
    for count in range(len(patches) + 1):
        report = _all(building(base, *patches[:count]))
        if count and len(report.issues) <= found:  # one fault took the ground from under another
            return
        found = len(report.issues)
        scores.append(report.score)
    assert scores == sorted(scores, reverse=True)


def test_any_issue_costs_at_least_one_point() -> None:
    assert _all(building(HOME)).score == 100
    one = _all(building(HOME, {"circuit:main/kiln": {"lengthFt": 200}}))
    assert [issue.rule.severity for issue in one.issues] == ["info"]
    assert one.score < 100


def test_nothing_recorded_is_no_good_score() -> None:
    bare = Project.model_validate(
        {
            "id": "bare",
            "name": "Bare",
            "building": {"occupancy": "office"},
            "service": {"serviceVoltage": 208, "phases": 3, "serviceAmps": 200},
        }
    )
    grounding = [rule for rule in RULES if rule.category == "grounding"]
    report = inspect(Facts(bare), grounding)
    assert (report.score, report.issues) == (0, ())
    assert {gap.field for gap in report.gaps} >= {"grounding.electrodes", "grounding.gasPipeBonded"}


def test_the_gravest_come_first() -> None:
    severities = [issue.rule.severity for issue in _all(SAMPLES["workshop"].project).issues]
    order = ["critical", "warning", "info"]
    assert severities == sorted(severities, key=order.index)
    assert set(severities) == set(order)


def test_an_issue_is_known_by_its_rule_and_place() -> None:
    report = _all(tower(6, 20))
    ids = [issue.id for issue in report.issues]
    assert len(ids) == len(set(ids)) > 50


def test_a_panel_is_looked_at_with_its_circuits_and_its_feeder() -> None:
    project = building(
        HOME,
        {"circuit:sub/saw": {"conductorSize": "14"}, "feeder:f-sub": {"egcSize": "10"}},
        {"circuit:main/bath": {"gfci": False}, "grounding": {"gecSize": "8"}},
    )
    sub = project.panel("sub")
    main = project.panel("main")
    assert sub is not None
    assert main is not None
    of_sub = {issue.rule.id for issue in inspect(Facts(project, [sub]), RULES).issues}
    of_main = {issue.rule.id for issue in inspect(Facts(project, [main]), RULES).issues}
    assert of_sub == {"240.4-d", "250.122-feeder"}
    assert of_main == {"210.8-a-bathroom", "250.66-gec"}


def test_every_category_has_rules_and_checks_that_hold() -> None:
    report = _all(SAMPLES["office"].project)
    for category in CATEGORIES:
        assert report.passed_in(category) > 0


def _broken(case: Case) -> tuple[Issue, ...]:
    own = [rule for rule in RULES if rule.id == case.rule]
    return inspect(Facts(building(case.base, case.good, case.bad)), own).issues


def _texts() -> list[Text]:
    texts = [rule.title for rule in RULES]
    for case in CASES:
        for issue in _broken(case):
            texts += [issue.message, issue.fix, issue.place.label]
    return texts


def test_every_text_is_in_both_languages() -> None:
    for text in dict.fromkeys(_texts()):
        assert HEBREW.search(text.say("he")), text
        assert not HEBREW.search(text.say("en")), text


def test_no_rule_has_texts_that_nothing_says() -> None:
    own = {rule.texts for rule in RULES}
    shared = {
        issue.problem.texts
        for case in CASES
        for issue in _broken(case)
        if issue.problem.texts is not None
    }
    said_of_hot_conductors = {"230-42-load-hot", "230-90-protection-hot"}
    known = TEXTS.data("en", "inspection.rules")
    assert set(known) == own | shared | said_of_hot_conductors
    for name in own - shared:
        rest = {"problem", "fix"} & set(known[name])
        assert rest in ({"problem", "fix"}, set()), name


def test_figures_stand_in_every_problem_that_has_them() -> None:
    for case in CASES:
        for issue in _broken(case):
            problem = issue.problem
            assert (problem.measured is None) == (problem.required is None), issue.id
            if problem.unit is not None:
                assert isinstance(problem.measured, int | float), issue.id


def test_a_shop_and_a_home_without_a_fault_score_100() -> None:
    assert (_all(building(HOME)).score, _all(building(SHOP)).score) == (100, 100)


def test_a_feeder_with_a_device_at_the_transformer_is_one_as_any_other() -> None:
    """4/0 copper carries 230 A: behind a device of 250 A the next size up is allowed, while
    conductors that only end at one have to carry all of it."""
    guarded = building(SHOP, {"feeder:f-lp": {"breakerAmps": 250, "egcSize": "4", "lengthFt": 90}})
    assert _all(guarded).issues == ()
    open_ended = building(SHOP, {"panel:lp": {"mainBreakerAmps": 250, "busRating": 400}})
    assert [issue.rule.id for issue in _all(open_ended).issues] == ["240.21-ampacity"]


def test_nothing_of_the_service_is_said_of_a_panel_when_it_is_unknown_which_one_it_is() -> None:
    project = building(
        HOME, {"service": {"panelId": None, "disconnects": 9}, "project": {"feeders": []}}
    )
    unclear = project.model_copy(
        update={
            "panels": tuple(
                panel.model_copy(update={"is_service_equipment": False}) for panel in project.panels
            )
        }
    )
    sub = unclear.panel("sub")
    assert sub is not None
    report = inspect(Facts(unclear, [sub]), RULES)
    assert "230.71-six" not in {issue.rule.id for issue in report.issues}
    assert "service.panelId" in {gap.field for gap in report.gaps}


def test_one_fault_is_told_once() -> None:
    """14 AWG behind 60 A is too thin by 240.4(B), (D) and 110.14(C); the first says so."""
    thin = building(
        HOME, {"circuit:main/kiln": {"conductorSize": "14", "egcSize": "10", "breakerAmps": 60}}
    )
    assert [issue.rule.id for issue in _all(thin).issues if "4" in issue.rule.article] == [
        "240.4-d"
    ]
