"""`Sheet`: what a printed page, a document or a spreadsheet is made of, as plain data.

Texts are plain: no markup of any kind is read from them, in no format. Numbers, formulas and words
of the other direction need no marks; `bidi` isolates them wherever a sheet is rendered.
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
    """Text; line breaks stay. "note" stands in a frame, "label" is bold."""

    text: str
    style: Literal["plain", "label", "note", "small"] = "plain"


class List(Struct, frozen=True, tag=True):
    """Lines behind a mark each: a dot, a number, a letter of the sheet's language, or a box to
    tick."""

    items: list[str]
    mark: Literal["dot", "number", "letter", "box"] = "dot"


class Item(Struct, frozen=True, tag=True):
    """Blocks that belong together behind a mark, such as "3.", kept on one page where they fit;
    `note` stands at the other end of the first line."""

    mark: str
    blocks: list[Block]
    note: str = ""


class Table(Struct, frozen=True, tag=True):
    """Rows of cells under a header."""

    header: list[str]
    rows: list[list[Cell]]


class Image(Struct, frozen=True, tag=True):
    """A PNG, JPEG or SVG file. `alt` says what it shows to whoever does not see it."""

    data: bytes
    alt: str
    width_cm: float = 12


class Chart(Struct, frozen=True, tag=True):
    """A bar for each label, with its value; `alt` as for an image, made of the values if empty."""

    labels: list[str]
    values: list[float]
    title: str = ""
    unit: str = ""
    alt: str = ""


class Figure(Struct, frozen=True):
    """A figure, such as "71 %", and what it is about."""

    value: str
    label: str


class Figures(Struct, frozen=True, tag=True):
    """Figures in large type, side by side."""

    items: list[Figure]


class Fields(Struct, frozen=True, tag=True):
    """Labels with a line behind each to write on, side by side: name, date."""

    labels: list[str]


class Lines(Struct, frozen=True, tag=True):
    """Empty lines to write on."""

    count: int


class Space(Struct, frozen=True, tag=True):
    """Room to work in."""

    height_cm: float


class PageBreak(Struct, frozen=True, tag=True):
    """What follows begins a page."""


Block = (
    Heading
    | Paragraph
    | List
    | Item
    | Table
    | Image
    | Chart
    | Figures
    | Fields
    | Lines
    | Space
    | PageBreak
)


class Theme(Struct, frozen=True):
    """Colours, as "#rrggbb", and shapes.

    Attributes:
        accent: Headings, bars and frames.
        tint: Behind notes, figures and table headers.
        paper: Behind everything.
        boxes: Each section stands in a frame of its own.
    """

    accent: str = "#1f3a5f"
    tint: str = "#eef2f7"
    paper: str = "#ffffff"
    ink: str = "#1a1a1a"
    boxes: bool = False


class Sheet(Struct, frozen=True):
    """A document: its title, its direction and its blocks in reading order.

    Attributes:
        language: That of the text, as "he" or "en": for screen readers and hyphenation.
        description: What it is about, in a sentence: for whoever does not see it.
        footer: Stands at the foot of each page, beside the page's number.
        one_page: The page is as long as its content, as for a picture.
    """

    title: str
    blocks: list[Block]
    direction: Direction = "rtl"
    language: str = "he"
    description: str = ""
    footer: str = ""
    theme: Theme = Theme()
    one_page: bool = False


def shown(cell: Cell) -> str:
    """A cell's text; a number in whole, without an exponent and zeros that say nothing."""
    if cell is None:
        return ""
    if not isinstance(cell, float) or not isfinite(cell):
        return str(cell)
    return str(int(cell)) if cell.is_integer() else f"{Decimal(f'{cell:.15g}'):f}"


def marks(block: List, language: str) -> list[str]:
    """The mark of each line of a list."""
    if block.mark == "number":
        return [f"{n}." for n in range(1, len(block.items) + 1)]
    if block.mark == "letter":
        return [f"{letter(n, language)}." for n in range(len(block.items))]
    return ["☐" if block.mark == "box" else "•"] * len(block.items)


def letter(index: int, language: str) -> str:
    """The letter that stands for a place, counted from 0: א, ב … י, יא, or A, B … Z, AA."""
    if not language.startswith("he"):
        return ("" if index < 26 else letter(index // 26 - 1, language)) + chr(65 + index % 26)
    tens, ones = divmod(index + 1, 10)
    if (tens, ones) in ((1, 5), (1, 6)):
        return ("טו", "טז")[ones - 5]
    return " יכלמנסעפצ"[tens % 10].strip() + " אבגדהוזחט"[ones].strip()


def alternative(chart: Chart) -> str:
    """What a chart shows, in words: its own `alt`, or its title and values."""
    if chart.alt:
        return chart.alt
    pairs = zip(chart.labels, chart.values, strict=True)
    values = ", ".join(f"{name}: {shown(value)} {chart.unit}".strip() for name, value in pairs)
    return f"{chart.title}: {values}" if chart.title else values
