"""What rules take where a project says nothing and the code gives a default."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from packs.electrical.inspection.conductors import STANDARD_AMBIENT_C, STANDARD_CONDUCTORS
from packs.electrical.inspection.facts import Facts
from packs.electrical.projects.records import Wiring
from packs.electrical.results import Assumed, Words
from rollcall.core.wording import isolated

_TERMINALS = Assumed(
    "terminalRatingC",
    "60 or 75",
    "°C",
    Words(
        "where terminations are not marked, 110.14(C)(1) takes 60 °C up to 100 A and 75 °C above",
        f"כשאין סימון על ההדקים, {isolated('110.14(C)(1)')} קובע 60 מעלות עד 100 אמפר ו-75 מעלות "
        "מעל לכך",
    ),
)
_AMBIENT = Assumed(
    "ambientC",
    STANDARD_AMBIENT_C,
    "°C",
    Words(
        "where no ambient temperature is recorded, that of Table 310.16 counts",
        f"כשלא נרשמה טמפרטורת סביבה, נלקחת זו של טבלה {isolated('310.16')}",
    ),
)
_TOGETHER = Assumed(
    "currentCarryingConductors",
    STANDARD_CONDUCTORS,
    None,
    Words(
        "where the conductors together are not counted, three count, as in Table 310.16",
        f"כשמספר המוליכים יחד לא נרשם, נלקחים שלושה, כמו בטבלה {isolated('310.16')}",
    ),
)
_INSULATION = Assumed(
    "insulation",
    "as good as the terminations",
    None,
    Words(
        "where no insulation is recorded it counts as good as the terminations",
        "כשלא נרשם סוג הבידוד, הוא נחשב טוב כמו ההדקים",
    ),
)
_POWER_FACTOR = Assumed(
    "powerFactor",
    1,
    None,
    Words(
        "where no power factor is recorded, watts count as volt-amperes, as in Article 220",
        f"כשלא נרשם מקדם הספק, ואט נחשב כוולט-אמפר, כמו בסעיף {isolated('220')}",
    ),
)
_NO_LOAD = Assumed(
    "loadWatts",
    0,
    "W",
    Words(
        "circuits without a recorded load count nothing in the calculated load of panels",
        "מעגלים שלא נרשם להם עומס אינם נספרים בעומס המחושב של הלוחות",
    ),
)


def assumed(facts: Facts) -> list[Assumed]:
    """The defaults that some rule had to take, for the circuits and feeders it looked at."""
    return list(dict.fromkeys(_of_wiring(facts))) + list(_of_loads(facts))


def _of_wiring(facts: Facts) -> Iterator[Assumed]:
    feeders: list[Wiring] = facts.subjects("feeder")
    for wiring in chain((found.circuit for found in facts.circuits), feeders):
        if wiring.conductor_size is None:
            continue
        if wiring.terminal_rating_c is None:
            yield _TERMINALS
        if wiring.ambient_c is None:
            yield _AMBIENT
        if wiring.current_carrying_conductors is None:
            yield _TOGETHER
        if wiring.insulation is None:
            yield _INSULATION


def _of_loads(facts: Facts) -> Iterator[Assumed]:
    loads = [found.circuit for found in facts.circuits]
    if any(circuit.load_watts > 0 and circuit.power_factor is None for circuit in loads):
        yield _POWER_FACTOR
    if any(circuit.load_watts <= 0 for circuit in loads):
        yield _NO_LOAD
