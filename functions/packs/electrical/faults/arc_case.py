"""The arc at a panel made ready: what is asked, else what is recorded, else what is typical."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from packs.electrical.calculations.arc_flash.coefficients import OPEN_AIR, Electrodes
from packs.electrical.calculations.arc_flash.enclosure import Enclosure
from packs.electrical.calculations.arc_flash.equipment import TYPICAL, class_of
from packs.electrical.calculations.arc_flash.study import Given
from packs.electrical.calculations.short_circuit.at_panel import fault_at
from packs.electrical.projects.records import Panel, Project
from packs.electrical.results import Assumed, Input, Words
from rollcall.core.errors import FailedPrecondition
from rollcall.core.wording import isolated

LONGEST_S = 2.0
"""How long somebody is thought to stay where an arc burns, if there is a way out (IEEE 1584)."""

ASSUMED_ELECTRODES: Electrodes = "VCBB"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question gives, in millimetres, seconds and kA."""

    working_distance_mm: float | None = None
    clearing_time_s: float | None = None
    reduced_clearing_time_s: float | None = None
    bolted_fault_ka: float | None = None
    electrodes: Electrodes | None = None
    gap_mm: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """An arc ready to be calculated and where its figures come from."""

    given: Given
    inputs: tuple[Input, ...]
    assumptions: tuple[Assumed, ...]

    def is_assumed(self, name: str) -> bool:
        return any(each.name == name for each in self.assumptions)


@dataclass(slots=True)
class _Notes:
    """Where each figure was found."""

    place: str
    inputs: list[Input] = field(default_factory=list)
    assumptions: list[Assumed] = field(default_factory=list)

    def pick(
        self,
        name: str,
        unit: str | None,
        asked: T | None,
        recorded: T | None,
        typical: T,
        why: Words,
    ) -> T:
        """What is asked, else recorded, else typical; noted as that."""
        if asked is not None:
            return self._used(name, unit, asked, "argument")
        if recorded is not None:
            return self._used(f"{self.place}.{name}", unit, recorded, "project")
        self.assumptions.append(Assumed(name, _plain(typical), unit, why))
        return typical

    def _used(
        self, name: str, unit: str | None, value: T, source: Literal["argument", "project"]
    ) -> T:
        self.inputs.append(Input(name=name, value=_plain(value), unit=unit, source=source))
        return value


def case_at(project: Project, panel: Panel, asked: Asked) -> Case:
    """The arc at a panel.

    Raises:
        FailedPrecondition: The panel is single-phase, or its fault current cannot be calculated.
    """
    check_three_phase(panel)
    typical = TYPICAL[class_of(panel.kind, panel.voltage)]
    notes = _Notes(f"panels.{panel.id}")
    notes.inputs.append(Input(name=f"{notes.place}.voltage", value=panel.voltage, unit="V"))
    bolted_ka = _bolted(notes, project, panel, asked)
    electrodes: Electrodes = notes.pick(
        "electrodeConfiguration",
        None,
        asked.electrodes,
        panel.electrode_configuration,
        ASSUMED_ELECTRODES,
        _ELECTRODES,
    )
    given = Given(
        voltage_v=panel.voltage,
        bolted_ka=bolted_ka,
        electrodes=electrodes,
        gap_mm=notes.pick(
            "gapMm", "mm", asked.gap_mm, panel.conductor_gap_mm, typical.gap_mm, _typical("8")
        ),
        working_distance_mm=notes.pick(
            "workingDistanceMm",
            "mm",
            asked.working_distance_mm,
            None,
            typical.working_distance_mm,
            _typical("10"),
        ),
        enclosure=None if electrodes in OPEN_AIR else _enclosure(notes, panel, typical.enclosure),
        clearing_time_s=notes.pick(
            "clearingTimeS", "s", asked.clearing_time_s, panel.clearing_time_s, LONGEST_S, _LONGEST
        ),
        reduced_clearing_time_s=asked.reduced_clearing_time_s,
    )
    if asked.reduced_clearing_time_s is None:
        time = given.clearing_time_s
        notes.assumptions.append(Assumed("reducedClearingTimeS", time, "s", _SAME_TIME))
    else:
        time = asked.reduced_clearing_time_s
        notes.inputs.append(
            Input(name="reducedClearingTimeS", value=time, unit="s", source="argument")
        )
    return Case(given, tuple(notes.inputs), tuple(notes.assumptions))


def check_three_phase(panel: Panel) -> None:
    """Refuse a single-phase panel: the model is fitted to three-phase arcs.

    Raises:
        FailedPrecondition: It is single-phase.
    """
    if panel.phases == 1:
        raise FailedPrecondition(
            f"panel {panel.name!r} is single-phase; the model of IEEE 1584-2018 is for three-phase "
            "systems of 208 to 15000 V, and single-phase ones are not in its range",
            field="panelName",
            hint="select PPE by the category tables of NFPA 70E, 130.7(C)(15)(a), within their "
            "limits of fault current and clearing time (they have a row for panelboards up to "
            "240 V), or work on it de-energized",
        )


def _bolted(notes: _Notes, project: Project, panel: Panel, asked: Asked) -> float:
    if asked.bolted_fault_ka is not None:
        notes.inputs.append(
            Input(name="boltedFaultKa", value=asked.bolted_fault_ka, unit="kA", source="argument")
        )
        return asked.bolted_fault_ka
    try:
        fault = fault_at(project, panel)
    except FailedPrecondition as error:
        known = f"{error.hint}; or" if error.hint else "or"
        raise FailedPrecondition(
            error.message, field=error.field, hint=f"{known} give boltedFaultKa"
        ) from error
    amps = fault.amps / 1000
    notes.inputs.append(
        Input(name="boltedFaultKa", value=round(amps, 3), unit="kA", source="calculated")
    )
    notes.inputs += fault.inputs
    notes.assumptions += fault.assumptions
    return amps


def _enclosure(notes: _Notes, panel: Panel, typical: Enclosure) -> Enclosure:
    known = panel.enclosure
    recorded = None if known is None else Enclosure(known.height_mm, known.width_mm, known.depth_mm)
    return notes.pick("enclosure", "mm", None, recorded, typical, _ENCLOSURE)


def _plain(value: Any) -> Any:
    """A figure as JSON; an enclosure as height x width x depth."""
    if isinstance(value, Enclosure):
        return f"{value.height_mm:g} x {value.width_mm:g} x {value.depth_mm:g}"
    return value


def _typical(table: str) -> Words:
    place = f"IEEE 1584-2018 Table {table}"
    return Words(
        f"Typical of this class of equipment ({place})",
        f"ערך אופייני לסוג ציוד זה ({isolated(place)})",
    )


_ENCLOSURE = Words(
    "Typical of this class of equipment (IEEE 1584-2018 Table 9); where its depth is not known a "
    "deep one, which gives the higher energy",
    f"ערך אופייני לסוג ציוד זה ({isolated('IEEE 1584-2018 Table 9')}); כשהעומק אינו ידוע נלקח מבנה "
    "עמוק, שנותן אנרגיה גבוהה יותר",
)
_ELECTRODES = Words(
    "The electrodes are not recorded: vertical ones that end at an insulating barrier, as bus bars "
    "do at breakers",
    "תצורת האלקטרודות אינה רשומה: אלקטרודות אנכיות שמסתיימות במחיצה מבודדת, כמו פסי צבירה במפסקים",
)
_LONGEST = Words(
    "The clearing time of the device upstream is not known: 2 s, after which somebody with a way "
    "out is thought to have left (IEEE 1584-2018)",
    "זמן הניתוק של ההתקן שבמעלה ההזנה אינו ידוע: 2 שניות, שאחריהן מניחים שמי שיש לו דרך מוצא כבר "
    f"התרחק ({isolated('IEEE 1584-2018')})",
)
_SAME_TIME = Words(
    "The clearing time at the reduced arcing current is not given: the same is used; check the "
    "device's curve, it may be much longer",
    "זמן הניתוק בזרם הקשת המופחת לא נמסר: נלקח אותו זמן; יש לבדוק בעקומת ההתקן, הוא עשוי להיות "
    "ארוך בהרבה",
)
