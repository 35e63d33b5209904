"""An inspection: every rule on every place it looks at, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.places import Place, place_of
from packs.electrical.inspection.rule import (
    SEVERITIES,
    Category,
    Passed,
    Problem,
    Rule,
    Severity,
    Unknown,
)

WEIGHTS: dict[Severity, int] = {"critical": 10, "warning": 3, "info": 1}
"""What a rule counts for in the score."""

MAX_NAMED = 3
"""How many places a gap names."""

Progress = Callable[[int, int], None]
"""Told how many rules of how many are done."""


@dataclass(frozen=True, slots=True)
class Issue:
    """A rule that does not hold in one place."""

    rule: Rule
    place: Place
    problem: Problem

    @property
    def id(self) -> str:
        """The same as long as the place is there: `110.9-interrupting@main`."""
        return f"{self.rule.id}@{self.place.key}"


@dataclass(slots=True)
class Gap:
    """A rule that could not be decided for want of a field, in how many places and which first."""

    rule: Rule
    field: str
    places: int = 0
    first: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What came of an inspection.

    Attributes:
        rules: Those that were looked at: of the edition and the category.
        issues: The gravest first, then in the order of the rules and of the places.
        gaps: The widest first.
        passed: How many checks held, by the ids of their rules.
    """

    rules: tuple[Rule, ...]
    issues: tuple[Issue, ...]
    gaps: tuple[Gap, ...]
    passed: Counter[str]

    def count(self, severity: Severity) -> int:
        """How many issues are of a severity."""
        return sum(issue.rule.severity == severity for issue in self.issues)

    def passed_in(self, category: Category) -> int:
        """How many checks of a category held."""
        return sum(self.passed[rule.id] for rule in self.rules if rule.category == category)

    @property
    def score(self) -> int:
        """How much of what was decided holds, 0 to 100.

        100 x (1 - lost / total), rounded down. `total` adds the weights of the rules that were
        decided anywhere: 10 for a critical one, 3 for a warning, 1 for an info. A rule that fails
        anywhere loses half its weight, and of the other half the share of places where it fails.
        Among the same places one more issue never raises the score, and any issue costs at least
        1. With nothing decided it is 0: nothing speaks for the project.
        """
        failed = Counter(issue.rule.id for issue in self.issues)
        total, lost = 0, Fraction(0)
        for rule in self.rules:
            fails, decided = failed[rule.id], failed[rule.id] + self.passed[rule.id]
            if decided:
                total += WEIGHTS[rule.severity]
            if fails:
                lost += WEIGHTS[rule.severity] * (1 + Fraction(fails, decided)) / 2
        return int(100 * (total - lost) // total) if total else 0


def inspect(facts: Facts, rules: Iterable[Rule], progress: Progress | None = None) -> Report:
    """Look at a project by these rules, as far as its edition has them."""
    chosen = tuple(rule for rule in rules if rule.holds_in(facts.edition))
    issues: list[Issue] = []
    gaps: dict[tuple[str, str], Gap] = {}
    passed: Counter[str] = Counter()
    places: dict[int, Place] = {}
    for done, rule in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen))
        for subject in facts.subjects(rule.kind):
            try:
                verdict = rule.check(facts, subject)
            except Unknown as unknown:
                _note(gaps, rule, unknown.field, _place(places, facts, subject))
                continue
            if isinstance(verdict, Passed):
                passed[rule.id] += 1
            elif verdict is not None:
                issues.append(Issue(rule, _place(places, facts, subject), verdict))
    return Report(chosen, _sorted(issues, chosen), _widest(gaps.values()), passed)


def _place(places: dict[int, Place], facts: Facts, subject: object) -> Place:
    """Worked out once for each thing; a project's records live as long as the inspection."""
    found = places.get(id(subject))
    if found is None:
        found = places[id(subject)] = place_of(facts, subject)
    return found


def _note(gaps: dict[tuple[str, str], Gap], rule: Rule, field: str, place: Place) -> None:
    gap = gaps.setdefault((rule.id, field), Gap(rule, field))
    gap.places += 1
    gap.first = tuple(sorted((*gap.first, place), key=lambda each: each.order)[:MAX_NAMED])


def _sorted(issues: list[Issue], rules: tuple[Rule, ...]) -> tuple[Issue, ...]:
    order = {rule.id: place for place, rule in enumerate(rules)}
    rank = {severity: place for place, severity in enumerate(SEVERITIES)}
    return tuple(
        sorted(
            issues,
            key=lambda each: (rank[each.rule.severity], order[each.rule.id], each.place.order),
        )
    )


def _widest(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    return tuple(sorted(gaps, key=lambda gap: (-gap.places, gap.rule.id, gap.field)))
