"""What holds for the errors of the engine and of every pack: what a person can cause by using an
app is said in that person's language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollcall.core import errors
from rollcall.core.text import language
from tests.support.sources import FUNCTIONS, nodes, text, tree
from tests.unit.test_every_text import FOLDERS, every_folder, read, templates

KINDS = {
    name
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, errors.AgentError)
}
FOR_PROGRAMS = {
    file: messages
    for listed in Path(__file__).parent.rglob("errors_for_programs.json")
    for file, messages in json.loads(listed.read_text("utf-8")).items()
}
"""Messages in English alone, by file, a pack's beside its tests: of what developers, operators and
programs alone can cause, such as a wrong type, an id of another form, or a key that is not set."""
SECTIONS = re.compile(r"errors|hints|invalid")


def test_an_error_that_stands_in_code_is_one_for_programs() -> None:
    found = {
        str(path.relative_to(FUNCTIONS)): sorted(set(messages))
        for part in ("packs", "rollcall")
        for path in sorted((FUNCTIONS / part).rglob("*.py"))
        if (messages := list(_messages(tree(path))))
    }
    assert found == FOR_PROGRAMS


def _messages(tree: ast.Module) -> Iterator[str]:
    """Yield the messages that are written out where an error is made, "…" for their values."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in KINDS and node.args and (message := _literal(node.args[0])):
                yield message


def _literal(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            _literal(each) if isinstance(each, ast.Constant) else "…" for each in node.values
        )
    return ""


@every_folder
def test_each_error_and_hint_is_said_in_hebrew(folder: Path) -> None:
    hebrew = read(folder)["he"]
    for key, template in templates({k: v for k, v in hebrew.items() if SECTIONS.fullmatch(k)}):
        written = re.sub(r"{[^}]*}|\u2068[^\u2069]*\u2069", "", template)
        assert not written.strip(' :;,"') or language(written) == "he", f"{key}: {template}"


@every_folder
def test_each_error_and_hint_is_used(folder: Path) -> None:
    inner = [each for each in FOLDERS if folder in each.parents]
    paths = [path for path in folder.rglob("*.py") if not set(path.parents) & set(inner)]
    code = "\n".join(text(path) for path in paths)
    for section in ("errors", "hints"):
        for key in _names(read(folder)["en"].get(section, {})):
            whole, last = f'"{section}.{key}"', key.rpartition(".")[2]
            # Some are put together: errors.no_{what}, or named without the section.
            assert whole in code or f'"{last}"' in code or _is_made(last, code), f"{section}.{key}"


def _is_made(key: str, code: str) -> bool:
    starts = re.findall(r'"(?:errors\.)?([a-z_.]*)\{', code)
    return any(start and key.startswith(start.rpartition(".")[2]) for start in starts)


def _names(found: dict[str, Any]) -> Iterator[str]:
    for name, inner in found.items():
        if isinstance(inner, dict) and "other" not in inner:
            yield from (f"{name}.{each}" for each in _names(inner))
        else:
            yield name
