"""A course's results as a table and a file."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from packs.education.courses import Course
from packs.education.results_export import results, table_file

COURSE = Course("c", "כיתה ד/1", ("ada",), "teacher")


def attempt(uid: str, **answers: Any) -> dict[str, Any]:
    """An attempt with answers: a Bloom level, points, and of how many."""
    stored = {
        id: {"tries": 1, "bloom": bloom, "points": points, "maxPoints": most}
        for id, (bloom, points, most) in answers.items()
    }
    return {"uid": uid, "status": "finished", "answers": stored}


def test_points_are_summed_by_pupil_and_by_bloom_level() -> None:
    attempts = [
        attempt("p1", a=("apply", 5, 10), b=("remember", 10, 10)),
        attempt("p1", a=("apply", 10, 10), b=("create", None, 10)),
        attempt("gone", a=("apply", 0, 10)),
    ]
    table = results({"p1": "נועה", "p2": "אבי"}, attempts, "he", with_bloom=True)
    assert table.header[:2] == ["תלמיד/ה", "ניסיונות"] and len(table.header) == 7 + 6
    assert table.rows[0] == ["אבי", 0, 0, 0, 0, 0, None, *[None] * 6]
    assert table.rows[1] == ["נועה", 2, 2, 4, 25, 30, 83, 100, None, 75, None, None, None]
    assert len(results({"p1": "x"}, attempts, "en", with_bloom=False).header) == 7


def test_no_cell_is_a_formula() -> None:
    names = {f"p{n}": ("=HYPERLINK(1)" if n % 2 else f"נועה {n}") for n in range(20)}
    table = results(names, [attempt("p1", q=("apply", 1, 2))], "he", with_bloom=True)
    data, _ = table_file(COURSE, table, "he", "xlsx")
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert b"<f>" not in file.read("xl/worksheets/sheet1.xml")
    text = table_file(COURSE, table, "he", "csv")[0].decode("utf-8-sig")
    assert text.count("'=HYPERLINK") == 10 and "\n=" not in text
