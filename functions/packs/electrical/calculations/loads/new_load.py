"""A new load in a panel as a circuit: its kind, its poles and its position."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.loads.lines import line_at, system_of
from packs.electrical.projects.labels import equipment, equipment_in, is_source
from packs.electrical.projects.records import Circuit, LoadType, Panel, Poles
from packs.electrical.results import AssumedValue
from packs.electrical.wording import TEXTS, invalid, number, panel_text
from packs.electrical.wording import amps as in_amps
from packs.electrical.wording import volts as in_volts
from rollcall.core.texts import isolated, short

NEW = "proposed"
CONTINUOUS_KINDS = frozenset({"ev_charger"})
"""Always continuous: 625.42."""

_VAGUE = frozenset({"small_appliance", "laundry", "appliance", "receptacle", "equipment", "other"})
"""Kinds that are used only where a description names no other."""
_NO_LOADS = frozenset({"spare", "subpanel"})
_HIGH_LEG = 1
"""Line B, by 408.3(E)."""
_SMALL_SHARE = 0.8
_SMALL_BREAKER_AMPS = 20
_LARGEST_TWO_POLE_AMPS, _LARGEST_TWO_POLE_WATTS = 48, 10_000
"""A load above either is three-phase where the panel has three phases."""


class NewLoad(Struct, frozen=True):
    """A proposed load; None where a figure is left out."""

    watts: float
    description: str | None = None
    kind: LoadType | None = None
    continuous: bool | None = None
    poles: Poles | None = None


def check_is_load(field: str, load: NewLoad) -> None:
    """Refuse a source of power, such as a solar inverter, whose kind of load is not stated.

    Raises:
        InvalidArgument: The description names one; it is that of `field`.
    """
    if load.kind is None and is_source(load.description or ""):
        raise invalid(field, "source_of_power", name=short(load.description or ""))


class NewCircuit(Struct, frozen=True):
    """The circuit of a new load, its number if there is room for it, and the assumptions."""

    circuit: Circuit
    number: int | None
    assumed: tuple[AssumedValue, ...]


def of_amps(panel: Panel, load: NewLoad, amps: float) -> tuple[NewLoad, AssumedValue]:
    """Return a load with the watts of its current, and the assumption that says so. Without a
    number of poles it has two, as most loads that are named by their current."""
    poles = load.poles or 2
    volts = panel.line_to_neutral if poles == 1 else panel.voltage
    watts = round(amps * volts * (math.sqrt(3) if poles == 3 else 1), 1)
    load_va = isolated(f"{number(watts, digits=0)} VA")
    reason = TEXTS.text("new_load.amps", amps=in_amps(amps), volts=in_volts(volts), watts=load_va)
    of_current = AssumedValue("additional_load_watts", watts, "W", reason)
    return replace(load, watts=watts, poles=poles), of_current


def new_circuit(
    panel: Panel, load: NewLoad, line_amps: Sequence[float], *, id: str = NEW
) -> NewCircuit:
    """Make a circuit for a load, on the lines with the least load.

    Raises:
        InvalidArgument: More poles than the panel has lines.
    """
    kind, by_words = _kind(load)
    poles, by_watts = _poles(panel, load)
    number = best_start(panel, poles, line_amps)
    circuit = Circuit.model_construct(
        id=id,
        circuit_number=start_beyond(panel, poles, line_amps) if number is None else number,
        poles=poles,
        description=load.description or kind.replace("_", " "),
        load_watts=load.watts,
        power_factor=1.0,
        load_type=kind,
        continuous=kind in CONTINUOUS_KINDS or bool(load.continuous),
        breaker_amps=_SMALL_BREAKER_AMPS,
    )
    unity = AssumedValue("new_load_power_factor", 1, None, TEXTS.text("new_load.unity"))
    assumed = [unity, by_words, by_watts]
    return NewCircuit(circuit, number, tuple(each for each in assumed if each is not None))


def _kind(load: NewLoad) -> tuple[LoadType, AssumedValue | None]:
    """The given kind, else that of the description, else "other". Spares and subpanels count as
    "other": a load is given."""
    if load.kind is not None:
        return ("other" if load.kind in _NO_LOADS else load.kind), None
    known = equipment()
    kinds = [known[kind].load_type for kind in equipment_in(load.description or "")]
    name = short(load.description) if load.description else TEXTS.text("new_load.the_load")
    if not set(kinds) - {"other"}:
        reason = TEXTS.text("new_load.other", name=name)
        return "other", AssumedValue("load_type", "other", None, reason)
    best = min(kinds, key=lambda kind: kind in _VAGUE)
    kind_name = TEXTS.text(f"names.load_types.{best}")
    reason = TEXTS.text("new_load.by_description", name=name, kind=kind_name)
    return best, AssumedValue("load_type", best, None, reason)


def _poles(panel: Panel, load: NewLoad) -> tuple[Poles, AssumedValue | None]:
    """The given poles, or the usual number for a load of this size."""
    lines = 2 if panel.phases == 1 else 3
    if load.poles is not None:
        if load.poles > lines:
            raise invalid(
                "poles", "poles_of_one_phase", panel=panel_text(panel.name), poles=load.poles
            )
        return load.poles, None
    poles: Poles = 2
    if load.watts <= _SMALL_SHARE * _SMALL_BREAKER_AMPS * panel.line_to_neutral:
        poles = 1
    elif lines == 3 and load.watts > min(
        _LARGEST_TWO_POLE_AMPS * panel.voltage, _LARGEST_TWO_POLE_WATTS
    ):
        poles = 3
    return poles, AssumedValue("poles", poles, None, TEXTS.text("new_load.poles"))


# ---- Places in a panel ----


def free_positions(panel: Panel) -> list[int]:
    """Return the free positions, ascending. A spare breaker takes its position."""
    taken = {position for circuit in panel.circuits for position in circuit.positions}
    return [position for position in range(1, panel.spaces + 1) if position not in taken]


def starts(panel: Panel, poles: Poles) -> list[int]:
    """Return the first positions of free poles, one below the other; without those on a
    high leg, for a load to the neutral."""
    free = set(free_positions(panel))
    return [
        first
        for first in sorted(free)
        if all(first + 2 * pole in free for pole in range(poles))
        and not is_on_high_leg(panel, first, poles)
    ]


def is_on_high_leg(panel: Panel, first: int, poles: Poles) -> bool:
    """Return whether a circuit to the neutral would be on line B of a high-leg delta (240.85)."""
    return panel.high_leg and poles == 1 and line_at(first, system_of(panel)) == _HIGH_LEG


def best_start(panel: Panel, poles: Poles, line_amps: Sequence[float]) -> int | None:
    """Return the start whose lines have the least load; None if there is no room."""
    return min(
        starts(panel, poles),
        key=lambda first: (_load(panel, first, poles, line_amps), first),
        default=None,
    )


def start_beyond(panel: Panel, poles: Poles, line_amps: Sequence[float]) -> int:
    """Return a start beyond the panel's spaces, on the lines with the least load: for the effect of
    a load without room for its breaker."""
    first = panel.spaces + 1
    all_lines = range(first, first + 2 * len(line_amps), 2)
    possible = [each for each in all_lines if not is_on_high_leg(panel, each, poles)]
    return min(possible, key=lambda each: (_load(panel, each, poles, line_amps), each))


def _load(
    panel: Panel, first: int, poles: Poles, line_amps: Sequence[float]
) -> tuple[float, float]:
    """The current of the heaviest of its lines, and of all, without the noise of their sums."""
    here = system_of(panel)
    amps = [line_amps[line_at(first + 2 * pole, here)] for pole in range(poles)]
    return round(max(amps), 6), round(sum(amps), 6)
