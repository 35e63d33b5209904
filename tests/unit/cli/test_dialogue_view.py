from __future__ import annotations

import io
from collections.abc import Generator
from typing import Any

import pytest
from rich.console import Console

from rollcall.core import events
from rollcall_cli.approvals import Decision
from rollcall_cli.dialogue_view import DialogueView
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.screen import Screen
from rollcall_cli.turn import run_turn
from tests.unit.cli.test_approvals import ARGUMENTS, INTERRUPT

Events = list[dict[str, Any]]


def _result(run_id: str, *, status: str = "done", **fields: Any) -> dict[str, Any]:
    call = {"id": "call1", "tool": "send_message", "status": status, **fields}
    return {
        "threadId": "t1",
        "turnId": "turn1",
        "runId": run_id,
        "message": "",
        "outcome": {"type": "success"},
        "citations": [],
        "quickReplies": [],
        "toolCalls": [call],
        "usage": [],
        "steps": 1,
    }


def _run(run_id: str, middle: Events, result: dict[str, Any]) -> Events:
    return [
        events.run_started(thread_id="t1", run_id=run_id),
        *middle,
        {"type": "RUN_FINISHED", "result": result},
    ]


def _waiting_run(run_id: str) -> Events:
    call = [
        events.call_start(call_id="call1", name="send_message", parent_id="m"),
        events.call_arguments("call1", '{"content": "late"}'),
        events.call_end("call1"),
        events.text_content("m-waiting", "This waits"),
        events.text_end("m-waiting"),
    ]
    result = _result(run_id, status="waiting")
    result["outcome"] = {"type": "interrupt", "interrupts": [INTERRUPT]}
    return _run(run_id, call, result)


def _decided_run(run_id: str, content: str, **fields: Any) -> Events:
    result = events.call_result(call_id="call1", message_id="r", content=content)
    return _run(run_id, [result], _result(run_id, **fields))


def numbered(run: Events) -> Events:
    """Events with their numbers in the run, as a server sends them."""
    return [{**event, "metadata": {"n": n}} for n, event in enumerate(run)]


class _Functions(Functions):
    """Plays runs, and keeps what was asked. What is no list of events is raised in the middle."""

    def __init__(self, *runs: Any, cancelling: int = 1) -> None:
        self.runs = list(runs)
        self.cancelling = cancelling
        self.asked: list[dict[str, Any]] = []
        self.cancelled: list[dict[str, Any]] = []

    def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
        self.asked.append(data)
        run = self.runs.pop(0)
        if not isinstance(run, list):
            yield from numbered([events.run_started(thread_id="t1", run_id=data.get("runId", "r"))])
            raise run
        yield from numbered(run)
        return run[-1]["result"]

    def call(self, name: str, data: Any) -> Any:
        self.cancelled.append(data)
        self.cancelling -= 1
        return {"status": "cancelling" if self.cancelling >= 0 else "cancelled"}


def _view(functions: Functions) -> tuple[DialogueView, Screen, Any]:
    out = io.StringIO()
    screen = Screen(console=Console(file=out, width=80), env={})
    return DialogueView(functions, screen, agent="messaging", uid="noa"), screen, out


def test_run_that_waits_shows_its_call_and_the_card_but_not_the_same_words_twice() -> None:
    view, _, out = _view(_Functions(_waiting_run("r1")))
    view.ask("Send it")
    assert view.waiting == [INTERRUPT]
    assert view.next_run_id == "r1~1"
    shown = out.getvalue()
    assert '? send_message  content="late"  waits for a decision' in shown
    assert "┃ Send “late” to c1" in shown
    assert "This waits" not in shown


def test_answer_goes_on_in_the_thread_with_the_call_that_waited() -> None:
    undo = {"tool": "withdraw_message", "arguments": {}}
    functions = _Functions(_waiting_run("r1"), _decided_run("r1~1", '{"output": {}}', undo=undo))
    view, _, out = _view(functions)
    view.ask("Send it")
    view.answer([Decision(True, edited={"content": "later"})])
    payload = {"approved": True, "editedArguments": {"content": "later"}}
    entry = {"interruptId": "a1", "status": "resolved", "payload": payload}
    assert functions.asked[1] == {"resume": [entry], "agent": "messaging", "threadId": "t1"}
    assert view.waiting == []
    assert '✓ send_message  content="later"' in out.getvalue()
    assert "send_message can be taken back by withdraw_message" in out.getvalue()


def test_turn_that_goes_on_elsewhere_is_shown_from_its_stored_events() -> None:
    content = '{"error": {"code": "rejected", "message": "m", "reason": "not now"}}'
    view, _, out = _view(_Functions(_waiting_run("r1")))
    view.ask("Send it")
    result = view.follow(_decided_run("r1~1", content, status="rejected"))
    assert result is not None
    assert view.next_run_id == "r1~2"
    assert "✗ send_message" in out.getvalue()
    assert "rejected: not now" in out.getvalue()


def test_stored_error_is_shown_as_one() -> None:
    view, _, out = _view(_Functions())
    assert view.follow([events.run_error(message="no luck", code="internal")]) is None
    assert "no luck" in out.getvalue()


def test_interrupted_answer_is_stopped_on_the_server_before_the_next_question() -> None:
    functions = _Functions(KeyboardInterrupt(), _waiting_run("r2"))
    view, _, _ = _view(functions)
    with pytest.raises(KeyboardInterrupt):
        view.ask("Tell me everything")
    about = {"threadId": "t1", "runId": functions.asked[0]["runId"]}
    assert functions.cancelled == [about, about]
    view.ask("Something short")
    assert functions.asked[1]["threadId"] == "t1"
    assert "whenBusy" not in functions.asked[1]


def test_answer_that_is_interrupted_before_its_first_event_is_stopped_too() -> None:
    class Early(_Functions):
        def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
            if not self.asked:
                self.asked.append(data)
                raise KeyboardInterrupt
            return (yield from super().stream(name, data))

    functions = Early(_waiting_run("r1"))
    view, _, _ = _view(functions)
    with pytest.raises(KeyboardInterrupt):
        view.ask("Tell me everything")
    assert functions.asked[0] == functions.asked[1]
    assert functions.cancelled[0] == {"threadId": "t1", "runId": functions.asked[0]["runId"]}


def test_question_after_one_that_could_not_be_stopped_takes_the_thread() -> None:
    class Unreachable(_Functions):
        def call(self, name: str, data: Any) -> Any:
            raise CallError("unavailable", "no answer")

    functions = Unreachable(KeyboardInterrupt(), _waiting_run("r2"))
    view, _, _ = _view(functions)
    with pytest.raises(KeyboardInterrupt):
        view.ask("Tell me everything")
    view.ask("Something short")
    assert functions.asked[1]["whenBusy"] == "supersede"


def test_refused_answer_leaves_the_question_open_and_asks_again() -> None:
    refusal = CallError("invalid-argument", "content is too long")
    functions = _Functions(_waiting_run("r1"), refusal, _decided_run("r1~1", '{"output": {}}'))
    view, screen, out = _view(functions)
    said = iter(["e", '{"content": "x"}', "y"])
    run_turn(screen, view, lambda: view.ask("Send it"), read=lambda *_: next(said))
    assert [next(iter(data)) for data in functions.asked] == ["message", "resume", "resume"]
    assert "content is too long" in out.getvalue()


def test_new_message_instead_of_an_answer_is_asked() -> None:
    functions = _Functions(_waiting_run("r1"), _decided_run("r2", '{"output": {}}'))
    view, screen, _ = _view(functions)
    run_turn(screen, view, lambda: view.ask("Send it"), read=lambda *_: "No more")
    assert functions.asked[1]["message"] == "No more"
    assert view.waiting == []


@pytest.mark.parametrize("leaving", [EOFError, KeyboardInterrupt])
def test_question_may_be_left_open(leaving: type[BaseException]) -> None:
    def read(prompt: str, begin: str) -> str:
        raise leaving

    view, screen, out = _view(_Functions(_waiting_run("r1")))
    run_turn(screen, view, lambda: view.ask("Send it"), read=read)
    assert view.waiting == [INTERRUPT]
    assert "Left open" in out.getvalue()


def test_arguments_of_the_interrupt_are_not_changed_by_an_edit() -> None:
    functions = _Functions(_waiting_run("r1"), CallError("invalid-argument", "no"))
    view, _, _ = _view(functions)
    view.ask("Send it")
    view.answer([Decision(True, edited={"content": "x"})])
    assert view.waiting[0]["metadata"]["arguments"] == ARGUMENTS


class _Tools:
    """Counts what is run."""

    tools = ("run_command",)

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []

    def run(self, tool: str, arguments: dict[str, Any], **how: Any) -> dict[str, Any]:
        self.ran.append(arguments)
        return {"exitCode": 0}

    def diff(self, tool: str, arguments: dict[str, Any]) -> str:
        raise NotImplementedError


def _client_call_run(run_id: str) -> Events:
    result = _result(run_id)
    call = {"id": "call1", "tool": "run_command", "arguments": {"command": "ls"}}
    result["toolCalls"] = [{**call, "status": "client"}]
    result["outcome"] = {"type": "success", "pendingToolCallIds": ["call1"]}
    return _run(run_id, [], result)


def test_call_that_ran_and_could_not_be_told_is_told_later_and_not_run_again() -> None:
    refusal = CallError("unavailable", "no luck")
    functions = _Functions(_client_call_run("r1"), refusal, _decided_run("r1~1", "{}"))
    tools, screen = _Tools(), Screen(console=Console(file=io.StringIO(), width=80), env={})
    view = DialogueView(functions, screen, agent="workspace", uid="noa", tools=tools)
    assert view.ask("List") is None
    assert view.go_on() is not None
    assert tools.ran == [{"command": "ls"}]
    sent = [data["toolResults"] for data in functions.asked[1:]]
    assert sent[0] == sent[1] == [{"toolCallId": "call1", "content": {"exitCode": 0}}]


def test_calls_that_another_client_has_taken_are_not_run() -> None:
    functions = _Functions(_client_call_run("r1"))
    out = io.StringIO()
    tools, screen = _Tools(), Screen(console=Console(file=out, width=80), env={})
    taken: list[tuple[str, str]] = []

    def take(thread_id: str, run_id: str) -> bool:
        taken.append((thread_id, run_id))
        return False

    view = DialogueView(functions, screen, agent="workspace", uid="noa", tools=tools, take=take)
    assert view.ask("List") is None
    assert (tools.ran, [run_id for _, run_id in taken]) == ([], ["r1"])
    assert "another of your clients" in out.getvalue()


def _command_run(command: str) -> Events:
    about = {**INTERRUPT["metadata"], "tool": "run_command", "arguments": {"command": command}}
    interrupt = {**INTERRUPT, "toolCallId": "call1", "metadata": about}
    result = _result("r1", status="waiting")
    result["outcome"] = {"type": "interrupt", "interrupts": [interrupt]}
    return _run("r1", [], result)


@pytest.mark.parametrize(
    ("asked", "answer", "runs"),
    [
        ("ls", Decision(True), True),
        ("ls -a", Decision(True), False),
        ("ls", Decision(False), False),
        ("ls -a", Decision(True, edited={"command": "ls"}), True),
        ("ls", Decision(True, edited={"command": "ls -a"}), False),
    ],
)
def test_command_runs_only_as_it_was_approved_here_whatever_the_server_says(
    asked: str, answer: Decision, runs: bool
) -> None:
    functions = _Functions(
        _command_run(asked), _client_call_run("r1~1"), _decided_run("r1~2", "{}")
    )
    tools, screen = _Tools(), Screen(console=Console(file=io.StringIO(), width=80), env={})
    view = DialogueView(functions, screen, agent="workspace", uid="noa", tools=tools)
    view.ask("List")
    view.answer([answer])
    assert tools.ran == ([{"command": "ls"}] if runs else [])
    (sent,) = functions.asked[2]["toolResults"]
    assert runs or sent["error"].startswith("not run: ")


def test_calls_of_a_turn_that_is_only_followed_are_not_run() -> None:
    functions = _Functions(_decided_run("r1~1", "{}"))
    tools, out = _Tools(), io.StringIO()
    screen = Screen(console=Console(file=out, width=80), env={})
    view = DialogueView(functions, screen, agent="workspace", uid="noa", tools=tools)
    view.follow(_client_call_run("r1"))
    assert tools.ran == []
    view.show_pending()
    assert "$ ls" in out.getvalue()
    view.take_over()
    assert tools.ran == [{"command": "ls"}]
