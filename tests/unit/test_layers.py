"""The architecture, as claims about imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[2] / "functions"
ROLLCALL = FUNCTIONS / "rollcall"
SOURCES = sorted(ROLLCALL.rglob("*.py"))

MAY_IMPORT = {
    "core": {"core"},
    "models": {"core", "models"},
    "store": {"core", "store"},
    "knowledge": {"core", "knowledge", "store"},
    "registry": {"core", "models", "registry", "store"},
    "agent": {"core", "models", "registry", "store", "agent", "catalog"},
    "packs": {"core", "knowledge", "store", "packs"},
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
    "commands": {"core", "models", "registry", "store", "agent", "catalog", "commands"},
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
EDGE = {"core/callable.py", "core/gate.py", "core/http.py"}
"""Imported only where a function that users call is bound."""


def imports(path: Path, *, top_level_only: bool) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def name(path: Path) -> str:
    return path.relative_to(ROLLCALL).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_imports_point_one_way(path: Path) -> None:
    layer = path.relative_to(ROLLCALL).parts[0]
    if layer.endswith(".py"):
        return  # the catalogue and the command stand above all layers
    used = {
        module.split(".")[1]
        for module in imports(path, top_level_only=False)
        if module.startswith("rollcall.")
    }
    assert used <= MAY_IMPORT[layer]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_pack_imports_no_other_pack(path: Path) -> None:
    parts = path.relative_to(ROLLCALL).parts
    if parts[0] == "packs" and len(parts) > 2:
        others = {
            module
            for module in imports(path, top_level_only=False)
            if module.startswith("rollcall.packs.") and module.split(".")[2] != parts[1]
        }
        assert others == set()


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    if name(path) in EDGE:
        return
    heavy = {
        module
        for module in imports(path, top_level_only=True)
        if any(module == package or module.startswith(f"{package}.") for package in HEAVY)
    }
    assert heavy == set()


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {
        "rollcall." + ".".join(path.relative_to(ROLLCALL).with_suffix("").parts): {
            module
            for module in imports(path, top_level_only=True)
            if module.startswith("rollcall.")
        }
        for path in SOURCES
        if path.name != "__init__.py"
    }

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join([*trail, module])
        for used in graph.get(module, ()):
            visit(used, (*trail, module))

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
        " 'firebase_functions.firestore_fn', 'rollcall.packs.messaging.search_all')])"
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
