"""`Sheet`: the content of a printed page, a document or a spreadsheet, as plain data.

Texts are plain: no format interprets any markup in them. Numbers, formulas and words of the other
direction need no marks; `bidi` isolates them whenever a sheet is rendered.
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Literal

from msgspec import Struct

Direction = Literal["rtl", "ltr"]
Cell = str | int | float | None


class Heading(Struct, frozen=True, tag=True):
    """A title inside the sheet; level 1 is a part, 2 a section, 3 a subsection."""

    text: str
    level: Literal[1, 2, 3] = 1


class Paragraph(Struct, frozen=True, tag=True):
    """A text with its line breaks. A "note" has a frame, a "label" is bold."""

    text: str
    style: Literal["plain", "label", "note", "small"] = "plain"


class List(Struct, frozen=True, tag=True):
    """Lines with a mark before each: a dot, a number, a letter of the sheet's language, or a box to
    tick."""

    items: list[str]
    mark: Literal["dot", "number", "letter", "box"] = "dot"


class Item(Struct, frozen=True, tag=True):
    """Blocks that belong together after a mark, such as "3.", kept on one page if they fit; `note`
    is at the other end of the first line."""

    mark: str
    blocks: list[Block]
    note: str = ""


class Table(Struct, frozen=True, tag=True):
    """Rows of cells under a header."""

    header: list[str]
    rows: list[list[Cell]]


class Chart(Struct, frozen=True, tag=True):
    """A bar chart with a bar for each label; in Word, a table."""

    labels: list[str]
    values: list[float]
    title: str = ""
    unit: str = ""


class Figure(Struct, frozen=True):
    """A figure, such as "71 %", and its label."""

    value: str
    label: str


class Figures(Struct, frozen=True, tag=True):
    """Figures in large type, side by side; in Word, a table."""

    items: list[Figure]


class Fields(Struct, frozen=True, tag=True):
    """Labels, side by side, with a line after each to write on, such as name and date."""

    labels: list[str]


class Lines(Struct, frozen=True, tag=True):
    """Empty lines to write on."""

    count: int


class Space(Struct, frozen=True, tag=True):
    """Empty space to write in."""

    height_cm: float


class PageBreak(Struct, frozen=True, tag=True):
    """The next block begins a new page."""


Block = (
    Heading | Paragraph | List | Item | Table | Chart | Figures | Fields | Lines | Space | PageBreak
)


class Theme(Struct, frozen=True):
    """Colours, as "#rrggbb", and shapes.

    Attributes:
        accent: The colour of headings, bars and frames.
        tint: The background of notes, figures and table headers.
        paper: The background of the page.
        ink: The colour of text.
        boxes: Whether each section has its own frame.
    """

    accent: str = "#1f3a5f"
    tint: str = "#eef2f7"
    paper: str = "#ffffff"
    ink: str = "#1a1a1a"
    boxes: bool = False


class Sheet(Struct, frozen=True):
    """A document: its title, its direction and its blocks in reading order.

    Attributes:
        language: The language of the text, such as "he" or "en", for screen readers and
            hyphenation.
        description: A sentence on its content, for people who cannot see it.
        footer: The text at the foot of each page, beside the page's number.
        one_page: Whether it is one page as long as its content, as for a picture.
    """

    title: str
    blocks: list[Block]
    direction: Direction = "rtl"
    language: str = "he"
    description: str = ""
    footer: str = ""
    theme: Theme = Theme()
    one_page: bool = False


def direction(language: str) -> Direction:
    """Return the direction in which a language is written."""
    return "rtl" if language[:2] in ("ar", "fa", "he", "ur") else "ltr"


def shown(cell: Cell) -> str:
    """Return a cell's text; numbers have no exponent and no trailing zeros."""
    if cell is None:
        return ""
    if not isinstance(cell, float) or not isfinite(cell):
        return str(cell)
    return str(int(cell)) if cell.is_integer() else f"{Decimal(f'{cell:.15g}'):f}"


def marks(block: List, language: str) -> list[str]:
    """Return the mark of each line of a list."""
    if block.mark == "number":
        return [f"{n}." for n in range(1, len(block.items) + 1)]
    if block.mark == "letter":
        return [f"{letter(n, language)}." for n in range(len(block.items))]
    return ["☐" if block.mark == "box" else "•"] * len(block.items)


def letter(index: int, language: str) -> str:
    """Return the letters for a place, counted from 0: א, ב … י, יא, or A, B … Z, AA."""
    if not language.startswith("he"):
        return ("" if index < 26 else letter(index // 26 - 1, language)) + chr(65 + index % 26)
    tens, ones = divmod(index + 1, 10)
    if (tens, ones) in ((1, 5), (1, 6)):
        return ("טו", "טז")[ones - 5]
    return " יכלמנסעפצ"[tens % 10].strip() + " אבגדהוזחט"[ones].strip()
