"""Every text of the web app is there in each language, whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dev.paths import ROOT

WEB = ROOT / "clients/web"
PLURALS = {"en": {"one", "other"}, "he": {"one", "two", "other"}}
"""The categories that a whole number has in each language."""


FOLDERS = sorted({file.parent for file in (WEB / "texts").rglob("*.json")})
every_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def texts(folder: Path, language: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{language}.json").read_text("utf-8"))
    return found


def names(entry: Any) -> set[str]:
    """What is put into a text, in any of its forms."""
    forms = entry.values() if isinstance(entry, dict) else [entry]
    return {name for form in forms for name in re.findall(r"\{(\w+)\}", form)}


@every_folder
def test_web_languages_have_the_same_texts_with_the_same_values(folder: Path) -> None:
    english, hebrew = texts(folder, "en"), texts(folder, "he")
    assert list(english) == list(hebrew)
    for key, entry in english.items():
        assert names(entry) == names(hebrew[key]), key
        assert isinstance(entry, dict) == isinstance(hebrew[key], dict), key


@every_folder
@pytest.mark.parametrize("language", PLURALS)
def test_web_plurals_have_every_form(folder: Path, language: str) -> None:
    for key, entry in texts(folder, language).items():
        if isinstance(entry, dict):
            assert set(entry) == PLURALS[language], key


@every_folder
def test_web_every_text_is_used(folder: Path) -> None:
    code = "".join(file.read_text() for file in (WEB / "src").rglob("*.ts*"))
    written = set(re.findall(r'"([a-z_]+(?:\.[a-z_]+)+)"', code))
    beginnings = tuple(re.findall(r"`([a-z_]+\.(?:[a-z_]+\.)*)\$\{", code))
    assert [
        key for key in texts(folder, "en") if key not in written and not key.startswith(beginnings)
    ] == []


def test_web_styles_know_no_left_and_no_right() -> None:
    physical = re.compile(
        r"(?<![\w-])(?:(?:margin|padding|border)-(?:left|right)|(?:left|right)\s*:"
        r"|(?:text-align|float)\s*:\s*(?:left|right)|(?:min-|max-)?width\s*:)"
    )
    for file in (WEB / "styles").glob("*.css"):
        assert not physical.search(file.read_text()), file.name
