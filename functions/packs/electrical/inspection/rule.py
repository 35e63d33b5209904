"""What a rule is, and what looking at one place by it can come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, get_args

from packs.electrical.nec.editions import EDITIONS, Edition, article
from packs.electrical.results import CodeReference, Words

if TYPE_CHECKING:
    from packs.electrical.inspection.facts import Facts

Category = Literal["panels", "circuits", "grounding", "feeders"]
Severity = Literal["critical", "warning", "info"]
Kind = Literal["project", "panel", "circuit", "feeder", "transformer", "motor"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The gravest first."""

T = TypeVar("T")


class Unknown(Exception):  # a fact that is not there is no error
    """A rule cannot be decided: the record does not say `field`, named as on the wire."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


def known(value: T | None, field: str) -> T:
    """The value.

    Raises:
        Unknown: It is None.
    """
    if value is None:
        raise Unknown(field)
    return value


class Problem(NamedTuple):
    """What is wrong in one place, with the figures, and how it is put right.

    `measured` and `required` are numbers in `unit`, or conductor sizes without one. A fix that
    takes time to work out is worked out for issues that are listed.
    """

    what: Words
    fix: Words | Callable[[], Words]
    measured: float | str | None = None
    required: float | str | None = None
    unit: str | None = None

    def how_to_fix(self) -> Words:
        """The fix, worked out."""
        return self.fix if isinstance(self.fix, Words) else self.fix()


class Passed(NamedTuple):
    """The rule applies here, and holds."""


PASSED: Final = Passed()
Verdict = Problem | Passed | None
"""None: the rule has nothing to say of this place."""

Check = Callable[["Facts", Any], Verdict]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing to look at.

    Attributes:
        id: Stable; issues are known by it.
        kind: What `check` is given, one after the other: each panel, each circuit ...
        article: Where it stands in the 2023 edition.
        check: Decides one place. It raises `Unknown` where the record does not say enough.
        since: The first edition that has the rule.
        numbers: The article's number in editions where it differs and `editions.article` does not
            know of it.
    """

    id: str
    kind: Kind
    category: Category
    severity: Severity
    article: str
    title: Words
    check: Check
    table: str | None = None
    since: Edition = EDITIONS[0]
    numbers: Mapping[int, str] = field(default_factory=dict)

    def holds_in(self, edition: Edition) -> bool:
        """Whether an edition has it."""
        return edition >= self.since

    def reference(self, edition: Edition, locale: str) -> CodeReference:
        """Its place in an edition."""
        number = self.numbers.get(edition) or article(self.article, edition)
        table = article(self.table, edition) if self.table else None
        title = self.title.say(locale)
        return CodeReference(edition=edition, article=number, table=table, title=title)
