"""A load that somebody thinks of adding, as a circuit: its kind, poles and place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from packs.electrical.calculations.loads.spaces import best_start, start_beyond
from packs.electrical.projects.kinds import WORDS
from packs.electrical.projects.records import Circuit, LoadType, Panel, Poles
from packs.electrical.projects.value_names import LOAD_TYPES
from packs.electrical.results import Assumed, Words
from rollcall.core.errors import InvalidArgument
from rollcall.core.text import terms
from rollcall.core.wording import short

NEW = "proposed"
CONTINUOUS_KINDS = frozenset({"ev_charger"})
"""Continuous whatever is said: 625.42."""

_VAGUE = ("small_appliance", "laundry", "appliance", "receptacle", "equipment", "other")
_KINDS: tuple[LoadType, ...] = (
    "ev_charger", "space_heating", "water_heater", "heat_pump", "air_conditioning", "range",
    "cooktop", "oven", "dryer", "welder", "motor", "lighting", "small_appliance", "laundry",
    "appliance", "receptacle", "equipment",
)  # fmt: skip
"""Of those that a description fits alike, the first."""

_MORE_WORDS = {"motor": "pump compressor fan hoist lift משאבה מדחס מאוורר מעלית"}
_SAY_NOTHING = "electric air small machine kitchen counter חשמלי אוויר מכונת"
_TWO_WORDS = frozenset({"heat_pump", "small_appliance"})
"""Kinds that one word of their name does not make."""

_NO_LOADS = frozenset({"spare", "subpanel"})
_SMALL_SHARE = 0.8
_SMALL_BREAKER_AMPS = 20
_LARGEST_TWO_POLE_AMPS = 48
"""A load above this current counts as a three-phase one where the panel has three phases."""


class Asked(NamedTuple):
    """What is said of a load; None is for what is left out."""

    watts: float
    description: str | None = None
    kind: LoadType | None = None
    continuous: bool | None = None
    poles: Poles | None = None


class Proposed(NamedTuple):
    """The circuit that stands for it, `number` where there is room for it, and what was assumed."""

    circuit: Circuit
    number: int | None
    assumed: tuple[Assumed, ...]


def proposed(panel: Panel, asked: Asked, line_amps: Sequence[float], *, id: str = NEW) -> Proposed:
    """A circuit for a load, where its lines carry least now.

    Raises:
        InvalidArgument: More poles than the panel has lines.
    """
    kind, by_words = _kind(asked)
    poles, by_watts = _poles(panel, asked, kind)
    number = best_start(panel, poles, line_amps)
    circuit = Circuit.model_construct(
        id=id,
        circuit_number=start_beyond(panel, poles, line_amps) if number is None else number,
        poles=poles,
        description=asked.description or kind.replace("_", " "),
        load_watts=asked.watts,
        power_factor=1.0,
        load_type=kind,
        continuous=kind in CONTINUOUS_KINDS or bool(asked.continuous),
        breaker_amps=_SMALL_BREAKER_AMPS,
    )
    stated = [_UNITY, by_words, by_watts]
    return Proposed(circuit, number, tuple(each for each in stated if each is not None))


def _kind(asked: Asked) -> tuple[LoadType, Assumed | None]:
    """As given, or as the description says; "other" where it says nothing. A load that is given
    is one whatever its circuit is kept for."""
    if asked.kind is not None:
        return ("other" if asked.kind in _NO_LOADS else asked.kind), None
    said = set(terms(asked.description or "")) - set(terms(_SAY_NOTHING))
    score = {kind: _score(kind, said) for kind in _KINDS}
    best = max(_KINDS, key=lambda kind: (score[kind], kind not in _VAGUE))
    kind: LoadType = best if score[best] else "other"
    return kind, _stated(asked, kind, known=bool(score[best]))


def _score(kind: LoadType, said: set[str]) -> int:
    """How many of the words that are said name a kind."""
    found = len(said & _words(kind))
    return 0 if kind in _TWO_WORDS and found < 2 else found


@cache
def _words(kind: LoadType) -> frozenset[str]:
    return frozenset(terms(f"{WORDS[kind]} {_MORE_WORDS.get(kind, '')}"))


def _stated(asked: Asked, kind: LoadType, *, known: bool) -> Assumed:
    named = short(asked.description) if asked.description else None
    en, he = named or "the new load", named or "העומס החדש"
    if known:
        named_kind = LOAD_TYPES[kind]
        reason = Words(
            en=f"{en} counts as {named_kind.en}, by its description",
            he=f"{he} נספר כעומס מסוג „{named_kind.he}” לפי התיאור",
        )
    else:
        reason = Words(
            en=f"{en} counts as other equipment: nothing says of what kind it is",
            he=f"{he} נספר כציוד אחר: לא נאמר מאיזה סוג הוא",
        )
    return Assumed("load_type", kind, None, reason)


def _poles(panel: Panel, asked: Asked, kind: LoadType) -> tuple[Poles, Assumed | None]:
    lines = 2 if panel.phases == 1 else 3
    if asked.poles is not None:
        if asked.poles > lines:
            raise InvalidArgument(
                f"{panel.name} has one phase and takes 1 or 2 poles, not {asked.poles}",
                field="poles",
            )
        return asked.poles, None
    poles: Poles = 2
    if asked.watts <= _SMALL_SHARE * _SMALL_BREAKER_AMPS * panel.line_to_neutral:
        poles = 1
    elif lines == 3 and asked.watts > _LARGEST_TWO_POLE_AMPS * panel.voltage:
        poles = 3
    return poles, Assumed(
        "poles",
        poles,
        None,
        Words(
            en="as many poles as a load of this size commonly has",
            he="מספר הקטבים המקובל לעומס בגודל כזה",
        ),
    )


_UNITY = Assumed(
    "new_load_power_factor",
    1,
    None,
    Words(
        en="the new load's watts count as volt-amperes",
        he="הוואטים של העומס החדש נספרים כוולט-אמפר",
    ),
)
