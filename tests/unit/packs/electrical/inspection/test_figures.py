"""The thresholds of rules, and the figures that their issues name."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import Issue, inspect
from packs.electrical.inspection.rules import RULES
from seed.electrical.sample import projects
from tests.support.for_every import for_every
from tests.unit.packs.electrical.inspection.buildings import HOME, SHOP, Patch, building

WORKSHOP = next(each.project for each in projects() if each.project.id == "workshop")
ROD = {"kind": "rod"}
EIGHT_SETS = {"breakerAmps": 1200, "conductorSize": "1/0", "conductorSets": 8}

LINES: list[tuple[str, dict[str, Any], Patch, Patch]] = [
    (
        "110.26-depth",
        HOME,
        {"panel:sub": {"workingSpaceDepthIn": 36}},
        {"panel:sub": {"workingSpaceDepthIn": 35.9}},
    ),
    (
        "110.26-depth",
        SHOP,
        {"panel:sp": {"workingSpaceDepthIn": 48}},
        {"panel:sp": {"workingSpaceDepthIn": 35.9}},
    ),
    (
        "110.26-width",
        HOME,
        {"panel:sub": {"workingSpaceWidthIn": 30}},
        {"panel:sub": {"workingSpaceWidthIn": 29.9}},
    ),
    (  # as wide as the equipment, where that is more: 914.4 mm are 36 in
        "110.26-width",
        HOME,
        {"panel:sub": {"enclosure": {"heightMm": 500, "widthMm": 914.4, "depthMm": 100}}},
        {"panel:sub": {"enclosure": {"heightMm": 500, "widthMm": 940, "depthMm": 100}}},
    ),
    (
        "110.26-height",
        HOME,
        {"panel:sub": {"workingSpaceHeightIn": 78}},
        {"panel:sub": {"workingSpaceHeightIn": 77.9}},
    ),
    (  # 250.122(F): each of eight sets has the 3/0 of 1200 A, though its own conductors are 1/0
        "250.122-feeder",
        HOME,
        {"feeder:f-sub": {**EIGHT_SETS, "egcSize": "3/0"}},
        {"feeder:f-sub": {**EIGHT_SETS, "egcSize": "1/0"}},
    ),
    (  # 16 A at 125 % are 20 A
        "210.20-continuous",
        HOME,
        {"circuit:main/kiln": {"loadWatts": 1920}},
        {"circuit:main/kiln": {"loadWatts": 1930}},
    ),
    (
        "210.22-load",
        HOME,
        {"circuit:sub/saw": {"loadWatts": 2400}},
        {"circuit:sub/saw": {"loadWatts": 2410}},
    ),
    ("230.71-six", HOME, {"service": {"disconnects": 6}}, {"service": {"disconnects": 7}}),
    ("230.79-rating", HOME, {"service": {"serviceAmps": 100}}, {"service": {"serviceAmps": 99}}),
    ("230.79-rating", SHOP, {"service": {"serviceAmps": 60}}, {"service": {"serviceAmps": 59}}),
    (  # 310.12: 83 % of 200 A are 166 A; 4/0 aluminum carries 180 A, 3/0 155 A at 75 °C
        "230.90-protection",
        HOME,
        {"service": {"conductorSize": "4/0"}},
        {"service": {"conductorSize": "3/0"}},
    ),
    (
        "240.21-length",
        SHOP,
        {"feeder:f-lp": {"lengthFt": 25}},
        {"feeder:f-lp": {"lengthFt": 25.1}},
    ),
    (
        "250.53-rod",
        HOME,
        {"grounding": {"electrodes": [{**ROD, "resistanceOhms": 25}]}},
        {"grounding": {"electrodes": [{**ROD, "resistanceOhms": 25.1}]}},
    ),
    (
        "250.53-spacing",
        HOME,
        {"grounding": {"electrodes": [{**ROD, "spacingFt": 6}, ROD]}},
        {"grounding": {"electrodes": [{**ROD, "spacingFt": 5.9}, ROD]}},
    ),
    (  # 4/0 aluminum: 4 AWG copper, but 6 to a rod alone
        "250.66-gec",
        HOME,
        {"grounding": {"electrodes": [{**ROD, "resistanceOhms": 9}], "gecSize": "6"}},
        {"grounding": {"electrodes": [{**ROD, "resistanceOhms": 9}], "gecSize": "8"}},
    ),
    (
        "250.66-gec",
        HOME,
        {"grounding": {"gecSize": "4"}},
        {"grounding": {"gecSize": "6"}},
    ),
    (  # 32 A at 125 % are 40 A
        "625.41-ev",
        HOME,
        {"circuit:main/ev": {"loadWatts": 7680}},
        {"circuit:main/ev": {"loadWatts": 7700}},
    ),
    (  # 18.75 A at 150 % are 28.1 A, and so 30 A
        "422.11-most",
        HOME,
        {"circuit:main/boiler": {"breakerAmps": 30}},
        {"circuit:main/boiler": {"breakerAmps": 35}},
    ),
    (  # 20 A at 225 % are 45 A
        "440.22-breaker",
        HOME,
        {"circuit:main/ac": {"breakerAmps": 45}},
        {"circuit:main/ac": {"breakerAmps": 50}},
    ),
    (  # 10 hp at 460 V: 14 A, 250 % are 35 A
        "430.52-breaker",
        SHOP,
        {"circuit:mdp/fan": {"breakerAmps": 35}},
        {"circuit:mdp/fan": {"breakerAmps": 40}},
    ),
    (  # a service factor of 1.15 allows 125 % of 13 A: 16.25 A
        "430.32-overload",
        SHOP,
        {"motor:m-fan": {"overloadAmps": 16.25}},
        {"motor:m-fan": {"overloadAmps": 16.5}},
    ),
    (  # without it 115 %: 14.95 A
        "430.32-overload",
        SHOP,
        {"motor:m-fan": {"overloadAmps": 14.9, "serviceFactor": 1, "temperatureRiseC": 50}},
        {"motor:m-fan": {"overloadAmps": 15.1, "serviceFactor": 1, "temperatureRiseC": 50}},
    ),
    (  # 75 kVA at 480 V: 90.2 A, 125 % are 112.8 A, and so 125 A
        "450.3-primary",
        SHOP,
        {"feeder:f-t1": {"breakerAmps": 125}, "panel:lp": {"mainBreakerAmps": 350}},
        {"feeder:f-t1": {"breakerAmps": 150}, "panel:lp": {"mainBreakerAmps": 350}},
    ),
    (  # the secondary protected at 125 %, 250 % of the primary are 225.5 A
        "450.3-primary",
        SHOP,
        {"feeder:f-t1": {"breakerAmps": 225}},
        {"feeder:f-t1": {"breakerAmps": 250}},
    ),
    (  # 8 kA at the service, and what is left of it after 20 ft
        "110.9-interrupting",
        HOME,
        {"panel:main": {"aicRating": 8000}},
        {"panel:main": {"aicRating": 5000}},
    ),
    (
        "408.36-protection",
        HOME,
        {"panel:sub": {"busRating": 100}},
        {"panel:sub": {"busRating": 99}},
    ),
    (  # receptacles get no next size up: 310.16 has 25 A for 12 AWG at 75 °C, and 240.4(D) 20
        "240.4-circuit",
        HOME,
        {"circuit:main/bath": {"conductorSize": "8", "breakerAmps": 50}},
        {"circuit:main/bath": {"conductorSize": "8", "breakerAmps": 60}},
    ),
]


@for_every(
    ("rule", "base", "good", "bad"), LINES, ids=[f"{n}-{each[0]}" for n, each in enumerate(LINES)]
)
def test_a_rule_draws_its_line_where_the_code_does(
    rule: str, base: dict[str, Any], good: Patch, bad: Patch
) -> None:
    rules = [each for each in RULES if each.id == rule]
    assert inspect(Facts(building(base, good)), rules).issues == ()
    assert len(inspect(Facts(building(base, bad)), rules).issues) == 1


def _of_workshop(id: str) -> Issue:
    report = inspect(Facts(WORKSHOP), RULES)
    return next(issue for issue in report.issues if issue.id == id)


@for_every(
    ("id", "measured", "required", "unit"),
    [
        ("240.4-d@mp/mp-8", 20, 15, "A"),
        ("210.20-continuous@mp/mp-13", 15, 18.7, "A"),
        ("240.4-circuit@mp/mp-14", 20, 15, "A"),
        ("430.52-breaker@mp/mp-16", 125, 80, "A"),
        ("430.32-overload@motor/dust", 45, 36.2, "A"),
        ("240.4-feeder@feeder/mp-yard", 100, 90, "A"),
        ("250.122-feeder@feeder/mp-sp", "10", "8", None),
        ("250.66-gec@service", "8", "6", None),
        ("250.53-rod@service", 60, 25, "Ω"),
        ("450.3-primary@transformer/tx1", 350, 175, "A"),
        ("110.26-depth@mp", 24, 36, "in"),
        ("230.71-six@service", 7, 6, None),
    ],
)
def test_an_issue_names_what_is_there_and_what_is_required(
    id: str, measured: float | str, required: float | str, unit: str | None
) -> None:
    problem = _of_workshop(id).problem
    assert (problem.measured, problem.required, problem.unit) == (measured, required, unit)


def test_an_issue_says_its_figures_and_how_to_fix_it() -> None:
    issue = _of_workshop("240.4-d@mp/mp-8")
    plain = issue.message.say("en").replace("\u2068", "").replace("\u2069", "")
    assert plain == "A breaker of 20 A protects AWG 14 copper; 15 A is the most."
    fix = issue.fix.say("en").replace("\u2068", "").replace("\u2069", "")
    assert fix == "Use a breaker of 15 A, or conductors of AWG 12."


@pytest.mark.parametrize("rule", ["210.22-load", "310.15-load"])
def test_a_12_kw_range_of_a_dwelling_is_on_40_a(rule: str) -> None:
    usual = {"circuit:main/range": {"loadWatts": 12_000, "breakerAmps": 40, "terminalRatingC": 60}}
    rules = [each for each in RULES if each.id == rule]
    assert inspect(Facts(building(HOME, usual)), rules).issues == ()
    elsewhere = {**usual, "building": {"occupancy": "restaurant"}}
    assert len(inspect(Facts(building(HOME, elsewhere)), rules).issues) == 1


def test_a_feeder_whose_insulation_is_too_hot_is_an_issue_without_a_size_that_would_do() -> None:
    hot = {"feeder:f-sub": {"insulation": "UF", "ambientC": 60}}
    rules = [each for each in RULES if each.id == "240.4-feeder"]
    (issue,) = inspect(Facts(building(HOME, hot)), rules).issues
    assert "AWG" not in issue.fix.say("en")
