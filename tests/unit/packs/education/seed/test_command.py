"""A school's own standards, read line by line. Those here are made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument
from seed.education.command import read_line

MADE_UP: dict[str, Any] = {
    "id": "s1",
    "documentId": "made-up",
    "statement": {"he": "תקן שהומצא לבדיקה"},
    "subject": "מתמטיקה",
    "grades": ["ד׳", 5],
    "topic": "שברים",
    "source": {"title": "Made up", "page": "3"},
}


def test_a_line_is_stored_in_one_spelling() -> None:
    id, stored = read_line(json.dumps(MADE_UP))
    assert (id, stored["subject"], stored["grades"]) == ("s1", "math", ["ד", "ה"])
    assert stored["code"] is None and stored["schemaVersion"] == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"subject": "נהיגה"}, "unknown subject"),
        ({"grades": ["יג"]}, "the nearest is 'יב'"),
        ({"grades": []}, "at least 1"),
        ({"source": None}, "source"),
        ({"statement": {"he": ""}}, "at least 1"),
        ({"bloomLevels": ["know"]}, "remember"),
        ({"id": "a/b"}, "no standard's id"),
        ({"color": "red"}, "not known here"),
    ],
)
def test_a_wrong_line_says_what_is_wrong(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        read_line(json.dumps({**MADE_UP, **change}))


@pytest.mark.parametrize("line", ["[]", '{"id": 5}', "{", "null"])
def test_a_line_that_is_no_standard_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        read_line(line)
