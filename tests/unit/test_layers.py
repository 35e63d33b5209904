"""The architecture: which module may import which."""

from __future__ import annotations

import ast
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.support.sources import FUNCTIONS, tree

ROLLCALL = FUNCTIONS / "rollcall"
PACKS = FUNCTIONS / "packs"
SOURCES = sorted([*ROLLCALL.rglob("*.py"), *PACKS.rglob("*.py")])

MAY_IMPORT = {
    "core": {"core"},
    "models": {"core", "models"},
    "store": {"core", "store"},
    "knowledge": {"core", "knowledge", "store"},
    "registry": {"core", "models", "registry", "store"},
    "render": {"core", "render"},
    "agent": {"core", "models", "registry", "store", "knowledge", "render", "agent"},
    "emulators": {"core", "emulators"},
    "packs": {"core", "knowledge", "render", "store"},
    "endpoints": {"core", "knowledge", "models", "registry", "store", "agent", "endpoints"},
    "commands": {
        "core",
        "emulators",
        "models",
        "registry",
        "store",
        "agent",
        "catalog",
        "commands",
    },
}
HEAVY = {
    "google.genai",
    "openai",
    "firebase_functions",
    "firebase_admin",
    "google.cloud",
    "grpc",
    "opentelemetry",
    "pypdf",
    "typst",
    "docx",
    "lxml",
    "xlsxwriter",
}
EDGE = {"rollcall/core/http.py"}
"""Imported only where a function that users call is bound."""


STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What imports may stand in."""


@cache
def imports(
    path: Path, *, top_level_only: bool = False, with_types: bool = False
) -> frozenset[str]:
    """Modules that a file imports when it runs, inside functions too unless `top_level_only`; those
    that only type checkers read count `with_types`."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and not with_types:
            named = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node.test)}
            if "TYPE_CHECKING" in named:
                continue
        if top_level_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        waiting += (each for each in ast.iter_child_nodes(node) if isinstance(each, STATEMENTS))
    return frozenset(found)


def name(path: Path) -> str:
    return path.relative_to(FUNCTIONS).as_posix()


def module(path: Path) -> str:
    parts = path.relative_to(FUNCTIONS).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(path: Path) -> str:
    parts = path.relative_to(FUNCTIONS).parts
    return parts[0] if parts[0] == "packs" else parts[1]


def test_imports_point_one_way() -> None:
    wrong = {}
    for path in SOURCES:
        if layer(path).endswith(".py"):
            continue  # the catalogue and the command stand above all layers
        used = {
            each.split(".")[1]
            for each in imports(path, with_types=True)
            if each.startswith("rollcall.")
        }
        if too_high := used - MAY_IMPORT[layer(path)]:
            wrong[name(path)] = too_high
    assert wrong == {}


def test_the_engine_imports_no_pack() -> None:
    wrong = [
        name(path)
        for path in ROLLCALL.rglob("*.py")
        if any(each.split(".")[0] == "packs" for each in imports(path, with_types=True))
    ]
    assert wrong == []


def required(pack: str) -> frozenset[str]:
    """The packs that a pack names in `REQUIRES` of its `__init__.py`, without importing it."""
    for node in tree(PACKS / pack / "__init__.py").body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "REQUIRES":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def test_packs_require_one_another_without_circles() -> None:
    packs = {path.parent.name for path in PACKS.glob("*/__init__.py")}
    left = {pack: required(pack) for pack in packs}
    assert set().union(*left.values()) <= packs
    while free := [pack for pack, needed in left.items() if not needed & left.keys()]:
        left = {pack: needed for pack, needed in left.items() if pack not in free}
    assert left == {}


def test_a_pack_imports_no_other_pack_but_those_that_it_requires() -> None:
    wrong = {}
    for path in PACKS.rglob("*.py"):
        own = path.relative_to(PACKS).parts[0]
        allowed = {own, *(required(own) if (PACKS / own).is_dir() else ())}
        others = {
            each
            for each in imports(path, with_types=True)
            if each.startswith("packs.") and each.split(".")[1] not in allowed
        }
        if others:
            wrong[name(path)] = others
    assert wrong == {}


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    wrong = {}
    for path in SOURCES:
        heavy = {
            each
            for each in imports(path, top_level_only=True)
            if any(each == package or each.startswith(f"{package}.") for package in HEAVY)
        }
        if heavy and name(path) not in EDGE:
            wrong[name(path)] = heavy
    assert wrong == {}


def test_no_record_is_a_dataclass_but_those_of_the_emulators() -> None:
    """`rollcall.emulators` runs before anything is installed."""
    wrong = {name(path) for path in SOURCES if "@dataclass" in path.read_text(encoding="utf-8")}
    assert {each for each in wrong if not each.startswith("rollcall/emulators/")} == set()


def test_no_module_imports_itself_in_a_circle() -> None:
    """Imports inside functions count."""
    modules = {module(path): path for path in SOURCES}
    graph = {name: imports(path) & modules.keys() - {name} for name, path in modules.items()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name in done:
            return
        for used in graph[name]:
            visit(used, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_no_top_level_name_is_also_a_dependencys() -> None:
    ours = {path.stem for path in FUNCTIONS.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert ours & set(packages_distributions()) <= {"venv", "__pycache__"}
