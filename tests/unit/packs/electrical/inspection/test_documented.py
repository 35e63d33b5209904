"""The page of the electrical pack lists the rules as they are."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from packs.electrical.inspection.report import WEIGHTS
from packs.electrical.inspection.rule import CATEGORIES, SEVERITIES, Rule
from packs.electrical.inspection.rules import RULES

PAGE = (Path(__file__).parents[5] / "docs/electrical.md").read_text()


def _entry(rule: Rule) -> str:
    since = f" (since {rule.since})" if rule.since > 2017 else ""
    return f"{rule.article} {rule.title.say('en')}{since}"


def rows() -> list[str]:
    """The lines of the page's table: the rules of each category and severity."""
    found = []
    for category, severity in product(CATEGORIES, SEVERITIES):
        entries = [_entry(r) for r in RULES if (r.category, r.severity) == (category, severity)]
        if entries:
            found.append(f"| {category} | {severity} | {'; '.join(entries)} |")
    return found


def test_the_page_lists_every_rule_and_no_other() -> None:
    table = PAGE.partition("| category | severity | rules |\n")[2].partition("\n\n")[0]
    assert table.splitlines()[1:] == rows()


def test_the_page_says_how_many_rules_there_are_and_what_they_weigh() -> None:
    assert f"{len(RULES)} rules" in PAGE
    weights = f"{WEIGHTS['critical']} for a critical one, {WEIGHTS['warning']} for a warning"
    assert weights in " ".join(PAGE.split())
