"""The page of the electrical pack lists the rules as they are."""

from __future__ import annotations

from pathlib import Path

from packs.electrical.inspection.report import WEIGHTS
from packs.electrical.inspection.rule import CATEGORIES, Rule
from packs.electrical.inspection.rules import RULES

PAGE = (Path(__file__).parents[5] / "docs/electrical.md").read_text()


def _row(rule: Rule) -> str:
    marks = [] if rule.severity == "critical" else [rule.severity]
    marks += [f"since {rule.since}"] if rule.since > 2017 else []
    about = f"{rule.title.say('en')} ({', '.join(marks)})" if marks else rule.title.say("en")
    return f"| {rule.article} | {about} |"


def rows() -> list[str]:
    """The lines of the page's tables, category by category."""
    return [_row(rule) for category in CATEGORIES for rule in RULES if rule.category == category]


def test_the_page_lists_every_rule_and_no_other() -> None:
    section = PAGE.partition("## Inspection")[2].partition("\n## ")[0]
    listed = [line for line in section.splitlines() if line.startswith("| ")]
    assert [line for line in listed if line != "| article | rule |"] == rows()


def test_the_page_says_how_many_rules_there_are_and_what_they_weigh() -> None:
    assert f"{len(RULES)} rules" in PAGE
    weights = f"{WEIGHTS['critical']} for a critical one, {WEIGHTS['warning']} for a warning"
    assert weights in " ".join(PAGE.split())
