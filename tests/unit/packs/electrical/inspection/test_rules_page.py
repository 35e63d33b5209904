"""The electrical pack's page lists the rules as they are."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from pathlib import Path

from packs.electrical.inspection.report import WEIGHTS
from packs.electrical.inspection.rule import CATEGORIES, SEVERITIES, Rule
from packs.electrical.inspection.rules import RULES

PAGE = (Path(__file__).parents[5] / "docs/electrical.md").read_text()


def rows() -> list[str]:
    """The lines of the page's table: the articles of each category and severity, in their order,
    with the edition that they are in force since and how many rules there are of one."""
    found = []
    for category, severity in product(CATEGORIES, SEVERITIES):
        rules = [rule for rule in RULES if (rule.category, rule.severity) == (category, severity)]
        if rules:
            counted = sorted(Counter(map(_article, rules)).items(), key=_in_order)
            articles = [f"{name} ×{count}" if count > 1 else name for name, count in counted]
            found.append(f"|{category}|{severity}|{', '.join(articles)}|")
    return found


def _article(rule: Rule) -> str:
    return f"{rule.article}[{rule.since}]" if rule.since > 2017 else rule.article


def _in_order(counted: tuple[str, int]) -> list[tuple[int, str]]:
    return [
        (int(number or 0), mark) for number, mark in re.findall(r"(\d+)|(\W|[A-Z])", counted[0])
    ]


def test_the_page_lists_every_rule_and_no_other() -> None:
    table = PAGE.partition("|category|severity|articles|\n")[2].partition("\n\n")[0]
    assert table.splitlines()[1:] == rows()


def test_the_page_says_how_many_rules_there_are_and_what_they_weigh() -> None:
    assert f"{len(RULES)} rules" in PAGE
    weights = f"{WEIGHTS['critical']} for a critical one, {WEIGHTS['warning']} for a warning"
    assert weights in " ".join(PAGE.split())
