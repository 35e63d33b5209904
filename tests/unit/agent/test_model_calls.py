"""Model calls: which model is called, how often, at what cost, and how a call is stopped."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from rollcall.agent.budget import Reservation
from rollcall.agent.model_calls import RetryPolicy, stream_reply
from rollcall.agent.paid_calls import max_input, max_output, request_tokens
from rollcall.agent.reply import Reply, threaded_stream
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.text import text_tokens
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    QuotaExhausted,
    TextDelta,
    ToolSpec,
    Usage,
    load_model,
)
from rollcall.store.budgets import BudgetExhausted
from rollcall.testing import ScriptedModel, says
from tests.support import provider_replies
from tests.support.fake_providers import FakeProviders
from tests.support.provider_replies import Reply as Body
from tests.support.provider_replies import (
    chat_text,
    gemini_text,
    messages,
    messages_error,
    messages_text,
    responses_call,
    responses_text,
    status,
    thinking_block,
)

pytestmark = pytest.mark.usefixtures("no_thread_is_left")

HELLO = ModelRequest("Be brief.", (UserMessage.of("hello"),))
QUICK = RetryPolicy(idle_s=0.02, random=lambda: 0.0)
OPENAI, GEMINI = "openai:gpt-test", "gemini:gemini-test"
USED = Usage(12, 4, 8)


@dataclass
class Ledger:
    """A budget that notes what went in and out; a token costs a dollar."""

    unpriced: tuple[str, ...] = ()
    calls_left: int = 100
    reserved: list[Reservation] = field(default_factory=list)
    settled: list[Usage | None] = field(default_factory=list)

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        if model_id in self.unpriced:
            raise FailedPrecondition(f"{model_id} has no price")
        if len(self.reserved) == self.calls_left:
            raise BudgetExhausted("nothing is left for today")
        self.reserved.append(Reservation(model_id, input_tokens, output_tokens))
        return self.reserved[-1]

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        assert reservation is self.reserved[len(self.settled)], "one after another"
        self.settled.append(usage)
        return float(usage.input_tokens + usage.output_tokens) if usage else 0.0


@dataclass
class Time:
    """A clock that only sleeping moves on."""

    now: float = field(default_factory=time.monotonic)
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds

    def retries(self, dice: float = 0.0) -> RetryPolicy:
        return RetryPolicy(clock=lambda: self.now, sleep=self.sleep, random=lambda: dice)


def ask(
    *models: Any,
    request: ModelRequest = HELLO,
    budget: Ledger | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    retries: RetryPolicy = QUICK,
) -> Generator[dict[str, Any] | None, None, Reply]:
    loaded = [load_model(model) if isinstance(model, str) else model for model in models]
    return stream_reply(
        loaded,
        request,
        message_id="m1",
        budget=budget or Ledger(),
        is_stopped=is_stopped,
        retries=retries,
    )


def play(asked: Generator[Any, None, Reply]) -> tuple[list[Any], Reply]:
    """All that is yielded, and the reply."""
    yielded = []
    while True:
        try:
            yielded.append(next(asked))
        except StopIteration as end:
            return yielded, end.value


def play_to_first(asked: Generator[Any, None, Any]) -> None:
    """Go on to the first event or delta: before it comes nothing may be there for a while."""
    while next(asked) is None:
        pass


def text_of_events(yielded: list[Any]) -> str:
    return "".join(event.get("delta", "") for event in yielded if event)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeProviders]:
    with FakeProviders() as server:
        yield server


@pytest.fixture
def fake(server: FakeProviders) -> FakeProviders:
    server.reset()
    return server


def test_a_provider_that_recovers_gives_one_answer(fake: FakeProviders) -> None:
    fake.openai(status(503), status(500), responses_text("All quiet."))
    budget = Ledger()
    yielded, reply = play(ask(OPENAI, budget=budget, retries=Time().retries()))
    assert (reply.text, text_of_events(yielded)) == ("All quiet.", "All quiet.")
    assert [e["type"] for e in yielded if e].count("TEXT_MESSAGE_START") == 1
    assert budget.settled == [None, None, USED]
    assert reply.cost_usd == 20.0


def test_a_model_is_called_three_times_and_then_the_next(fake: FakeProviders) -> None:
    fake.openai(*[status(503)] * 5)
    fake.gemini(gemini_text("Here."))
    clock = Time()
    _, reply = play(ask(OPENAI, GEMINI, retries=clock.retries(dice=1.0)))
    assert (reply.model, reply.text) == (GEMINI, "Here.")
    assert len(fake.requests) == 4
    assert clock.slept == [1.0, 1.0, 1.0], "1 s and then 2 s, a second at a time"


def test_what_a_provider_asks_to_wait_is_waited(fake: FakeProviders) -> None:
    fake.openai(status(429, headers={"retry-after": "3"}), responses_text("Now."))
    clock = Time()
    yielded, reply = play(ask(OPENAI, retries=clock.retries()))
    assert (reply.text, sum(clock.slept)) == ("Now.", 3.0)
    assert yielded[:2] == [None, None], "who drives this can do other things meanwhile"


def test_a_long_wait_is_not_waited(fake: FakeProviders) -> None:
    fake.openai(status(429, headers={"retry-after": "21"}))
    fake.gemini(gemini_text("Here."))
    clock = Time()
    assert play(ask(OPENAI, GEMINI, retries=clock.retries()))[1].model == GEMINI
    assert clock.slept == []


def test_no_wait_goes_past_the_deadline(fake: FakeProviders) -> None:
    fake.openai(status(503, headers={"retry-after": "5"}))
    clock = Time()
    request = ModelRequest("", HELLO.messages, deadline=clock.now + 6.5)
    with pytest.raises(Unavailable):
        play(ask(OPENAI, request=request, retries=clock.retries()))
    assert (clock.slept, len(fake.requests)) == ([], 1)


@pytest.mark.parametrize(
    "reply",
    [
        status(429, {"error": {"code": "insufficient_quota", "message": "Pay."}}),
        status(402),
        status(401),
        status(404),
    ],
)
def test_what_does_not_pass_is_not_tried_again(fake: FakeProviders, reply: Body) -> None:
    fake.openai(reply)
    fake.gemini(gemini_text("Here."))
    budget = Ledger()
    assert play(ask(OPENAI, GEMINI, budget=budget))[1].text == "Here."
    assert [each.model_id for each in budget.reserved] == [OPENAI, GEMINI]


def test_a_request_that_is_refused_is_not_sent_elsewhere(fake: FakeProviders) -> None:
    fake.openai(status(400))
    with pytest.raises(InvalidArgument):
        play(ask(OPENAI, GEMINI))
    assert len(fake.requests) == 1


def test_nothing_is_tried_again_after_the_first_chunk(fake: FakeProviders) -> None:
    fake.openai(responses_text("Half of it").broken(after=4), responses_text("Again"))
    fake.gemini(gemini_text("Other"))
    budget = Ledger()
    asked = ask(OPENAI, GEMINI, budget=budget)
    events = []
    with pytest.raises(Unavailable):
        for event in asked:
            events.append(event)
    assert [e["type"] for e in events if e][-1] == "TEXT_MESSAGE_END"
    assert len(fake.requests) == 1
    assert budget.settled == [claim(INPUT, 0, MAX_OUTPUT)]


@pytest.mark.parametrize(
    "body",
    [
        *(responses_text("Hello, world").dripping(after=after) for after in (0, 4)),
        *(responses_text("Hello, world").stalling(after=after) for after in (0, 4)),
        Body((), is_mute=True),
    ],
)
def test_the_deadline_holds_however_the_answer_drags(fake: FakeProviders, body: Body) -> None:
    fake.openai(body)
    while not fake.requests:  # a busy machine may send nothing in that time
        budget, began = Ledger(), time.monotonic()
        request = ModelRequest("", HELLO.messages, deadline=began + 0.3)
        with pytest.raises(DeadlineExceeded):
            play(ask(OPENAI, GEMINI, request=request, budget=budget))
        assert time.monotonic() - began < 30
    assert fake.hung_up.wait(60)
    assert len(budget.settled) == 1


def test_the_deadline_holds_for_a_model_that_knows_none() -> None:
    class Endless:
        id = "own:endless"

        def stream(self, request: ModelRequest) -> Iterator[Delta]:
            while True:
                time.sleep(0.005)
                yield TextDelta("x")

    request = ModelRequest("", HELLO.messages, deadline=time.monotonic() + 0.2)
    with pytest.raises(DeadlineExceeded):
        play(ask(Endless(), request=request))


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (OPENAI, responses_text("Hello, world").dripping(after=4)),
        (OPENAI, responses_text("Hello, world").stalling(after=4)),
        (OPENAI, responses_text("Hello, world").stalling(after=0)),
        (OPENAI, Body((), is_mute=True)),
        (GEMINI, gemini_text("Hel", "lo").stalling(after=1)),
        (GEMINI, Body((), is_mute=True)),
    ],
)
def test_a_stop_closes_the_connection(fake: FakeProviders, model: str, body: Body) -> None:
    fake.openai(body) if model == OPENAI else fake.gemini(body)
    budget = Ledger()
    stop = threading.Event()
    asked = ask(model, budget=budget, is_stopped=stop.is_set)
    while next(asked) is not None or not fake.requests:
        pass
    stop.set()
    _, reply = play(asked)
    assert fake.hung_up.wait(60), "the server saw it"
    assert (reply.stopped, reply.calls) == (True, {})
    assert budget.settled == [reply.usage] == [claim(INPUT, 0, MAX_OUTPUT)]


def test_a_stopped_reply_shows_its_text_and_calls_nothing() -> None:
    model = ScriptedModel(
        [
            [
                TextDelta("I look "),
                TextDelta("it up."),
                CallStart("a", "look_up"),
                ArgumentsDelta("a", '{"q'),
                ArgumentsDelta("a", '": 1}'),
                CallEnd("a"),
                Finish(FinishReason.TOOL_CALLS, USED, ({"kept": 1},)),
            ]
        ]
    )
    asked = ask(model, is_stopped=lambda: has_begun)
    has_begun, events = False, []
    while True:
        try:
            event = next(asked)
        except StopIteration as end:
            reply = end.value
            break
        events += [event] if event else []
        has_begun = events[-1:] != [] and events[-1]["type"] == "TOOL_CALL_ARGS"
    assert (reply.text, reply.calls, reply.provider_parts) == ("I look it up.", {}, ())
    assert [e["type"] for e in events[-2:]] == ["TOOL_CALL_END", "TEXT_MESSAGE_END"]


def test_a_stop_ends_a_wait_for_another_try() -> None:
    clock = Time()
    model = ScriptedModel([Unavailable("away", retry_after_s=15)])
    _, reply = play(ask(model, is_stopped=lambda: len(clock.slept) == 2, retries=clock.retries()))
    assert (reply.stopped, sum(clock.slept), len(model.requests)) == (True, 2.0, 1)


def test_a_reader_that_goes_away_ends_the_stream(fake: FakeProviders) -> None:
    fake.openai(responses_text("Hello, world").stalling(after=4))
    budget = Ledger()
    asked = ask(OPENAI, budget=budget)
    play_to_first(asked)
    asked.close()
    assert fake.hung_up.wait(60)
    assert budget.settled[0] is not None and budget.settled[0].input_tokens > 0


def test_the_next_answer_uses_a_sound_connection(fake: FakeProviders) -> None:
    fake.openai(responses_text("one two").stalling(after=4), responses_text("one two"))
    asked = ask(OPENAI)
    play_to_first(asked)
    asked.close()
    assert play(ask(OPENAI))[1].text == "one two"


def test_a_slow_reader_holds_a_fast_model_back() -> None:
    written = []

    class Fast:
        id = "own:fast"

        def stream(self, request: ModelRequest) -> Iterator[Delta]:
            for number in range(5_000):
                written.append(number)
                yield TextDelta("x")
            yield Finish(FinishReason.STOP)

    deltas = threaded_stream(Fast(), HELLO, wait_s=lambda: 1.0)
    play_to_first(deltas)
    time.sleep(0.05)
    assert len(written) < 1_000
    deltas.close()


def test_a_model_without_a_price_is_passed_over() -> None:
    first, second = ScriptedModel([says("one")], id="own:first"), ScriptedModel([says("two")])
    budget = Ledger(unpriced=("own:first",))
    assert play(ask(first, second, budget=budget))[1].text == "two"
    assert first.requests == []
    with pytest.raises(FailedPrecondition, match="no price"):
        play(ask(first, budget=budget))


def test_an_empty_budget_ends_the_search() -> None:
    first, second = ScriptedModel([Unavailable("away")]), ScriptedModel([says("two")])
    budget = Ledger(calls_left=1)
    with pytest.raises(BudgetExhausted):
        play(ask(first, second, budget=budget))
    assert (budget.settled, second.requests) == ([None], [])


def test_a_fault_of_our_own_is_settled_and_comes_out() -> None:
    class Faulty:
        id = "own:faulty"

        def stream(self, request: ModelRequest) -> Iterator[Delta]:
            yield TextDelta("x")
            raise KeyError("y")

    budget = Ledger()
    with pytest.raises(KeyError):
        play(ask(Faulty(), ScriptedModel([says("two")]), budget=budget))
    assert len(budget.settled) == 1


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (Unavailable("away"), True),
        (ResourceExhausted("slow down"), True),
        (QuotaExhausted("used up"), False),
        (FailedPrecondition("no key"), False),
        (Unavailable("away", retry_after_s=30), False),
    ],
)
def test_only_what_passes_is_worth_another_try(error: AgentError, again: bool) -> None:
    assert (QUICK.wait_s(error, tries=1, deadline=None) is not None) is again
    assert QUICK.wait_s(error, tries=3, deadline=None) is None


def test_what_is_reserved_is_more_than_is_used() -> None:
    tools = tuple(ToolSpec(f"tool_{n}", "Look it up. " * 10, {"type": "object"}) for n in range(5))
    request = ModelRequest("Be brief. " * 50, (UserMessage.of("שלום " * 100),), tools)
    assert request_tokens(request) > (500 + 5 * 120) // 4 + 100
    budget = Ledger()
    play(ask(ScriptedModel([says("ok")]), request=request, budget=budget))
    (reserved,) = budget.reserved
    assert reserved.input_tokens > 1.25 * request_tokens(request)
    assert reserved.output_tokens > request.max_output_tokens


def test_a_provider_that_does_not_say_what_was_used_is_estimated() -> None:
    model = ScriptedModel([[TextDelta("x" * 300), Finish(FinishReason.STOP)]])
    budget = Ledger()
    _, reply = play(ask(model, budget=budget))
    found = Usage(request_tokens(HELLO), 0, text_tokens("x" * 300), is_estimated=True)
    assert budget.settled == [found] == [reply.usage]


def test_a_call_without_its_final_count_costs_all_output_that_was_reserved() -> None:
    """The model may have thought for long, unseen: to leave must not make that free."""
    model = ScriptedModel([[TextDelta("Hm"), TextDelta("m"), Finish(FinishReason.STOP, USED)]])
    budget = Ledger()
    asked = ask(model, budget=budget)
    play_to_first(asked)
    asked.close()
    assert budget.settled == [claim(INPUT, 0, MAX_OUTPUT)]


_NOTHING_SHOWN: dict[str, Body] = {
    "gemini": gemini_text(finish=None),
    "messages": messages(thinking_block("Let me see", "s")).ending(after=3),
    "responses": responses_text("Hi").ending(after=1),
    "chat": chat_text(finish=None).ending(after=1),
    "an error in the stream": Body((messages_error("overloaded_error"),)),
}


@pytest.mark.parametrize("dialect", sorted(_NOTHING_SHOWN))
def test_an_answer_that_breaks_off_before_anything_is_shown_is_not_free(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    known = dialect if dialect in _COUNTS else "messages"
    model = _serve(fake, monkeypatch, known, _NOTHING_SHOWN[dialect])
    budget = Ledger(calls_left=1)
    with pytest.raises(BudgetExhausted):  # when it is called again
        play(ask(model, budget=budget))
    assert budget.settled == [claim(INPUT, 0, MAX_OUTPUT)]


INPUT, OUTPUT = request_tokens(HELLO), text_tokens("Hello there.")
MAX_INPUT, MAX_OUTPUT = max_input(INPUT), max_output(HELLO.max_output_tokens)


def claim(input_tokens: int, cached: int, output: int) -> Usage:
    """What is counted in the place of a provider's word."""
    return Usage(input_tokens, cached, output, is_estimated=True)


@pytest.mark.parametrize(
    ("told", "believed"),
    [
        (Usage(12, 4, 8), Usage(12, 4, 8)),
        (Usage(-(10**9), 0, 8), claim(INPUT, 0, 8)),
        (Usage(12, 0, -(10**9)), claim(12, 0, OUTPUT)),
        (Usage(12, -5, 8), claim(12, 0, 8)),
        (Usage(12, 10**9, 8), claim(12, 12, 8)),
        (Usage(10**15, 0, 8), claim(MAX_INPUT, 0, 8)),
        (Usage(12, 0, 10**15), claim(12, 0, MAX_OUTPUT)),
        (Usage(0, 0, 8), claim(INPUT, 0, 8)),
        (Usage(12, 0, 0), claim(12, 0, OUTPUT)),
        (Usage(-1, -1, -1), claim(INPUT, 0, OUTPUT)),
    ],
)
def test_what_cannot_be_is_not_believed(
    told: Usage, believed: Usage, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel([[TextDelta("Hello there."), Finish(FinishReason.STOP, told)]])
    budget = Ledger()
    with caplog.at_level("WARNING", logger="rollcall"):
        _, reply = play(ask(model, budget=budget))
    assert budget.settled == [believed] == [reply.usage]
    assert ("counted as" in caplog.text) is believed.is_estimated


_COUNTS = {
    "gemini": ("GEMINI_USAGE", ("promptTokenCount", "candidatesTokenCount"), gemini_text),
    "responses": ("RESPONSES_USAGE", ("input_tokens", "output_tokens"), responses_text),
    "chat": ("CHAT_USAGE", ("prompt_tokens", "completion_tokens"), chat_text),
    "messages": ("MESSAGES_USAGE", ("input_tokens", "output_tokens"), messages_text),
}
_MODELS = {"gemini": GEMINI, "messages": "anthropic:claude-test"}
_LIES = (-1, -(10**9), 10**15, 10**400, 12.5, -0.5, "many", "12", True, None, [], {}, "absent")


def _serve(fake: FakeProviders, patch: pytest.MonkeyPatch, dialect: str, reply: Body) -> str:
    """Have the dialect's provider give this reply; return the model to call."""
    patch.setenv("OPENAI_API", dialect)
    queue = {"gemini": fake.gemini, "messages": fake.anthropic}.get(dialect, fake.openai)
    queue(reply)
    return _MODELS.get(dialect, OPENAI)


@pytest.mark.parametrize("lie", _LIES, ids=lambda lie: str(lie)[:12])
@pytest.mark.parametrize("dialect", sorted(_COUNTS))
def test_no_dialect_lies_below_zero_or_above_what_is_reserved(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, dialect: str, lie: Any
) -> None:
    constant, names, reply_text = _COUNTS[dialect]
    told = dict(getattr(provider_replies, constant))
    for name in names:
        told[name] = lie
        if lie == "absent":
            del told[name]
    told = {name: value for name, value in told.items() if "total" not in name.lower()}
    monkeypatch.setattr(provider_replies, constant, told)
    model = _serve(fake, monkeypatch, dialect, reply_text("Hello there."))
    budget = Ledger()
    _, reply = play(ask(model, budget=budget))
    (counted,) = budget.settled
    assert reply.text == "Hello there." and counted == reply.usage
    assert 0 < counted.input_tokens <= MAX_INPUT
    assert 0 < counted.output_tokens <= MAX_OUTPUT
    assert 0 <= counted.cached_input_tokens <= counted.input_tokens


@pytest.mark.parametrize("dialect", sorted(_COUNTS))
def test_a_count_that_grows_within_a_stream_is_counted_once(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    """Its last word stands, and no further than what was reserved."""
    constant, (_, output), reply_text = _COUNTS[dialect]
    told = getattr(provider_replies, constant)
    whole = reply_text("Hello there.")
    for grown, most in ((10**3, 10**3 + 3), (10**6, MAX_OUTPUT)):
        chunks = [*whole.chunks]
        old = f'"{output}":{told[output]}', f'"{output}": {told[output]}'
        for number, chunk in enumerate(chunks):
            text = chunk.decode()
            for each in old:
                text = text.replace(each, f'"{output}":{grown * (number + 1) // len(chunks)}')
            chunks[number] = text.encode()
        model = _serve(fake, monkeypatch, dialect, replace(whole, chunks=tuple(chunks)))
        budget = Ledger()
        play(ask(model, budget=budget))
        (counted,) = budget.settled
        assert counted and 8 <= counted.output_tokens <= most


def one_call(id: str, text: str = "{}") -> list[Delta]:
    return [CallStart(id, "look_up"), ArgumentsDelta(id, text), CallEnd(id)]


@pytest.mark.parametrize("id", ["", "__x__", "x" * 65, "a/b", "a\0", "é", "."])
def test_ids_that_cannot_be_kept_are_replaced(id: str) -> None:
    model = ScriptedModel([[*one_call(id), Finish(FinishReason.TOOL_CALLS)]])
    yielded, reply = play(ask(model))
    (given,) = reply.calls
    assert given != id and given.startswith("call_")
    assert {e["toolCallId"] for e in yielded if e} == {given}


def test_ids_are_unique_in_the_reply_and_in_the_history() -> None:
    history: tuple[Message, ...] = (
        UserMessage.of("hello"),
        ModelMessage("", (ToolCall("call_0", "look_up", {}),)),
    )
    deltas = [*one_call("call_0", "1"), *one_call("same", "2"), *one_call("same", "3")]
    model = ScriptedModel([[*deltas, Finish(FinishReason.TOOL_CALLS)]])
    _, reply = play(ask(model, request=ModelRequest("", history)))
    assert [text for _, text in reply.calls.values()] == ["1", "2", "3"]
    assert "call_0" not in reply.calls and "same" in reply.calls


def test_a_delta_of_a_call_that_is_not_open_breaks_the_reply() -> None:
    model = ScriptedModel([[*one_call("a"), ArgumentsDelta("a", "x")]])
    with pytest.raises(Unavailable, match="not open"):
        play(ask(model))


def test_nothing_comes_out_that_cannot_be_stored(caplog: pytest.LogCaptureFixture) -> None:
    parts = (
        {"text": "a\0b\ud800", "list": ["\udfff", 1, None, True, 1.5]},
        {"number": float("nan")},
        {"bytes": b"x"},
    )
    deltas: list[Delta] = [TextDelta("a\0"), *one_call("a", '{"q": "\ud800"}')]
    model = ScriptedModel([[*deltas, Finish(FinishReason.TOOL_CALLS, USED, parts)]])
    yielded, reply = play(ask(model))
    for out in (yielded, reply.provider_parts, reply.message.tool_calls[0].arguments):
        text = json.dumps(out, ensure_ascii=False)
        assert "\\u0000" not in text and text.encode()
    assert reply.provider_parts == (
        {"text": "a\ufffdb\ufffd", "list": ["\ufffd", 1, None, True, 1.5]},
    )
    assert caplog.text.count("cannot be kept") == 2


def test_a_character_in_two_halves_is_put_together() -> None:
    model = ScriptedModel([[TextDelta("\ud83d"), TextDelta("\ude00!"), Finish(FinishReason.STOP)]])
    assert play(ask(model))[1].text == "😀!"


def test_a_replaced_id_is_the_providers_own_again_when_sent_back(fake: FakeProviders) -> None:
    fake.openai(responses_call("look_up", "{}", call_id="__x__"), responses_text("ok"))
    _, reply = play(ask(OPENAI))
    (call,) = reply.message.tool_calls
    history = (*HELLO.messages, reply.message, ToolMessage((ToolResult(call.id, "look_up", "1"),)))
    play(ask(OPENAI, request=ModelRequest("", history)))
    sent = fake.requests[1].json["input"]
    told = [item["call_id"] for item in sent if "call_id" in item]
    assert told == [call.id, call.id], "call and result agree"
    assert sent[1]["id"].startswith("fc_"), "the rest is as it came"
