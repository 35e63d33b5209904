"""What changed between editions, in rules and in their numbers."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import Report, inspect
from packs.electrical.inspection.rules import RULES
from tests.unit.packs.electrical.inspection.buildings import HOME, SHOP, Patch, building

BY_ID = {rule.id: rule for rule in RULES}


def _in_edition(edition: int, base: dict[str, Any], *patches: Patch) -> Report:
    project = building(base, {"project": {"edition": edition}}, *patches)
    return inspect(Facts(project), RULES)


def _broken(edition: int, base: dict[str, Any], *patches: Patch) -> set[str]:
    return {issue.rule.id for issue in _in_edition(edition, base, *patches).issues}


def test_rules_of_2020_and_2023_do_not_hold_before() -> None:
    lacks: Patch = {
        "service": {"surgeProtection": False, "emergencyDisconnect": False},
        "circuit:main/gate": {"gfci": False},
        "circuit:main/range": {"gfci": False},
    }
    of_2020 = {"230.67-surge", "230.85-emergency", "210.8-f-outdoor"}
    assert _broken(2017, HOME, lacks) == set()
    assert _broken(2020, HOME, lacks) == of_2020
    assert _broken(2023, HOME, lacks) == of_2020 | {"210.8-d-appliances", "210.8-a-kitchen"}


def test_kitchen_receptacles_off_the_counter_are_undecided_until_2020() -> None:
    plain: Patch = {"circuit:main/living": {"area": "kitchen", "gfci": False}}
    report = _in_edition(2020, HOME, plain)
    gaps = {(gap.rule.id, gap.field) for gap in report.gaps}
    assert ("210.8-a-kitchen", "servesCountertop") in gaps
    assert report.issues == ()
    assert _broken(2023, HOME, plain) == {"210.8-a-kitchen"}


def test_a_finished_basement_needed_no_gfci_in_2017() -> None:
    without: Patch = {"circuit:main/cellar": {"gfci": False}}
    gaps = {(gap.rule.id, gap.field) for gap in _in_edition(2017, HOME, without).gaps}
    assert ("210.8-a-basement", "basementFinished") in gaps
    assert _broken(2020, HOME, without) == {"210.8-a-basement"}


def test_240_volt_receptacles_came_in_2020() -> None:
    dryer: Patch = {"circuit:main/dryer": {"gfci": False}}
    assert _broken(2017, HOME, dryer) == set()
    assert _broken(2020, HOME, dryer) == {"210.8-a-laundry"}


def test_bathrooms_of_offices_may_hold_panels_until_2020() -> None:
    there: Patch = {"panel:sp": {"location": "restroom"}}
    assert _broken(2020, SHOP, there) == set()
    assert _broken(2023, SHOP, there) == {"240.24-bathroom"}


def test_ten_amperes_are_a_standard_circuit_since_2023() -> None:
    ten: Patch = {"circuit:lp/lights": {"breakerAmps": 10, "loadWatts": 500, "conductorSize": "14"}}
    assert _broken(2020, SHOP, ten) == {"210.18-rating", "240.6-circuit"}
    assert _broken(2023, SHOP, ten) == set()


@pytest.mark.parametrize(
    ("rule", "numbers"),
    [
        ("210.8-a-laundry", ["210.8(A)(10)", "210.8(A)(10)", "210.8(A)(11)"]),
        ("210.8-b-outdoor", ["210.8(B)(4)", "210.8(B)(4)", "210.8(B)(6)"]),
        ("210.12-afci", ["210.12(A)", "210.12(A)", "210.12(B)"]),
        ("210.18-rating", ["210.3", "210.18", "210.18"]),
        ("424.4-heating", ["424.3(B)", "424.4(B)", "424.4(B)"]),
        ("310.10-feeder", ["310.10(H)", "310.10(G)", "310.10(G)"]),
        ("430.52-breaker", ["430.52", "430.52", "430.52(C)(1)"]),
        ("220.40-main", ["220.40", "220.40", "220.40"]),
    ],
)
def test_an_article_has_the_number_of_its_edition(rule: str, numbers: list[str]) -> None:
    found = [BY_ID[rule].reference(edition, "en").article for edition in (2017, 2020, 2023)]
    assert found == numbers


def test_article_220_is_120_in_2026() -> None:
    assert BY_ID["220.40-main"].reference(2026, "en").article == "120.40"


def test_ampacity_tables_have_the_number_of_their_edition() -> None:
    tables = {year: BY_ID["334.80-nm"].reference(year, "en").table for year in (2017, 2020)}
    assert tables == {2017: "310.15(B)(16)", 2020: "310.16"}
