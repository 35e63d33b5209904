"""All rules, in the order of the code."""

from __future__ import annotations

from packs.electrical.inspection.rule import Rule
from packs.electrical.inspection.rules import (
    appliances,
    dwellings,
    equipment_grounding,
    feeders,
    ground_fault,
    grounding,
    labels,
    loads,
    motors,
    panel_ratings,
    protection,
    service,
    transformers,
    wiring,
    working_space,
)


def _place(rule: Rule) -> tuple[int, int, str]:
    chapter, _, section = rule.article.partition("(")[0].partition(".")
    return int(chapter), int(section or 0), rule.id


RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *appliances.RULES,
            *dwellings.RULES,
            *equipment_grounding.RULES,
            *feeders.RULES,
            *ground_fault.RULES,
            *grounding.RULES,
            *labels.RULES,
            *loads.RULES,
            *motors.RULES,
            *panel_ratings.RULES,
            *protection.RULES,
            *service.RULES,
            *transformers.RULES,
            *wiring.RULES,
            *working_space.RULES,
        ),
        key=_place,
    )
)
