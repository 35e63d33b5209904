"""The chart of incident energy over distance, for several clearing times."""

from __future__ import annotations

from typing import Any

from packs.electrical.calculations.arc_flash.enclosure import MM_PER_IN
from packs.electrical.calculations.arc_flash.ppe import BURN_CAL_CM2
from packs.electrical.calculations.arc_flash.study import Study
from packs.electrical.calculations.arc_flash.validity import WORKING_DISTANCE_MM
from packs.electrical.faults.path_chart import VEGA_LITE
from packs.electrical.results import Words

TITLE = Words("Incident energy over distance", "אנרגיית הקשת לפי מרחק")
TIMES_S = (0.03, 0.1, 0.5, 2.0)
"""Clearing times that are shown beside the one that governs."""
STEPS = 24

_DISTANCE = Words("Distance (in)", "מרחק (in)")
_ENERGY = Words("Incident energy (cal/cm²)", "אנרגיה (cal/cm²)")
_TIME = Words("Clearing time (s)", "זמן ניתוק (s)")
_BURN = Words("1.2 cal/cm²: the arc-flash boundary", "1.2 cal/cm²: גבול הקשת")
_HERE = Words("Working distance", "מרחק העבודה")


def energy_chart(study: Study, locale: str) -> dict[str, Any]:
    """Lines of energy over distance, one for each clearing time; where a line crosses 1.2 cal/cm2
    is the boundary of that time."""
    governing_s = study.worse.clearing_time_s
    here = {
        "distance": round(study.arc.distance_mm / MM_PER_IN, 1),
        "energy": round(study.energy_cal_cm2, 3),
        "name": _HERE.say(locale),
    }
    return {
        "$schema": VEGA_LITE,
        "title": TITLE.say(locale),
        "data": {"values": _rows(study, sorted({*TIMES_S, governing_s}))},
        "layer": [
            {
                "mark": {"type": "line", "tooltip": True},
                "encoding": {
                    "x": _axis("distance", _DISTANCE.say(locale)),
                    "y": {
                        **_axis("energy", _ENERGY.say(locale)),
                        "scale": {"type": "log"},
                    },
                    "color": {
                        "field": "time",
                        "type": "ordinal",
                        "title": _TIME.say(locale),
                    },
                },
            },
            _mark("rule", {"energy": BURN_CAL_CM2, "name": _BURN.say(locale)}),
            _mark("point", here),
        ],
    }


def _rows(study: Study, times_s: list[float]) -> list[dict[str, float]]:
    """Energy grows evenly with time, so each distance is calculated once."""
    governing_s = study.worse.clearing_time_s
    farthest = max(1.5 * study.boundary_mm, 2 * study.arc.distance_mm)
    step = (farthest - WORKING_DISTANCE_MM) / STEPS
    distances = [WORKING_DISTANCE_MM + step * n for n in range(STEPS + 1)]
    return [
        {
            "distance": round(distance / MM_PER_IN, 1),
            "energy": float(f"{energy * time / governing_s:.4g}"),
            "time": time,
        }
        for distance in distances
        for energy in [study.energy_at(distance)]
        for time in times_s
    ]


def _axis(name: str, title: str) -> dict[str, Any]:
    return {"field": name, "type": "quantitative", "title": title}


def _mark(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    places = {"y": {"field": "energy", "type": "quantitative"}}
    if "distance" in row:
        places["x"] = {"field": "distance", "type": "quantitative"}
    return {
        "data": {"values": [row]},
        "mark": {"type": kind, "color": "firebrick", "tooltip": True},
        "encoding": {**places, "tooltip": [{"field": name} for name in row]},
    }
