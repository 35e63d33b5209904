"""Charts of results: layers over the same rows, and marks with rows of their own."""

from __future__ import annotations

from packs.electrical.charts import axis, chart, mark


def test_a_chart_has_a_title_only_where_one_is_given() -> None:
    rows = [{"x": 1}]
    layer = {"mark": "bar"}
    titled = chart(rows, layer, title="Load")
    assert (titled["title"], titled["data"], titled["layer"]) == ("Load", {"values": rows}, [layer])
    assert "title" not in chart(rows, layer)


def test_an_axis_is_of_figures_unless_it_says_otherwise() -> None:
    assert axis("amps", "Current") == {"field": "amps", "type": "quantitative", "title": "Current"}
    named = {"field": "line", "type": "nominal", "title": "Line", "sort": None}
    assert axis("line", "Line", "nominal", sort=None) == named


def test_a_mark_is_placed_by_its_own_row_and_tells_all_of_it() -> None:
    rule = mark("rule", {"name": "Rating", "amps": 200}, y="amps", color="firebrick")
    assert rule["data"] == {"values": [{"name": "Rating", "amps": 200}]}
    assert rule["mark"] == {"type": "rule", "color": "firebrick"}
    assert rule["encoding"] == {
        "y": {"field": "amps", "type": "quantitative"},
        "tooltip": [{"field": "name"}, {"field": "amps"}],
    }
    point = mark("point", {"ft": 3, "amps": 200}, x="ft", y="amps")
    assert point["encoding"]["x"] == {"field": "ft", "type": "quantitative"}
