"""Inspection rules: each is one requirement of the NEC, checked on each record of a kind.

Most checks have one of two shapes, which are records here: `Recorded` (a field with a required
value) and `Limit` (a figure that must not be above or below another). Any other check is a function
of the same signature. A rule's `title`, `problem` and `fix` are in `texts/<language>.json` under
`inspection.rules`, by its id with hyphens for dots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args

from msgspec import Struct, field
from pydantic.alias_generators import to_camel

from packs.electrical.nec.conductors import Material, Size, label
from packs.electrical.nec.editions import EDITIONS, Edition, article
from packs.electrical.projects.records import Motor, PanelCircuit, Wiring
from packs.electrical.results import CodeReference
from packs.electrical.wording import TEXTS
from rollcall.core.texts import Text, isolated

if TYPE_CHECKING:
    from packs.electrical.inspection.facts import Facts

Category = Literal["panels", "circuits", "grounding", "feeders"]
Severity = Literal["critical", "warning", "info"]
RecordKind = Literal["project", "panel", "circuit", "feeder", "transformer", "motor"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The gravest first."""

T = TypeVar("T")
TOLERANCE = 1.0001
"""The tolerance for the rounding of calculated figures."""


class Unknown(Exception):  # a fact that is not recorded is no error
    """A rule cannot be decided: the project does not record `field`, named as on the wire."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


def known(value: T | None, field: str) -> T:
    """Return a recorded value.

    Raises:
        Unknown: It is not recorded.
    """
    if value is None:
        raise Unknown(field)
    return value


class Problem(Struct, frozen=True):
    """The violation of a rule by one record.

    Attributes:
        measured, required: Numbers in `unit`, or conductor sizes without one.
        values: The values of the texts' placeholders beside `{measured}` and `{required}`.
        texts: The entry of `inspection.rules` with the texts, where it is not the rule's own.
        fix: Returns the fix of a listed issue, where it is not in the texts.
    """

    measured: float | str | None = None
    required: float | str | None = None
    unit: str | None = None
    values: Mapping[str, Any] = {}
    texts: str | None = None
    fix: Callable[[], Text] | None = None


class Pass(Struct, frozen=True):
    """A rule applies to a record, which complies."""


PASSED: Final = Pass()
Finding = Problem | Pass | None
"""None: the rule does not apply to the record."""

Check = Callable[["Facts", Any], Finding]
Condition = Callable[["Facts", Any], bool]
Quantity = Callable[["Facts", Any], float]
"""A figure of a record, calculated from the project."""


class Rule(Struct, frozen=True):
    """One requirement of the NEC.

    Attributes:
        id: Stable, since issues refer to it.
        record: The kind of records to check: panels, circuits ...
        article: Its number in the 2023 edition.
        check: Checks one record. It raises `Unknown` where a fact is missing in the project.
        since: The first edition that has the rule.
        numbers: The article's number in editions where it differs, if `editions.article` does not
            have it.
    """

    id: str
    record: RecordKind
    category: Category
    severity: Severity
    article: str
    check: Check
    table: str | None = None
    since: Edition = EDITIONS[0]
    numbers: Mapping[int, str] = field(default_factory=dict)

    @property
    def texts(self) -> str:
        """The name of its entry in `inspection.rules`."""
        return self.id.replace(".", "-")

    @property
    def title(self) -> Text:
        return TEXTS.text(f"inspection.rules.{self.texts}.title")

    def is_in(self, edition: Edition) -> bool:
        """Whether an edition has the rule."""
        return edition >= self.since

    def number_in(self, edition: Edition) -> str:
        """Return its article's number in an edition."""
        return self.numbers.get(edition) or article(self.article, edition)

    def reference(self, edition: Edition, locale: str) -> CodeReference:
        """Return its place in an edition."""
        number = self.number_in(edition)
        table = article(self.table, edition) if self.table else None
        title = self.title.say(locale)
        return CodeReference(edition=edition, article=number, table=table, title=title)


def always(facts: Facts, record: Any) -> bool:
    """The condition of a rule that applies to every record of its kind."""
    return True


class FieldCheck(Struct, frozen=True):
    """A check that a field of the record has a required value.

    Attributes:
        field: The field's path in the record, such as "service.surge_protection".
        accepts: Whether a value is right; by default, if it is true.
        applies: Whether a record is checked.
        texts: As in `Problem`.
    """

    field: str
    accepts: Callable[[Any], bool] = bool
    applies: Condition = always
    texts: str | None = None

    def __call__(self, facts: Facts, record: Any) -> Finding:
        if not self.applies(facts, record):
            return None
        is_right = self.accepts(recorded_value(record, self.field))
        return PASSED if is_right else Problem(texts=self.texts)


class Limit(Struct, frozen=True):
    """A check that a figure is not larger, or not smaller, than another one.

    Each of the two is a number, the path of a field of the record, or a function that calculates
    it. Calculated figures are compared with a tolerance, and reported to one decimal place.

    Attributes:
        applies: Whether a record is checked.
        values, texts: As in `Problem`.
    """

    measured: str | Quantity
    comparison: Literal["<=", ">="]
    limit: float | str | Quantity
    unit: str | None = None
    applies: Condition = always
    values: Callable[[Facts, Any], Mapping[str, Any]] | None = None
    texts: str | None = None

    def __call__(self, facts: Facts, record: Any) -> Finding:
        if not self.applies(facts, record):
            return None
        required = self._figure(self.limit, facts, record)
        measured = self._figure(self.measured, facts, record)
        low, high = (measured, required) if self.comparison == "<=" else (required, measured)
        is_exact = not callable(self.limit) and not callable(self.measured)
        if low <= high * (1 if is_exact else TOLERANCE):
            return PASSED
        return Problem(
            round(measured, 1) if callable(self.measured) else measured,
            round(required, 1) if callable(self.limit) else required,
            self.unit,
            self.values(facts, record) if self.values else {},
            self.texts,
        )

    @staticmethod
    def _figure(figure: float | str | Quantity, facts: Facts, record: Any) -> float:
        if isinstance(figure, str):
            recorded: float = recorded_value(record, figure)
            return recorded
        return figure(facts, record) if callable(figure) else figure


def at_most(
    measured: float, most: float, unit: str | None = None, /, **values: Any
) -> Problem | Pass:
    """Check a recorded figure against the largest that is allowed; `values` as in `Problem`."""
    return PASSED if measured <= most else Problem(measured, most, unit, values)


def at_least(
    measured: float, least: float, unit: str | None = None, /, **values: Any
) -> Problem | Pass:
    """Check a recorded figure against the smallest that is required; `values` as in `Problem`."""
    return PASSED if measured >= least else Problem(measured, least, unit, values)


def recorded_value(record: Any, path: str) -> Any:
    """Return the value of a record's field; for a `PanelCircuit`, of the circuit.

    Args:
        path: Names of fields with dots between them: "grounding.gas_pipe_bonded".

    Raises:
        Unknown: It is not recorded.
    """
    value = record.circuit if isinstance(record, PanelCircuit) else record
    for name in path.split("."):
        value = getattr(value, name)
    name = ".".join(to_camel(part) for part in path.split("."))
    return known(value, f"motors.{name}" if isinstance(record, Motor) else name)


def size_label(size: Size) -> str:
    """`AWG 12`, isolated."""
    return isolated(label(size))


def conductor_text(size: Size, material: Material, sets: int = 1) -> Text:
    """`AWG 12 copper`; in parallel `2 × 250 kcmil aluminum`."""
    text = isolated(f"{sets} × {label(size)}") if sets > 1 else size_label(size)
    return TEXTS.text("inspection.conductor", size=text, material=TEXTS.text(f"names.{material}"))


def wiring_text(wiring: Wiring) -> Text:
    """The conductors of a record whose size is known, as `conductor_text`."""
    size = known(wiring.conductor_size, "conductorSize")
    return conductor_text(size, wiring.conductor_material, wiring.conductor_sets)
