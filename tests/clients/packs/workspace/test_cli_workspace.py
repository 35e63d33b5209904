"""The coding agent in a folder: a scripted provider, the real functions, the real client."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.clients.cli import COMMAND, environment, rollcall
from tests.clients.packs.workspace import whole_task
from tests.support.fake_providers import FakeProviders
from tests.support.functions_process import functions_process
from tests.support.provider_replies import call_item, responses, responses_text
from tests.support.terminal import CTRL_C, CTRL_D, Terminal

pytestmark = pytest.mark.usefixtures("seeded")
GREETING = 'def greet(name):\n    return "Hello, " + name\n'
TEST = 'from hello import greet\n\nassert greet("Noa") == "Hello, Noa!"\nprint("fine")\n'
FIXED = 'def greet(name):\n    return f"Hello, {name}!"\n'


@pytest.fixture(scope="module")
def providers() -> Iterator[FakeProviders]:
    with FakeProviders() as fake:
        yield fake


@pytest.fixture(scope="module")
def address(providers: FakeProviders) -> Iterator[str]:
    """Functions whose models are the scripted ones."""
    models = {"ROLLCALL_MODEL": "openai:gpt-5.5", "ROLLCALL_ALLOW_UNPRICED": "true"}
    with functions_process({**models, **providers.env()}) as address:
        yield address


@pytest.fixture
def script(providers: FakeProviders) -> Iterator[FakeProviders]:
    providers.reset()
    yield providers


@pytest.fixture
def env(tmp_path: Path, address: str) -> dict[str, str]:
    return environment(tmp_path, FUNCTIONS_EMULATOR_HOST=address)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "hello.py").write_text(GREETING)
    (folder / "check.py").write_text(TEST)
    return folder


def call(number: int, tool: str, **arguments: Any) -> Any:
    return call_item(tool, json.dumps(arguments), call_id=f"call_{number}")


def chat(env: dict[str, str], *arguments: str) -> Terminal:
    return Terminal([*COMMAND, "chat", *arguments], env=env)


@pytest.mark.slow
def test_a_whole_task_with_a_file_that_is_seen_as_it_is_written(
    script: FakeProviders, env: dict[str, str], tmp_path: Path
) -> None:
    folder, name = tmp_path / "task", f"Task {uuid4().hex[:8]}"
    whole_task.prepare(folder)
    rest = threading.Event()
    script.openai(*whole_task.replies(rest))
    with chat(env, "--root", str(folder)) as terminal:
        terminal.wait_for("❯")
        terminal.type(f"{name}: {whole_task.ASKED}")
        read = terminal.wait_for("│ def farewell(name):")
        first, second = (f'✓ read_file  path="{name}"' for name in whole_task.READ)
        assert "✓ list_directory" in read
        assert read.rindex(first) < read.rindex(second)
        assert not rest.is_set(), "seen before the call was complete"
        rest.set()
        written = terminal.wait_for("Approve?")
        assert '+    return "Goodbye, " + name' in written
        assert not (folder / "farewell.py").exists()
        terminal.type("y")
        asked = terminal.wait_for("Approve?")
        assert f"$ {whole_task.COMMAND}" in asked
        assert (folder / "farewell.py").read_text() == whole_task.WRITTEN
        assert not (folder / "runs").exists()
        terminal.type("y")
        failed = terminal.wait_for("Approve?")
        assert "exit code 1" in failed
        assert "AssertionError" in failed
        assert '-    return "Goodbye, " + name' in failed
        assert '+    return f"Goodbye, {name}!"' in failed
        assert (folder / "farewell.py").read_text() == whole_task.WRITTEN
        terminal.type("y")
        terminal.wait_for("Approve?")
        terminal.type("y")
        end = terminal.wait_for("tokens in")
        assert "exit code 0" in end
        assert whole_task.ANSWER in end
        terminal.wait_for("❯")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
        assert terminal.seen.count(whole_task.ANSWER) == 1
    whole_task.assert_done(folder)
    whole_task.assert_asked_once_a_step(script.requests)
    listed = map(json.loads, rollcall("threads", "--json", env=env).stdout.splitlines())
    # Other tests of this user may run at the same time.
    (thread_id,) = [each["id"] for each in listed if name in each["title"]]
    whole_task.assert_logged(thread_id)


def test_content_is_seen_while_it_is_written_and_ctrl_c_leaves_nothing(
    script: FakeProviders, env: dict[str, str], folder: Path
) -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 200))
    whole = responses(call(1, "write_file", path="new.txt", content=lines), size=20)
    script.openai(whole.stalling(after=40), responses_text("As you like."))
    with chat(env, "--root", str(folder)) as terminal:
        terminal.wait_for("❯")
        terminal.type("Write two hundred lines")
        written = terminal.wait_for("│ line ")
        assert "write_file" in written
        assert "new.txt  line " in written
        terminal.press(CTRL_C)
        terminal.wait_for("Stopped. What was said so far is kept.")
        assert not (folder / "new.txt").exists()
        terminal.type("Leave it")
        terminal.wait_for("As you like.")
        terminal.wait_for("❯")
        terminal.press(CTRL_C)
        terminal.wait_for("Ctrl-C again")
        terminal.press(CTRL_C)
        assert terminal.end() == 130


def test_a_command_that_runs_is_killed_by_ctrl_c_with_what_it_started(
    script: FakeProviders, env: dict[str, str], folder: Path
) -> None:
    command = "echo begun; sleep 300 & echo $! > pid; wait"
    script.openai(responses(call(1, "run_command", command=command)), responses_text("Well."))
    with chat(env, "--root", str(folder)) as terminal:
        terminal.wait_for("❯")
        terminal.type("Wait for long")
        terminal.wait_for("Approve?")
        terminal.type("y")
        terminal.wait_for("│ begun")
        terminal.press(CTRL_C)
        terminal.wait_for("Stopped. What was said so far is kept.")
        pid = int((folder / "pid").read_text())
        assert not Path(f"/proc/{pid}").exists()
        terminal.type("Go on")
        terminal.wait_for("Well.")


def test_a_no_changes_nothing_and_always_asks_once(
    script: FakeProviders, env: dict[str, str], folder: Path
) -> None:
    script.openai(
        responses(call(1, "write_file", path="no.txt", content="no\n")),
        responses(call(2, "write_file", path="notes/a.txt", content="a\n")),
        responses(call(3, "write_file", path="notes/b.txt", content="b\n")),
        responses_text("Two notes."),
    )
    with chat(env, "--root", str(folder)) as terminal:
        terminal.wait_for("❯")
        terminal.type("Write notes")
        terminal.wait_for("Approve?")
        terminal.type("n")
        terminal.wait_for("Because")
        terminal.type("not now")
        asked = terminal.wait_for("Approve?")
        assert "rejected: not now" in asked
        terminal.type("a")
        offered = terminal.wait_for("Which?")
        terminal.type(offered.split(". notes/*")[0][-1])  # the number of the folder's pattern
        end = terminal.wait_for("tokens in")
        assert end.count("✓ write_file") == 2
        assert "Approve?" not in end
    assert not (folder / "no.txt").exists()
    assert (folder / "notes/b.txt").read_text() == "b\n"


def test_escape_sequences_of_models_files_and_commands_do_not_reach_the_terminal(
    script: FakeProviders, env: dict[str, str], folder: Path
) -> None:
    planted = "\x1b]0;pwned\x07\x1b[8m\u202e"
    script.openai(
        responses(
            call(1, "run_command", command=f"printf '{chr(92)}033[8mhidden'; echo {planted}")
        ),
        responses(call(2, "run_command", command="printf '\\033]0;pwned\\007\\033[8mhidden'")),
        responses_text(f"Done {planted} so."),
    )
    with chat(env, "--root", str(folder)) as terminal:
        terminal.wait_for("❯")
        terminal.type("Show it")
        terminal.wait_for("Approve?")
        terminal.type("y")
        terminal.wait_for("tokens in")
        assert "\x1b[8m" not in terminal.raw
        assert "\x1b]0;pwned" not in terminal.raw
        assert "\u202e" not in terminal.raw


def test_unattended_yes_covers_one_file_and_one_command(
    script: FakeProviders, env: dict[str, str], folder: Path
) -> None:
    script.openai(
        responses(call(1, "read_file", path="hello.py")),
        responses(call(2, "write_file", path="hello.py", content=FIXED)),
        responses(call(3, "run_command", command="python3 check.py; rm hello.py")),
    )
    narrow = ("--yes-to", "write_file=*.py", "--yes-to", "run_command=python3 check.py")
    done = rollcall("ask", "--root", str(folder), *narrow, "Fix it", env=env)
    assert done.returncode == 2, done.stderr
    assert "rm hello.py" in done.stderr
    assert (folder / "hello.py").read_text() == FIXED
