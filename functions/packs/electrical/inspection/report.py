"""Runs an inspection: checks every rule on every record it applies to, and reports the issues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from msgspec import Struct

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import (
    SEVERITIES,
    Category,
    Pass,
    Problem,
    Rule,
    Severity,
    Unknown,
)
from packs.electrical.projects.records import Feeder, Motor, Panel, PanelCircuit, Transformer
from packs.electrical.wording import (
    MM_PER_IN,
    TEXTS,
    amps,
    feet,
    inches,
    number,
    panel_text,
    percent,
    volts,
)
from rollcall.core.texts import Text, isolated

WEIGHTS: dict[Severity, int] = {"critical": 10, "warning": 3, "info": 1}
"""The weight of a rule in the score."""

MAX_NAMED = 3
"""The most places that a gap names."""

FIGURES: dict[str, Callable[[float], str]] = {
    "A": amps,
    "V": lambda value: volts(value, 1),
    "%": percent,
    "in": lambda value: inches(value * MM_PER_IN),
    "ft": feet,
    "Ω": lambda value: isolated(f"{number(value)} Ω"),
}
"""The formats of figures in the texts of an issue, by unit."""


class Place(Struct, frozen=True):
    """One panel, circuit, feeder, transformer, motor, or the project's service and grounding.

    Attributes:
        key: Unique in the project.
        order: Sorts the places of a project for display.
        fields: Its ids and names, by the names of a result's fields.
    """

    key: str
    order: tuple[Any, ...]
    label: Text
    fields: dict[str, Any]


class Issue(Struct, frozen=True):
    """A rule that is violated in one place."""

    rule: Rule
    place: Place
    problem: Problem

    @property
    def id(self) -> str:
        """Stable while the place exists: `110.9-interrupting@main`."""
        return f"{self.rule.id}@{self.place.key}"

    @property
    def message(self) -> Text:
        """The violation, in words."""
        return self._text("problem")

    @property
    def fix(self) -> Text:
        """How to correct it."""
        if self.problem.fix is not None:
            return self.problem.fix()
        return self._text("fix")

    def _text(self, name: str) -> Text:
        problem = self.problem
        figures = {"measured": problem.measured, "required": problem.required}
        say = FIGURES.get(problem.unit or "", str)
        numbers = {
            name: say(value) for name, value in figures.items() if isinstance(value, int | float)
        }
        entry = problem.texts or self.rule.texts
        return TEXTS.text(f"inspection.rules.{entry}.{name}", **numbers, **problem.values)


class Gap(Struct):
    """A rule that could not be checked for lack of a field: the number of places, and the first."""

    rule: Rule
    field: str
    places: int = 0
    first: tuple[Place, ...] = ()

    def add(self, place: Place) -> None:
        """Count one more place."""
        self.places += 1
        self.first = tuple(sorted((*self.first, place), key=lambda each: each.order)[:MAX_NAMED])


class Report(Struct, frozen=True):
    """The findings of an inspection.

    Attributes:
        rules: The rules of the edition and the category.
        issues: The most severe first, then in the order of the rules and of the places.
        gaps: Those of most places first.
        passed: The number of passed checks, by the ids of their rules.
    """

    rules: tuple[Rule, ...]
    issues: tuple[Issue, ...]
    gaps: tuple[Gap, ...]
    passed: Counter[str]

    def count(self, severity: Severity) -> int:
        """Return how many issues are of a severity."""
        return sum(issue.rule.severity == severity for issue in self.issues)

    def passed_in(self, category: Category) -> int:
        """Return how many checks of a category passed."""
        return sum(self.passed[rule.id] for rule in self.rules if rule.category == category)

    @property
    def score(self) -> int:
        """The weighted share of passed rules, 0 to 100.

        100 x (1 - lost / total), rounded down. `total` adds the weights of the rules that were
        checked anywhere: 10 for a critical one, 3 for a warning, 1 for an info. A rule that fails
        anywhere loses half its weight, and of the other half the share of places where it fails.
        Among the same places one more issue never raises the score, and any issue costs at least
        1. If no rule was checked, it is 0.
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


def inspect(facts: Facts, rules: Iterable[Rule]) -> Report:
    """Check a project by the rules of its edition."""
    chosen = tuple(rule for rule in rules if rule.is_in(facts.edition))
    issues: list[Issue] = []
    gaps: dict[tuple[str, str], Gap] = {}
    passed: Counter[str] = Counter()

    def place(record: Any) -> Place:
        return facts.once(("place", id(record)), lambda: place_of(facts, record))

    for rule in chosen:
        for record in facts.records(rule.record):
            try:
                finding = rule.check(facts, record)
            except Unknown as unknown:
                gap = gaps.setdefault((rule.id, unknown.field), Gap(rule, unknown.field))
                gap.add(place(record))
                continue
            if isinstance(finding, Pass):
                passed[rule.id] += 1
            elif finding is not None:
                issues.append(Issue(rule, place(record), finding))
    order = {rule.id: number for number, rule in enumerate(chosen)}
    issues.sort(
        key=lambda each: (
            SEVERITIES.index(each.rule.severity),
            order[each.rule.id],
            each.place.order,
        )
    )
    widest = sorted(gaps.values(), key=lambda gap: (-gap.places, gap.rule.id, gap.field))
    return Report(chosen, tuple(issues), tuple(widest), passed)


def place_of(facts: Facts, record: Any) -> Place:
    """Return the place of a record."""
    match record:
        case PanelCircuit(panel=panel, circuit=circuit):
            number = circuit.circuit_number
            label = TEXTS.text(
                "inspection.places.circuit",
                panel=panel_text(panel.name),
                number=number,
                description=isolated(circuit.description),
            )
            key = f"{panel.id}/{circuit.id}"
            return Place(key, (1, panel.id, number), label, _circuit_fields(record))
        case Motor():
            at = facts.circuit_of(record)
            number = at.circuit.circuit_number
            label = TEXTS.text(
                "inspection.places.motor",
                name=isolated(record.name),
                panel=panel_text(at.panel.name),
                number=number,
            )
            fields = _circuit_fields(at) | _fields("motor", record)
            return Place(f"motor/{record.id}", (1, at.panel.id, number), label, fields)
        case Panel():
            label, fields = panel_text(record.name), _fields("panel", record)
            return Place(record.id, (1, record.id, 0), label, fields)
        case Feeder():
            label = TEXTS.text("inspection.places.feeder", name=isolated(record.name))
            key = f"feeder/{record.id}"
            return Place(key, (2, record.id, 0), label, _fields("feeder", record))
        case Transformer():
            label = TEXTS.text("inspection.places.transformer", name=isolated(record.name))
            key = f"transformer/{record.id}"
            return Place(key, (3, record.id, 0), label, _fields("transformer", record))
    return Place("service", (0, "", 0), TEXTS.text("inspection.places.service"), {})


def _circuit_fields(at: PanelCircuit) -> dict[str, Any]:
    circuit = {"circuit_id": at.circuit.id, "circuit_number": at.circuit.circuit_number}
    return _fields("panel", at.panel) | circuit


def _fields(kind: str, record: Panel | Feeder | Transformer | Motor) -> dict[str, Any]:
    return {f"{kind}_id": record.id, f"{kind}_name": record.name}
