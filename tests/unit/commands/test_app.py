"""A command finds its app from any of the app's folders, and reads it without running it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rollcall.commands import app
from rollcall.commands.app import Place, choose, connect, find_app, require_app
from rollcall.core.errors import USAGE, Problem
from tests.support.catalogs import FUNCTIONS

MAIN = "from rollcall import bind\n\nbind(globals())\n"


def make(root: Path, config: Any, **mains: str) -> Path:
    """An app: its `firebase.json` and the `main.py` of each of its folders."""
    root.mkdir(parents=True, exist_ok=True)
    text = config if isinstance(config, str) else json.dumps(config)
    (root / "firebase.json").write_text(text)
    for folder, main in mains.items():
        (root / folder / "capabilities").mkdir(parents=True)
        (root / folder / "main.py").write_text(main)
    return root


def test_an_app_is_found_from_any_of_its_folders(tmp_path: Path) -> None:
    root = make(tmp_path, {"functions": {"source": "backend"}}, backend=MAIN)
    (root / "web" / "src").mkdir(parents=True)
    for start in (root, root / "backend" / "capabilities", root / "web" / "src"):
        app = require_app(find_app(start))
        assert (app.root, app.functions, app.codebase) == (root, root / "backend", "default")


def test_the_python_codebase_beside_another_is_found(tmp_path: Path) -> None:
    sources = [{"source": "functions"}, {"source": "agents", "codebase": "rollcall"}]
    root = make(tmp_path, {"functions": sources}, functions="import nothing\n", agents=MAIN)
    app = require_app(find_app(root))
    assert (app.functions.name, app.codebase) == ("agents", "rollcall")


def test_a_config_may_hold_comments(tmp_path: Path) -> None:
    text = '{ // where\n "functions": {"source": "functions" /* theirs */, "x": "http://y"} }'
    app = require_app(find_app(make(tmp_path, text, functions=MAIN)))
    assert app.config["functions"]["x"] == "http://y"


def test_the_files_of_rules_and_indexes_are_those_of_the_default_database(tmp_path: Path) -> None:
    other = {"database": "other", "rules": "other.rules"}
    default = {"database": "(default)", "rules": "mine.rules"}
    for name, config, rules in (
        ("a", {}, "firestore.rules"),
        ("b", {"firestore": {"rules": "mine.rules"}}, "mine.rules"),
        ("c", {"firestore": [other, default]}, "mine.rules"),
    ):
        root = make(tmp_path / name, {"functions": {}, **config}, functions=MAIN)
        app = require_app(find_app(root))
        assert app.firestore_files == (root / rules, root / "firestore.indexes.json")


@pytest.mark.parametrize("config", ["firestore.rules", ["firestore.rules"]])
def test_databases_that_are_no_objects_are_refused(tmp_path: Path, config: Any) -> None:
    root = make(tmp_path, {"functions": {}, "firestore": config}, functions=MAIN)
    with pytest.raises(Problem, match=r'firebase\.json:1: "firestore" is .*firestore\.rules'):
        find_app(root)


@pytest.mark.parametrize("file", ["firebase.json", "functions/main.py"])
def test_a_file_that_is_not_utf_8_is_told_with_the_byte(tmp_path: Path, file: str) -> None:
    root = make(tmp_path, {"functions": {}}, functions=MAIN)
    content = (root / file).read_bytes().rstrip() + b"\n"
    (root / file).write_bytes(content + b'"caf\xe9"')
    place = f"{file}:{len(content.splitlines()) + 1}: byte {len(content) + 4} of the file, 0xe9"
    with pytest.raises(Problem, match=f"{place}, is not UTF-8. Save the file as UTF-8"):
        find_app(root)


def test_without_a_config_the_main_module_says_where_the_app_is(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import rollcall\nrollcall.bind(globals(), packs=['a'])\n")
    app = require_app(find_app(tmp_path))
    assert (app.root, app.packs) == (tmp_path, ("a",))


def test_main_may_have_any_encoding_that_python_reads(tmp_path: Path) -> None:
    texts = ["\ufeff" + MAIN, "# -*- coding: latin-1 -*-\n# café\n" + MAIN]
    for name, text, encoding in zip("ab", texts, ("utf-8", "latin-1"), strict=True):
        root = make(tmp_path / name, {"functions": {"source": None}}, functions=MAIN)
        (root / "functions" / "main.py").write_bytes(text.encode(encoding))
        assert require_app(find_app(root)).functions == root / "functions"


def test_what_is_wrong_in_a_main_of_another_encoding_is_told(tmp_path: Path) -> None:
    root = make(tmp_path, {"functions": {}}, functions=MAIN)
    source = f"# -*- coding: latin-1 -*-\n# café\n{MAIN}print(\n"
    (root / "functions" / "main.py").write_bytes(source.encode("latin-1"))
    with pytest.raises(Problem, match=r"main\.py cannot be read: '\(' was never closed"):
        find_app(root)


def test_nothing_of_main_is_run_and_its_lists_are_read(tmp_path: Path) -> None:
    main = "raise SystemExit\nfrom rollcall import bind as b\nb(globals(), without=['agui'])\n"
    app = require_app(find_app(make(tmp_path, {"functions": {}}, functions=main)))
    assert (app.packs, app.without) == (None, ("agui",))


@pytest.mark.parametrize(
    ("main", "told"),
    [
        ("from rollcall import bind\nbind(globals(), packs=PACKS)\n", "main.py:2: packs of bind"),
        ("from rollcall import bind\nbind(globals(), **more)\n", r"main.py:2: \*\* of bind"),
        ("from rollcall import bind\nbind(globals(\n", "main.py cannot be read"),
        ("from rollcall import bind\nbind(globals(), packs=[1])\n", "main.py:2: packs of bind"),
        (
            "from rollcall import bind\nbind(globals(), pack=['a'])\n",
            r"main.py:2: bind\(\) takes packs and without, no pack \(did you mean `packs`\?\)",
        ),
    ],
)
def test_a_main_that_cannot_be_read_is_told_with_its_place(
    tmp_path: Path, main: str, told: str
) -> None:
    root = make(tmp_path, {"functions": {}}, functions=main)
    with pytest.raises(Problem, match=told):
        find_app(root)


def test_two_codebases_with_rollcall_are_told_apart_by_the_folder(tmp_path: Path) -> None:
    sources = [{"source": "a", "codebase": "a"}, {"source": "b", "codebase": "b"}]
    root = make(tmp_path, {"functions": sources}, a=MAIN, b=MAIN)
    assert require_app(find_app(root / "b")).codebase == "b"
    with pytest.raises(Problem, match="run this in one of them"):
        find_app(root)


def test_no_app_is_wrong_usage_with_its_cure(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="python -m rollcall init") as problem:
        require_app(find_app(tmp_path))
    assert problem.value.exit_code == USAGE


def test_an_app_without_packages_is_told_so(tmp_path: Path) -> None:
    root = make(tmp_path, {"functions": {}}, functions=MAIN)
    (root / "functions" / "capabilities").rmdir()
    with pytest.raises(Problem, match="has no folder packs or capabilities"):
        _ = require_app(find_app(root)).catalog


def test_the_environment_is_that_of_the_functions_and_the_shell_comes_first(
    tmp_path: Path,
) -> None:
    root = make(tmp_path, {"functions": {}}, functions=MAIN)
    functions = root / "functions"
    (functions / ".env").write_text("A=1\nB=1\nC=1\nD=1\n")
    (functions / ".env.shop").write_text("B=2\n")
    (functions / ".env.local").write_text("C=3\n")
    env = {"D": "4"}
    require_app(find_app(root)).load_environment("shop", emulator=True, env=env)
    assert env == {"A": "1", "B": "2", "C": "3", "D": "4"}
    live: dict[str, str] = {}
    require_app(find_app(root)).load_environment("shop", emulator=False, env=live)
    assert live["C"] == "1"


@pytest.mark.parametrize(
    ("call", "region"),
    [
        ("set_global_options(region='europe-west1', max_instances=3)", "europe-west1"),
        ("options.set_global_options(region=options.SupportedRegion.ASIA_EAST1)", "asia-east1"),
        (
            "from firebase_functions.options import set_global_options as everywhere\n"
            "everywhere(region='us-east1')",
            "us-east1",
        ),
        ("set_global_options(region=['europe-west1', 'us-east1'])", "europe-west1"),
        ("REGION: Final = 'europe-west1'\nset_global_options(region=REGION)", "europe-west1"),
        ("REGIONS = ['us-east1']\nset_global_options(region=REGIONS)", "us-east1"),
        ("R = 'us-east1'\nset_global_options(region=[R])", "us-east1"),
        (
            "R = 'us-east1'\nif IS_LIVE:\n    R = 'europe-west1'\nset_global_options(region=R)",
            None,
        ),
        ("A, B = ['us-east1', 'us-west1']\nset_global_options(region=B)", None),
        ("set_global_options(region=read_region())", None),
        ("set_global_options(region=None)", None),
        (
            "if IS_LIVE:\n    set_global_options(region='europe-west1')\n"
            "else:\n    set_global_options(region='us-east1')",
            None,
        ),
        ("set_global_options(max_instances=1)\nset_global_options(region='us-east1')", "us-east1"),
        ("set_global_options(region='us-east1')\nset_global_options(max_instances=1)", None),
        ("'set_global_options(region=1)'  # set_global_options(region='us-east1')", None),
        ("set_global_options(max_instances=3)", None),
        ("", None),
    ],
)
def test_the_region_is_the_one_that_the_code_sets_for_all_functions(
    tmp_path: Path, call: str, region: str | None
) -> None:
    root = make(tmp_path, {"functions": {}}, functions=f"{call}\n{MAIN}")
    env: dict[str, str] = {}
    require_app(find_app(root)).load_environment("shop", emulator=True, env=env)
    assert env.get("FUNCTION_REGION") == region


def test_a_codebase_that_its_functions_call_otherwise_is_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"functions": [{"source": "functions", "codebase": "agents"}]}
    app = require_app(find_app(make(tmp_path, config, functions=MAIN)))
    with pytest.raises(Problem, match="Write ROLLCALL_CODEBASE=agents into"):
        app.check_codebase()
    monkeypatch.setitem(os.environ, "ROLLCALL_CODEBASE", "agents")
    app.check_codebase()


def test_the_emulator_that_is_named_comes_first() -> None:
    env = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "GCLOUD_PROJECT": "demo-x"}
    chosen = choose("my-project", env)
    assert str(chosen) == "project my-project · the emulator at 127.0.0.1:1"
    assert env["GCLOUD_PROJECT"] == "my-project"


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "127.0.0.1:99999", "127.0.0.1:x"])
def test_an_emulator_that_does_not_answer_is_told_at_once(address: str) -> None:
    with pytest.raises(Problem, match=r"No emulator answers at .*FIRESTORE_EMULATOR_HOST"):
        connect(Place("demo-x", address))


@pytest.mark.parametrize("env", [{"GCLOUD_PROJECT": "shop"}, {"GOOGLE_CLOUD_PROJECT": "shop"}])
def test_a_real_project_without_an_emulator_is_production(env: dict[str, str]) -> None:
    chosen = choose(None, env)
    assert (chosen.emulator, str(chosen)) == (None, "project shop · production")
    assert env["GCLOUD_PROJECT"] == "shop"


@pytest.mark.parametrize("project", [None, "demo-rollcall"])
def test_nothing_named_and_nothing_running_is_wrong_usage(
    project: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: False)
    with pytest.raises(Problem, match="--project") as problem:
        choose(project, {})
    assert problem.value.exit_code == USAGE


def test_the_apps_emulators_are_found_where_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: True)
    monkeypatch.setenv("PORT_OFFSET", "100")
    env: dict[str, str] = {}
    assert choose(None, env, find_app(FUNCTIONS)).emulator == "127.0.0.1:8180"
    assert env["FIRESTORE_EMULATOR_HOST"] == "127.0.0.1:8180"
    assert env["GCLOUD_PROJECT"] == "demo-rollcall"
    assert "FIREBASE_AUTH_EMULATOR_HOST" in env


def test_a_real_project_never_goes_to_emulators_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: True)
    assert choose("shop", {}, find_app(FUNCTIONS)).emulator is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"ROLLCALL_PREFIX=A b\n", "ROLLCALL_PREFIX is 'A b'; a prefix has"),
        (b"NAME=\xff\n", r"\.env:1: byte 5 of the file, 0xff, is not UTF-8"),
    ],
    ids=["prefix", "encoding"],
)
def test_an_environment_that_functions_could_not_use_is_refused(
    tmp_path: Path, content: bytes, told: str
) -> None:
    root = make(tmp_path, {"functions": {}}, functions=MAIN)
    (root / "functions" / ".env").write_bytes(content)
    with pytest.raises(Problem, match=told):
        require_app(find_app(root)).load_environment("shop", emulator=False, env={})
