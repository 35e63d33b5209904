"""Rules for the texts of the engine and of every pack, in every language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from tests.support.sources import FUNCTIONS, nodes, tree

FOLDERS = sorted(
    texts.parent for part in ("rollcall", "packs") for texts in (FUNCTIONS / part).rglob("texts")
)
OWN_LANGUAGES = {"en", "he"}
"""Languages that have every text; what another one lacks is said in English."""
BY_LANGUAGE = re.compile(r"keywords|examples|cues|words")
"""Under these keys each language has what it needs: other words, and another number of them."""
NOT_IN_ALL = {"count", "kind"}
"""Places that a language may do without: what a count of 1 is written out for, and what pydantic
calls that which is counted."""

every_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def read(folder: Path) -> dict[str, Any]:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in (folder / "texts").glob("*.json")
    }


def templates(found: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text by its key, but for what each language has of its own."""
    if isinstance(found, str):
        yield key, found
    elif isinstance(found, dict) and "other" in found:
        yield key, found["other"]
    elif isinstance(found, dict):
        for name, inner in found.items():
            if not BY_LANGUAGE.fullmatch(name):
                yield from templates(inner, f"{key}.{name}" if key else name)


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@every_folder
def test_each_language_says_the_same_things(folder: Path) -> None:
    texts = {language: dict(templates(found)) for language, found in read(folder).items()}
    assert texts.keys() >= OWN_LANGUAGES
    for language, found in texts.items():
        assert found.keys() <= texts["en"].keys(), language
        assert found.keys() == texts["en"].keys() or language not in OWN_LANGUAGES, language
        for key, template in found.items():
            assert template.strip(), f"{language}: {key}"
            wrong = (places(template) ^ places(texts["en"][key])) - NOT_IN_ALL
            assert not wrong, f"{language}: {key} has other places: {wrong}"


@every_folder
def test_each_key_that_code_names_has_its_text(folder: Path) -> None:
    english = read(folder)["en"]
    for path in sorted(folder.rglob("*.py")):
        if any(inner in path.parents for inner in FOLDERS if folder in inner.parents):
            continue  # it has texts of its own
        for key in _keys(tree(path)):
            found: Any = english
            for name in key.split("."):
                assert isinstance(found, dict) and name in found, f"{path.name}: {key}"
                found = found[name]


def _keys(tree: ast.AST) -> Iterator[str]:
    """Keys written out in `TEXTS.say(locale, "key")`, `.data(locale, "key")`, `.text("key")`, and
    in a pack's `invalid("field", "key")`."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "invalid":
            names = [each.value for each in node.args[1:] if isinstance(each, ast.Constant)]
            yield from map("{}.{}".format, ("errors", "hints"), names)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        place = {"say": 1, "data": 1, "text": 0, "by_language": 0}.get(node.func.attr)
        owner = node.func.value
        if place is None or not isinstance(owner, ast.Name) or owner.id != "TEXTS":
            continue
        if len(node.args) > place and isinstance(key := node.args[place], ast.Constant):
            yield str(key.value)
