"""What `dev` prints about code and logs; the rest of it is tested on the emulators."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rollcall.catalog import WRONG_DEFINITIONS
from rollcall.commands import dev
from rollcall.commands.app import App
from rollcall.commands.dev import Sources, _loaded_functions, _LogView, load_problem

LOG = """\
>  INFO rollcall: run opened
i  functions: Beginning execution of "us-central1-sweep_runs"
>  TIDY
i  functions: Loaded environment variables from functions/.env
 * Tip: There are .env files present. Install python-dotenv to use them.
i  functions: Finished "us-central1-sweep_runs" in 3.2ms
i  functions: Beginning execution of "europe-west1-ping"
 * Serving Flask app 'serving'
 * Running on http://127.0.0.1:8081
127.0.0.1 - - [22/Nov/2026] "GET /__/functions.yaml HTTP/1.1" 200 -
i  hosting: 127.0.0.1 - - [22/Nov/2026] "GET /main-A1.js HTTP/1.1" 304 - "-" "Mozilla/5.0"
i  hosting: 127.0.0.1 - - [22/Nov/2026] "GET /none.js HTTP/1.1" 404 - "-" "Mozilla/5.0"
ERROR serving: Exception on /__/functions.yaml [GET]
Traceback (most recent call last):
NameError: name 'strr' is not defined
127.0.0.1 - - [22/Nov/2026] "GET /__/functions.yaml HTTP/1.1" 500 -
⬢  functions: Failed to load function definition from source: FirebaseError
✔  functions: Loaded functions definitions from source: ping, run_agent.
>  the end
"""


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An app whose environment is this one."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    return App(tmp_path, tmp_path)


def test_code_that_loads_is_no_problem(app: App) -> None:
    (app.functions / "main.py").write_text(
        "import os\nassert 'FUNCTION_TARGET' not in os.environ\n"
    )
    assert load_problem(app, "demo-x") is None


def test_code_that_does_not_load_is_told_by_its_own_lines(app: App) -> None:
    (app.functions / "main.py").write_text("import json\nimport words\n")
    (app.functions / "words.py").write_text("import json\n\njson.loads('{')\n")
    told = load_problem(app, "demo-x")
    assert told is not None
    assert f'File "{app.functions}/words.py", line 3' in told
    assert f'File "{app.functions}/main.py", line 2' in told
    assert "json/decoder.py" not in told
    assert told.splitlines()[-1].startswith("json.decoder.JSONDecodeError")


def test_a_mistake_in_the_syntax_is_shown_where_it_is(app: App) -> None:
    (app.functions / "main.py").write_text("def f(:\n    pass\n")
    told = load_problem(app, "demo-x")
    assert told is not None
    assert 'main.py", line 1' in told
    assert "def f(:" in told


def test_of_wrong_definitions_only_these_are_told(app: App) -> None:
    code = f"raise ValueError('{WRONG_DEFINITIONS}\\n\\npack.py:6, bad: the type is wrong')\n"
    (app.functions / "main.py").write_text(code)
    assert load_problem(app, "demo-x") == "pack.py:6, bad: the type is wrong"


def test_the_log_is_shown_without_how_functions_are_discovered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _LogView({"sweep_runs"}).show(LOG)
    assert capsys.readouterr().out.splitlines() == [
        ">  INFO rollcall: run opened",
        ">  TIDY",
        'i  functions: Beginning execution of "europe-west1-ping"',
        'i  hosting: 127.0.0.1 - - [22/Nov/2026] "GET /none.js HTTP/1.1" 404 - "-" "Mozilla/5.0"',
        ">  the end",
    ]


def test_the_functions_are_those_of_the_last_discovery_of_the_apps_codebase() -> None:
    other = "✔  functions: Loaded functions definitions from source: nodeFunction.\n"
    assert _loaded_functions(LOG + other) == {"ping", "run_agent"}
    assert _loaded_functions(other) == set()


def test_new_changed_and_deleted_files_are_seen_once(tmp_path: Path) -> None:
    (tmp_path / "capabilities").mkdir()
    ping, main = tmp_path / "capabilities" / "ping.py", tmp_path / "main.py"
    main.write_text("a")
    sources = Sources(tmp_path)
    assert sources.changes() == {}
    ping.write_text("b")
    assert sources.changes() == {ping: "new"}
    os.utime(main, ns=(1, 1))
    assert sources.changes() == {main: "changed"}
    ping.unlink()
    assert sources.changes() == {ping: "gone"}
    assert sources.changes() == {}


def test_what_is_written_while_the_emulators_start_is_a_change(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    (app.functions / "main.py").touch()
    late, changes = app.functions / "late.py", dict[Path, str]()

    @contextmanager
    def running(*given: Any, **options: Any) -> Iterator[SimpleNamespace]:
        late.touch()
        yield SimpleNamespace(log_text=str)

    def serve(server: Any) -> int:
        changes.update(server._sources.changes())
        return 0

    monkeypatch.setattr(dev, "Configuration", lambda root: SimpleNamespace(root=root, also=()))
    monkeypatch.setattr(dev.suites, "running", running)
    monkeypatch.setattr(dev._Server, "run", serve)
    monkeypatch.setattr(dev._Server, "_by_clock", lambda server: set())
    for name in ("check_environment", "prepare_firestore", "find_firebase"):
        monkeypatch.setattr(dev.requirements, name, lambda *given: None)
    for name in ("_publish", "_show"):
        monkeypatch.setattr(dev, name, lambda *given, **options: None)
    monkeypatch.setattr(dev.signal, "signal", lambda number, handler: None)
    assert dev.serve(app, project="demo-x") == 0
    assert changes == {late: "new"}


def test_what_is_installed_or_written_beside_the_code_is_not_looked_at(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    for name in ("venv/lib.py", "__pycache__/main.py", ".git/hook.py", "node_modules/x.json"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    (tmp_path / "debug.log").touch()
    assert sources.changes() == {}
    (tmp_path / ".env").touch()
    assert sources.changes() == {tmp_path / ".env": "new"}
