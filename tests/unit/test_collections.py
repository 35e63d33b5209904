"""Every collection of the platform gets its name in one place, which adds the prefix.

A name that code wrote by itself would be read and written beside the prefix: where the app, which
the prefix makes room for, has its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from rollcall.store.departed_users import OWNED
from rollcall.store.paths import COLLECTIONS
from tests.support.sources import FUNCTIONS, nodes, tree

ENGINE = FUNCTIONS / "rollcall"
PLATFORM = {name for path in COLLECTIONS for name in path.split("/{}/")}
_NAMES = "|".join(sorted(PLATFORM))
_PATH = re.compile(rf"(?:^|\s|(?<!\(default\))/)(?:{_NAMES})/(?!<|{{}})|/(?:{_NAMES})$")
"""A path, also within a message. Not Firestore's own "(default)/documents/", nor `agents/<id>`, as
a command is typed, nor `threads/{}`, as in the list of collections."""
_WITH_OPTION = {"of_user", "listing_user", "OnDocument"}
"""These put the prefix before a name where they are told `platform=True`."""


@cache
def modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(ENGINE).as_posix(): tree(path) for path in sorted(ENGINE.rglob("*.py"))
    }


def called_name(node: ast.AST) -> str:
    """The name of the function or method that a call calls."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def is_prefixed(call: ast.Call) -> bool:
    """Whether a call puts the prefix before its first argument."""
    if called_name(call) in _WITH_OPTION:
        return any(option.arg == "platform" for option in call.keywords)
    return called_name(call) == "collection_id"


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in nodes(tree) if isinstance(node, ast.Call) and node.args)


def names_one(node: ast.AST) -> bool:
    """Whether an argument is a name written out, or a constant that holds one."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(x, ast.FormattedValue) and names_one(x.value) for x in node.values)
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return isinstance(node, ast.Constant) or name.isupper()


def unprefixed(tree: ast.AST) -> list[str]:
    """What a module of the engine says of collections that no prefix reaches."""
    skipped = {id(call.args[0]) for call in calls(tree) if is_prefixed(call)}
    skipped |= {
        id(node.value)  # a docstring
        for node in nodes(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    texts = [
        repr(node.value)
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and id(node) not in skipped
        if isinstance(node.value, str) and _PATH.search(node.value.replace("/{}/", "/{}"))
    ]
    readers = {"collection": ast.AST, "collection_group": ast.AST, "document": ast.JoinedStr}
    return texts + [
        ast.unparse(call)
        for call in calls(tree)
        if isinstance(call.args[0], readers.get(called_name(call), ())) and names_one(call.args[0])
    ]


def test_no_collection_of_the_platform_is_named_without_the_prefix() -> None:
    found = {name: wrong for name, tree in modules().items() if (wrong := unprefixed(tree))}
    assert found == {}


def test_the_collections_of_the_platform_are_those_that_code_names() -> None:
    constants = {
        target.id: node.value.value
        for tree in modules().values()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    given = [
        call.args[0] for tree in modules().values() for call in calls(tree) if is_prefixed(call)
    ]
    named = {str(each.value).partition("/")[0] for each in given if isinstance(each, ast.Constant)}
    named |= {
        constants[each.id] for each in given if isinstance(each, ast.Name) and each.id.isupper()
    }
    assert (named | set(OWNED)) - {""} == PLATFORM


@pytest.mark.parametrize(
    "line",
    [
        'db.collection("threads")',
        "db.collection(AGENTS)",
        "db.collection(documents.PARTS)",
        'db.collection_group("runs")',
        'db.document("registry/manifest")',
        'db.document(f"threads/{id}")',
        'db.document(f"{thread}/runs/{id}")',
        'db.document(f"{AGENTS}/{id}")',
        'path = f"threads/{id}/runs"',
        'log.warning("budgets/limits: %s", why)',
        'OnDocument("approvals/{id}")',
    ],
)
def test_a_name_without_the_prefix_is_found(line: str) -> None:
    assert unprefixed(ast.parse(line))


@pytest.mark.parametrize(
    "line",
    [
        'db.collection(collection_id("threads"))',
        "db.collection(collection_id(AGENTS))",
        "db.document(f\"{collection_id('threads')}/{id}\")",
        'OnDocument("approvals/{id}", platform=True)',
        'of_user("devices", platform=True)',
        'thread.collection(name).document(f"{number:04d}")',
        '"""Of threads/{id}."""',
    ],
)
def test_a_name_with_the_prefix_is_in_order(line: str) -> None:
    assert unprefixed(ast.parse(line)) == []
