"""The documentation agrees with the code."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext, User
from rollcall.core.profile import AgentProfile
from rollcall.models.provider import default_model
from rollcall.testing import context, run
from tests.support.catalogs import catalog
from tests.support.for_every import for_every
from tests.support.sources import text

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "docs/add_a_capability.md").read_text()
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "clients").glob("*/README.md")),
]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
CAPABILITIES = {
    (capability.function.__module__.split(".")[1], capability.id)
    for capability in catalog.capabilities()
}
"""Of the packs that are there: which pack, and the capability."""
LISTED = {
    (pack, name)
    for pack, names in re.findall(r"^\| (\w+) \| ((?:`\w+` )+)\|", README, re.MULTILINE)
    for name in re.findall(r"\w+", names)
}
DELETED = {
    pack for pack, _ in LISTED if not (ROOT / "functions/packs" / pack / "__init__.py").is_file()
}
"""Packs that the README knows and that are not there: what is said of them is not held to."""
# What a document tells its reader to make.
MADE_BY_READERS = (
    "functions/packs/office/",
    "tests/unit/packs/office/",
    "functions/capabilities/",
    "functions/tests/",
    "functions/vendor/",
)

every_document = for_every("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def _blocks(text: str) -> list[tuple[str, str]]:
    """Language and text of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _paths(text: str) -> list[str]:
    """What is written as code and begins with a folder of this repository."""
    folders = "|".join(sorted(re.escape(each.name) for each in ROOT.iterdir() if each.is_dir()))
    found = re.findall(rf"`((?:{folders})/[\w./-]*)`", text)
    return [path for path in found if not path.startswith((*MADE_BY_READERS, "functions/venv"))]


def _need_not_exist(path: str) -> bool:
    """Whether a path lies in a folder of a deleted pack, or is its page, or is made by a build."""
    return "/dist/" in path or any(part.removesuffix(".md") in DELETED for part in path.split("/"))


def test_readme_lists_every_capability_with_its_pack_and_no_other() -> None:
    assert {(pack, name) for pack, name in LISTED if pack not in DELETED} == CAPABILITIES


def test_readme_lists_every_make_target() -> None:
    listed = set(re.findall(r"^\| `make (\w+)` \|", README, re.MULTILINE))
    assert listed | {"help", "setup"} == TARGETS


def test_readme_has_its_first_code_early_and_short() -> None:
    first = README.index("```")
    assert README[:first].count("\n") < 30
    assert _blocks(README)[0][1].count("\n") < 12
    assert README.count("\n") < 190


@every_document
def test_every_make_target_exists(document: Path) -> None:
    named = set(re.findall(r"(?:`|^|\d )make ([a-z]+)", document.read_text(), re.MULTILINE))
    assert named <= TARGETS


@every_document
def test_every_path_exists(document: Path) -> None:
    text = document.read_text()
    for path in _paths(text):
        assert (ROOT / path).exists() or _need_not_exist(path), path
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not target.startswith("http"):
            assert (document.parent / target).exists() or _need_not_exist(target), target


@every_document
def test_every_heading_that_is_linked_exists(document: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^):#]*)#([^)]+)\)", document.read_text()):
        page = document.parent / target if target else document
        assert _need_not_exist(target) or anchor in _anchors(page), f"{target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_document
def test_every_module_of_the_engine_that_is_named_exists(document: Path) -> None:
    engine = ROOT / "functions/rollcall"
    parts = "|".join(
        sorted(each.name for each in engine.iterdir() if (each / "__init__.py").exists())
    )
    for path in re.findall(rf"`((?:{parts})/[\w/]*\.py)`", document.read_text()):
        assert (engine / path).is_file(), path


@every_document
def test_code_is_well_formed(document: Path) -> None:
    for language, code in _blocks(document.read_text()):
        match language:
            case "python":
                ast.parse(code)
            case "json":
                [json.loads(line) for line in code.splitlines() if line.strip()]
            case "sh":
                subprocess.run(["bash", "-n", "-c", code], check=True)


def test_every_variable_that_code_reads_is_in_the_guide_to_deploying() -> None:
    files = (ROOT / "functions/rollcall").rglob("*.py")
    read = {name for file in files for name in re.findall(r'"(ROLLCALL_[A-Z_]+)"', text(file))}
    assert len(read) > 10
    assert read <= set(re.findall(r"ROLLCALL_[A-Z_]+", (ROOT / "docs/deploy.md").read_text()))


def test_layout_names_every_part() -> None:
    layout = README.split("## Layout")[1].split("```")[1]
    named = set(re.findall(r"^ *(\w+)/ ", layout, re.MULTILINE))
    parts = {path.parent.name for path in (ROOT / "functions/rollcall").glob("*/__init__.py")}
    assert parts <= named
    for tests in re.search(r"tests/ +(.*)", layout)[1].split(", "):  # type: ignore[index]
        assert (ROOT / "tests" / tests).is_dir()


@pytest.mark.parametrize(
    ("name", "value", "provider"),
    [
        ("GEMINI_API_KEY", "k", "gemini"),
        ("OPENAI_API_KEY", "k", "openai"),
        ("OPENAI_BASE_URL", "http://localhost:11434/v1", "openai"),
        ("ROLLCALL_MODEL", "offline:planner", "offline"),
    ],
)
def test_variables_choose_the_model_as_the_readme_says(
    name: str, value: str, provider: str
) -> None:
    assert f"| `{name}` |" in README
    assert default_model({name: value}).partition(":")[0] == provider


def test_the_documented_capability_and_agent_work(tmp_path: Path) -> None:
    capability_file, agent_file, *_ = (code for kind, code in _blocks(GUIDE) if kind == "python")
    meeting_cost = _load(tmp_path, "meetings", capability_file).meeting_cost
    office = _load(tmp_path, "agents", agent_file).OFFICE
    capability = Capability.of(meeting_cost)
    ctx = ToolContext(user=User(uid="demo"))
    assert capability.call(ctx, {"people": 6, "hours": 2}) == {"usd": 720}
    assert office.tools == (capability.id,)
    assert set(capability.json_schema["properties"]) == {"people", "hours"}


def test_the_documented_tests_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    capability_file, agent_file, test_file, *_ = (
        code for kind, code in _blocks(GUIDE) if kind == "python"
    )
    monkeypatch.setitem(
        sys.modules, "packs.office.meetings", _load(tmp_path, "meetings", capability_file)
    )
    monkeypatch.setitem(sys.modules, "packs.office.agents", _load(tmp_path, "agents", agent_file))
    tests = [
        test
        for name, test in vars(_load(tmp_path, "tests", test_file)).items()
        if name[:5] == "test_"
    ]
    assert len(tests) == 2
    for test in tests:
        test()


def test_the_documented_write_asks_says_what_it_does_and_names_its_undo(tmp_path: Path) -> None:
    *_, write_file = (code for kind, code in _blocks(GUIDE) if kind == "python")
    rooms = _load(tmp_path, "rooms", write_file)
    book, release = Capability.of(rooms.book_room), Capability.of(rooms.release_room)
    for capability in (book, release):
        assert (capability.mark.effect, capability.mark.atomic) == ("write", True)
    given = book.frozen({"room": "Aurora", "day": "2026-12-03"})
    assert book.summarize(given, "en") == "Book Aurora on 2026-12-03"
    undo = book.undo(given, given)
    assert undo == {"tool": release.id, "arguments": given}
    assert release.frozen(undo["arguments"]) == given


def test_the_documented_write_waits_for_approval_when_its_example_is_said(tmp_path: Path) -> None:
    *_, write_file = (code for kind, code in _blocks(GUIDE) if kind == "python")
    rooms = _load(tmp_path, "rooms", write_file)
    (example,) = Capability.of(rooms.book_room).examples
    free = SimpleNamespace(get=lambda: SimpleNamespace(exists=False))
    result = run(
        AgentProfile(id="office", name="Office", instructions="Help.", tools=("book_room",)),
        example["userRequest"],
        model="offline:planner",
        capabilities=[rooms.book_room],
        ctx=context(db=SimpleNamespace(document=lambda path: free)),  # type: ignore[arg-type]
    )
    (asked,) = result.interrupts
    assert asked.arguments == example["parameters"]


def test_the_readme_shows_that_capability_in_short() -> None:
    shown, told = ast.parse(_blocks(README)[0][1]).body[0], ast.parse(_blocks(GUIDE)[0][1]).body[-1]
    assert isinstance(shown, ast.FunctionDef)
    assert isinstance(told, ast.FunctionDef)
    assert shown.name == told.name
    assert ast.dump(shown.args) == ast.dump(told.args)
    assert ast.dump(shown.body[-1]) == ast.dump(told.body[-1])


def _load(folder: Path, name: str, code: str) -> ModuleType:
    """Import `code` from a file, as a pack's modules are."""
    file = folder / f"{name}.py"
    file.write_text(code)
    spec = spec_from_file_location(f"office_{name}", file)
    assert spec and spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
