"""What is asked and said of a circuit that is added, changed or removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from packs.electrical.nec.conductors import size_text
from packs.electrical.projects.records import Circuit, Panel
from packs.electrical.projects.wording import value_name
from packs.electrical.results import Words, feet, number, panel_words
from packs.electrical.wording import amps
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated, short

COLUMNS = {"en": ["Detail", "Value"], "he": ["פרט", "ערך"]}
CHANGES = {"en": ["Detail", "Before", "After"], "he": ["פרט", "לפני", "אחרי"]}
NAMES: dict[str, Words] = {
    "circuit_number": Words("Circuit number", "מספר מעגל"),
    "description": Words("Description", "תיאור"),
    "poles": Words("Poles", "קטבים"),
    "load_watts": Words("Load", "עומס"),
    "breaker_amps": Words("Breaker", "מפסק"),
    "conductor_size": Words("Conductor", "מוליך"),
    "conductor_material": Words("Conductor material", "חומר המוליך"),
    "conductor_sets": Words("Conductors in parallel", "מוליכים במקביל לכל פאזה"),
    "egc_size": Words("Equipment grounding conductor", "מוליך הארקה"),
    "egc_material": Words("Grounding conductor material", "חומר מוליך ההארקה"),
    "load_type": Words("Kind of load", "סוג העומס"),
    "continuous": Words("Continuous load", "עומס רציף"),
    "area": Words("Area", "אזור"),
    "voltage": Words("Voltage", "מתח"),
    "power_factor": Words("Power factor", "מקדם הספק"),
    "length_ft": Words("Length", "אורך"),
    "gfci": Words("GFCI protection", "הגנת פחת לאדם (GFCI)"),
    "afci": Words("AFCI protection", "הגנת קשת (AFCI)"),
    "insulation": Words("Insulation", "בידוד"),
    "conduit_type": Words("Raceway or cable", "צנרת או כבל"),
    "ambient_c": Words("Ambient temperature", "טמפרטורת סביבה"),
    "current_carrying_conductors": Words("Current-carrying conductors", "מוליכים נושאי זרם"),
    "terminal_rating_c": Words("Terminal rating", "דירוג טמפרטורה של ההדקים"),
    "disconnect_in_sight": Words("Disconnect within sight", "מנתק בטווח ראייה"),
}
"""A circuit's fields for people, in the order in which they are shown."""

_ALWAYS = (
    "description",
    "circuit_number",
    "load_watts",
    "load_type",
    "poles",
    "breaker_amps",
    "conductor_size",
)
_YES, _NO = Words("yes", "כן"), Words("no", "לא")
_UNKNOWN = Words("not known", "לא ידוע")


def value_text(name: str, value: Any, locale: str) -> str:
    """A field's value with its unit."""
    if value is None:
        return _UNKNOWN.say(locale)
    if isinstance(value, bool):
        return (_YES if value else _NO).say(locale)
    if (words := value_name(name, value)) is not None:
        return isolated(words.say(locale))
    match name:
        case "load_watts":
            return isolated(f"{number(value)} W")
        case "breaker_amps":
            return amps(value, 0)
        case "conductor_size" | "egc_size":
            return size_text(value)
        case "length_ft":
            return feet(value)
        case "voltage":
            return isolated(f"{number(value)} V")
        case "ambient_c" | "terminal_rating_c":
            return isolated(f"{number(value)} °C")
    return isolated(str(value))


def details(circuit: Circuit, locale: str) -> list[dict[str, str]]:
    """What a circuit is, row by row: the main things, and the rest where it is known."""
    label, value = _columns(COLUMNS, locale)
    known = circuit.model_fields_set | set(_ALWAYS)
    order = (*_ALWAYS, *(name for name in NAMES if name not in _ALWAYS))
    return [
        {label: NAMES[name].say(locale), value: value_text(name, getattr(circuit, name), locale)}
        for name in order
        if name in known and getattr(circuit, name) is not None
    ]


def changes(before: Circuit, after: Circuit, names: Iterable[str], locale: str) -> Display:
    """The fields that change, as they are and as they would be."""
    label, old, new = _columns(CHANGES, locale)
    rows = [
        {
            label: NAMES[name].say(locale),
            old: value_text(name, getattr(before, name), locale),
            new: value_text(name, getattr(after, name), locale),
        }
        for name in names
    ]
    return Display(type="confirmation", columns=[label, old, new], rows=rows)


def confirmation(
    title: Words, message: Words, circuit: Circuit, notes: Iterable[str], locale: str
) -> Display:
    """A question with the circuit's details under it, and what should be known before a yes."""
    return Display(
        type="confirmation",
        title=title.say(locale),
        text="\n".join([message.say(locale), *notes]),
        columns=_columns(COLUMNS, locale),
        rows=details(circuit, locale),
    )


def named(panel: Panel, circuit: Circuit) -> Words:
    """A circuit by description, number and panel."""
    what, where = short(circuit.description), panel_words(panel.name)
    return Words(
        en=f"{what} (circuit {circuit.circuit_number} of {where.en})",
        he=f"{what} (מעגל {circuit.circuit_number} ב{where.he})",
    )


def which_circuit(given: dict[str, Any]) -> Words:
    """The circuit that arguments name, for one line: `circuit 7 (EV charger)`."""
    shown = given.get("asShown") or {}
    name = shown.get("description") or given.get("circuitDescription") or given.get("circuitId")
    number = shown.get("circuitNumber") or given.get("circuitNumber")
    told = [str(number) if number else "", short(str(name)) if name else ""]
    if all(told):
        told = [told[0], f"({told[1]})"]
    which = " ".join(part for part in told if part)
    return Words(f"circuit {which}", f"מעגל {which}")


def in_short(circuit: Circuit) -> str:
    """`50 A, 2 poles, AWG 6`."""
    parts = [amps(circuit.breaker_amps, 0)]
    if circuit.conductor_size:
        parts.append(size_text(circuit.conductor_size, circuit.conductor_sets))
    return ", ".join(parts)


def _columns(of: dict[str, list[str]], locale: str) -> list[str]:
    return of["he" if locale.startswith("he") else "en"]
