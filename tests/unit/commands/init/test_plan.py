from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

import pytest

from rollcall.commands import rules
from rollcall.commands.app import find_app
from rollcall.commands.init import security_rules
from rollcall.core.errors import Problem
from rollcall.emulators.jsonc import read_jsonc
from tests.unit.commands.init import apps
from tests.unit.commands.init.apps import init, make, planned, refusal, tree

RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    function isMine(uid) { return request.auth.uid == uid; }
    match /users/{u} { allow read: if isMine(u); } // רק שלי
  }
}
"""
MAIN = "from firebase_admin import initialize_app\n\ninitialize_app()\n\n\ndef hello(): ...\n"
PYTHON = {
    "firebase.json": '{\n  "functions": { "source": "functions", "runtime": "python312" }\n}\n',
    "functions/main.py": MAIN,
    "functions/requirements.txt": "firebase-functions~=0.6.0\n",
}
NODE = {
    "firebase.json": (
        '{\n  // what is deployed\n  "functions": {\n    "source": "api", // TypeScript\n'
        '    "predeploy": ["npm run build"]\n  },\n'
        '  "firestore": { "rules": "config/my.rules" }\n}\n'
    ),
    "api/package.json": '{"main": "lib/index.js"}',
    "api/src/index.ts": "export const hello = onCall(() => 1);\n",
    "config/my.rules": RULES,
}

EXPORT = "export const run_agent = 1;"


def config(root: Path) -> dict[str, object]:
    content: dict[str, object] = read_jsonc(root / "firebase.json")
    return content


# ---- An empty folder ----


def test_an_empty_folder_becomes_an_app(tmp_path: Path) -> None:
    init(tmp_path / "My App")
    root = tmp_path / "My App"
    (functions,) = config(root)["functions"]  # type: ignore[misc]
    assert functions["source"] == "functions"
    assert functions["postdeploy"] == ["cd functions && venv/bin/python -m rollcall sync"]
    assert read_jsonc(root / ".firebaserc") == {"projects": {"default": "demo-my-app"}}
    assert (root / "functions/main.py").read_text() == (
        "from rollcall import bind\n\nbind(globals())\n"
    )
    assert (root / "functions/requirements.txt").read_text().endswith("==0.1.0+g1\n")
    assert "THREADS=48" in (root / "functions/.env").read_text()
    assert "functions/venv\n" in (root / ".gitignore").read_text()
    assert security_rules.read((root / "firestore.rules").read_text()).version == "2"
    assert read_jsonc(root / "firestore.indexes.json") == apps.platform("").indexes
    for path in root.rglob("*.py"):
        ast.parse(path.read_text())


SHAPES = {"empty": {}, "python": PYTHON, "node": NODE}


@pytest.mark.parametrize("prefix", [None, "rc"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_second_init_changes_nothing(tmp_path: Path, shape: str, prefix: str | None) -> None:
    make(tmp_path, SHAPES[shape])
    init(tmp_path, prefix=prefix)
    assert planned(tmp_path).changes == []
    assert planned(tmp_path, prefix=prefix).changes == []


@pytest.mark.parametrize("shape", SHAPES)
def test_a_new_library_changes_its_own_parts_alone(tmp_path: Path, shape: str) -> None:
    make(tmp_path, SHAPES[shape])
    plan = init(tmp_path)
    main = tmp_path / plan.codebase.folder / "main.py"
    main.write_text(main.read_text() + "# a note of the app's\n")
    (tmp_path / plan.codebase.folder / "capabilities/meetings.py").unlink()
    changed = init(tmp_path, library=apps.wheel("0.2.0+g2", "two")).changes
    folder = plan.codebase.folder
    assert [change.path for change in changed] == [
        f"{folder}/requirements.txt",
        f"{folder}/vendor/rollcall.json",
        f"{folder}/vendor/rollcall_firebase-0.1.0+g1-py3-none-any.whl",
        f"{folder}/vendor/rollcall_firebase-0.2.0+g2-py3-none-any.whl",
    ]
    assert changed[2].new is None


def test_an_index_that_is_no_longer_needed_goes_and_the_apps_own_stays(tmp_path: Path) -> None:
    init(tmp_path)
    path = tmp_path / "firestore.indexes.json"
    own = {"collectionGroup": "users", "fieldPath": "bio", "indexes": []}
    content = read_jsonc(path)
    content["fieldOverrides"].append(own)
    path.write_text(json.dumps(content))
    record = tmp_path / "functions/vendor/rollcall.json"
    obsolete = {"collectionGroup": "threads", "fieldPath": "gone", "indexes": []}
    content["fieldOverrides"].append(obsolete)
    path.write_text(json.dumps(content))
    kept = json.loads(record.read_text())
    kept["indexes"].append(rules.index_line("fieldOverrides", obsolete))
    record.write_text(json.dumps(kept))
    init(tmp_path)
    ours = apps.platform("").indexes["fieldOverrides"]
    assert read_jsonc(path)["fieldOverrides"] == [*ours, own]


def test_an_index_that_the_app_changed_stays_and_one_that_we_change_is_renewed(
    tmp_path: Path,
) -> None:
    init(tmp_path)
    path, record = tmp_path / "firestore.indexes.json", tmp_path / "functions/vendor/rollcall.json"
    content = read_jsonc(path)
    (override,) = content["fieldOverrides"]
    override["ttl"] = True
    path.write_text(json.dumps(content))
    assert "firestore.indexes.json" not in {each.path for each in planned(tmp_path).changes}
    kept = json.loads(record.read_text())
    kept["indexes"].append(rules.index_line("fieldOverrides", override))
    record.write_text(json.dumps(kept))
    init(tmp_path)
    assert read_jsonc(path) == apps.platform("").indexes


# ---- Python functions that are there ----


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["\n", "", "# סוף"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_apps_main_is_only_added_to(tmp_path: Path, newline: str, end: str, mark: str) -> None:
    before = mark + (MAIN.rstrip("\n") + end).replace("\n", newline)
    make(tmp_path, {**PYTHON, "functions/main.py": before})
    init(tmp_path)
    after = (tmp_path / "functions/main.py").read_bytes().decode()
    assert after.startswith(before)
    assert after.endswith(f"bind(globals()){newline}")
    assert "\n" not in after.replace(newline, "")
    ast.parse(after.encode())
    assert planned(tmp_path).changes == []


def test_the_apps_codebase_keeps_its_settings(tmp_path: Path) -> None:
    make(tmp_path, PYTHON)
    plan = init(tmp_path)
    assert config(tmp_path)["functions"] == {
        "source": "functions",
        "runtime": "python312",
        "postdeploy": ["cd functions && venv/bin/python -m rollcall sync"],
    }
    assert plan.codebase.python == "python3.12"
    assert "PYDANTIC" not in (tmp_path / "functions/.env").read_text()
    assert not (tmp_path / ".firebaserc").exists()


def test_functions_that_lie_in_the_apps_own_folder_are_taken_there(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": '{"functions": [{"source": "."}]}', "main.py": MAIN})
    init(tmp_path)
    assert (tmp_path / "capabilities/agents.py").exists()
    assert "venv" in (tmp_path / ".gitignore").read_text().splitlines()
    assert planned(tmp_path).changes == []


@pytest.mark.parametrize("functions", ["{}", "[]"])
def test_an_entry_for_functions_that_says_nothing_is_filled(tmp_path: Path, functions: str) -> None:
    make(tmp_path, {"firebase.json": f'{{"functions": {functions}}}'})
    init(tmp_path)
    (ours,) = config(tmp_path)["functions"]  # type: ignore[misc]
    assert (ours["source"], ours["codebase"]) == ("functions", "default")


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"functions": null, "firestore": null, "hosting": null, "emulators": null}\n',
        '{"functions": [], "firestore": [], "hosting": [], "emulators": {}}\n',
        '\ufeff{\r\n  "functions": null,\r\n  "hosting": false\r\n}\r\n',
    ],
)
def test_parts_that_say_nothing_are_filled(tmp_path: Path, text: str) -> None:
    root = make(tmp_path, {"firebase.json": text})
    init(root)
    (functions,) = config(root)["functions"]  # type: ignore[misc]
    assert functions["source"] == "functions"
    assert config(root)["firestore"] == {
        "rules": "firestore.rules",
        "indexes": "firestore.indexes.json",
    }
    assert '"functions": null' not in (root / "firebase.json").read_text(encoding="utf-8")
    assert find_app(root) is not None
    assert planned(root).changes == []


@pytest.mark.parametrize(
    "entry", ['{"source": null}', '{"source": ""}', '{"source": "functions", "remoteSource": null}']
)
def test_functions_without_a_source_are_in_the_usual_folder(tmp_path: Path, entry: str) -> None:
    root = make(tmp_path, {**PYTHON, "firebase.json": f'{{"functions": {entry}}}'})
    assert init(root).codebase.folder == "functions"
    assert "bind(globals())" in (root / "functions/main.py").read_text()
    assert planned(root).changes == []


def test_a_database_without_a_name_is_the_default_one(tmp_path: Path) -> None:
    text = '{"firestore": {"database": null, "rules": "my.rules"}}'
    init(make(tmp_path, {"firebase.json": text}))
    assert (tmp_path / "my.rules").is_file()


def test_members_that_are_null_are_filled(tmp_path: Path) -> None:
    functions = '"functions": {"source": "functions", "runtime": null, "postdeploy": ""}'
    text = f'{{{functions}, "firestore": {{"rules": "my.rules", "indexes": null}}}}'
    root = make(tmp_path, {**PYTHON, "firebase.json": text})
    runtime = init(root).codebase.runtime
    assert config(root) == {
        "functions": {
            "source": "functions",
            "runtime": runtime,
            "postdeploy": ["cd functions && venv/bin/python -m rollcall sync"],
        },
        "firestore": {"rules": "my.rules", "indexes": "firestore.indexes.json"},
    }
    assert "null" not in (root / "firebase.json").read_text(encoding="utf-8")


def test_node_functions_in_the_usual_folder_stay_beside_rollcall(tmp_path: Path) -> None:
    files = {"firebase.json": '{"functions": {}}', "functions/package.json": "{}"}
    root = make(tmp_path, files)
    init(root)
    node, ours = config(root)["functions"]  # type: ignore[misc]
    assert (node, ours["codebase"]) == ({}, "rollcall")


def test_indexes_that_are_null_are_none(tmp_path: Path) -> None:
    text = '{\n  "indexes": null,\n  "fieldOverrides": []\n}\n'
    root = make(tmp_path, {**PYTHON, "firestore.indexes.json": text})
    init(root)
    assert read_jsonc(root / "firestore.indexes.json") == apps.platform("").indexes


@pytest.mark.parametrize("hooks", ['"npm run x"', '["npm run x"]'])
def test_hooks_of_the_app_come_first(tmp_path: Path, hooks: str) -> None:
    text = (
        '{"functions": [{"source": "./backend/", "codebase": "api", "runtime": "python311",'
        f'"postdeploy": {hooks}}}]}}'
    )
    make(tmp_path, {"firebase.json": text, "backend/main.py": MAIN})
    init(tmp_path)
    (functions,) = config(tmp_path)["functions"]  # type: ignore[misc]
    assert functions["postdeploy"] == [
        "npm run x",
        "cd backend && venv/bin/python -m rollcall sync",
    ]
    assert "ROLLCALL_CODEBASE=api" in (tmp_path / "backend/.env").read_text()


def test_folders_of_other_things_are_not_taken_for_packages(tmp_path: Path) -> None:
    make(
        tmp_path,
        {**PYTHON, "functions/capabilities/roles.py": "ROLES = 1", "functions/packs/cards.py": ""},
    )
    init(tmp_path)
    assert (
        'bind(globals(), packs=["rollcall_capabilities"])'
        in (tmp_path / "functions/main.py").read_text()
    )
    assert (tmp_path / "functions/rollcall_capabilities/agents.py").exists()
    assert not (tmp_path / "functions/capabilities/agents.py").exists()


@pytest.mark.parametrize(
    ("source", "bound"), [("import rollcall\n", ""), ("CARDS = 52\n", ', packs=["capabilities"]')]
)
def test_packs_that_are_there_before_are_bound_with_their_rules_if_they_are_rollcalls(
    tmp_path: Path, source: str, bound: str
) -> None:
    make(
        tmp_path,
        {
            **PYTHON,
            "functions/packs/__init__.py": "",
            "functions/packs/cards/deck.py": source,
            "functions/packs/firestore.rules": "match /cards/{id} {\n}\n",
        },
    )
    init(tmp_path)
    assert f"\nbind(globals(){bound})\n" in (tmp_path / "functions/main.py").read_text()
    assert ("/cards/" in (tmp_path / "firestore.rules").read_text()) == (not bound)
    assert not init(tmp_path).changes


def test_an_example_whose_name_is_taken_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, {**PYTHON, "functions/main.py": "def estimate_meeting_cost(): ...\n"})
    init(tmp_path)
    assert [path.name for path in (tmp_path / "functions/capabilities").iterdir()] == [
        "__init__.py"
    ]


def test_requirements_with_hashes_are_left_as_they_are(tmp_path: Path) -> None:
    text = "pydantic==2.11.0 \\\n    --hash=sha256:00\n"
    make(tmp_path, {**PYTHON, "functions/requirements.txt": text})
    plan = init(tmp_path)
    assert (tmp_path / "functions/requirements.txt").read_text() == text
    note = plan.notes[0]
    assert "Add rollcall-firebase==0.1.0+g1 to the file" in note
    # In the file itself, pip-compile makes the folder absolute, and uv leaves it out.
    assert "  pip-compile --generate-hashes --find-links ./vendor\n" in note
    assert "  uv pip compile --generate-hashes --find-links ./vendor --emit-find-links\n" in note
    compiled = text + "--find-links ./vendor\nrollcall-firebase==0.1.0+g1 --hash=sha256:00\n"
    make(tmp_path, {"functions/requirements.txt": compiled})
    again = planned(tmp_path)
    assert (again.changes, again.notes) == ([], [])


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"functions/main.py": "def hello(:\n"}, "functions/main.py:1: Python cannot read it"),
        (
            {"functions/main.py": "\n\0"},
            "functions/main.py:2: Python cannot read it: there is a null",
        ),
        ({"functions/main.py": "\ndef bind(): ...\n"}, "functions/main.py:2: `bind` is a name"),
        (
            {"functions/requirements.txt": "firebase_functions~=0.5.0"},
            "functions/requirements.txt:1: `firebase_functions~=0.5.0` and Rollcall's",
        ),
        ({"functions/rollcall.py": ""}, "functions/rollcall.py would hide the library"),
        ({"firebase.json": '{\n"functions": 7}'}, 'firebase.json:2: "functions" is 7'),
        ({"firebase.json": '{\n"a": 1\nb}'}, "firebase.json:3: this is no JSON"),
        (
            {"firebase.json": '{"functions": {"source": "functions",\n"runtime": "python310"}}'},
            "firebase.json:2: the runtime is python310",
        ),
        (
            {"firebase.json": '{"functions": {"source": "functions", "ignore": ["**/*.whl"]}}'},
            "\"ignore\" has '**/*.whl'",
        ),
        ({"functions/.env": "ROLLCALL_CODEBASE=x"}, ""),
        (
            {
                "firebase.json": '{"functions": {"source": "functions", "codebase": "api"}}',
                "functions/.env": "ROLLCALL_CODEBASE=x",
            },
            "functions/.env: ROLLCALL_CODEBASE is 'x'",
        ),
        ({"firestore.indexes.json": "{\n'indexes': []}"}, "firestore.indexes.json:2: this is"),
        ({"firestore.indexes.json": "[]"}, "firestore.indexes.json:1: an object"),
        ({"firestore.indexes.json": '{"indexes":\n[{}]}'}, "firestore.indexes.json:2: an entry"),
        ({"firestore.rules": "service cloud.firestore {"}, "firestore.rules:1: a } is missing"),
        ({"firestore.rules": RULES.replace("2", "1")}, "firestore.rules:1: rules_version is '1'"),
        (
            {"firestore.rules": RULES.partition("\n")[2]},
            "firestore.rules:1: there is no rules_version",
        ),
    ],
)
def test_what_init_cannot_add_to_is_told_with_its_place(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    make(tmp_path, {**PYTHON, **files})
    if said:
        assert said in refusal(tmp_path)
    else:
        planned(tmp_path)


@pytest.mark.parametrize(
    "file",
    [
        *("firebase.json", "firestore.rules", "firestore.indexes.json", ".gitignore"),
        *("functions/main.py", "functions/requirements.txt", "functions/.env"),
    ],
)
def test_a_file_that_is_not_utf_8_is_told_with_the_byte(tmp_path: Path, file: str) -> None:
    make(tmp_path, PYTHON)
    (tmp_path / file).write_bytes(b"\n" + "pydantic".encode("utf-16"))
    told = f"{file}:2: byte 1 of the file, 0xff, is not UTF-8. Save the file as UTF-8."
    assert told in refusal(tmp_path)


def test_a_pyproject_that_is_not_utf_8_is_told_with_the_byte(tmp_path: Path) -> None:
    make(tmp_path, {name: text for name, text in PYTHON.items() if "requirements" not in name})
    (tmp_path / "functions/pyproject.toml").write_bytes(b"name = '\xe9'")
    assert "functions/pyproject.toml:1: byte 8 of the file, 0xe9" in refusal(tmp_path)


def test_a_pyproject_without_requirements_is_not_overruled(tmp_path: Path) -> None:
    files = {name: text for name, text in PYTHON.items() if "requirements" not in name}
    make(tmp_path, {**files, "functions/pyproject.toml": "[project]\ndependencies = []\n"})
    assert "functions/pyproject.toml says what the app needs" in refusal(tmp_path)


# ---- Node functions that are there ----


def test_beside_node_functions_rollcall_is_a_codebase_of_its_own(tmp_path: Path) -> None:
    make(tmp_path, NODE)
    init(tmp_path)
    text = (tmp_path / "firebase.json").read_text()
    assert '"source": "api", // TypeScript' in text
    assert "// what is deployed" in text
    node, ours = config(tmp_path)["functions"]  # type: ignore[misc]
    assert node == {"source": "api", "predeploy": ["npm run build"]}
    assert (ours["source"], ours["codebase"]) == ("functions-python", "rollcall")
    assert "ROLLCALL_CODEBASE=rollcall" in (tmp_path / "functions-python/.env").read_text()
    assert "functions-python/venv\n" in (tmp_path / ".gitignore").read_text()
    assert "// rollcall: begin" in (tmp_path / "config/my.rules").read_text()
    assert config(tmp_path)["firestore"] == {
        "rules": "config/my.rules",
        "indexes": "firestore.indexes.json",
    }
    assert tree(tmp_path)["api/src/index.ts"] == NODE["api/src/index.ts"].encode()


def test_a_list_of_codebases_gets_one_more(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "firebase.json": '{"functions": [{"source": "a"}, {"source": "b", "codebase": "b"}]}',
            "a/package.json": "{}",
            "b/package.json": "{}",
        },
    )
    init(tmp_path)
    functions = config(tmp_path)["functions"]
    assert [each["source"] for each in functions] == ["a", "b", "functions-python"]  # type: ignore[attr-defined]


def test_a_codebase_whose_functions_get_a_prefix_stays_as_it_is(tmp_path: Path) -> None:
    entry = '{"source": "functions", "runtime": "python312", "prefix": "eu"}'
    make(tmp_path, {**PYTHON, "firebase.json": f'{{"functions": {entry}}}'})
    init(tmp_path)
    own, ours = config(tmp_path)["functions"]  # type: ignore[misc]
    assert own == json.loads(entry)
    assert (ours["source"], ours["codebase"]) == ("functions-python", "rollcall")
    assert (tmp_path / "functions/main.py").read_text() == MAIN


def test_a_folder_that_is_deployed_under_a_prefix_too_stays_as_it_is(tmp_path: Path) -> None:
    entries = [
        {"source": "functions", "codebase": "us", "prefix": "us"},
        {"source": "functions", "codebase": "eu"},
    ]
    make(tmp_path, {**PYTHON, "firebase.json": json.dumps({"functions": entries})})
    init(tmp_path)
    *own, ours = config(tmp_path)["functions"]  # type: ignore[misc]
    assert (own, ours["source"]) == (entries, "functions-python")
    assert planned(tmp_path).changes == []


def test_functions_that_a_deploy_gives_a_prefix_clash_with_none_of_rollcalls(
    tmp_path: Path,
) -> None:
    files = {**NODE, "api/src/index.ts": "export const run_agent = onCall(() => 1);\n"}
    assert "run_agent: api/src/index.ts:1" in refusal(make(tmp_path / "bare", files))
    files["firebase.json"] = '{"functions": {"source": "api", "prefix": "eu"}}'
    assert init(make(tmp_path / "prefixed", files)).codebase.folder == "functions-python"


def test_two_codebases_that_bind_rollcall_are_refused(tmp_path: Path) -> None:
    bound = "from rollcall import bind\nbind(globals())\n"
    make(
        tmp_path,
        {
            "firebase.json": '{"functions": [{"source": "a"}, {"source": "b", "codebase": "b"}]}',
            "a/main.py": bound,
            "b/main.py": bound,
        },
    )
    assert "a and b both bind Rollcall" in refusal(tmp_path)


def test_a_codebase_without_the_engine_gets_the_wheel_and_its_packs_rules(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "firebase.json": '{"functions": [{"source": "b", "codebase": "b"}, {"source": "a"}]}',
            "a/main.py": "from rollcall import bind\nbind(globals())\n",
            "a/capabilities/firestore.rules": "match /bills/{id} { allow read: if signedIn(); }\n",
            "b/main.py": "from rollcall import bind\nbind(globals(), without=['engine'])\n",
            "b/capabilities/firestore.rules": "match /parts/{id} { allow read: if signedIn(); }\n",
        },
    )
    assert init(tmp_path).codebase.folder == "a"
    assert (tmp_path / "a/requirements.txt").read_text().endswith("rollcall-firebase==0.1.0+g1\n")
    assert (tmp_path / "b/requirements.txt").read_text().endswith("rollcall-firebase==0.1.0+g1\n")
    assert [each.suffix for each in (tmp_path / "b/vendor").iterdir()] == [".whl"]
    assert "ROLLCALL_CODEBASE=b\n" in (tmp_path / "b/.env").read_text()
    assert "THREADS=48" in (tmp_path / "b/.env").read_text()
    ignored = (tmp_path / ".gitignore").read_text().splitlines()
    assert {"a/venv", "b/venv"} <= set(ignored) and ignored.count("__pycache__/") == 1
    assert "cd b && venv/bin/python -m rollcall sync" in (tmp_path / "firebase.json").read_text()
    rules = (tmp_path / "firestore.rules").read_text()
    assert "match /bills/{id}" in rules and "match /parts/{id}" in rules
    assert not init(tmp_path).changes


@pytest.mark.parametrize(
    ("main", "env"),
    [("set_global_options(region='europe-west1')\n", ""), ("", "ROLLCALL_REGION=europe-west1\n")],
)
def test_a_codebase_without_the_engine_gets_the_region_where_runs_look_for_it(
    tmp_path: Path, main: str, env: str
) -> None:
    bind = "from rollcall import bind\nbind(globals()"
    make(
        tmp_path,
        {
            "firebase.json": '{"functions": [{"source": "a"}, {"source": "b", "codebase": "b"}]}',
            "a/main.py": f"{main}{bind})\n",
            "a/.env": env,
            "b/main.py": f"set_global_options(region='us-east1')\n{bind}, without=['engine'])\n",
        },
    )
    init(tmp_path)
    assert "ROLLCALL_REGION=europe-west1\n" in (tmp_path / "b/.env").read_text()
    assert (tmp_path / "a/.env").read_text().count("ROLLCALL_REGION") == env.count("\n")


def test_what_would_keep_the_wheel_from_a_codebase_without_the_engine_is_told(
    tmp_path: Path,
) -> None:
    part = '{"source": "b", "codebase": "b", "ignore": ["vendor"]}'
    files = {
        "firebase.json": f'{{"functions": [{{"source": "a"}}, {part}]}}',
        "a/main.py": "from rollcall import bind\nbind(globals())\n",
        "b/main.py": "from rollcall import bind\nbind(globals(), without=['engine'])\n",
    }
    make(tmp_path, files)
    assert "leave out Rollcall's wheel in b/vendor" in refusal(tmp_path)
    make(tmp_path, {"firebase.json": files["firebase.json"].replace('"vendor"', '"x"')})
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    make(tmp_path, {".gitignore": "b/.env\n"})
    assert any(each.startswith("b/.env is ignored by git") for each in planned(tmp_path).notes)


# ---- Several databases ----


def test_of_several_databases_the_default_one_is_used(tmp_path: Path) -> None:
    text = (
        '{"firestore": [{"database": "archive", "rules": "archive.rules"},\n'
        '{"database": "(default)", "rules": "main.rules"}]}'
    )
    make(tmp_path, {"firebase.json": text, "main.rules": RULES, "archive.rules": RULES})
    init(tmp_path)
    assert "// rollcall: begin" in (tmp_path / "main.rules").read_text()
    assert (tmp_path / "archive.rules").read_text() == RULES
    archive, main = config(tmp_path)["firestore"]  # type: ignore[misc]
    assert "indexes" not in archive
    assert main["indexes"] == "firestore.indexes.json"


def test_without_the_default_database_init_says_what_to_add(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": '{"firestore": [{"database": "archive"}]}'})
    assert 'firebase.json:1: Rollcall keeps its data in the database "(default)"' in refusal(
        tmp_path
    )


@pytest.mark.parametrize("named", ['"my.rules"', '["my.rules"]'])
def test_databases_that_are_no_objects_are_refused_with_their_line(
    tmp_path: Path, named: str
) -> None:
    make(tmp_path, {"firebase.json": f'{{\n"firestore": {named}}}'})
    assert refusal(tmp_path).startswith('firebase.json:2: "firestore" is ')


# ---- Rules that open Rollcall's collections ----


def test_a_wildcard_that_reaches_our_collections_stops_init_with_line_and_cure(
    tmp_path: Path,
) -> None:
    wide = RULES.replace(
        "    match /users",
        "    match /{document=**} {\n      allow read: if admin();\n    }\n"
        "    match /threads/{id} {\n    }\n    match /users",  # `threads` is no cure
    )
    make(tmp_path, {**PYTHON, "firestore.rules": wide})
    said = refusal(tmp_path)
    assert "firestore.rules:6: `allow read` under `match /{document=**}` (line 5)" in said
    assert "effects, threads, threads/{}/messages" in said
    assert "if collection in ['users'] && ..." in said
    assert "if !(collection in ['effects', 'threads']) && ..." in said


@pytest.mark.parametrize(
    "condition",
    ["collection in ['users'] && admin()", "!(collection in ['effects', 'threads']) && admin()"],
)
def test_the_cure_that_is_told_is_taken(tmp_path: Path, condition: str) -> None:
    cured = RULES.replace(
        "    match /users",
        "    match /{collection}/{document=**} {\n"
        f"      allow read, write: if {condition};\n    }}\n    match /users",
    )
    make(tmp_path, {**PYTHON, "firestore.rules": cured})
    assert planned(tmp_path).changes


def test_the_thirty_days_of_firebase_init_are_told_as_such(tmp_path: Path) -> None:
    template = """rules_version='2'

service cloud.firestore {
  match /databases/{database}/documents {
    match /{document=**} {
      // This rule allows anyone to edit all data.
      allow read, write: if request.time < timestamp.date(2026, 12, 22);
    }
  }
}
"""
    make(tmp_path, {**PYTHON, "firestore.rules": template})
    said = refusal(tmp_path)
    assert "firestore.rules:7: `allow read, write`" in said
    assert "firestore.rules is as `firebase init` wrote it: open to everybody" in said


def test_an_open_wildcard_that_comes_later_stops_a_later_init(tmp_path: Path) -> None:
    init(tmp_path)
    path = tmp_path / "firestore.rules"
    path.write_text(
        path.read_text().replace(
            "documents {\n", "documents {\n  match /{d=**} { allow read; }\n", 1
        )
    )
    assert "reaches collections of Rollcall" in refusal(tmp_path)


def test_rules_that_are_only_in_the_console_are_spoken_of(tmp_path: Path) -> None:
    make(tmp_path, PYTHON)
    assert "replaces the rules that are in the Firebase console" in planned(tmp_path).notes[0]


# ---- Names ----


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"firestore.rules": RULES.replace("/users/", "/threads/")},
            "the collection threads: firestore.rules:5",
        ),
        (
            {"firestore.rules": RULES.replace("/users/{u}", "/users/{u}/messages/{m}")},
            "the collection messages: firestore.rules:5",
        ),
        (
            {
                "firestore.indexes.json": '{"fieldOverrides": [\n'
                '{"collectionGroup": "messages", "fieldPath": "text", "indexes": []},\n'
                '{"collectionGroup": "messages", "fieldPath": "at", "indexes": []}]}'
            },
            "the collection messages: firestore.indexes.json:2",
        ),
        (
            {"web/app.ts": "\nconst all = collection(db, 'threads');\n"},
            "the collection threads: web/app.ts:2",
        ),
        (
            {"lib/chat.dart": "db.collection('chats').doc(id).collection('messages');"},
            "the collection messages: lib/chat.dart:1",
        ),
        ({"functions/main.py": "\n\ndef run_agent(): ...\n"}, "run_agent: functions/main.py:3"),
    ],
)
def test_a_name_that_the_app_has_stops_init_and_a_prefix_evades_it(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    make(tmp_path, {**PYTHON, **files})
    refused = refusal(tmp_path)
    assert said in refused
    assert "`--prefix rc`" in refused
    plan = init(tmp_path, prefix="rc")
    assert 'prefix: "rc"' in plan.notes[-1]
    assert "ROLLCALL_PREFIX=rc" in (tmp_path / "functions/.env").read_text()
    assert "match /rc_threads/" in (tmp_path / "firestore.rules").read_text()
    assert planned(tmp_path).changes == []


@pytest.mark.parametrize(
    "files",
    [
        {"web/app.ts": "collection(db, 'users', uid, 'threads')"},
        {"firestore.rules": RULES.replace("/users/{u}", "/users/{u}/threads/{m}")},
        {"node_modules/x/index.js": "collection(db, 'threads')"},
        {"web/app.ts": "collection(db, name)"},
    ],
)
def test_names_that_do_not_meet_ours_are_no_clash(tmp_path: Path, files: dict[str, str]) -> None:
    make(tmp_path, {**PYTHON, **files})
    assert planned(tmp_path).changes


@pytest.mark.parametrize(
    "text",
    [
        "exports.run_agent = onCall(() => 1);",
        "export const run_agent = onCall(() => 1);",
        "export { chat as run_agent } from './chat';",
        "module.exports = { hello, run_agent };",
        "export async function run_agent() {}",
        "export function *run_agent() {}",
        "\ufeffexport const run_agent = 1;",
        "export {\n  // answers\n  run_agent,\n};",
        "module.exports = { hello: onCall(() => ({ a: 1, b: 2 })), run_agent };",
        "'use strict';exports.hello=exports.run_agent=void 0;",
        "quoted = text.replace(/`/g, '');\nexports.run_agent = 1;\nfirst = `a`;",
        'exports["run_agent"] = onCall(() => 1);',
        "module.exports[ 'run_agent' ] /* answers */ = 1;",
        "exports[`run_agent`] = 1;",
        'Object.defineProperty(exports, "run_agent", { enumerable: true, get: () => chat.run });',
        "Object.defineProperty(\n  module.exports,\n  'run_agent', { value: 1 });",
        'module.exports = { "run_agent": 1 };',
    ],
)
@pytest.mark.parametrize("file", ["index.ts", "agents/chat.ts"])
def test_a_function_of_a_node_codebase_clashes(tmp_path: Path, text: str, file: str) -> None:
    built = {"api/lib/index.js": "exports.run_agent = 1;"}
    make(tmp_path, {**NODE, **built, f"api/src/{file}": text})
    assert f"the function run_agent: api/src/{file}:" in refusal(tmp_path)


def test_a_source_that_is_not_utf_8_is_looked_through_all_the_same(tmp_path: Path) -> None:
    make(tmp_path, NODE)
    (tmp_path / "api/src").mkdir(parents=True, exist_ok=True)
    (tmp_path / "api/src/index.js").write_bytes(b"// caf\xe9\nexports.run_agent = 1;")
    assert "the function run_agent: api/src/index.js:2" in refusal(tmp_path)


@pytest.mark.parametrize("folder", ["lib", "dist", "build"])
def test_a_node_function_clashes_where_its_sources_are_elsewhere(
    tmp_path: Path, folder: str
) -> None:
    make(tmp_path, {**NODE, f"api/{folder}/index.js": "exports.run_agent = 1;"})
    assert f"the function run_agent: api/{folder}/index.js:1" in refusal(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "const run_agent = 1;",
        "// exports.run_agent = 1;",
        "/*\nexport const run_agent = 1;\n*/",
        "export { hello /* , run_agent */ };",
        "const code = `\nexports.run_agent = 1;\n`;",
        "const code = 'exports.run_agent = 1;';",
        "export { run_agent as hello };",
        "module.exports = { hello: onCall((run_agent) => [1, run_agent]) };",
        "if (exports.run_agent === undefined) throw Error();",
        "other.exports.run_agent = 1;",
        'other.exports["run_agent"] = 1;',
        """const code = 'exports["run_agent"] = 1;';""",
        '// Object.defineProperty(exports, "run_agent", {});',
        'Object.defineProperty(other, "run_agent", {});',
        'if (exports["run_agent"] === undefined) throw Error();',
    ],
)
def test_what_a_node_codebase_does_not_export_is_no_clash(tmp_path: Path, text: str) -> None:
    make(tmp_path, {**NODE, "api/src/index.ts": text, "api/node_modules/x/index.js": EXPORT})
    make(tmp_path, {"api/src/Chat.svelte": EXPORT})
    assert planned(tmp_path).changes


def test_clients_that_read_our_collections_later_are_no_clash(tmp_path: Path) -> None:
    init(tmp_path)
    make(tmp_path, {"web/app.ts": "collection(db, 'threads')"})
    own = "      match /threads/{t} { allow get: if request.auth.token.support; }\n"
    rules = (tmp_path / "firestore.rules").read_text()
    make(tmp_path, {"firestore.rules": rules.replace("documents {\n", "documents {\n" + own, 1)})
    assert planned(tmp_path).changes == []


def test_another_prefix_than_the_data_has_is_refused(tmp_path: Path) -> None:
    init(tmp_path)
    assert "was added to this app without a prefix" in refusal(tmp_path, prefix="rc")
    make(tmp_path, {"functions/.env": "ROLLCALL_PREFIX=rc"})
    assert "ROLLCALL_PREFIX is 'rc', and Rollcall was added with ''" in refusal(tmp_path)


def test_a_prefix_that_was_lost_is_written_again(tmp_path: Path) -> None:
    init(tmp_path, prefix="rc")
    (tmp_path / "functions/.env").unlink()
    (change,) = init(tmp_path).changes
    assert b"ROLLCALL_PREFIX=rc" in (change.new or b"")


# ---- The wheel, and git ----


def test_packages_that_only_running_main_would_tell_are_refused(tmp_path: Path) -> None:
    main = "from rollcall import bind\n\nNAMES = ['a']\nbind(globals(), packs=NAMES)\n"
    make(tmp_path, {**PYTHON, "functions/main.py": main})
    assert refusal(tmp_path).startswith("functions/main.py:4: packs of bind() must be a list")


def test_other_content_under_the_same_version_is_refused(tmp_path: Path) -> None:
    init(tmp_path)
    try:
        planned(tmp_path, library=apps.wheel(content="two"))
    except Problem as error:
        assert "has other content than the library that runs, under the same version" in str(error)
    else:
        pytest.fail("the change went unnoticed")


def test_a_wheel_that_git_ignores_is_spoken_of(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    make(tmp_path, {**PYTHON, ".gitignore": "vendor/\n.env\n"})
    init(tmp_path)
    notes = planned(tmp_path).notes
    assert [note.partition(" is ignored by git (.gitignore:")[0] for note in notes] == [
        "functions/vendor/rollcall_firebase-0.1.0+g1-py3-none-any.whl",
        "functions/.env",
    ]


def test_what_git_ignores_already_is_not_written_again(tmp_path: Path) -> None:
    make(tmp_path, {**PYTHON, "functions/.gitignore": "venv/\n*.local\n"})
    init(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == (
        "# Rollcall\n__pycache__/\n*-debug.log\n.rollcall/\nfirebase.offset-*.json\n"
    )
