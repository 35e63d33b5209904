"""An empty folder becomes an app, with the wheel and docs/add_a_capability.md alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.paths import ROOT
from tests.adoption.apps import (
    Client,
    Library,
    RunningApp,
    check_output,
    make_tree,
    page_code,
    run_app,
    tree,
)

PAGE = "add_a_capability.md"
OFFICE = Path("functions", "capabilities", "office")
QUESTION = "What does a meeting of 6 people for 2 hours cost?"
MAIN = """\
from firebase_admin import initialize_app
from firebase_functions import https_fn

initialize_app()


@https_fn.on_call()
def greet(request: https_fn.CallableRequest) -> str:
    return f"Hello, {request.data['name']}!"


"""


@pytest.fixture(scope="module")
def root(new_app: Path) -> Path:
    """The app with a folder of capabilities as the page shows it, and a function of its own."""
    main = new_app / "functions" / "main.py"
    main.write_text(MAIN + main.read_text(encoding="utf-8"), encoding="utf-8")
    pack = {name: page_code(PAGE, name) for name in ("meetings.py", "agents.py")}
    make_tree(new_app / OFFICE, {"__init__.py": "", **pack})
    return new_app


@pytest.fixture(scope="module")
def app(root: Path) -> Iterator[RunningApp]:
    with run_app(root, "functions") as app:
        yield app


@pytest.fixture
def client(app: RunningApp, client_folder: Path) -> Client:
    return Client(client_folder, app)


def test_nothing_of_this_repository_is_on_the_path(root: Path) -> None:
    functions = root / "functions"
    code = (
        "import json, sys, main, rollcall\n"
        "from importlib.util import find_spec\n"
        "packs = find_spec('packs') is not None\n"
        "print(json.dumps({'path': sys.path, 'rollcall': rollcall.__file__, 'packs': packs}))"
    )
    said = json.loads(check_output(functions / "venv/bin/python", "-c", code, cwd=functions))
    assert not [each for each in said["path"] if Path(each).is_relative_to(ROOT)]
    assert Path(said["rollcall"]).is_relative_to(functions / "venv")
    assert not said["packs"]


def test_an_agent_answers_from_the_pages_capability(client: Client) -> None:
    data = {"agent": "office", "message": QUESTION}
    (done,) = client("ann", {"stream": "run_agent", "data": data})
    answer = done["value"]["answer"]
    assert answer["outcome"] == {"type": "success"}
    assert [(each["tool"], each["result"]) for each in answer["toolCalls"]] == [
        ("meeting_cost", {"usd": 720.0})
    ]
    assert "720" in answer["message"]
    types = [event["type"] for event in done["value"]["events"]]
    assert types[0] == "RUN_STARTED" and types[-1] == "RUN_FINISHED"
    assert "TOOL_CALL_RESULT" in types


def test_the_capability_and_an_own_function_are_called_directly(client: Client) -> None:
    capability, own, wrong = client(
        "ann",
        {"call": "meeting_cost", "data": {"people": 6, "hours": 2}},
        {"call": "greet", "data": {"name": "Ann"}},
        {"call": "meeting_cost", "data": {"people": 1, "hours": 2}},
    )
    assert capability["value"] == {"usd": 720}
    assert own["value"] == "Hello, Ann!"
    assert wrong["error"]["code"] == "functions/invalid-argument"
    assert "at least 2 people, not 1" in wrong["error"]["message"]


def test_a_capability_added_while_dev_runs_is_callable(app: RunningApp, client: Client) -> None:
    rooms = app.root / OFFICE / "rooms.py"
    rooms.write_text(page_code(PAGE, "rooms.py"), encoding="utf-8")
    app.wait(lambda: "book_room" in app.documents("capabilities"), "the new capability")
    booking = {"room": "Aurora", "day": "2026-12-03"}
    booked, taken = client(
        "ann", {"call": "book_room", "data": booking}, {"call": "book_room", "data": booking}
    )
    assert booked["value"] == booking
    assert taken["error"]["code"] == "functions/aborted", taken
    assert "new functions: book_room, release_room" in app.log()


def test_the_pages_commands_ask_and_call(app: RunningApp) -> None:
    page = (ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    said = [
        check_output("sh", "-c", command, cwd=app.root)
        for command in re.findall(
            r"^(functions/venv/bin/python -m rollcall .*)$", page, re.MULTILINE
        )
        if " ask " in command or " call " in command
    ]
    assert len(said) == 2
    assert all("720" in each for each in said), said


def test_another_user_reads_none_of_the_thread(app: RunningApp, client: Client) -> None:
    data = {"agent": "office", "message": QUESTION}
    uid, done = client("ben", {"uid": ""}, {"call": "run_agent", "data": data})
    thread = f"threads/{done['value']['threadId']}"
    (own,) = client("ben", {"get": thread})
    assert own["value"]["uid"] == uid["value"]
    (others,) = client("ann", {"get": thread})
    assert others["error"]["code"] == "permission-denied"


def test_a_second_init_changes_nothing(root: Path, library: Library) -> None:
    before = tree(root)
    done = library.init("--yes", cwd=root)
    assert (done.returncode, tree(root)) == (0, before), done.stdout
    assert "Nothing to change." in done.stdout
