"""What is sent to `run_agent`, run after run."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rollcall_cli.dialogue import Dialogue, Events
from rollcall_cli.functions import Functions

CALL = {"id": "c1", "tool": "read_file", "arguments": {"path": "a"}, "status": "client"}
INTERRUPT = {"id": "a1", "toolCallId": "c2", "metadata": {}}


def result(run_id: str, *, calls: Any = (), **outcome: Any) -> dict[str, Any]:
    return {
        "threadId": "t1",
        "turnId": "turn1",
        "runId": run_id,
        "outcome": {"type": "success", **outcome},
        "toolCalls": list(calls),
    }


class _Server(Functions):
    """Answers each call with the next result."""

    def __init__(self, *results: dict[str, Any]) -> None:
        self.results = list(results)
        self.asked: list[dict[str, Any]] = []
        self.called: list[Any] = []

    def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
        self.asked.append(data)
        yield {"type": "RUN_STARTED", "threadId": "t1", "runId": "r", "metadata": {"n": 0}}
        return self.results.pop(0)

    def call(self, name: str, data: Any) -> Any:
        self.called.append((name, data))
        return {"status": "cancelled"}


def drain(events: Events) -> Any:
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def test_message_names_its_run_and_offers_the_tools_of_this_client() -> None:
    server = _Server(result("r1"), result("r2"))
    dialogue = Dialogue(server, agent="workspace", client_tools=["read_file"], locale="he")
    drain(dialogue.message("Hi"))
    drain(dialogue.message("And?"))
    first, second = server.asked
    assert first.keys() == {"message", "runId", "agent", "clientTools", "clientId", "locale"}
    assert second["threadId"] == "t1"
    assert second["clientId"] == first["clientId"]
    assert second["runId"] != first["runId"]


def test_without_tools_nothing_of_a_client_is_sent() -> None:
    server = _Server(result("r1"))
    drain(Dialogue(server, agent="messaging").message("Hi"))
    assert server.asked[0].keys() == {"message", "runId", "agent"}


def test_calls_left_here_are_answered_by_the_next_run_of_the_turn() -> None:
    server = _Server(result("r1", calls=[CALL], pendingToolCallIds=["c1"]), result("r2"))
    dialogue = Dialogue(server, agent="workspace", client_tools=["read_file"])
    drain(dialogue.message("Read"))
    assert dialogue.pending == [CALL]
    drain(dialogue.answer_calls([{"toolCallId": "c1", "content": {}}]))
    assert server.asked[1]["toolResults"] == [{"toolCallId": "c1", "content": {}}]
    assert server.asked[1]["runId"] == "r1~1"
    assert dialogue.pending == []


def test_calls_left_here_are_in_the_order_in_which_the_model_made_them() -> None:
    other = {**CALL, "id": "c0"}

    class Server(_Server):
        def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
            for n, id in enumerate(("c1", "c0")):
                yield {"type": "TOOL_CALL_START", "toolCallId": id, "metadata": {"n": n}}
            return self.results.pop(0)

    server = Server(result("r1", calls=[other, CALL], pendingToolCallIds=["c0", "c1"]))
    dialogue = Dialogue(server, agent="workspace", client_tools=["read_file"])
    drain(dialogue.message("Read"))
    assert dialogue.pending == [CALL, other]


def test_calls_stay_known_when_an_answer_was_only_noted() -> None:
    both = result("r1", calls=[CALL], pendingToolCallIds=["c1"], interrupts=[INTERRUPT])
    noted = result("r1", pendingToolCallIds=["c1"])
    server = _Server(both, noted)
    dialogue = Dialogue(server, agent="workspace", client_tools=["read_file"])
    drain(dialogue.message("Read and write"))
    drain(dialogue.resume([{"interruptId": "a1", "status": "resolved"}]))
    assert dialogue.pending == [CALL]
    assert dialogue.waiting == []


def test_retry_and_edit_name_the_newest_turn() -> None:
    server = _Server(result("r1"), result("r2"), result("r3"))
    dialogue = Dialogue(server, agent="messaging")
    drain(dialogue.message("Hi"))
    drain(dialogue.retry())
    drain(dialogue.message("Hello", replaces=dialogue.turn_id))
    assert server.asked[1]["retry"] == "turn1"
    assert "message" not in server.asked[1]
    assert (server.asked[2]["message"], server.asked[2]["replaces"]) == ("Hello", "turn1")


def test_cancelling_what_waits_closes_it() -> None:
    server = _Server(result("r1", interrupts=[INTERRUPT]))
    dialogue = Dialogue(server, agent="messaging")
    drain(dialogue.message("Write"))
    dialogue.cancel()
    assert server.called == [("cancel_run", {"threadId": "t1", "runId": "r1"})]
    assert dialogue.waiting == []


def test_only_what_is_left_to_a_client_is_run_and_once() -> None:
    done = {**CALL, "id": "c0", "status": "done"}
    server = _Server(result("r1", calls=[done, CALL], pendingToolCallIds=["c0", "c1", "c1", "c9"]))
    dialogue = Dialogue(server, agent="workspace")
    drain(dialogue.message("Read"))
    assert dialogue.pending == [CALL]
