"""What every result of this pack carries beside its figures: what was used, what was assumed, and
where in the code it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeVar

from rollcall.core.context import ToolContext
from rollcall.core.shapes import Citation, Display, Wire
from rollcall.core.texts import Text
from rollcall.core.wording import isolated

FT_PER_M = 1 / 0.3048
MM2_PER_CMIL = 5.067e-4
R = TypeVar("R", bound="Grounded")


class Words(NamedTuple):
    """A text for people, in both languages. NEC terms and sizes inside a Hebrew sentence are
    `isolated`, so that they read in their own direction."""

    en: str
    he: str

    def say(self, locale: str) -> str:
        """The text in the locale's language."""
        return self.he if locale.startswith("he") else self.en


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
    """One figure that a calculation used. `source` says where it comes from: the project's data
    ("circuit 14 of Panel A"), or the question."""

    name: str
    value: Any
    unit: str | None = None
    source: Literal["project", "argument", "calculated", "table"] = "project"


class Assumption(Wire):
    """One figure that was in no data. A default is one that nobody chose; `reason` says why it is
    this one."""

    name: str
    value: Any
    unit: str | None = None
    reason: str
    is_default: bool = True


class Grounded(Wire):
    """What every result says of where it comes from. `answer` says in one to three sentences, in
    the user's language, what came out, with its figures."""

    answer: str = ""
    project_id: str | None = None
    inputs: tuple[Input, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    citations: tuple[CodeReference, ...] = ()


class CalculationResult(Grounded):
    """The base of every calculation's result; the figures' units stand in their names."""

    warnings: tuple[str, ...] = ()


class Assumed(NamedTuple):
    """An assumption as a calculation states it, before there is a language to say it in."""

    name: str
    value: Any
    unit: str | None
    reason: Words | Text
    is_default: bool = True

    def say(self, locale: str) -> Assumption:
        """As a result carries it."""
        return Assumption(
            name=self.name,
            value=self.value,
            unit=self.unit,
            reason=sentence(self.reason.say(locale)),
            is_default=self.is_default,
        )


def finish(ctx: ToolContext, result: R, display: Display) -> R:
    """Show a result and cite its references, each once; return it, answering with the display's
    text where it has no answer of its own."""
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
    if result.answer or not display.text:
        return result
    return result.model_copy(update={"answer": display.text})


def said(locale: str, texts: Iterable[Words | Text]) -> tuple[str, ...]:
    """Texts in the locale's language as whole sentences, each once."""
    return tuple(dict.fromkeys(sentence(text.say(locale)) for text in texts))


def sentence(text: str) -> str:
    """A text that begins with a capital letter and ends with a full stop."""
    whole = text[:1].upper() + text[1:]
    return whole if whole.rstrip("\u2069").endswith((".", "?", "!", "…")) else f"{whole}."


def number(value: float, *, digits: int = 2) -> str:
    """A figure for people: thousands apart, no zeros at the end. Both languages write it so."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def feet(length_ft: float) -> str:
    """`150 ft (45.7 m)`, as one piece inside a sentence of either direction."""
    return isolated(
        f"{number(length_ft, digits=1)} ft ({number(length_ft / FT_PER_M, digits=1)} m)"
    )


def inches(length_mm: float) -> str:
    """`18 in (457 mm)`, from millimetres."""
    return isolated(f"{number(length_mm / 25.4, digits=1)} in ({number(length_mm, digits=0)} mm)")
