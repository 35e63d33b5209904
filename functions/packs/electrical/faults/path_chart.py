"""The chart of a fault current along its way."""

from __future__ import annotations

from typing import Any

from packs.electrical.calculations.short_circuit.at_panel import SERVICE_POINT, Fault
from packs.electrical.results import Words

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"
TITLE = Words("Fault current along the supply", "זרם הקצר לאורך ההזנה")
SERVICE = Words("Service terminals", "נקודת החיבור")
_POINT = Words("Point", "נקודה")
_AMPS = Words("Fault current (A)", "זרם קצר (A)")
_FED = Words("From the supply", "מההזנה")
_MOTORS = Words("From motors", "ממנועים")
_SOURCE = Words("Source", "מקור")
_RATING = Words("Interrupting rating", "כושר ניתוק")


def point_name(name: str, locale: str) -> str:
    """A point of the way as people read it."""
    return SERVICE.say(locale) if name == SERVICE_POINT else name


def path_chart(fault: Fault, rating_amps: float | None, locale: str) -> dict[str, Any]:
    """Bars of the current at each point, motors on top at the panel, and a line at its rating."""
    names = [point_name(point.name, locale) for point in fault.points]
    rows: list[dict[str, Any]] = [
        {"point": name, "amps": round(point.amps), "source": _FED.say(locale)}
        for name, point in zip(names, fault.points, strict=True)
    ]
    if fault.motors.count:
        from_motors = round(fault.motors.contribution_amps)
        rows.append({"point": names[-1], "amps": from_motors, "source": _MOTORS.say(locale)})
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {
                "field": "point",
                "type": "nominal",
                "sort": names,
                "title": _POINT.say(locale),
                "axis": {"labelAngle": -30},
            },
            "y": {"field": "amps", "type": "quantitative", "title": _AMPS.say(locale)},
            "color": {"field": "source", "type": "nominal", "title": _SOURCE.say(locale)},
        },
    }
    layers: list[dict[str, Any]] = [bars]
    if rating_amps is not None:
        layers.append(_line(rating_amps, _RATING.say(locale)))
    return {
        "$schema": VEGA_LITE,
        "title": TITLE.say(locale),
        "data": {"values": rows},
        "layer": layers,
    }


def _line(amps: float, name: str) -> dict[str, Any]:
    return {
        "data": {"values": [{"amps": amps, "name": name}]},
        "mark": {"type": "rule", "color": "firebrick", "strokeDash": [6, 4], "tooltip": True},
        "encoding": {
            "y": {"field": "amps", "type": "quantitative"},
            "tooltip": [{"field": "name"}, {"field": "amps"}],
        },
    }
