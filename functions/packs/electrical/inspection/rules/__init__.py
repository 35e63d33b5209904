"""The rules of an inspection, a module for each subject, and all of them in the code's order."""

from __future__ import annotations

from packs.electrical.inspection.rule import Rule
from packs.electrical.inspection.rules import (
    branch_circuits,
    equipment,
    gfci,
    grounding,
    overcurrent,
    panels,
    supply,
    wiring,
)


def _place(rule: Rule) -> tuple[int, int, str]:
    article, _, section = rule.article.partition("(")[0].partition(".")
    return int(article), int(section or 0), rule.id


RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *branch_circuits.RULES,
            *equipment.RULES,
            *gfci.RULES,
            *grounding.RULES,
            *overcurrent.RULES,
            *panels.RULES,
            *supply.RULES,
            *wiring.RULES,
        ),
        key=_place,
    )
)
