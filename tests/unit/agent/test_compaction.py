"""Long dialogues as they are told to a model: bounded, valid, and with a beginning that stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from rollcall.agent.compaction import (
    LEFT_OUT,
    LINE_CHARS,
    MAX_LINES,
    NEWEST_STEPS,
    compacted,
    compacted_history,
    decision_lines,
    recaps,
    write_lines,
)
from rollcall.agent.history import repaired, window
from rollcall.agent.model_calls import request_tokens
from rollcall.core.capability import Capability, Recap, capability
from rollcall.core.context import ToolContext
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.models import gemini, openai_chat, openai_responses
from rollcall.models.base import ModelRequest
from rollcall.store.message_log import (
    TurnUsage,
    read_history,
    result_fields,
    step_document,
    user_document,
)
from rollcall.testing import StaticCatalog
from tests.support.full_form import cases


def _read_in_short(arguments: dict[str, Any], output: Any) -> Recap:
    left_out = "the content; read_file shows it again"
    rest = {key: value for key, value in output.items() if key != "content"}
    return Recap(arguments, {**rest, "leftOut": left_out}, of=arguments["path"])


def _written_in_short(arguments: dict[str, Any], output: Any) -> Recap:
    left_out = f"content of {len(arguments['content']):,} characters"
    return Recap({"path": arguments["path"], "leftOut": left_out}, output, of=arguments["path"])


@capability(name="Read a file", recap=_read_in_short)
def read_file(ctx: ToolContext, *, path: str) -> dict[str, Any]:
    """Read a file."""
    return {}


@capability(name="Write a file", effect="write", recap=_written_in_short)
def write_file(ctx: ToolContext, *, path: str, content: str) -> dict[str, Any]:
    """Write a file."""
    return {}


catalog = StaticCatalog({each.__name__: Capability.of(each) for each in (read_file, write_file)})
FILE = "def f(x):\n    return x\n" * 900
"""20 KB."""
TURN_TOKENS, EARLIER_TOKENS = 90_000, 12_000


@dataclass
class Dialogue:
    """A thread as the runs of a client's tools make it: each run leaves what it was told, and its
    own step, to the next one."""

    provider: str = "openai"
    documents: list[dict[str, Any]] = field(default_factory=list)
    turn: str = ""
    n: int = 0

    def stamp(self) -> dict[str, Any]:
        self.n += 1
        return {"n": self.n - 1, "turnId": self.turn, "runId": f"r{self.n}"}

    def ask(self, text: str) -> None:
        self.turn = f"t{self.n}"
        self.documents.append(user_document(self.stamp(), UserMessage.of(text)))

    def step(self, *calls: tuple[str, dict[str, Any], Any]) -> None:
        """A reply with these calls, and what they returned; an answer where there are none."""
        made = [
            ToolCall.parse(id=f"c{self.n}-{i}", name=name, text=json.dumps(arguments))
            for i, (name, arguments, _) in enumerate(calls)
        ]
        reply = ModelMessage("" if made else "Done.", tuple(made), self.provider, self.parts(made))
        document = step_document(self.stamp(), step=self.n, reply=reply, spent=TurnUsage())
        document["results"] = {
            str(i): result_fields(
                ToolResult(call.id, call.name, json.dumps({"output": output})),
                record={"status": "done", "arguments": call.arguments},
                run_id="r",
            )
            for i, (call, (_, _, output)) in enumerate(zip(made, calls, strict=True))
        }
        self.documents.append(document)

    def parts(self, calls: list[ToolCall]) -> tuple[Any, ...]:
        """What the provider keeps with a reply: reasoning, and the calls as it wrote them."""
        if self.provider == "gemini":
            return tuple(
                {
                    "functionCall": {"name": each.name, "args": each.arguments, "id": each.id},
                    "thoughtSignature": f"signature {each.id}",
                }
                for each in calls
            )
        items: list[Any] = [{"type": "reasoning", "encrypted_content": f"e{self.n}" * 300}]
        items += [
            {
                "type": "function_call",
                "id": f"fc_{each.id}",
                "call_id": each.id,
                "name": each.name,
                "arguments": each.arguments_text,
            }
            for each in calls
        ]
        return ({"api": "responses", "model": "gpt-x", "items": items},) if calls else ()

    def next_request(self) -> ModelRequest:
        """The request of a run that opens now; what it was told is left to the next one."""
        self.documents = compacted(
            self.documents, turn_id=self.turn, tokens=TURN_TOKENS, recap_of=recaps(catalog)
        )
        before = read_history(self.documents, leaves_last_open=True)
        told = compacted_history(self.documents, before)
        sound, repairs = repaired(told)
        assert repairs == []
        messages = window(sound, tokens=EARLIER_TOKENS, counts_steps=False)
        return ModelRequest("Help.", tuple(messages))


def read(path: str, text: str = FILE) -> tuple[str, dict[str, Any], Any]:
    told = {"size": len(text), "digest": f"{abs(hash(path)):016x}"[:16], "lines": text.count("\n")}
    return "read_file", {"path": path}, {"path": path, "content": text, **told}


def write(path: str, text: str = FILE) -> tuple[str, dict[str, Any], Any]:
    output = {"path": path, "size": len(text), "digest": "0" * 16, "created": True}
    return "write_file", {"path": path, "content": text}, output


@cache
def long_turn(provider: str) -> list[ModelRequest]:
    """The requests of a turn of two hundred steps, after a short one."""
    dialogue = Dialogue(provider)
    dialogue.ask("Hello")
    dialogue.step()
    dialogue.ask("Rename f in all modules.")
    return work(dialogue, 200)


def work(dialogue: Dialogue, steps: int) -> list[ModelRequest]:
    """A turn of so many steps of reads and writes, and every request on its way."""
    requests = []
    for n in range(steps):
        requests.append(dialogue.next_request())
        call = write if n % 3 == 2 else read
        dialogue.step(call(f"src/module{n % 40}.py"))
    return [*requests, dialogue.next_request()]


BODIES: dict[str, Callable[[ModelRequest], bytes]] = {
    "openai": lambda request: json.dumps(
        json.loads(openai_responses.body_of(request, "gpt-x"))["input"]
    ).encode(),
    "gemini": lambda request: json.dumps(
        gemini.contents_of(request.messages, "gemini-3-pro")
    ).encode(),
    "chat": lambda request: json.dumps(
        json.loads(openai_chat.body_of(request, "gpt-x", is_openai=True))["messages"]
    ).encode(),
}


def check_calls(messages: tuple[Message, ...]) -> None:
    """Each call is followed by its result, and nothing else has one."""
    for reply, results in pairwise(messages):
        calls = reply.tool_calls if isinstance(reply, ModelMessage) else ()
        told = results.results if isinstance(results, ToolMessage) else ()
        assert [call.id for call in calls] == [each.call_id for each in told]


@pytest.mark.long
@pytest.mark.parametrize("provider", cases(["openai", "gemini", "chat"], 2))
def test_two_hundred_steps_stay_within_the_budget_and_mostly_keep_their_beginning(
    provider: str,
) -> None:
    requests = long_turn("gemini" if provider == "gemini" else "openai")
    bodies = (BODIES[provider](request)[:-1] for request in requests)
    same = sent = kept = 0
    for request, (one, other) in zip(requests, pairwise(bodies), strict=False):
        check_calls(request.messages)
        asked = [each.text for each in request.messages if isinstance(each, UserMessage)]
        assert asked[0] == "Hello" and asked[-1].startswith("Rename f in all modules.")
        # Four bytes a token and the newest step on top; the estimate of a request is higher.
        assert request_tokens(request) * 3 / 4 < TURN_TOKENS + EARLIER_TOKENS + len(FILE) / 3
        prefix = shared(one, other)
        same += prefix
        sent += len(other)
        kept += prefix == len(one)
    assert kept >= 160  # of 200
    assert same / sent > 0.7


def shared(one: bytes, other: bytes) -> int:
    """How many bytes two bodies begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def test_a_run_is_told_the_same_by_the_run_before_as_by_the_whole_log() -> None:
    dialogue, log = Dialogue(), Dialogue()
    for each in (dialogue, log):
        each.ask("Work.")
    for n in range(90):
        told = dialogue.next_request()
        afresh = Dialogue(documents=list(log.documents), turn=log.turn)
        assert afresh.next_request().messages == told.messages
        for each in (dialogue, log):
            each.step(write(f"{n % 7}.py") if n % 4 == 3 else read(f"{n % 7}.py"))


def test_contents_of_earlier_turns_are_told_in_short() -> None:
    dialogue = Dialogue()
    dialogue.ask("Read it.")
    dialogue.step(read("a.py"), write("b.py"))
    dialogue.step()
    assert FILE[:500] in str(read_history(dialogue.documents)).replace("\\\\n", "\n").replace(
        "\\n", "\n"
    )
    dialogue.ask("And now?")
    text = str(dialogue.next_request().messages)
    assert "return x" not in text
    assert "the content; read_file shows it again" in text and "'leftOut'" in text


def test_a_reply_whose_arguments_are_short_goes_back_without_its_providers_parts() -> None:
    dialogue = Dialogue()
    dialogue.ask("Go.")
    dialogue.step(write("a.py"))
    dialogue.step(read("b.py"))
    dialogue.step()
    dialogue.ask("More.")
    request = dialogue.next_request()
    items = json.loads(BODIES["openai"](request))
    assert [item["type"] for item in items if "type" in item] == [
        *("function_call", "function_call_output"),
        *("reasoning", "function_call", "function_call_output"),
    ]
    assert json.loads(items[1]["arguments"])["leftOut"].startswith("content of 20,700")
    assert "id" not in items[1] and items[4]["id"].startswith("fc_")


def test_what_a_provider_kept_of_the_newest_steps_goes_back_unchanged() -> None:
    dialogue = Dialogue("gemini")
    dialogue.ask("Go.")
    for n in range(30):
        dialogue.step(write(f"{n}.py", FILE * 2))
    contents = json.loads(BODIES["gemini"](dialogue.next_request()))
    signatures = [
        part["thoughtSignature"]
        for content in contents
        for part in content["parts"]
        if "functionCall" in part
    ]
    assert signatures[0] == "skip_thought_signature_validator"
    assert signatures[-1].startswith("signature c")
    assert len(signatures) == 30


def test_a_content_that_a_later_call_has_replaced_goes_before_older_ones() -> None:
    dialogue = Dialogue()
    dialogue.ask("Go.")
    dialogue.step(read("old.py"))
    while not any(each.get("isShort") for each in dialogue.documents):
        dialogue.step(read("again.py"))
        dialogue.next_request()
    whole = [not each.get("isShort") for each in dialogue.documents[1:]]
    assert whole[:3] == [True, False, False] and whole[-1]


def test_of_very_many_steps_the_oldest_are_left_out_and_that_is_said() -> None:
    dialogue = Dialogue()
    dialogue.ask("Go.")
    for n in range(200):
        dialogue.step(("run_command", {"command": f"make {n}"}, {"output": "y" * 3_000}))
        dialogue.next_request()
    messages = dialogue.next_request().messages
    check_calls(messages)
    assert isinstance(messages[0], UserMessage) and messages[0].text == f"Go.\n{LEFT_OUT}"
    replies = sum(isinstance(each, ModelMessage) for each in messages)
    assert NEWEST_STEPS <= replies < 150
    assert len(dialogue.documents) == 201  # what the turn did is still known


def test_of_a_long_turn_before_its_question_its_end_and_its_answer_are_told() -> None:
    dialogue = Dialogue()
    dialogue.ask("Do much.")
    for n in range(100):
        dialogue.step(read(f"{n}.py"))
    dialogue.step()
    dialogue.ask("Thanks.")
    messages = dialogue.next_request().messages
    assert isinstance(messages[0], UserMessage) and messages[0].text == "Do much."
    assert sum(isinstance(each, ModelMessage) for each in messages) == NEWEST_STEPS + 1


def test_an_agent_without_a_budget_for_its_turns_is_told_them_as_they_were() -> None:
    dialogue = Dialogue()
    dialogue.ask("Go.")
    for n in range(30):
        dialogue.step(read(f"{n}.py"))
    told = compacted(
        dialogue.documents, turn_id=dialogue.turn, tokens=None, recap_of=recaps(catalog)
    )
    assert told == dialogue.documents


def test_arguments_that_are_no_json_do_not_stay_long() -> None:
    dialogue = Dialogue()
    dialogue.ask("Go.")
    dialogue.step(write("a.py"))
    (call,) = dialogue.documents[-1]["toolCalls"]
    call |= {"arguments": None, "argumentsText": '{"content": "' + FILE * 5}
    dialogue.step()
    dialogue.ask("Again.")
    request = dialogue.next_request()
    assert "103,513 characters" in str(request.messages)
    assert request_tokens(request) < 2_000


def test_a_call_that_was_cut_off_is_told_in_short_in_later_turns() -> None:
    dialogue = Dialogue()
    dialogue.ask("Go.")
    dialogue.step(write("a.py"))
    dialogue.documents[-1]["results"] = {}
    dialogue.ask("Rather not.")
    assert "return x" not in str(dialogue.next_request().messages)


def record(id: str = "c1", **changes: Any) -> ToolCallRecord:
    fields = {"id": id, "tool": "pay", "arguments": {}, "status": CallStatus.DONE}
    return ToolCallRecord(**{**fields, "step": 1, "ms": 1, **changes})


ASKED = {"c1": "Pay $5 to bob"}


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (CallStatus.DONE, "Pay $5 to bob (done)"),
        (CallStatus.REJECTED, "Pay $5 to bob (rejected)"),
        (CallStatus.EXPIRED, "Pay $5 to bob (the request expired unanswered; nothing was written)"),
        (CallStatus.UNKNOWN, "Pay $5 to bob (outcome unknown)"),
    ],
)
def test_a_write_that_people_were_asked_about_is_a_decision(status: CallStatus, line: str) -> None:
    assert decision_lines([], [record(status=status)], ASKED) == [line]


def test_of_what_a_client_was_to_do_after_a_yes_it_is_not_said_that_nobody_answered() -> None:
    error = {"code": "unknown", "message": "the client did not answer"}
    unheard = record(status=CallStatus.EXPIRED, error=error)
    assert decision_lines([], [unheard], ASKED) == ["Pay $5 to bob (outcome unknown)"]


def test_a_write_that_still_waits_is_none() -> None:
    assert decision_lines([], [record(status=CallStatus.WAITING)], ASKED) == []


def test_a_write_that_a_policy_let_through_is_one_too() -> None:
    call = record(undo={"tool": "refund", "arguments": {}}, result={"done": "Paid bob"})
    assert decision_lines([], [call], {}) == ["Paid bob (done)"]


def test_a_recommendation_is_kept_and_other_results_are_not() -> None:
    calls = [
        record("a", tool="check", result={"recommendation": "use AWG 6"}),
        record("b", tool="check", result={"recommendation": None, "answer": 5}),
        record("c", tool="check", result="text"),
    ]
    assert decision_lines([], calls, {}) == ["check recommended: use AWG 6"]


def test_the_newest_lines_are_kept_each_once_and_short() -> None:
    before = [f"line {n}" for n in range(MAX_LINES)]
    long = record(result={"recommendation": "x" * 1_000})
    lines = decision_lines(before, [long, long], {})
    assert len(lines) == MAX_LINES
    assert lines[0] == "line 1"
    assert len(lines[-1]) <= LINE_CHARS


def test_credentials_are_kept_out() -> None:
    call = record(result={"recommendation": "use the key sk-proj-" + "a1B2" * 12})
    (line,) = decision_lines([], [call], {})
    assert "a1B2a1B2" not in line


def step(*results: dict[str, Any] | None) -> dict[str, Any]:
    """A step's document with a call for each result."""
    arguments = '{"to": "bob"}'
    calls = [
        {"id": f"c{n}", "name": "pay", "arguments": arguments, "argumentsText": ""}
        for n in range(len(results))
    ]
    stored = {str(n): each for n, each in enumerate(results) if each is not None}
    return {"role": "model", "toolCalls": calls, "results": stored}


def stored(content: dict[str, Any], record: dict[str, Any] | None = None) -> dict[str, Any]:
    text = json.dumps(record) if record else ""
    is_error = "error" in content
    return {"name": "pay", "content": json.dumps(content), "isError": is_error, "record": text}


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (stored({"output": 1}), 'pay {"to": "bob"} (done)'),
        (stored({"output": 1}, {"arguments": {"to": "eve"}}), 'pay {"to": "eve"} (done)'),
        (
            stored({"error": {"code": "unknown"}}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (
            stored({"error": {"code": "aborted"}}, {"status": "unknown"}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (stored({"error": {"code": "rejected"}}, {"status": "rejected"}), None),
        (stored({"error": {"code": "expired"}}), None),
        (  # left to a client that was not heard of
            stored({"error": {"code": "unknown"}}, {"status": "expired"}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (stored({"error": "a plain text"}), None),
        (None, None),
    ],
)
def test_of_a_turn_what_lasts_is_told(result: dict[str, Any] | None, told: str | None) -> None:
    turn = [{"role": "user"}, step(result)]
    assert write_lines(turn, writes=lambda tool: tool == "pay") == ([told] if told else [])
    assert write_lines(turn, writes=lambda tool: False) == []


def test_the_same_write_is_told_once_and_a_long_one_is_cut() -> None:
    twice = step(stored({"output": 1}), stored({"output": 1}))
    assert len(write_lines([twice], writes=lambda tool: True)) == 1
    long = stored({"output": 1}, {"arguments": {"text": "x" * 5_000, "path": "a.txt"}})
    told = write_lines([step(long)], writes=lambda tool: True)[0]
    assert len(told) < LINE_CHARS + 10
    assert '"path": "a.txt"' in told
