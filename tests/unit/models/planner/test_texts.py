"""The words, patterns and sentences of the offline planner in `texts/<language>.json`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rollcall.core.texts import TEXTS
from rollcall.models import planner

SOURCE = "\n".join(path.read_text() for path in Path(planner.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("kind", ["say", "words", "cues"])
@pytest.mark.parametrize("language", TEXTS.languages)
def test_no_text_is_left_that_the_planner_does_not_read(language: str, kind: str) -> None:
    texts = TEXTS.find(language, f"offline.{kind}")
    assert texts
    assert [key for key in texts if not re.search(rf'["\'.]{key}["\'.{{]', SOURCE)] == []
