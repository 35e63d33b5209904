"""`dev`, `ask`, `call` and `smoke` as they are typed in an app: on emulators of its own."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests

from rollcall.commands.client import emulated, running_addresses
from rollcall.emulators.addresses import Configuration
from rollcall.emulators.clock import run_due
from rollcall.emulators.suite import get_json, is_free

ROOT = Path(__file__).parents[2]
PROJECT = "demo-cafe"
FILES = {
    ".firebaserc": json.dumps({"projects": {"default": PROJECT}}),
    "firebase.json": """{
  // One codebase, and nothing said of emulators.
  "functions": {"source": "functions", "runtime": "python311", "ignore": ["venv", "__pycache__"]},
  "firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}
}""",
    "functions/requirements.txt": "",
    "functions/main.py": """
from firebase_functions import scheduler_fn
from rollcall import bind


@scheduler_fn.on_schedule(schedule="every day 04:00")
def tidy(event: scheduler_fn.ScheduledEvent) -> None:
    print("the café was tidied", flush=True)


bind(globals())
""",
    "functions/capabilities/__init__.py": "",
    "functions/capabilities/agents.py": """
from rollcall.core.profile import AgentProfile

WAITER = AgentProfile(id="waiter", name="Waiter", instructions="Serve.", tools=("*",))
""",
    "functions/capabilities/menu.py": '''
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext

PRICES = {"tea": 3}
NOTE = {"userRequest": 'write the note "buy milk"', "parameters": {"text": "buy milk"}}


@capability(name="Price", category="menu", keywords=["price"])
def price_of(ctx: ToolContext, *, drink: str) -> dict[str, int]:
    """Look up the price of a drink.

    Args:
        drink: Its name.
    """
    return {"usd": PRICES[drink]}


@capability(
    name="Note", category="notes", keywords=["write a note"], examples=[NOTE],
    effect="write", atomic=True,
)
def write_note(ctx: ToolContext, *, text: str) -> dict[str, str]:
    """Write a note down.

    Args:
        text: What it says.
    """
    ctx.batch.set(ctx.db.document(f"notes/{ctx.user.uid}"), {"text": text})
    return {"text": text}
''',
}
GREETING = '''
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(name="Greeting", category="menu")
def greet(ctx: ToolContext, *, name: str) -> str:
    """Greet somebody.

    Args:
        name: Whom.
    """
    return f"Hello {name}"
'''
OPEN = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /{document=**} { allow read, write; }
  }
}"""


@dataclass(frozen=True)
class CommandResult:
    """What a command came to."""

    code: int
    out: str
    err: str


class Cafe:
    """An app in a folder of its own, and commands that are typed in it."""

    def __init__(self, root: Path, offset: int) -> None:
        self.root = root
        self.functions = root / "functions"
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (self.functions / "rollcall").symlink_to(ROOT / "functions" / "rollcall")
        (self.functions / "venv").symlink_to(Path(sys.prefix))
        (root / "node_modules").symlink_to(ROOT / "node_modules")
        shell = {name: value for name, value in os.environ.items() if "EMULATOR" not in name}
        shell.pop("GCLOUD_PROJECT", None)
        self.env = {**shell, "PORT_OFFSET": str(offset), "PYTHONPATH": str(self.functions)}
        self.configuration = Configuration(root, port_offset=offset)
        self.output = root / "output.log"
        assert self.type("rules").code == 0

    def start(self) -> None:
        """Type `dev`."""
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rollcall", "dev"],
                cwd=self.root,
                env=self.env,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_for(self, text: str, *, after: int = 0, seconds: float = 120) -> str:
        """What `dev` says after so many characters, once `text` is in it."""
        deadline = time.monotonic() + seconds
        while text not in (said := self.output.read_text()[after:]):
            is_over = self.process.poll() is not None or time.monotonic() > deadline
            assert not is_over, f"{text!r} was never said:\n{said}"
            time.sleep(0.1)
        return said

    def type(self, *arguments: str, **env: str) -> CommandResult:
        """Type another command, in a script."""
        done = subprocess.run(
            [sys.executable, "-m", "rollcall", *arguments],
            cwd=self.functions,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def note_of(self, uid: str) -> str | None:
        """What a user's note says, by the server's rights."""
        at = self.configuration.addresses(PROJECT).firestore
        url = f"http://{at}/v1/projects/{PROJECT}/databases/(default)/documents/notes/{uid}"
        reply = requests.get(url, headers={"Authorization": "Bearer owner"}, timeout=20)
        return reply.json()["fields"]["text"]["stringValue"] if reply.ok else None


@pytest.fixture(scope="module")
def cafe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cafe]:
    """The app, with `dev` running in it."""
    app = _started(tmp_path_factory)
    try:
        yield app
        app.process.send_signal(signal.SIGINT)
        assert app.process.wait(60) == 0
        assert app.output.read_text().endswith("Stopped.\n")
        assert _processes_of(app.root) == []
        assert not list(app.root.glob("firebase.offset-*"))
    finally:
        app.process.terminate()
        app.process.wait(60)


def _started(folders: pytest.TempPathFactory) -> Cafe:
    """The app once it is ready. Another test run may take a port that was free just now; then it
    starts on others."""
    while True:
        app = Cafe(folders.mktemp("cafe"), _free_offset())
        app.start()
        try:
            app.wait_for("Changes are taken up", seconds=240)
        except AssertionError:
            app.process.terminate()
            app.process.wait(60)
            if "taken" not in app.output.read_text():
                raise
        else:
            return app


def _free_offset() -> int:
    """One by which all ports of the app are free, below those that systems give to clients; no
    whole thousand, which people take."""
    ports = (9099, 5001, 8080, 9499, 9299, 4400, 4500, 9150)
    offsets = random.sample([each for each in range(11_000, 23_000, 100) if each % 1_000], 100)
    return next(each for each in offsets if all(is_free(port + each) for port in ports))


def _processes_of(root: Path) -> list[str]:
    """Command lines in which a folder stands."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # it ended just now
        if str(root) in line:
            found.append(line)
    return found


def test_a_function_is_called_with_plain_arguments(cafe: Cafe) -> None:
    done = cafe.type("call", "price_of", '{"drink": "tea"}')
    assert (done.code, json.loads(done.out), done.err) == (0, {"usd": 3}, "")


def test_what_breaks_is_told_with_its_traceback(cafe: Cafe) -> None:
    done = cafe.type("call", "price_of", '{"drink": "ale"}')
    assert done.code == 1
    assert 'capabilities/menu.py", line 16, in price_of' in done.err
    assert "KeyError: 'ale'" in done.err


def test_a_function_that_is_not_there_is_told_with_those_that_are(cafe: Cafe) -> None:
    done = cafe.type("call", "price")
    assert (done.code, "price_of, " in done.err) == (1, True), done.err


def test_a_question_is_answered_by_the_apps_only_agent(cafe: Cafe) -> None:
    done = cafe.type("ask", 'price of "tea"')
    assert done.code == 0, done.err
    assert "3" in done.out
    assert '-> price_of {"drink": "tea"}' in done.err


def test_a_run_whose_tool_broke_is_a_failure(cafe: Cafe) -> None:
    done = cafe.type("ask", 'price of "ale"')
    assert done.code == 1
    assert "KeyError: 'ale'" in done.err


def test_a_write_waits_where_nobody_can_be_asked(cafe: Cafe) -> None:
    done = cafe.type("ask", "--as", "bo", 'write the note "buy milk"')
    assert done.code == 3
    assert "--yes" in done.err
    assert cafe.note_of("bo") is None


@pytest.mark.parametrize(("decision", "note"), [("--yes", "buy milk"), ("--no", None)])
def test_a_write_is_decided_beforehand(cafe: Cafe, decision: str, note: str | None) -> None:
    uid = f"dan{decision[2:]}"
    done = cafe.type("ask", "--as", uid, decision, 'write the note "buy milk"')
    assert done.code == 0, done.err
    assert cafe.note_of(uid) == note


def test_an_e_mail_address_is_the_same_user_each_time(cafe: Cafe) -> None:
    for text in ("buy milk", "buy tea"):
        data = json.dumps({"text": text})
        done = cafe.type("call", "--as", "eve@example.com", "write_note", data)
        assert done.code == 0, done.err
    backend = emulated(cafe.configuration, PROJECT)
    (user,) = backend.sign("lookup", {"email": ["eve@example.com"]}, owner=True)["users"]
    assert cafe.note_of(user["localId"]) == "buy tea"


def test_new_code_is_taken_up_broken_code_is_told_and_deleted_code_goes(cafe: Cafe) -> None:
    file = cafe.functions / "capabilities" / "greeting.py"
    said = len(cafe.output.read_text())
    file.write_text(GREETING)
    told = cafe.wait_for("written    capabilities/greet", after=said)
    assert "capabilities/greeting.py is new" in told
    assert "new functions: greet" in told
    assert json.loads(cafe.type("call", "greet", '{"name": "Bo"}').out) == "Hello Bo"

    said = len(cafe.output.read_text())
    file.write_text(GREETING.replace("name: str", "name: strr"))
    told = cafe.wait_for("does not load", after=said)
    assert 'capabilities/greeting.py", line 7' in told or "greeting.py:7" in told
    assert "strr" in told
    assert json.loads(cafe.type("call", "greet", '{"name": "Bo"}').out) == "Hello Bo"

    said = len(cafe.output.read_text())
    file.unlink()
    assert "gone functions: greet" in cafe.wait_for("withdrawn  capabilities/greet", after=said)


def test_the_clock_runs_what_is_due_at_a_minute(cafe: Cafe) -> None:
    at = running_addresses(cafe.configuration, PROJECT)
    backends = get_json(at.functions, "/backends")["backends"]
    functions = [each for backend in backends for each in backend["functionTriggers"]]
    said = len(cafe.output.read_text())
    at_four = datetime(2026, 11, 23, 4, 0, tzinfo=UTC)
    assert "tidy" in run_due(at.functions, PROJECT, functions, print, at_four)
    cafe.wait_for("the café was tidied", after=said)
    later = at_four + timedelta(minutes=1)
    assert "tidy" not in run_due(at.functions, PROJECT, functions, print, later)


def checks(done: CommandResult) -> dict[str, str]:
    """How each check of a smoke test ended."""
    return {each["topic"]: each["level"] for each in json.loads(done.out)["findings"]}


def test_a_smoke_test_passes(cafe: Cafe) -> None:
    done = cafe.type("smoke", "--model", "offline:planner")
    assert done.code == 0, done.out
    lines = [line.split()[:2] for line in done.out.splitlines()[1:]]
    skipped = {"indexes"}
    assert lines == [
        ["skip" if topic in skipped else "ok", topic]
        for topic in (
            *("sign-in", "registry", "run", "approval", "rules"),
            *("indexes", "queue", "clock", "clean-up"),
        )
    ]


@pytest.fixture
def rules(cafe: Cafe) -> Iterator[Callable[[str], None]]:
    """Puts other rules into force, until the test ends."""
    at = cafe.configuration.addresses(PROJECT).firestore

    def put(text: str) -> None:
        content = {"rules": {"files": [{"name": "firestore.rules", "content": text}]}}
        url = f"http://{at}/emulator/v1/projects/{PROJECT}:securityRules"
        requests.put(url, json=content, timeout=20).raise_for_status()

    yield put
    put((cafe.root / "firestore.rules").read_text())


def test_a_smoke_test_finds_rules_that_let_others_read(
    cafe: Cafe, rules: Callable[[str], None]
) -> None:
    rules(OPEN)
    done = cafe.type("smoke", "--json")
    assert done.code == 1
    failed = {topic for topic, level in checks(done).items() if level == "fail"}
    assert failed == {"rules"}
    assert "another user may read the thread" in done.out


def test_a_smoke_test_finds_functions_that_are_not_there(cafe: Cafe) -> None:
    done = cafe.type("smoke", "--json", ROLLCALL_PREFIX="zz")
    found = checks(done)
    assert done.code == 1
    assert (found["sign-in"], found["registry"], found["clock"]) == ("ok", "fail", "fail")


def test_a_smoke_test_finds_that_another_model_answers(cafe: Cafe) -> None:
    done = cafe.type("smoke", "--json", "--model", "gemini:flash")
    assert (done.code, checks(done)["run"]) == (1, "fail")


def test_code_that_does_not_load_starts_nothing(tmp_path: Path, cafe: Cafe) -> None:
    broken = Cafe(tmp_path, int(cafe.env["PORT_OFFSET"]))
    (broken.functions / "capabilities" / "menu.py").write_text("def f(:\n")
    done = broken.type("dev")
    assert done.code == 1
    assert 'menu.py", line 1' in done.err or "menu.py:1" in done.err
    assert "Nothing was started" in done.err
    assert not (broken.root / ".rollcall" / "emulators-0").exists()


def test_ports_that_are_taken_are_told(cafe: Cafe, tmp_path: Path) -> None:
    done = Cafe(tmp_path, int(cafe.env["PORT_OFFSET"])).type("dev")
    assert (done.code, "is taken" in done.err) == (1, True)


def test_outside_an_app_it_is_told_how_to_make_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rollcall", "ask", "Hello"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "functions")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "python -m rollcall init" in done.stderr) == (2, True)
