"""The architecture, as claims about imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

FUNCTIONS = Path(__file__).parents[2] / "functions"
ROLLCALL = FUNCTIONS / "rollcall"
PACKS = FUNCTIONS / "packs"
SOURCES = sorted([*ROLLCALL.rglob("*.py"), *PACKS.rglob("*.py")])

MAY_IMPORT = {
    "core": {"core"},
    "models": {"core", "models"},
    "store": {"core", "store"},
    "knowledge": {"core", "knowledge", "store"},
    "registry": {"core", "models", "registry", "store"},
    "agent": {"core", "models", "registry", "store", "agent", "catalog"},
    "emulators": {"core", "emulators"},
    "packs": {"core", "knowledge", "store"},
    "endpoints": {
        "core",
        "knowledge",
        "models",
        "registry",
        "store",
        "agent",
        "catalog",
        "endpoints",
    },
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
    "xlsxwriter",
}
EDGE = {"rollcall/core/callable.py", "rollcall/core/gate.py", "rollcall/core/http.py"}
"""Imported only where a function that users call is bound."""


@cache
def imports(path: Path, *, top_level_only: bool) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return frozenset(found)


def name(path: Path) -> str:
    return path.relative_to(FUNCTIONS).as_posix()


def layer(path: Path) -> str:
    parts = path.relative_to(FUNCTIONS).parts
    return parts[0] if parts[0] == "packs" else parts[1]


def test_imports_point_one_way() -> None:
    wrong = {}
    for path in SOURCES:
        if layer(path).endswith(".py"):
            continue  # the catalogue and the command stand above all layers
        used = {
            module.split(".")[1]
            for module in imports(path, top_level_only=False)
            if module.startswith("rollcall.")
        }
        if too_high := used - MAY_IMPORT[layer(path)]:
            wrong[name(path)] = too_high
    assert wrong == {}


def test_the_engine_imports_no_pack() -> None:
    wrong = [
        name(path)
        for path in ROLLCALL.rglob("*.py")
        if any(module.split(".")[0] == "packs" for module in imports(path, top_level_only=False))
    ]
    assert wrong == []


def test_a_pack_imports_no_other_pack() -> None:
    wrong = {}
    for path in PACKS.rglob("*.py"):
        own = path.relative_to(PACKS).parts[0]
        others = {
            module
            for module in imports(path, top_level_only=False)
            if module.startswith("packs.") and module.split(".")[1] != own
        }
        if others:
            wrong[name(path)] = others
    assert wrong == {}


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    wrong = {}
    for path in SOURCES:
        heavy = {
            module
            for module in imports(path, top_level_only=True)
            if any(module == package or module.startswith(f"{package}.") for package in HEAVY)
        }
        if heavy and name(path) not in EDGE:
            wrong[name(path)] = heavy
    assert wrong == {}


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {
        ".".join(path.relative_to(FUNCTIONS).with_suffix("").parts): {
            module
            for module in imports(path, top_level_only=True)
            if module.split(".")[0] in ("rollcall", "packs")
        }
        for path in SOURCES
        if path.name != "__init__.py"
    }
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join([*trail, module])
        if module in done:
            return
        for used in graph.get(module, ()):
            visit(used, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


def test_no_top_level_name_is_also_a_dependencys() -> None:
    ours = {path.stem for path in FUNCTIONS.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert ours & set(packages_distributions()) <= {"venv"}


def test_binding_one_function_imports_no_model_and_no_other_pack() -> None:
    code = (
        "import sys, main\n"
        "assert callable(main.get_priority_messages)\n"
        "assert not hasattr(main, 'run_agent')\n"
        "print([m for m in sys.modules if m in ('openai', 'google.genai', 'grpc',"
        " 'firebase_functions.firestore_fn', 'packs.messaging.search_all')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FUNCTIONS,
        env={"FUNCTION_TARGET": "get_priority_messages", "GCLOUD_PROJECT": "demo-test"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
