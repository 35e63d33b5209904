"""A sitting at the keyboard: messages, commands that begin with a slash, and leaving."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from rollcall_cli.chat import Chat
from rollcall_cli.dialogue_view import DialogueView
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.screen import Screen
from rollcall_cli.session import Session
from rollcall_cli.store import Store, Thread
from rollcall_cli.wording import error_text
from tests.unit.cli.test_approvals import INTERRUPT
from tests.unit.cli.test_dialogue_view import (
    _client_call_run,
    _decided_run,
    _Functions,
    _Tools,
    _waiting_run,
)

LOG = [
    {
        "n": 0,
        "role": "user",
        "runId": "r1",
        "turnId": "turn1",
        "parts": [{"type": "text", "text": "Send it"}],
    },
    {"n": 1, "role": "model", "runId": "r1", "turnId": "turn1", "text": "I ask first."},
]


class _Store:
    """Two threads; the first waits."""

    def __init__(self) -> None:
        self.renamed: list[tuple[str, str]] = []
        self.found = [
            Thread("t1", "messaging", "Sending", "2026-11-21T16:29:00Z", {"runId": "r1"}),
            Thread("t2", "electrical", "לוח", "2026-11-20T16:29:00Z"),
        ]

    def threads(self, *, limit: int) -> list[Thread]:
        return self.found

    def thread(self, thread_id: str) -> Thread:
        return next(thread for thread in self.found if thread.id == thread_id)

    def log(self, thread_id: str) -> list[dict[str, Any]]:
        return LOG

    def result(self, thread_id: str, run_id: str) -> dict[str, Any]:
        return {**_waiting_run("r1")[-1]["result"], "threadId": thread_id}

    def rename(self, thread_id: str, title: str) -> None:
        self.renamed.append((thread_id, title))


class _Session:
    def __init__(
        self,
        functions: _Functions,
        *typed: str | type[BaseException],
        locale: str | None = None,
        **env: str,
    ) -> None:
        self.out = io.StringIO()
        self.functions, self.store = functions, _Store()
        screen = Screen(console=Console(file=self.out, width=90), env=env, locale=locale)
        self.view = DialogueView(functions, screen, agent="messaging", uid="noa")
        session = Session(cast(User, None), functions, cast(Store, self.store))
        self._typed: Iterator[str | type[BaseException]] = iter(typed)
        self.prompts: list[tuple[str, str]] = []
        self.chat = Chat(screen, session, self.view, read=self._read)

    def _read(self, prompt: str, begin: str) -> str:
        self.prompts.append((prompt, begin))
        said = next(self._typed, EOFError)
        if isinstance(said, str):
            return said
        raise said

    def stay(self, **options: Any) -> str:
        self.code = self.chat.stay(**options)
        return self.out.getvalue()


def test_message_is_asked_and_the_sitting_ends_with_the_input() -> None:
    sitting = _Session(_Functions(_decided_run("r1", '{"output": {}}')), "Hello")
    sitting.stay()
    assert (sitting.code, sitting.functions.asked[0]["message"]) == (0, "Hello")


def test_ctrl_c_twice_leaves_and_once_does_not() -> None:
    sitting = _Session(_Functions(), KeyboardInterrupt, "/new", KeyboardInterrupt)
    assert "Ctrl-C again" in sitting.stay()
    assert sitting.code == 0
    sitting = _Session(_Functions(), KeyboardInterrupt, KeyboardInterrupt, "/never")
    sitting.stay()
    assert sitting.code == 130


@pytest.mark.parametrize("typed", ["exit", "quit", "/exit", "/quit"])
def test_leaving_can_be_typed(typed: str) -> None:
    sitting = _Session(_Functions(), typed, "/never")
    assert "never" not in sitting.stay()
    assert sitting.code == 0


@pytest.mark.parametrize("typed", ["exit", "quit", "/exit", "/quit"])
def test_leaving_where_something_waits_leaves_it_open_and_says_so(typed: str) -> None:
    functions = _Functions(_waiting_run("r1"))
    sitting = _Session(functions, "Send it", typed, "/never")
    out = sitting.stay()
    told = [line.strip() for line in out.splitlines()]
    place = told.index("What waits is left open. Go on with:")
    assert told[place + 1].startswith("rollcall chat --thread")
    assert (sitting.code, len(functions.asked)) == (0, 1)


def test_retry_asks_the_newest_turn_again() -> None:
    functions = _Functions(
        _decided_run("r1", '{"output": {}}'), _decided_run("r2", '{"output": {}}')
    )
    _Session(functions, "Hello", "/retry").stay()
    assert functions.asked[1]["retry"] == "turn1"


def test_edit_begins_with_the_last_message_and_takes_its_place() -> None:
    functions = _Functions(
        _decided_run("r1", '{"output": {}}'), _decided_run("r2", '{"output": {}}')
    )
    sitting = _Session(functions, "Send it", "/edit", "Send it later")
    sitting.stay()
    assert ("✎ ", "Send it") in sitting.prompts
    asked = functions.asked[1]
    assert (asked["message"], asked["replaces"]) == ("Send it later", "turn1")


def test_edited_message_keeps_its_attachments(monkeypatch: pytest.MonkeyPatch) -> None:
    media = {"type": "document", "fileId": "f" * 32, "mediaType": "text/csv", "name": "a.csv"}
    monkeypatch.setitem(LOG[0], "parts", [{"type": "text", "text": "Sum it"}, media])
    functions = _Functions(
        _decided_run("r1", '{"output": {}}'), _decided_run("r2", '{"output": {}}')
    )
    _Session(functions, "Hello", "/edit", "Sum it up").stay()
    part = {"type": "document", "fileId": "f" * 32, "name": "a.csv"}
    assert functions.asked[1]["message"] == [{"type": "text", "text": "Sum it up"}, part]


def test_file_of_no_kind_that_is_taken_is_not_uploaded(tmp_path: Path) -> None:
    file = tmp_path / "program.bin"
    file.write_bytes(b"\xff\xfe\x00")
    sitting = _Session(_Functions(), f"/attach {file}")
    assert "cannot be attached" in " ".join(sitting.stay().split())
    assert sitting.functions.cancelled == []


def test_rating_names_the_run() -> None:
    functions = _Functions(_decided_run("r1", '{"output": {}}'))
    _Session(functions, "Hello", "/rate down too long").stay()
    about = {"threadId": "t1", "runId": "r1", "rating": "down", "comment": "too long"}
    assert functions.cancelled == [about]


def test_threads_are_listed_and_opened_by_their_place_with_what_waits() -> None:
    functions = _Functions(_decided_run("r1~1", '{"output": {}}'))
    sitting = _Session(functions, "/threads", "/open 1", "y")
    shown = sitting.stay()
    assert "1. Sending  waits for you" in shown
    assert "I ask first." in shown
    assert INTERRUPT["message"] in shown
    assert functions.asked[0]["resume"][0]["interruptId"] == INTERRUPT["id"]
    assert functions.asked[0]["threadId"] == "t1"


def test_opened_thread_is_talked_to_with_its_agent() -> None:
    functions = _Functions(_decided_run("r2", '{"output": {}}'))
    _Session(functions, "/open t2", "And now?").stay()
    assert (functions.asked[0]["agent"], functions.asked[0]["threadId"]) == ("electrical", "t2")


def test_command_in_place_of_a_decision_is_done_and_the_decision_asked_for_again() -> None:
    functions = _Functions(_waiting_run("r1"), _decided_run("r1~1", '{"output": {}}'))
    sitting = _Session(functions, "Send it", "/help", "/never", "y")
    shown = sitting.stay()
    assert "/rate up|down" in shown
    assert "There is no /never" in shown
    assert functions.asked[1]["resume"][0]["payload"]["approved"] is True


@pytest.mark.parametrize("typed", ["/stop", "/new"])
def test_command_in_place_of_a_decision_may_end_what_waits(typed: str) -> None:
    functions = _Functions(_waiting_run("r1"))
    sitting = _Session(functions, "Send it", typed)
    sitting.stay()
    assert len(functions.asked) == 1
    assert [prompt for prompt, _ in sitting.prompts][-1] == "❯ "


def test_title_export_and_stop(tmp_path: Path) -> None:
    file = tmp_path / "thread.md"
    sitting = _Session(
        _Functions(_waiting_run("r1")),
        "Send it",
        EOFError,
        "/title A better name",
        f"/export {file}",
        "/stop",
        "/stop",
    )
    shown = sitting.stay()
    assert sitting.store.renamed == [("t1", "A better name")]
    assert "## You" in file.read_text()
    assert "Closed. Nothing of it was done." in shown
    assert "Nothing waits for you" in shown


def test_attached_file_goes_with_the_next_message_alone(tmp_path: Path) -> None:
    class Uploads(_Functions):
        def call(self, name: str, data: Any) -> Any:
            self.cancelled.append((name, data))  # type: ignore[arg-type]
            return {"fileId": "f" * 32, "partBytes": 4, "missing": [0, 1]}

    file = tmp_path / "plan.png"
    file.write_bytes(b"abcdef")
    functions = Uploads(_decided_run("r1", '{"output": {}}'), _decided_run("r2", '{"output": {}}'))
    _Session(functions, f"/attach {file}", "What is this?", "And?").stay()
    names = [name for name, _ in functions.cancelled]
    assert names == ["begin_upload", "upload_part", "upload_part", "finish_upload"]
    part = {"type": "image", "fileId": "f" * 32, "name": "plan.png"}
    assert functions.asked[0]["message"] == [{"type": "text", "text": "What is this?"}, part]
    assert functions.asked[1]["message"] == "And?"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/nonsense", "There is no /nonsense"),
        ("/rate maybe", "/rate up"),
        ("/open", "/threads lists them"),
        ("/title", "1 to 200 characters"),
        ("/attach /no/such/file", "There is no file /no/such/file"),
        ("/attach /dev", "is not a file"),
        ("/export", "Into which file?"),
        ("/help", "/retry"),
    ],
)
def test_command_that_cannot_be_done_says_what_would_be(typed: str, told: str) -> None:
    assert told in _Session(_Functions(), typed).stay()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/nonsense", "אין פקודה \u2068/nonsense\u2069"),
        ("/title", "תו אחד עד \u2068200\u2069 תווים"),
        ("/export", "לאיזה קובץ?"),
    ],
)
def test_command_that_cannot_be_done_is_told_in_the_language_asked_for(
    typed: str, told: str
) -> None:
    assert told in _Session(_Functions(), typed, locale="he").stay()


def test_a_failed_call_is_told_in_the_language_asked_for() -> None:
    hint = {"hint": error_text("no_thread.hint")}
    failure = CallError("not-found", error_text("no_thread", id="'t9'"), hint)
    shown = _Session(_Functions(failure), "Hi", locale="he").stay()
    assert "אין לכם שיחה \u2068't9'\u2069" in shown and "מציג את השיחות שלכם" in shown


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/help", ["/attach", "לשלוח קובץ עם ההודעה הבאה", "פעמיים: יציאה"]),
        ("/new", ["שיחה חדשה."]),
        ("/threads", ["מחכה לכם", "לוח"]),
        (KeyboardInterrupt, ["שוב", "יציאה"]),
    ],
)
def test_a_hebrew_environment_is_spoken_to_in_hebrew(
    typed: str | type[BaseException], told: list[str]
) -> None:
    shown = _Session(_Functions(), typed, LANG="he_IL.UTF-8").stay()
    assert [each for each in told if each not in shown] == []
    assert not re.search(r"send a file|A new thread|waits|leaves", shown)


def test_remarks_follow_the_language_of_what_is_said() -> None:
    runs = [_decided_run(f"r{n}", '{"output": {"items": [1, 2]}}') for n in (1, 2)]
    sitting = _Session(_Functions(*runs), "שלחי את זה", "/title תקציב", "Send it", "/title Budget")
    hebrew, english = sitting.stay().split("הכותרת שונתה.")
    assert "שנ׳" in hebrew and "step" not in hebrew
    assert "step" in english and english.rstrip().endswith("Renamed.")


def test_what_another_client_left_is_asked_about_in_the_language_of_the_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sitting = _Session(_Functions(), "/open t1", "לא", LANG="he_IL")
    monkeypatch.setattr(sitting.store, "log", lambda thread: [])
    monkeypatch.setattr(sitting.store, "result", lambda *run: _client_call_run("r1")[-1]["result"])
    monkeypatch.setattr(sitting.view, "_tools", _Tools())
    shown = sitting.stay()
    assert "הושאר לאחד הלקוחות שלכם" in shown and "להריץ כאן? כן / לא" in shown
    assert sitting.prompts[1][0] == "  ❯ "


@pytest.mark.parametrize("is_at_work", [True, False])
@pytest.mark.parametrize("said", ["y", "n"])
def test_call_of_another_client_is_shown_and_runs_here_only_after_a_yes(
    monkeypatch: pytest.MonkeyPatch, said: str, is_at_work: bool
) -> None:
    sitting, tools = _Session(_Functions(_decided_run("r1~1", "{}")), "/open t1", said), _Tools()
    left = _client_call_run("r1")
    found = None if is_at_work else left[-1]["result"]
    monkeypatch.setattr(sitting.store, "result", lambda *run: found)
    monkeypatch.setattr(sitting.store, "events", lambda *run: iter(left), raising=False)
    monkeypatch.setattr(sitting.view, "_tools", tools)
    shown = sitting.stay()
    assert shown.index("Left to one of your clients") < shown.index("$ ls")
    assert tools.ran == ([{"command": "ls"}] if said == "y" else [])
