"""The file of a large school's results: the time it takes, and whether a cell is a formula."""

from __future__ import annotations

import csv
import io
import zipfile
from statistics import median
from time import process_time
from typing import Any

from packs.education.courses import Course
from packs.education.results_export import results, table_file
from tests.evals.report import EvalResult, table

PUPILS, ATTEMPTS, ANSWERS, TIMES = 2_000, 2, 5, 5
_COURSE = Course("c", "כל בית הספר", ("ada",), "teacher")
_NAMES = ("נועה {}", "=HYPERLINK({})", "+972-{}", "@SUM({})", "Dana {}", "-{}")


def measure() -> EvalResult:
    """Count all pupils' answers and write both formats, by processor time."""
    names = {f"p{n}": _NAMES[n % len(_NAMES)].format(n) for n in range(PUPILS)}
    answer = {"tries": 1, "bloom": "apply", "points": 1, "maxPoints": 2}
    answers = {f"q{n}": answer for n in range(ANSWERS)}
    attempts: list[dict[str, Any]] = [
        {"uid": uid, "status": "finished", "answers": answers} for uid in names
    ] * ATTEMPTS
    taken = []
    for _ in range(TIMES):
        start = process_time()
        made = results(names, attempts, "he", with_bloom=True)
        sheet, _ = table_file(_COURSE, made, "he", "xlsx")
        taken.append(process_time() - start)
    text = table_file(_COURSE, made, "he", "csv")[0].decode("utf-8-sig")
    with zipfile.ZipFile(io.BytesIO(sheet)) as file:
        pages = [file.read(name) for name in file.namelist() if "worksheets/" in name]
    figures = {
        "pupils": PUPILS,
        "answers": PUPILS * ATTEMPTS * ANSWERS,
        "medianS": round(median(taken), 2),
        "formulasXlsx": sum(page.count(b"<f>") + page.count(b"<f ") for page in pages),
        "formulasCsv": sum(
            cell.startswith(tuple("=+-@\t"))
            for row in csv.reader(io.StringIO(text))
            for cell in row
        ),
    }
    return EvalResult(
        [table("Export of results", list(figures), [list(figures.values())])], figures
    )
