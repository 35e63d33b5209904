"""What is in an xlsx file, read by hand: its sheets with their cells, and how cells are kept."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from xml.etree import ElementTree

_NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


@dataclass(frozen=True)
class Sheet:
    """One sheet.

    Attributes:
        cells: By place ("B3"); texts as they are, numbers as numbers.
        quoted: The places of cells that stay text whatever they begin with.
        formulas: How many cells hold a formula.
    """

    name: str
    right_to_left: bool
    cells: dict[str, str | float]
    quoted: set[str]
    formulas: int

    def row_of(self, text: str) -> int:
        """The number of the first row that has this text in a cell."""
        return min(_row(place) for place, value in self.cells.items() if value == text)


def sheets(content: bytes) -> list[Sheet]:
    """The sheets of a file, in their order."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        shared = _shared(archive)
        quoting = _quoting(archive)
        names = [each.attrib["name"] for each in book.findall(".//m:sheet", _NS)]
        return [
            _sheet(name, archive.read(f"xl/worksheets/sheet{number}.xml"), shared, quoting)
            for number, name in enumerate(names, 1)
        ]


def _shared(archive: zipfile.ZipFile) -> list[str]:
    root = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
    return ["".join(part.itertext()) for part in root.findall("m:si", _NS)]


def _quoting(archive: zipfile.ZipFile) -> set[int]:
    root = ElementTree.fromstring(archive.read("xl/styles.xml"))
    formats = root.findall("m:cellXfs/m:xf", _NS)
    return {number for number, each in enumerate(formats) if each.get("quotePrefix") == "1"}


def _sheet(name: str, xml: bytes, shared: list[str], quoting: set[int]) -> Sheet:
    root = ElementTree.fromstring(xml)
    cells: dict[str, str | float] = {}
    quoted: set[str] = set()
    for cell in root.findall(".//m:c", _NS):
        place, value = cell.attrib["r"], cell.findtext("m:v", namespaces=_NS)
        if value is not None:
            is_text = cell.get("t") == "s"
            cells[place] = shared[int(value)] if is_text else float(value)
        if int(cell.get("s", "0")) in quoting:
            quoted.add(place)
    view = root.find(".//m:sheetView", _NS)
    return Sheet(
        name=name,
        right_to_left=view is not None and view.get("rightToLeft") == "1",
        cells=cells,
        quoted=quoted,
        formulas=len(root.findall(".//m:f", _NS)),
    )


def _row(place: str) -> int:
    return int(re.sub(r"\D", "", place))
