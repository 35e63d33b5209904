"""Parts of the charts of results, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def chart(
    rows: Sequence[dict[str, Any]], *layers: dict[str, Any], title: str | None = None
) -> dict[str, Any]:
    """Return a chart of layers over the same rows; a layer may have rows of its own."""
    titled = {"title": title} if title else {}
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    return {"$schema": schema, **titled, "data": {"values": rows}, "layer": list(layers)}


def axis(field: str, title: str, kind: str = "quantitative", /, **options: Any) -> dict[str, Any]:
    """Return the encoding of a field, with the title of its axis."""
    return {"field": field, "type": kind, "title": title, **options}


def mark(
    kind: str, row: dict[str, Any], *, x: str | None = None, y: str, **options: Any
) -> dict[str, Any]:
    """Return a layer with one row of its own, such as a rule at a limit; its tooltip has all fields
    of the row."""
    places = {"y": {"field": y, "type": "quantitative"}}
    if x is not None:
        places["x"] = {"field": x, "type": "quantitative"}
    return {
        "data": {"values": [row]},
        "mark": {"type": kind, **options},
        "encoding": {**places, "tooltip": [{"field": name} for name in row]},
    }
