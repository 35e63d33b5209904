"""The engine knows no pack: no name of one, and no name of a capability."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.sources import FUNCTIONS, nodes, text, tree

PACKS = FUNCTIONS / "packs"
ENGINES_OWN = {"knowledge"}
"""A layer of the engine has this name, and a pack of its tools has it too."""


def pack_ids() -> set[str]:
    return {file.parent.name for file in PACKS.glob("*/__init__.py")}


def capability_ids() -> set[str]:
    """Names of the functions of packs under `@capability(...)`."""
    return {
        node.name
        for file in PACKS.rglob("*.py")
        for node in nodes(tree(file))
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("capability(") for each in node.decorator_list)
    }


def sources(words: set[str]) -> Iterator[Path]:
    """The engine's files that have one of these words anywhere."""
    for file in sorted((FUNCTIONS / "rollcall").rglob("*")):
        is_text = file.suffix in {".py", ".json", ".rules"}
        if is_text and mentions(words, text(file)):
            yield file


@cache
def texts(file: Path) -> str:
    """All that a file says in words: its strings and comments, where it is code."""
    if file.suffix != ".py":
        return text(file)
    with file.open("rb") as stream:
        tokens = list(tokenize.tokenize(stream.readline))
    said = {tokenize.STRING, tokenize.COMMENT}
    return "\n".join(token.string for token in tokens if token.type in said)


def names(file: Path) -> set[str]:
    """The names that a file gives or imports; what others call their attributes is theirs."""
    if file.suffix != ".py":
        return set()
    found: set[str] = set()
    for node in nodes(tree(file)):
        match node:
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=asname):
                found |= {name.rpartition(".")[2], asname or ""}
    return found


def mentions(words: set[str], said: str) -> set[str]:
    return words & set(re.findall(r"\w+", said))


def test_the_engine_names_no_capability_of_a_pack() -> None:
    ids = capability_ids()
    wrong = {
        str(file.relative_to(FUNCTIONS)): found
        for file in sources(ids)
        if (found := mentions(ids, texts(file)) | names(file) & ids)
    }
    assert wrong == {}


def test_the_engine_names_no_pack() -> None:
    ids = pack_ids() - ENGINES_OWN
    wrong = {
        str(file.relative_to(FUNCTIONS)): found
        for file in sources(ids)
        if (found := mentions(ids, texts(file)))
    }
    assert wrong == {}


def test_the_engine_has_no_path_of_a_pack() -> None:
    ids = pack_ids()
    wrong = [
        str(file.relative_to(FUNCTIONS))
        for file in sources(ids)
        for _, pack in re.findall(r"\b(packs[./])(\w+)", texts(file))
        if pack in ids
    ]
    assert wrong == []
