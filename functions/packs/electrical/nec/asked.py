"""What a question about a table asks for: which table, and which row of it.

Rules, no model: "ampacity of 4 AWG aluminum at 75" or "מוליך הארקה ל-100 אמפר" names its table by
what it is about, and its row by size, material, temperature, amperes or number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

from packs.electrical.nec import tables
from packs.electrical.nec.ampacity import Rating
from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.nec.occupancies import find_occupancy
from packs.electrical.nec.sizes import Material, Size, parse_size
from rollcall.core.errors import InvalidArgument, NotFound


@dataclass(frozen=True, slots=True)
class Asked:
    """What a text says; None for what it does not.

    Attributes:
        table: A number of `tables.FILES`.
        value: Amperes, horsepower, degrees Celsius or a count, whichever the table is entered by.
        row: The name of a row, such as "office" or "design_b".
        voltage: Of a motor, V.
        above: Whether what is above `value` is meant, and not the value itself.
    """

    table: str | None = None
    size: Size | None = None
    material: Material | None = None
    rating: Rating | None = None
    value: float | None = None
    row: str | None = None
    voltage: float | None = None
    edition: Edition | None = None
    above: bool = False


_NUMBER = re.compile(
    r"(?<![\d.])(?:\d{3}\.\d{1,3}(?:\s?\([A-Za-z0-9]{1,3}\))*|(?:chapter|ch\.?|פרק)\s*9,?\s*(?:table|טבלה)?"
    r"\s*[89]|(?:table|טבלה)\s*[89](?![\d.]))(?!\d)",
    re.IGNORECASE,
)
_ONE_PHASE = r"(?:\b(?:single|one|1)[- ]?(?:phase\b|ph\b)|חד[- ]?פאזי)"
_MOTOR_TOPIC = (
    r"motor|\bflc\b|full[- ]load (?:amp|current)|\d ?hp\b|horsepower|מנוע|זרם עומס מלא|כ\"ס"
)
_ABOUT: tuple[tuple[str, str], ...] = (
    (
        "430.52",
        r"motor.{0,40}(?:protect|breaker|fuse|short)|(?:breaker|fuse|protect\w*).{0,20}motor|"
        r"(?:הגנ|נתיך|מפסק)\S*.{0,20}מנוע",
    ),
    ("430.248", rf"^(?=.*{_ONE_PHASE})(?=.*(?:{_MOTOR_TOPIC}))"),
    ("430.250", _MOTOR_TOPIC),
    ("250.66", r"grounding electrode|\bgec\b|electrode|אלקטרוד|הארקת יסוד"),
    ("250.122", r"equipment ground|\begc\b|ground(?:ing)? (?:wire|conductor)|מוליך.{0,4}הארקה"),
    ("220.54", r"dryers?\b|מייבש"),
    ("220.55", r"\branges?\b|cooking|\bovens?\b|cooktop|תנור|כיריים"),
    ("220.44", r"receptacle.{0,20}demand|demand.{0,20}receptacle|ביקוש.{0,20}(?:שקע|בתי תקע)"),
    ("220.42", r"lighting.{0,20}demand|demand.{0,20}lighting|ביקוש.{0,20}תאורה"),
    ("220.12", r"lighting load|unit load|va per (?:sq|ft)|va/ft|עומס.{0,5}תאורה"),
    ("310.15(B)(1)(1)", r"ambient|temperature (?:correction|factor)|טמפרטורת סביבה|מקדם.{0,5}טמפ"),
    ("310.15(C)(1)", r"bundl|adjustment|derat|current-carrying conductors|קיבוץ|מקדם.{0,4}הפחתה"),
    ("240.4(D)", r"small conductor|מוליכים? (?:דק|קטנ)"),
    (
        "240.6(A)",
        r"standard (?:ampere|breaker|fuse|size|rating)|(?:מפסק|נתיך|זרם|דירוג|גודל)\S* תקני",
    ),
    ("C values", r"\bc[- ]values?\b|ערכי? c\b"),
    ("Chapter 9 Table 8", r"circular mils?|dc resistance|direct current res|strand|זרם ישר|גידים"),
    ("Chapter 9 Table 9", r"reactance|impedance|ac resistance|resistance|היגב|עכבה|התנגדות"),
    ("310.16", r"ampacit|how many amps|carry|current rating|העמסה|הולכ|זרם מותר|זרם מרבי"),
)
"""In order: the first that fits names the table."""

_SAYS_PHASES = re.compile(r"phase|\b[13] ?(?:ph\b|ø|φ)|430\.2(?:48|50)|פאזי", re.IGNORECASE)

_SIZE = re.compile(
    r"(?<![\w./])(?:#|awg\s*#?|no\.?\s*)\s?(?P<a>\d{1,2}(?:/0)?|0{1,4})(?![\w./])"
    r"|(?<![\w./])(?P<b>\d{1,2}(?:/0)?|0{1,4})\s*-?\s*(?:awg|gauge)\b"
    r"|(?<![\w./])(?P<c>\d{3,4})\s*-?\s*(?:kcmil|mcm)\b|(?<![\w./])(?P<d>[1-4]/0)(?![\w/])"
    r"|(?<![\w./])(?P<e>\d{1,4})\s+(?:copper|cu|alumini?um|al|נחושת|אלומיניום)\b(?!\s+(?:cond|wire))",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"\b(?:above|over|after|beyond|(?:larger|greater|more|higher) than)\b|אחרי|מעל|גדול\S* מ",
    re.IGNORECASE,
)
_COPPER = re.compile(r"\b(?:copper|cu)\b|נחושת", re.IGNORECASE)
_ALUMINUM = re.compile(r"\b(?:alumini?um|al)\b|אלומיניום", re.IGNORECASE)
_RATING = re.compile(
    r"(?<![\d.])(60|75|90)\s*(?:°|deg|c\b|מעלות|celsius|column)|\bat (60|75|90)\b", re.I
)
_UNITS: dict[str, str] = {
    "amps": r"a|amps?|amperes?|אמפר",
    "volts": r"v|volts?|וולט",
    "hp": r"hp|horsepower|כ\"ס|כוח סוס",
    "count": r"dryers?|ranges?|ovens?|appliances?|conductors?|current|wires?|מייבש\S*|תנור\S*|"
    r"מכשיר\S*|מוליכ\S*",
}
_CELSIUS = re.compile(
    r"(?<![\w./])(-?\d+(?:\.\d+)?)\s*(?:°\s?c|°(?!\s?f)|deg(?:rees)?(?!\s*f)|c|celsius|מעלות)(?!\w)",
    re.IGNORECASE,
)
_FAHRENHEIT = re.compile(
    r"(?<![\w./])(-?\d+(?:\.\d+)?)\s*(?:°\s?f|deg(?:rees)?\s*f(?:ahrenheit)?|f|fahrenheit|פרנהייט)(?!\w)",
    re.IGNORECASE,
)
_ENTERED_BY: dict[str, str] = {
    "240.6(A)": "amps",
    "250.122": "amps",
    "310.15(B)(1)(1)": "celsius",
    "310.15(C)(1)": "count",
    "220.54": "count",
    "220.55": "count",
    "430.248": "hp",
    "430.250": "hp",
}
_BY_VOLTAGE = ("430.248", "430.250")
_BY_OCCUPANCY = ("220.12", "220.42")
_MOTORS: tuple[tuple[str, str], ...] = (
    ("wound_rotor", r"wound[- ]rotor|רוטור מלופף"),
    ("design_b", r"design[- ]b|premium|energy[- ]efficient"),
    ("synchronous", r"synchronous|סינכרונ"),
    ("single_phase", r"single[- ]phase|חד[- ]פאזי"),
    ("squirrel_cage", r"squirrel|כלוב"),
    ("dc", r"\bdc\b|direct[- ]current|זרם ישר"),
    ("polyphase", r"polyphase|three[- ]phase|3[- ]phase|תלת"),
)


def read(text: str, *, table: str | None = None) -> Asked:
    """What a question in either language asks for.

    Args:
        table: A table that is known already; otherwise the text's.
    """
    key = table or _table(text) or _of_conductor(text)
    return Asked(
        table=key,
        size=_size(text),
        material=_material(text),
        rating=_rating(text),
        value=_value(text, _ENTERED_BY.get(key or "")),
        row=_row(text, key),
        voltage=_amount(text, "volts") if key in _BY_VOLTAGE else None,
        edition=edition_in(text),
        above=key == "240.6(A)" and _ABOVE.search(text) is not None,
    )


def is_three_phase_assumed(text: str, table: str) -> bool:
    """Whether a text is read as one of a three-phase motor without saying so."""
    return table == "430.250" and _SAYS_PHASES.search(text) is None


def edition_in(text: str) -> Edition | None:
    """The one edition that a text names by its year."""
    years = {int(year) for year in re.findall(r"(?<![\d.,])20\d\d(?![\d.]*\d)", text)}
    return next((edition for edition in EDITIONS if years == {edition}), None)


def motor_kind(text: str) -> str | None:
    """The row of Table 430.52 that a text names."""
    plain = text.lower().replace("_", " ")
    return next((kind for kind, pattern in _MOTORS if re.search(pattern, plain)), None)


def _table(text: str) -> str | None:
    for match in _NUMBER.finditer(text):
        try:
            return tables.key_of(match[0])
        except NotFound:
            continue
    plain = text.lower()
    return next((key for key, pattern in _ABOUT if re.search(pattern, plain)), None)


def _of_conductor(text: str) -> str | None:
    """A size with its metal or temperature and no other topic asks for its ampacity."""
    is_conductor = _size(text) and (_material(text) or _rating(text))
    return "310.16" if is_conductor else None


def _size(text: str) -> Size | None:
    for match in _SIZE.finditer(text):
        written = next(group for group in match.groups() if group)
        try:
            return parse_size(written)
        except InvalidArgument:
            continue
    return None


def _material(text: str) -> Material | None:
    copper, aluminum = _COPPER.search(text), _ALUMINUM.search(text)
    if bool(copper) == bool(aluminum):
        return None
    return "copper" if copper else "aluminum"


def _rating(text: str) -> Rating | None:
    match = _RATING.search(text)
    written = int(match[1] or match[2]) if match else None
    return next((rating for rating in get_args(Rating) if rating == written), None)


def _value(text: str, unit: str | None) -> float | None:
    if unit == "celsius":
        return _ambient_c(text)
    return _amount(text, unit) if unit else None


def _ambient_c(text: str) -> float | None:
    """The ambient temperature, °C; a rating of the insulation beside it is not meant."""
    found = [float(match[1]) for match in _CELSIUS.finditer(text)]
    rating = _rating(text)
    if rating in found:
        found.remove(rating)
    if found:
        return found[0]
    fahrenheit = _FAHRENHEIT.search(text)
    return round((float(fahrenheit[1]) - 32) / 1.8, 1) if fahrenheit else None


def _amount(text: str, unit: str) -> float | None:
    number = r"(?<![\w./])(\d[\d,]*(?:\.\d+)?|\d+/\d+|\d+[- ]\d/\d)"
    match = re.search(rf"{number}\s*-?\s*(?:{_UNITS[unit]})(?![\w])", text, re.IGNORECASE)
    if match is None:
        return None
    whole, _, part = match[1].replace(",", "").replace("-", " ").rpartition(" ")
    if "/" in part:
        above, below = part.split("/")
        return float(whole or 0) + float(above) / float(below) if float(below) else None
    return float(part)


def _row(text: str, key: str | None) -> str | None:
    if key == "430.52":
        return motor_kind(text)
    return find_occupancy(text) if key in _BY_OCCUPANCY else None
