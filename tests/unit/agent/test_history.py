"""Invalid histories are repaired, valid ones are unchanged.

Long dialogues as they are told to a model: bounded, valid, and with a beginning that stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.agent.history import (
    LEFT_OUT,
    LINE_CHARS,
    MAX_LINES,
    NEWEST_STEPS,
    compact_documents,
    compact_history,
    compactions,
    decision_lines,
    earlier_calls,
    repair_history,
    window,
    write_lines,
)
from rollcall.agent.paid_calls import request_tokens
from rollcall.core.capability import Capability, Compaction, capability
from rollcall.core.context import EarlierCall, ToolContext
from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.text import RESERVE_FACTOR
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.models import gemini, openai_chat, openai_responses
from rollcall.models.base import ModelRequest
from rollcall.models.gemini import contents_of
from rollcall.models.openai_responses import body_of
from rollcall.store.message_log import (
    TurnUsage,
    read_history,
    result_fields,
    step_document,
    user_document,
)
from rollcall.testing import StaticCatalog
from tests.support.full_form import amount, cases

ASK = UserMessage.of("What is new?")
DONE = ModelMessage("Nothing.")


def reply(*ids: str, **changes: Any) -> ModelMessage:
    return ModelMessage("", tuple(ToolCall(id, f"tool_{id}", {}) for id in ids), **changes)


def results(*ids: str) -> ToolMessage:
    return ToolMessage(tuple(ToolResult(id, f"tool_{id}", f"{{{id}}}") for id in ids))


def lost_result(id: str, name: str | None = None) -> ToolResult:
    message = "this call's result was lost; it may be made again"
    content = json.dumps({"error": {"code": "aborted", "message": message}})
    return ToolResult(id, name or f"tool_{id}", content, is_error=True)


def is_valid(history: list[Message]) -> bool:
    """As providers see it: from a user's message on, every call answered once, where it must be."""
    if history and not isinstance(history[0], UserMessage):
        return False
    for at, message in enumerate(history):
        after = history[at + 1] if at + 1 < len(history) else None
        if isinstance(message, ModelMessage):
            ids = [call.id for call in message.tool_calls]
            if len(set(ids)) < len(ids) or "" in ids or not (message.text.strip() or ids):
                return False
            if ids and not isinstance(after, ToolMessage):
                return False
        if isinstance(message, ToolMessage):
            before = history[at - 1]
            if not isinstance(before, ModelMessage) or not before.tool_calls:
                return False
            if [(c.id, c.name) for c in before.tool_calls] != [
                (r.call_id, r.name) for r in message.results
            ]:
                return False
    return True


@pytest.mark.parametrize(
    "history",
    [
        [],
        [ASK],
        [ASK, DONE, ASK, DONE],
        [ASK, reply("a", "b"), results("a", "b"), DONE],
        [ASK, reply("a"), results("a"), reply("a"), results("a"), DONE],
        [ASK, ASK, DONE, DONE],
    ],
)
def test_a_valid_history_is_left_alone(history: list[Message]) -> None:
    assert repair_history(history) == (history, [])


LOST = "answered a call whose result was lost"
UNASKED = "left out a result that no call was waiting for"
SORTED = "put results into the order and under the names of their calls"
BEFORE = "left out what stood before the first of the user's messages"


@pytest.mark.parametrize(
    ("broken", "whole", "notes"),
    [
        pytest.param(
            [ASK, reply("a"), ASK],
            [ASK, reply("a"), ToolMessage((lost_result("a"),)), ASK],
            [LOST],
            id="calls without results",
        ),
        pytest.param(
            [ASK, reply("a", "b"), results("b"), DONE],
            [ASK, reply("a", "b"), ToolMessage((lost_result("a"), *results("b").results)), DONE],
            [LOST],
            id="some calls without results",
        ),
        pytest.param([ASK, results("a"), DONE], [ASK, DONE], [UNASKED], id="results without calls"),
        pytest.param(
            [ASK, reply("a"), results("x", "a"), DONE],
            [ASK, reply("a"), results("a"), DONE],
            [UNASKED],
            id="results of unknown calls",
        ),
        pytest.param(
            [ASK, reply("a"), results("a", "a"), DONE],
            [ASK, reply("a"), results("a"), DONE],
            [UNASKED],
            id="results twice",
        ),
        pytest.param(
            [ASK, reply("a", "b"), results("b", "a"), DONE],
            [ASK, reply("a", "b"), results("a", "b"), DONE],
            [SORTED],
            id="results out of order",
        ),
        pytest.param(
            [ASK, reply("a", "b"), results("a"), results("b"), DONE],
            [ASK, reply("a", "b"), results("a", "b"), DONE],
            [SORTED],
            id="two tool messages in a row",
        ),
        pytest.param(
            [ASK, reply("a"), ASK, results("a"), DONE],
            [ASK, reply("a"), ToolMessage((lost_result("a"),)), ASK, DONE],
            [LOST, UNASKED],
            id="results behind another message",
        ),
        pytest.param(
            [ASK, DONE, ModelMessage(" "), ASK],
            [ASK, DONE, ASK],
            ["left out an empty reply"],
            id="an empty reply",
        ),
        pytest.param(
            [DONE, reply("a"), results("a"), ASK, DONE], [ASK, DONE], [BEFORE], id="no user first"
        ),
        pytest.param([DONE], [], [BEFORE], id="no user at all"),
        pytest.param(
            [ASK, ToolMessage(()), DONE],
            [ASK, DONE],
            [SORTED],
            id="a tool message of nothing",
        ),
    ],
)
def test_a_broken_history_is_made_valid_and_said(
    broken: list[Message], whole: list[Message], notes: list[str]
) -> None:
    assert repair_history(broken) == (whole, notes)


def test_calls_of_one_id_each_keep_their_result() -> None:
    twice = ModelMessage("", (ToolCall("a", "x", {}), ToolCall("a", "y", {})))
    both = ToolMessage((ToolResult("a", "x", "1"), ToolResult("a", "y", "2")))
    history, notes = repair_history([ASK, twice, both])
    assert history == [
        ASK,
        ModelMessage("", (ToolCall("a", "x", {}), ToolCall("a-2", "y", {}))),
        ToolMessage((ToolResult("a", "x", "1"), ToolResult("a-2", "y", "2"))),
    ]
    assert notes == ["gave a call an id of its own"]


def test_a_result_takes_the_name_of_its_call() -> None:
    history, notes = repair_history(
        [ASK, reply("a"), ToolMessage((ToolResult("a", "other", "1"),))]
    )
    assert history[-1] == ToolMessage((ToolResult("a", "tool_a", "1"),))
    assert notes == [SORTED]


def test_calls_that_the_run_goes_on_with_may_stay_open() -> None:
    history: list[Message] = [ASK, reply("a")]
    assert repair_history(history, leaves_last_open=True) == (history, [])
    half: list[Message] = [ASK, reply("a", "b"), results("a")]
    assert repair_history(half, leaves_last_open=True)[1] == [LOST]


def test_a_note_says_how_often() -> None:
    broken: list[Message] = [ASK, reply("a", "b"), ASK]
    assert repair_history(broken)[1] == [f"{LOST} (2 times)"]


CALL_A = {"functionCall": {"id": "a", "name": "tool_a", "args": {}}, "thoughtSignature": "c2ln"}
ITEM_A = {"type": "function_call", "call_id": "a", "name": "tool_a", "arguments": "{}"}


def openai(*items: Any) -> dict[str, Any]:
    return {"api": "responses", "model": "m", "items": list(items)}


@pytest.mark.parametrize(
    ("provider", "parts"),
    [
        ("gemini", (CALL_A,)),
        ("gemini", ({"text": "hm", "thought": True}, CALL_A)),
        ("gemini", ({"functionCall": {"name": "tool_a"}},)),
        ("gemini", ({"functionCall": {"id": "its own", "name": "tool_a"}},)),
        ("openai", (openai({"type": "reasoning", "id": "r"}, ITEM_A),)),
        ("openai", (openai({**ITEM_A, "call_id": "its own"}),)),
        ("openai", (openai({"type": "web_search_call", "id": "w"}, ITEM_A),)),
        ("openai", ({"api": "chat", "model": "m", "extras": [{"extra_content": {}}]},)),
        ("other", ({"anything": 1},)),
    ],
)
def test_parts_that_fit_their_reply_are_kept(provider: str, parts: tuple[Any, ...]) -> None:
    history = [ASK, reply("a", provider=provider, provider_parts=parts), results("a")]
    assert repair_history(history) == (history, [])


@pytest.mark.parametrize(
    ("provider", "parts"),
    [
        ("gemini", ({"text": "no call"},)),
        ("gemini", (CALL_A, CALL_A)),
        ("gemini", ({"functionCall": {"id": "a", "name": "other"}},)),
        ("gemini", ({"functionCall": "tool_a"},)),
        ("gemini", ("functionCall",)),
        ("gemini", (5,)),
        ("openai", (openai({"type": "reasoning", "id": "r"}),)),
        ("openai", (openai(ITEM_A, {**ITEM_A, "call_id": "b"}),)),
        ("openai", (openai("x"),)),
        ("openai", ({"api": "responses", "model": "m"},)),
        ("openai", ({"api": "chat", "model": "m", "extras": "x"},)),
        ("openai", ([ITEM_A],)),
        ("anthropic", ({"api": "messages", "model": "m", "content": [{"type": "tool_use"}]},)),
        ("other", ("text",)),
    ],
)
def test_parts_that_do_not_are_left_out_and_the_reply_can_be_sent(
    provider: str, parts: tuple[Any, ...]
) -> None:
    broken = reply("a", provider=provider, provider_parts=parts)
    history, notes = repair_history([ASK, broken, results("a")])
    assert history == [ASK, reply("a", provider=provider), results("a")]
    assert notes == ["left out what a provider kept for itself, since it did not fit its reply"]
    call = contents_of(history, "gemini-3.8-flash")[1]["parts"][0]
    assert call["functionCall"]["name"] == "tool_a"
    assert call["thoughtSignature"] == "skip_thought_signature_validator"
    request = ModelRequest(instructions="", messages=tuple(history), tools=())
    assert json.loads(body_of(request, "m"))["input"][1]["call_id"] == "a"


IDS = st.sampled_from(["", "a", "b", "c"])
NAMES = st.sampled_from(["tool_a", "tool_b"])
PARTS = st.lists(st.sampled_from([CALL_A, openai(ITEM_A), {"text": "x"}, 5, "x"]), max_size=2)
MESSAGES = st.one_of(
    st.just(ASK),
    st.builds(
        lambda text, calls, provider, parts: ModelMessage(
            text, tuple(ToolCall(id, name, {}) for id, name in calls), provider, tuple(parts)
        ),
        st.sampled_from(["", " ", "yes"]),
        st.lists(st.tuples(IDS, NAMES), max_size=3),
        st.sampled_from(["gemini", "openai", None]),
        PARTS,
    ),
    st.builds(
        lambda found: ToolMessage(tuple(ToolResult(id, name, "1") for id, name in found)),
        st.lists(st.tuples(IDS, NAMES), max_size=4),
    ),
)


@pytest.mark.long
@settings(deadline=None, max_examples=amount(60, full=300))
@given(st.lists(MESSAGES, max_size=10))
def test_any_history_becomes_valid_and_stays_so(history: list[Message]) -> None:
    whole, notes = repair_history(history)
    assert is_valid(whole)
    assert repair_history(whole) == (whole, [])
    assert bool(notes) == (whole != history)


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=10))
def test_no_message_of_the_users_and_no_text_is_lost_from_there_on(history: list[Message]) -> None:
    first = next((n for n, m in enumerate(history) if isinstance(m, UserMessage)), len(history))
    said = [m.text for m in history[first:] if not isinstance(m, ToolMessage) and m.text.strip()]
    whole, _ = repair_history(history)
    assert [m.text for m in whole if not isinstance(m, ToolMessage) and m.text.strip()] == said


def exchange(number: int, *, size: int = 10, with_call: bool = False) -> list[Message]:
    asked = UserMessage.of(f"q{number} " + "x" * size)
    if not with_call:
        return [asked, ModelMessage("a" * size)]
    call = ToolCall("c", "t", {})
    result = ToolResult("c", "t", "r" * size)
    return [asked, ModelMessage("", (call,)), ToolMessage((result,)), ModelMessage("done")]


def test_all_of_a_short_history_is_kept() -> None:
    history = exchange(1) + exchange(2, with_call=True)
    assert window(history, tokens=10_000) == history


def test_the_newest_exchanges_are_kept() -> None:
    history = [message for n in range(50) for message in exchange(n, size=400)]
    kept = window(history, tokens=1_000)
    assert kept == history[-len(kept) :]
    assert 0 < len(kept) < 20


def test_the_last_exchange_is_kept_whatever_it_costs() -> None:
    history = [*exchange(1), UserMessage.of("x" * 100_000)]
    assert window(history, tokens=10) == [history[-1]]


def test_of_what_people_read_only_so_many_messages_are_kept() -> None:
    history = [message for n in range(9) for message in exchange(n, with_call=n % 2 == 0)]
    kept = window(history, tokens=100_000, messages=5)
    assert [each for each in kept if isinstance(each, UserMessage)] == [
        UserMessage.of(f"q{n} " + "x" * 10) for n in (7, 8)
    ]


def test_hebrew_and_media_cost_more() -> None:
    english = UserMessage.of("budget" * 10).tokens
    assert UserMessage.of("תקציב!" * 10).tokens > english
    assert UserMessage((Media("image", "image/png", "AAAA"),)).tokens >= 1_000


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 2_000)), max_size=20), st.integers(0, 3_000)
)
def test_no_call_is_ever_parted_from_its_result(shape: list[tuple[bool, int]], tokens: int) -> None:
    history = [
        message
        for n, (with_call, size) in enumerate(shape)
        for message in exchange(n, size=size, with_call=with_call)
    ]
    kept = window(history, tokens=tokens)
    assert not kept or isinstance(kept[0], UserMessage)
    for place, message in enumerate(kept):
        if isinstance(message, ModelMessage) and message.tool_calls:
            assert isinstance(kept[place + 1], ToolMessage)


def step(*calls: tuple[str, Any]) -> dict[str, Any]:
    """A step of the log: tools with what came of them, None for no answer yet."""
    made = [
        {"id": name, "name": name, "arguments": json.dumps({"path": name}), "argumentsText": ""}
        for name, _ in calls
    ]
    results = {
        str(place): {"content": content, "isError": content.startswith('{"error')}
        for place, (_, content) in enumerate(calls)
        if content is not None
    }
    return {"role": "model", "toolCalls": made, "results": results}


def output(value: Any) -> str:
    return json.dumps({"output": value})


def names(documents: list[dict[str, Any]], place: int) -> list[str]:
    return [call.tool for call in earlier_calls(documents, place)]


def test_answered_calls_come_newest_first_and_messages_are_passed_over() -> None:
    documents = [step(("a", output(1)), ("b", output(2))), {"role": "user"}, step(("c", None))]
    assert list(earlier_calls(documents, 0)) == [
        EarlierCall("b", {"path": "b"}, 2),
        EarlierCall("a", {"path": "a"}, 1),
    ]


def test_calls_beside_it_are_open_and_those_after_it_are_not_told() -> None:
    documents = [step(("a", None), ("b", output(2)), ("c", None), ("d", None))]
    found = list(earlier_calls(documents, 2))
    assert [(call.tool, call.is_open) for call in found] == [("b", False), ("a", True)]


def test_a_call_that_was_cut_off_long_ago_is_not_told() -> None:
    assert names([step(("a", None)), step(("b", None))], 0) == []


def test_a_failure_and_what_is_no_json_have_no_result() -> None:
    documents = [step(("a", '{"error": {}}'), ("b", "text"), ("c", "[1]")), step(("d", None))]
    assert [call.result for call in earlier_calls(documents, 0)] == [None, None, None]


def _read_in_short(arguments: dict[str, Any], output: Any) -> Compaction:
    left_out = "the content; read_file shows it again"
    rest = {key: value for key, value in output.items() if key != "content"}
    return Compaction(arguments, {**rest, "leftOut": left_out}, of=arguments["path"])


def _written_in_short(arguments: dict[str, Any], output: Any) -> Compaction:
    left_out = f"content of {len(arguments['content']):,} characters"
    return Compaction(
        {"path": arguments["path"], "leftOut": left_out}, output, of=arguments["path"]
    )


@capability(name="Read a file", compaction=_read_in_short)
def read_file(ctx: ToolContext, *, path: str) -> dict[str, Any]:
    """Read a file."""
    return {}


@capability(name="Write a file", effect="write", compaction=_written_in_short)
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
        self.documents = compact_documents(
            self.documents,
            turn_id=self.turn,
            tokens=TURN_TOKENS,
            compaction_of=compactions(catalog),
        )
        sound, repairs = repair_history(compact_history(self.documents))
        assert repairs == []
        messages = window(sound, tokens=EARLIER_TOKENS, counts_steps=False)
        return ModelRequest("Help.", tuple(messages))


def read(path: str, text: str = FILE) -> tuple[str, dict[str, Any], Any]:
    told = {"size": len(text), "digest": f"{abs(hash(path)):016x}"[:16], "lines": text.count("\n")}
    return "read_file", {"path": path}, {"path": path, "content": text, **told}


def write(path: str, text: str = FILE) -> tuple[str, dict[str, Any], Any]:
    output = {"path": path, "size": len(text), "digest": "0" * 16, "created": True}
    return "write_file", {"path": path, "content": text}, output


STEPS = amount(80, full=200)


@cache
def long_turn(provider: str) -> list[ModelRequest]:
    """The requests of a turn of very many steps, after a short one."""
    dialogue = Dialogue(provider)
    dialogue.ask("Hello")
    dialogue.step()
    dialogue.ask("Rename f in all modules.")
    return work(dialogue, STEPS)


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
def test_very_many_steps_stay_within_the_budget_and_mostly_keep_their_beginning(
    provider: str,
) -> None:
    requests = long_turn("gemini" if provider == "gemini" else "openai")
    bodies = (BODIES[provider](request)[:-1] for request in requests)
    same = sent = kept = 0
    for request, (one, other) in zip(requests, pairwise(bodies), strict=False):
        check_calls(request.messages)
        asked = [each.text for each in request.messages if isinstance(each, UserMessage)]
        assert asked[0] == "Hello" and asked[-1].startswith("Rename f in all modules.")
        # Four bytes a token, of which code has up to a fifth more, and the newest step on top.
        sent_tokens = request_tokens(request) / RESERVE_FACTOR
        assert sent_tokens < (TURN_TOKENS + EARLIER_TOKENS) * 1.2 + len(FILE) / 3
        prefix = shared(one, other)
        same += prefix
        sent += len(other)
        kept += prefix == len(one)
    assert kept >= 0.8 * STEPS
    assert same / sent > 0.7


def shared(one: bytes, other: bytes) -> int:
    """How many bytes two bodies begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


@pytest.mark.long
def test_a_run_is_told_the_same_by_the_run_before_as_by_the_whole_log() -> None:
    dialogue, log = Dialogue(), Dialogue()
    for each in (dialogue, log):
        each.ask("Work.")
    for n in range(amount(40, full=90)):
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
    told = compact_documents(
        dialogue.documents, turn_id=dialogue.turn, tokens=None, compaction_of=compactions(catalog)
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


def log_step(*results: dict[str, Any] | None) -> dict[str, Any]:
    """A step's document with a call for each result."""
    arguments = '{"to": "bob"}'
    calls = [
        {"id": f"c{n}", "name": "pay", "arguments": arguments, "argumentsText": ""}
        for n in range(len(results))
    ]
    stored = {str(n): each for n, each in enumerate(results) if each is not None}
    return {"role": "model", "step": 1, "toolCalls": calls, "results": stored}


def stored_result(content: dict[str, Any], record: dict[str, Any] | None = None) -> dict[str, Any]:
    text = json.dumps(record) if record else ""
    is_error = "error" in content
    return {"name": "pay", "content": json.dumps(content), "isError": is_error, "record": text}


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (stored_result({"output": 1}), 'pay {"to": "bob"} (done)'),
        (stored_result({"output": 1}, {"arguments": {"to": "eve"}}), 'pay {"to": "eve"} (done)'),
        (
            stored_result({"error": {"code": "unknown"}}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (
            stored_result({"error": {"code": "aborted"}}, {"status": "unknown"}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (stored_result({"error": {"code": "rejected"}}, {"status": "rejected"}), None),
        (stored_result({"error": {"code": "expired"}}), None),
        (  # left to a client that was not heard of
            stored_result({"error": {"code": "unknown"}}, {"status": "expired"}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (stored_result({"error": "a plain text"}), None),
        (None, None),
    ],
)
def test_of_a_turn_what_lasts_is_told(result: dict[str, Any] | None, told: str | None) -> None:
    turn = [{"role": "user"}, log_step(result)]
    assert write_lines(turn, writes=lambda tool: tool == "pay") == ([told] if told else [])
    assert write_lines(turn, writes=lambda tool: False) == []


def test_the_same_write_is_told_once_and_a_long_one_is_cut() -> None:
    twice = log_step(stored_result({"output": 1}), stored_result({"output": 1}))
    assert len(write_lines([twice], writes=lambda tool: True)) == 1
    long = stored_result({"output": 1}, {"arguments": {"text": "x" * 5_000, "path": "a.txt"}})
    told = write_lines([log_step(long)], writes=lambda tool: True)[0]
    assert len(told) < LINE_CHARS + 10
    assert '"path": "a.txt"' in told
