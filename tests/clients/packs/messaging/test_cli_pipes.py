"""`rollcall` in pipes and scripts, through the functions emulator, over the sample data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dev.demo import demo_user
from dev.emulators import current_addresses
from rollcall_cli.functions import Functions
from tests.clients.cli import environment, rollcall

pytestmark = pytest.mark.usefixtures("seeded")
SENDS = 'Send "I will be late" to Maya Cohen'


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


def test_a_question_by_a_pipe_is_answered_as_json(env: dict[str, str]) -> None:
    done = rollcall(
        "ask", "--agent", "messaging", "--json", env=env, input="What are my priorities?\n"
    )
    result = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert result["outcome"] == {"type": "success"}
    assert [call["tool"] for call in result["toolCalls"]] == ["get_priority_messages"]
    assert result["citations"]


def test_an_answer_in_a_pipe_is_markdown_without_colours(env: dict[str, str]) -> None:
    done = rollcall("ask", "מה הוחלט לגבי התקציב?", env=env)
    assert done.returncode == 0, done.stderr
    assert "החלטות" in done.stdout
    assert "**" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_what_needs_a_yes_waits_unless_it_was_given_beforehand(env: dict[str, str]) -> None:
    waits = rollcall("ask", SENDS, env=env)
    assert waits.returncode == 2
    assert "Waits for a yes: " in waits.stderr
    assert "rollcall chat --thread " in waits.stderr
    covered = rollcall("ask", SENDS, "--yes-to", "withdraw_message", env=env)
    assert covered.returncode == 2
    sent = rollcall("ask", SENDS, "--yes-to", "send_message", "--json", env=env)
    assert sent.returncode == 0, sent.stderr
    (undo,) = [call["undo"] for call in json.loads(sent.stdout)["toolCalls"] if call.get("undo")]
    at = current_addresses()
    functions = Functions(at.functions_url, token=demo_user(at).token)
    functions.call(undo["tool"], {"arguments": undo["arguments"]})


def test_a_user_that_the_emulators_do_not_have_is_told_with_the_samples(tmp_path: Path) -> None:
    done = rollcall(
        "ask", "Hello", env=environment(tmp_path, ROLLCALL_EMAIL="demo@rolcall.example")
    )
    assert done.returncode == 3
    assert "not-found: the emulators have no user demo@rolcall.example" in done.stderr
    assert "demo@rollcall.example" in done.stderr.partition("names one of: ")[2].partition(". ")[0]


def test_a_refusal_has_a_code_and_words(env: dict[str, str]) -> None:
    done = rollcall("ask", "--agent", "nobody", "--json", "Hello", env=env)
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "not-found"
    assert "there is no agent 'nobody'" in done.stderr


def test_threads_are_listed_continued_and_exported(env: dict[str, str], tmp_path: Path) -> None:
    asked = rollcall("ask", "--json", "What decisions were made about the budget?", env=env)
    thread = json.loads(asked.stdout)["threadId"]
    more = rollcall("ask", "--json", "--thread", thread, "Thanks", env=env)
    assert json.loads(more.stdout)["threadId"] == thread
    listed = rollcall("threads", "--json", env=env).stdout.splitlines()
    # Other tests of this user may run at the same time.
    assert thread in [json.loads(line)["id"] for line in listed[:5]]
    file = tmp_path / "thread.md"
    assert rollcall("export", thread, "--out", str(file), env=env).returncode == 0
    text = file.read_text()
    assert text.count("## You") == 2
    assert "<summary><code>get_conversation_decisions</code> · done</summary>" in text
    assert "**Sources**\n\n- [" in text
    again = rollcall("export", thread, "--out", str(file), env=env)
    assert (again.returncode, "exists already" in again.stderr) == (1, True)


def test_a_thread_of_somebody_else_is_not_exported(env: dict[str, str]) -> None:
    done = rollcall("export", "no-such-thread", env=env)
    assert done.returncode == 3
    assert done.stdout == ""


def test_nobody_is_asked_without_a_sign_in(tmp_path: Path) -> None:
    bare = dict.fromkeys(("FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"), "")
    env = environment(tmp_path, FUNCTIONS_EMULATOR_HOST="", **bare)
    done = rollcall("ask", "Hello", env=env)
    assert done.returncode == 1
    assert "rollcall login" in done.stderr
