"""Units of measure: how people write them, and how field names carry them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit as its dimension and its size in that dimension's base unit."""

    name: str
    dimension: str
    size: float


# name, dimension, size in the dimension's base unit, how it is written; the first form is printed.
_UNITS = """
ft length 0.3048 ft feet foot רגל רגליים
in length 0.0254 in inch inches אינץ' אינץ
m length 1 m meter meters metre metres מטר מטרים
cm length 0.01 cm centimeter centimeters centimetre ס"מ
mm length 0.001 mm millimeter millimeters מ"מ
km length 1000 km kilometer kilometers kilometre kilometres ק"מ קילומטר
mi length 1609.344 mi mile miles מייל מיילים
yd length 0.9144 yd yard yards
A current 1 A a amp amps ampere amperes אמפר
kA current 1000 kA ka kiloamp kiloamps
mA current 0.001 mA ma milliamp milliamps
V voltage 1 V v volt volts וולט
kV voltage 1000 kV kv kilovolt kilovolts
W power 1 W w watt watts ואט וואט וואטים
kW power 1000 kW kw kilowatt kilowatts קילוואט קילוואטים קוט קו"ט קוו"ט קוו קילו-וואט
VA apparent 1 VA va
kVA apparent 1000 kVA kva
AWG gauge 1 AWG awg gauge
ohm resistance 1 Ω ohm ohms אוהם
Hz frequency 1 Hz hz hertz הרץ
F capacitance 1 F farad farads
µF capacitance 1e-6 µF uf μf microfarad microfarads
H inductance 1 H henry
mH inductance 1e-3 mH mh millihenry
kg mass 1 kg kilogram kilograms kilo kilos קילו ק"ג
g mass 0.001 g gram grams גרם
lb mass 0.45359237 lb lbs pound_mass
s time 1 s sec secs second seconds שניות שנייה
ms time 0.001 ms millisecond milliseconds
min time 60 min mins minute minutes דקה דקות
h time 3600 h hr hrs hour hours שעה שעות
day time 86400 day days יום ימים
week time 604800 week weeks שבוע שבועות
month months 1 month months חודש חודשים
year months 12 year years yr yrs שנה שנים
% share 1 % percent percentage pct אחוז אחוזים
°C celsius 1 °C c celsius צלזיוס
°F fahrenheit 1 °F fahrenheit
K kelvin 1 K kelvin
usd money 1 $ usd dollar dollars דולר
eur euro 1 € eur euro euros אירו
ils shekel 1 ₪ ils shekel shekels ש"ח שקל שקלים
kcmil area_mils 1 kcmil mcm
cal energy 1 cal calorie calories
word words 1 words word מילים
char characters 1 characters character תווים
"""


@cache
def _forms() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for line in _UNITS.strip().splitlines():
        name, dimension, size, *forms = line.split()
        for form in forms:
            found.setdefault(form.lower(), Unit(name, dimension, float(size)))
    return found


@cache
def _printed() -> dict[str, str]:
    lines = (line.split() for line in _UNITS.strip().splitlines())
    return {name: forms[0] for name, _, _, *forms in lines}


def unit_of(word: str) -> Unit | None:
    """Return the unit that a word writes, in any spelling."""
    return _forms().get(word.lower().strip(".,;:!?)("))


def unit_in_name(label: str) -> Unit | None:
    """Return the unit a field's name ends in: A for "load amps", V for "voltage drop v".

    One letter alone counts only at the end of a longer name, so that a parameter called `a` is
    not taken for a current.
    """
    parts = label.split()
    if not parts or (len(parts) == 1 and len(parts[0]) < 3) or "per" in parts:
        return None
    return _forms().get(parts[-1].lower())


def printed(unit: Unit) -> str:
    """Return a unit as it is written after a number."""
    return _printed()[unit.name]


def converted(value: float, given: Unit, wanted: Unit) -> float | None:
    """Return a value in another unit of the same dimension, or None across dimensions."""
    if given.dimension != wanted.dimension:
        return None
    if given == wanted:
        return value
    return round(value * given.size / wanted.size, 9)
