"""The import of standards, as `python -m seed` does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MADE_UP = {
    "id": "s1",
    "documentId": "made-up",
    "statement": {"he": "תקן שהומצא לבדיקה"},
    "subject": "math",
    "grades": ["ד"],
    "topic": "שברים",
    "source": {"title": "Made up", "page": "3"},
}


def test_a_schools_own_standards_are_imported_line_by_line(seeding: Any, tmp_path: Path) -> None:
    file = tmp_path / "standards.jsonl"
    lines = [MADE_UP, {**MADE_UP, "id": "s2", "grades": ["כיתה יג"]}, MADE_UP]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = seeding.run("standards", str(file))
    assert done.returncode == 1 and seeding.count("curriculumStandards") == 1
    assert "line 2" in done.stderr and "line 3" in done.stderr
    assert "1 standards imported, 2 not" in done.stdout
    missing = seeding.run("standards", str(tmp_path / "none.jsonl"))
    assert missing.returncode == 2 and "cannot be read" in missing.stderr
