"""The common parts of this pack's results: inputs, assumptions, warnings and citations.

A calculation collects them in a `Basis` while it is made: each figure that it used with its source
(the project's data, an argument of the question, a table, another calculation), each value that had
to be assumed with the reason, its warnings, and the sections of the code that it follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Struct, field
from pydantic.alias_generators import to_camel

from packs.electrical.wording import number
from rollcall.core.context import ToolContext
from rollcall.core.hidden import Hidden
from rollcall.core.shapes import Citation, Display, Wire
from rollcall.core.texts import Text, isolated

R = TypeVar("R", bound="Result")
T = TypeVar("T")
Source = Literal["project", "argument", "calculated", "table"]


class CodeReference(Wire):
    """A place in a code: `{code, edition, article, table}`. `article` of a standard is a clause."""

    code: Literal["NEC", "IEEE 1584", "NFPA 70E"] = "NEC"
    edition: int | None = None
    article: str | None = None
    table: str | None = None
    title: str | None = None

    @property
    def label(self) -> str:
        """`NEC 2023 110.9`, `NEC 2023 Table 310.16`, `NEC 2023 Chapter 9 Table 8`."""
        place = self.article
        if self.table:
            place = self.table if "Table" in self.table else f"Table {self.table}"
        return " ".join(str(part) for part in (self.code, self.edition, place) if part)


class Input(Wire):
    """One figure that a calculation used, and its source: the project's data, an argument of the
    question, a table, or another calculation."""

    name: str
    value: Any
    unit: str | None = None
    source: Source = "project"


class Step(Wire):
    """An intermediate figure, with its place in the code. The size of a conductor is a text."""

    name: str
    value: float | str
    unit: str | None = None
    reference: str | None = None

    @property
    def text(self) -> str:
        """`16.7 A`, isolated."""
        value = self.value if isinstance(self.value, str) else number(self.value)
        return isolated(f"{value} {self.unit}" if self.unit else value)


class Assumption(Wire):
    """One figure that was in no data, with the reason for this value. It is a default where nobody
    chose it."""

    name: str
    value: Any
    unit: str | None = None
    reason: str
    is_default: bool = True


class Result(Wire):
    """The base of every result. `answer` says in one to three sentences, in the user's language,
    what the result is, with its figures. `display` is for direct callers: in a run it is beside the
    result."""

    answer: str = ""
    display: Annotated[Display | None, Hidden()] = None
    project_id: str | None = None
    inputs: tuple[Input, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    citations: tuple[CodeReference, ...] = ()


class CalculationResult(Result):
    """The base of every calculation's result; the figures' units stand in their names."""

    warnings: tuple[str, ...] = ()


class AssumedValue(Struct, frozen=True):
    """An assumption as a calculation makes it, its reason in every language."""

    name: str
    value: Any
    unit: str | None
    reason: Text
    is_default: bool = True

    def say(self, locale: str) -> Assumption:
        """Return the assumption as a result carries it."""
        return Assumption(
            name=self.name,
            value=self.value,
            unit=self.unit,
            reason=sentence(self.reason.say(locale)),
            is_default=self.is_default,
        )


class Basis(Struct):
    """The inputs, assumptions, warnings and citations of one calculation, in order."""

    inputs: list[Input] = field(default_factory=list)
    assumptions: list[AssumedValue] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)
    citations: list[CodeReference] = field(default_factory=list)

    def use_all(
        self,
        figures: Iterable[tuple[str, Any, str | None]],
        stated: Collection[str],
        *,
        recorded: bool,
    ) -> None:
        """Note figures, each with the name of its field, its value and its unit: those that the
        question stated, and the others where they are `recorded` in the project."""
        for name, value, unit in figures:
            if name in stated:
                self.use(to_camel(name), value, unit, "argument")
            elif recorded:
                self.use(to_camel(name), value, unit)

    def use(
        self, name: str, value: Any, unit: str | None = None, source: Source = "project"
    ) -> None:
        """Note a figure that the calculation uses, unless it is unknown or was assumed."""
        if value is not None and not self.assumes(name):
            self.inputs.append(Input(name=name, value=value, unit=unit, source=source))

    def assume(
        self,
        name: str,
        value: T,
        unit: str | None,
        reason: Text,
        *,
        is_default: bool = True,
    ) -> T:
        """Note an assumption, once for each name, and return its value."""
        if not self.assumes(name):
            self.assumptions.append(AssumedValue(name, value, unit, reason, is_default))
        return value

    def assumes(self, name: str) -> bool:
        """Whether the figure of this name was assumed."""
        return any(each.name == name for each in self.assumptions)

    def fields(self, locale: str) -> dict[str, Any]:
        """Return the fields of a `CalculationResult`, in the locale's language."""
        return {
            "inputs": tuple(self.inputs),
            "assumptions": tuple(each.say(locale) for each in self.assumptions),
            "warnings": sentences(locale, self.warnings),
            "citations": tuple(self.citations),
        }


def finish(ctx: ToolContext, result: R, display: Display) -> R:
    """Show a result and cite its references, each once.

    Returns:
        The result with its display, whose text is its answer where it has none of its own.
    """
    for reference in dict.fromkeys(result.citations):
        title = f": {reference.title}" if reference.title else ""
        ctx.cite(
            Citation(
                type="code",
                title=f"{reference.label}{title}",
                code=reference.code,
                edition=str(reference.edition) if reference.edition else None,
                article=reference.article,
                table=reference.table,
            )
        )
    ctx.show(display)
    answer = result.answer or display.text or ""
    return result.model_copy(update={"answer": answer, "display": display})


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """Return the columns and rows of a table's `Display`, from the cells of each row."""
    named = [dict(zip(columns, cells, strict=True)) for cells in rows]
    return {"columns": list(columns), "rows": named}


def rounded(value: float | None, digits: int = 3) -> float | None:
    """Round a figure that may not be known."""
    return None if value is None else round(value, digits)


def sentences(locale: str, texts: Iterable[Text]) -> tuple[str, ...]:
    """Say texts in the locale's language as whole sentences, each once."""
    return tuple(dict.fromkeys(sentence(text.say(locale)) for text in texts))


def sentence(text: str) -> str:
    """Make a sentence of a text: a capital letter first, a full stop at the end."""
    whole = text[:1].upper() + text[1:]
    return whole if whole.rstrip("\u2069").endswith((".", "?", "!", "…")) else f"{whole}."
