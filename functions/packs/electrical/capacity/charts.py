"""Charts of load: each line against what bounds it, and before against after."""

from __future__ import annotations

from typing import Any

from packs.electrical.calculations.loads.panel import Demand
from packs.electrical.results import Words

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"

LINES_TITLE = Words(en="Load of the lines", he="עומס הפאזות")
SERVICE_TITLE = Words(en="Service load before and after", he="עומס החיבור לפני ואחרי")
_LINE = Words(en="Line", he="פאזה")
_AMPS = Words(en="Current (A)", he="זרם (A)")
_WHEN = Words(en="When", he="מתי")
_NOW = Words(en="now", he="כעת")
_THEN = Words(en="with the new load", he="עם העומס החדש")
_RATING = Words(en="rating", he="ערך נקוב")


def lines_chart(now: Demand, then: Demand, locale: str) -> dict[str, Any]:
    """Bars of each line's current, with a rule at the rating."""
    rows = [
        {"line": name, "amps": round(amps, 1), "when": when.say(locale)}
        for when, demand in _moments(now, then)
        for name, amps in zip(demand.calculation.system.names, demand.line_amps, strict=True)
    ]
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": "line", "type": "nominal", "title": _LINE.say(locale)},
            "xOffset": {"field": "when"},
            "y": {"field": "amps", "type": "quantitative", "title": _AMPS.say(locale)},
            "color": {"field": "when", "type": "nominal", "title": _WHEN.say(locale)},
        },
    }
    return _chart(LINES_TITLE.say(locale), rows, bars, then.rating_amps, locale)


def service_chart(now: Demand, then: Demand, rating_amps: float, locale: str) -> dict[str, Any]:
    """Two bars, the calculated load now and with what is proposed, and a rule at the rating."""
    rows = [
        {"when": when.say(locale), "amps": round(demand.demand_amps, 1)}
        for when, demand in _moments(now, then)
    ]
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": "when", "type": "nominal", "title": _WHEN.say(locale), "sort": None},
            "y": {"field": "amps", "type": "quantitative", "title": _AMPS.say(locale)},
        },
    }
    return _chart(SERVICE_TITLE.say(locale), rows, bars, rating_amps, locale)


def _moments(now: Demand, then: Demand) -> list[tuple[Words, Demand]]:
    return [(_NOW, now)] if then is now else [(_NOW, now), (_THEN, then)]


def _chart(
    title: str, rows: list[dict[str, Any]], bars: dict[str, Any], rating: float, locale: str
) -> dict[str, Any]:
    rule = {
        "data": {"values": [{"amps": round(rating, 1), "name": _RATING.say(locale)}]},
        "mark": {"type": "rule", "tooltip": True, "strokeDash": [6, 4]},
        "encoding": {"y": {"field": "amps", "type": "quantitative"}},
    }
    return {
        "$schema": VEGA_LITE,
        "title": title,
        "data": {"values": rows},
        "layer": [bars, rule],
    }
