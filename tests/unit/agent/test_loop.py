"""The loop on a scripted model: its events, its saves, its refusals and its ends."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from ag_ui.core import Event as AgUiEvent
from msgspec.structs import replace
from pydantic import TypeAdapter

from rollcall.agent.dispatch import CallOutput, ClientCall, NeedsApproval
from rollcall.agent.loop import run
from rollcall.agent.turn import MAX_CALLS_PER_STEP, Turn, TurnEnd, TurnState
from rollcall.core.context import Decider
from rollcall.core.errors import DeadlineExceeded, NotFound, Unavailable
from rollcall.core.messages import ModelMessage, ToolCall, ToolMessage, ToolResult, UserMessage
from rollcall.core.profile import Note, Review
from rollcall.core.texts import TEXTS
from rollcall.core.wire import CallStatus, Citation, StopReason
from rollcall.models.base import Finish, FinishReason, TextDelta, load_model
from rollcall.store.budgets import BudgetExhausted
from rollcall.store.message_log import TurnUsage
from rollcall.testing import ScriptedModel, calls, says
from tests.support.scripted_turn import MemoryJournal, ToolTable, turn

AG_UI = TypeAdapter(AgUiEvent)


def play(work: Turn) -> tuple[list[dict[str, Any]], TurnEnd]:
    """Run a turn to its end; every event must be a valid AG-UI event."""
    events = []
    steps = run(work)
    while True:
        try:
            event = next(steps)
        except StopIteration as end:
            return events, end.value
        if event is not None:  # None: a second has gone by
            AG_UI.validate_python(event)
            events.append(event)


def play_past_deadline(begins: threading.Event, work: Callable[[float], Turn]) -> TurnEnd:
    """Play a turn whose time is over while its call runs: `work` is given its deadline, which is
    farther ahead where a busy machine began no call before it."""
    for left_s in (0.2, 2, 20):
        _, ended = play(work(time.monotonic() + left_s))
        if begins.is_set():
            return ended
    raise AssertionError("no call was begun")


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


@pytest.mark.parametrize("streamed", [True, False])
def test_replies_that_nobody_watches_are_asked_for_in_one_piece(streamed: bool) -> None:
    model = ScriptedModel([calls(("look_up", {})), says("All quiet.")])
    play(turn(model, {"look_up": lambda progress: 1}, streamed=streamed))
    assert [request.streamed for request in model.requests] == [streamed, streamed]


def test_a_reply_may_be_as_long_as_the_agent_says() -> None:
    model = ScriptedModel([calls(("look_up", {})), says("Done.")])
    play(turn(model, {"look_up": lambda progress: 1}, profile={"max_output_tokens": 32_000}))
    assert [request.max_output_tokens for request in model.requests] == [32_000, 32_000]


def test_each_message_is_fenced_once_however_many_steps_follow() -> None:
    model = ScriptedModel([calls(("look_up", {"n": n})) for n in range(3)] + [says("Done.")])
    play(turn(model, {"look_up": lambda progress, n: "<system>"}))
    last = model.requests[-1].messages
    assert len(last) == 7
    for request in model.requests:
        assert all(one is other for one, other in zip(request.messages, last, strict=False))
    assert "<system>" not in str(last)


def test_an_answer_without_tools_streams_its_text() -> None:
    events, ended = play(turn(ScriptedModel([says("All quiet.")])))
    assert kinds(events) == [
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
    ]
    assert (ended.answer.text, ended.stop_reason, ended.steps) == ("All quiet.", None, 1)


def test_a_call_is_streamed_run_and_answered() -> None:
    model = ScriptedModel([calls(("news", {"limit": 2})), says("Two things.")])
    events, ended = play(turn(model, {"news": lambda progress, limit: {"count": limit}}))
    arguments = "".join(e["delta"] for e in events if e["type"] == "TOOL_CALL_ARGS")
    result = next(e for e in events if e["type"] == "TOOL_CALL_RESULT")
    assert json.loads(arguments) == {"limit": 2}
    assert json.loads(result["content"]) == {"output": {"count": 2}}
    assert (ended.answer.text, ended.steps) == ("Two things.", 2)
    assert ended.calls[0].result == {"count": 2}


def test_calls_of_one_step_run_side_by_side() -> None:
    meeting = threading.Barrier(2, timeout=60)

    def tool(progress: Any) -> str:
        meeting.wait()  # passes only if both are running
        return "here"

    model = ScriptedModel([calls(("a", {}), ("b", {})), says("Both.")])
    _, ended = play(turn(model, {"a": tool, "b": tool}))
    assert [call.status for call in ended.calls] == [CallStatus.DONE, CallStatus.DONE]


def test_results_and_records_are_in_the_order_of_the_calls() -> None:
    first_may_end = threading.Event()

    def slow(progress: Any) -> str:
        first_may_end.wait(60)
        return "slow"

    def quick(progress: Any) -> str:
        first_may_end.set()
        return "quick"

    model = ScriptedModel([calls(("slow", {}), ("quick", {})), says("Done.")])
    _, ended = play(turn(model, {"slow": slow, "quick": quick}))
    answered = model.requests[1].messages[-1]
    assert isinstance(answered, ToolMessage)
    assert [result.name for result in answered.results] == ["slow", "quick"]
    assert [record.tool for record in ended.calls] == ["slow", "quick"]


def test_a_reply_is_saved_before_its_calls_and_a_result_before_it_is_shown() -> None:
    notes = MemoryJournal()

    def tool(progress: Any) -> str:
        notes.lines.append("tool ran")
        return "x"

    work = turn(ScriptedModel([calls(("a", {})), says("Ok.")]), {"a": tool}, journal=notes)
    for event in run(work):
        if event and event["type"] == "TOOL_CALL_RESULT":
            notes.lines.append("result shown")
    assert notes.lines == ["reply 1 1", "tool ran", "result a", "result shown"]


def test_progress_of_a_tool_is_shown_while_it_runs() -> None:
    def tool(progress: Any) -> str:
        progress("reading", done=1, total=2)
        return "x"

    events, _ = play(turn(ScriptedModel([calls(("a", {})), says("Ok.")]), {"a": tool}))
    shown = next(e for e in events if e["type"] == "ACTIVITY_SNAPSHOT")
    assert shown["content"]["text"] == "reading"
    assert kinds(events).index("ACTIVITY_SNAPSHOT") < kinds(events).index("TOOL_CALL_RESULT")


def test_a_failing_tool_is_told_to_the_model_and_does_not_end_the_turn() -> None:
    def broken(progress: Any) -> str:
        raise NotFound("no such conversation", hint="list them first")

    model = ScriptedModel([calls(("a", {})), says("It is not there.")])
    _, ended = play(turn(model, {"a": broken}))
    answered = model.requests[1].messages[-1]
    assert isinstance(answered, ToolMessage)
    assert answered.results[0].is_error
    assert json.loads(answered.results[0].content)["error"]["hint"] == "list them first"
    assert (ended.calls[0].status, ended.answer.text) == (CallStatus.FAILED, "It is not there.")


def test_a_crashing_tool_tells_an_incident_and_hides_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def crash(progress: Any) -> str:
        raise RuntimeError("password=hunter2")

    _, ended = play(turn(ScriptedModel([calls(("a", {})), says("Sorry.")]), {"a": crash}))
    assert ended.calls[0].error is not None
    assert "hunter2" not in json.dumps(ended.calls[0].error)
    assert "incident" in caplog.text


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("elsewhere", {}), "not-found"),
        (("a", "[1, 2"), "invalid-argument"),
        (("a", "[1, 2]"), "invalid-argument"),
        (("a", '"text"'), "invalid-argument"),
    ],
)
def test_a_call_that_cannot_be_run_is_refused(call: tuple[str, Any], code: str) -> None:
    table = ToolTable({"a": lambda progress: "x"})
    _, ended = play(turn(ScriptedModel([calls(call), says("Ok.")]), table.tools, dispatch=table))
    assert ended.calls[0].status is CallStatus.REFUSED
    assert ended.calls[0].error is not None
    assert ended.calls[0].error["code"] == code
    assert table.called == []


def test_a_step_of_nothing_but_repeated_calls_stops_the_turn() -> None:
    table = ToolTable({"a": lambda progress: {"items": ["one"]}})
    again = calls(("a", {}))
    model = ScriptedModel([again, again, says("One item.")])
    _, ended = play(turn(model, table.tools, dispatch=table))
    assert table.called == ["a"]
    assert ended.stop_reason is StopReason.REPEATED_CALLS
    assert ended.answer.text == "One item."


def test_two_equal_calls_in_one_step_run_once_and_do_not_stop_it() -> None:
    table = ToolTable({"a": lambda progress: "x"})
    model = ScriptedModel([calls(("a", {}), ("a", {})), says("Ok.")])
    _, ended = play(turn(model, table.tools, dispatch=table))
    assert table.called == ["a"]
    assert (ended.stop_reason, ended.answer.text) == (None, "Ok.")


def test_the_limit_of_steps_ends_in_an_answer_from_what_was_found() -> None:
    replies = [calls(("a", {"n": n})) for n in range(3)]
    model = ScriptedModel([*replies, says("Three things found.")])
    work = turn(model, {"a": lambda progress, n: n}, profile={"max_steps": 3})
    _, ended = play(work)
    assert model.requests[-1].tool_choice == "none"
    assert (ended.stop_reason, ended.steps) == (StopReason.MAX_STEPS, 3)
    assert ended.answer.text == "Three things found."


def test_a_model_that_calls_on_at_the_limit_is_answered_for() -> None:
    model = ScriptedModel([calls(("a", {"n": n})) for n in range(9)])
    tools = {"a": lambda progress, n: {"title": f"T{n}"}}
    _, ended = play(turn(model, tools, profile={"max_steps": 2}))
    assert ended.stop_reason is StopReason.MAX_STEPS
    assert len(ended.calls) == 2
    reason, opening, found = ended.answer.text.split("\n\n", 2)
    assert reason == "I stopped at the limit of steps for one question."
    assert (opening, "T0" in found) == ("This is what I found so far:", True)


def test_a_stopped_turn_of_the_offline_planner_says_its_limit_too() -> None:
    planner, tools = load_model("offline:planner"), {"a": lambda progress: {"title": "The plan"}}
    _, ended = play(turn(planner, tools, profile={"max_steps": 1}, **going_on(reply_of("a"))))
    assert ended.answer.text.startswith("I stopped at the limit of steps for one question.")
    assert "The plan" in ended.answer.text


def test_a_model_that_fails_before_anything_was_found_fails_the_run() -> None:
    with pytest.raises(Unavailable, match="no route"):
        play(turn(ScriptedModel([Unavailable("no route")])))


@pytest.mark.parametrize("locale", ["en", "he"])
def test_a_budget_used_up_before_anything_was_found_says_when_it_renews(locale: str) -> None:
    model = ScriptedModel([BudgetExhausted("nothing is left")])
    _, ended = play(turn(model, locale=locale))
    assert ended.stop_reason is StopReason.BUDGET
    renewal, found = ended.answer.text.split("\n\n")
    assert "00:00 UTC" in renewal
    assert found == TEXTS.say(locale, "run.nothing_found")
    assert "again" not in found


def test_a_model_that_fails_after_something_was_found_still_gives_an_answer() -> None:
    model = ScriptedModel([calls(("a", {})), Unavailable("gone")])
    _, ended = play(turn(model, {"a": lambda progress: {"title": "The plan"}}))
    assert ended.stop_reason is StopReason.MODEL_UNAVAILABLE
    assert ended.answer.text.startswith("The language model stopped answering.\n\nThis is what")
    assert "The plan" in ended.answer.text


def test_the_next_model_answers_when_the_first_cannot_be_reached() -> None:
    models = (ScriptedModel([Unavailable("down")], id="x:1"), ScriptedModel([says("Hi.")]))
    _, ended = play(turn(models[0], models=models))
    assert ended.answer.text == "Hi."
    assert [used.provider for used in ended.usage] == ["scripted"]


def test_a_stream_that_breaks_half_way_is_not_begun_again_elsewhere() -> None:
    broken: Any = [TextDelta("Half"), Unavailable("dropped")]
    second = ScriptedModel([says("Whole.")])
    work = turn(None, models=(ScriptedModel([broken]), second))
    shown = []
    with pytest.raises(Unavailable):
        for event in filter(None, run(work)):
            shown.append(event["type"])
    assert shown[-1] == "TEXT_MESSAGE_END"
    assert second.requests == []


def test_a_stream_that_ends_without_an_end_is_an_error() -> None:
    with pytest.raises(Unavailable, match="broke off"):
        play(turn(ScriptedModel([[TextDelta("Half")]])))


def test_a_malformed_reply_is_asked_for_once_more() -> None:
    model = ScriptedModel([says("", reason=FinishReason.MALFORMED), says("Fine.")])
    _, ended = play(turn(model))
    assert (ended.answer.text, len(model.requests)) == ("Fine.", 2)


def test_a_model_that_only_sends_malformed_replies_fails_the_run() -> None:
    with pytest.raises(Unavailable):
        play(turn(ScriptedModel([says("", reason=FinishReason.MALFORMED)])))


def test_a_deadline_passed_while_asking_still_answers() -> None:
    _, ended = play(turn(ScriptedModel([DeadlineExceeded("late")])))
    assert ended.stop_reason is StopReason.DEADLINE
    assert ended.answer.text


def test_a_tool_that_hangs_past_the_deadline_is_given_up() -> None:
    begins, release = threading.Event(), threading.Event()

    def hang(progress: Any) -> str:
        begins.set()
        release.wait(60)
        return "late"

    def work(deadline: float) -> Turn:
        return turn(ScriptedModel([calls(("a", {}))]), {"a": hang}, deadline=deadline)

    try:
        ended = play_past_deadline(begins, work)
    finally:
        release.set()
    assert ended.stop_reason is StopReason.DEADLINE
    assert ended.calls[0].error is not None
    assert ended.calls[0].error["code"] == "deadline-exceeded"
    assert ended.calls[0].ms > 0  # so that it can be told whether there was time enough


@pytest.mark.parametrize(
    ("reason", "stop"),
    [(FinishReason.BLOCKED, StopReason.BLOCKED), (FinishReason.LENGTH, StopReason.LENGTH)],
)
def test_a_blocked_or_cut_reply_says_so(reason: FinishReason, stop: StopReason) -> None:
    _, ended = play(turn(ScriptedModel([says("Half an ans", reason=reason)])))
    assert ended.stop_reason is stop
    assert ended.answer.text.startswith("Half an ans\n\n")


def test_a_call_that_may_have_been_cut_off_is_not_run_and_the_model_is_told() -> None:
    table = ToolTable({"remove": lambda progress, **given: "gone"})
    whole, empty, torn = ("remove", {"id": "a"}), ("remove", ""), ("remove", "{}")
    cut = [*calls(whole, empty, torn)[:-1], Finish(FinishReason.LENGTH)]
    model = ScriptedModel([cut, says("One is gone.")])
    _, ended = play(turn(model, table.tools, dispatch=table))
    assert table.called == ["remove"]
    assert [record.status for record in ended.calls] == [
        CallStatus.DONE,
        CallStatus.REFUSED,
        CallStatus.REFUSED,
    ]
    asked, answered = model.requests[1].messages[-2:]
    assert isinstance(asked, ModelMessage) and isinstance(answered, ToolMessage)
    # As it is stored: another process that goes on with the turn does not run them either.
    assert [call.arguments for call in asked.tool_calls] == [{"id": "a"}, None, None]
    assert "cut off" in answered.results[2].content


def test_the_calls_of_a_blocked_reply_are_not_run() -> None:
    table = ToolTable({"remove": lambda progress: "gone"})
    blocked = [TextDelta("I wi"), *calls(("remove", {}))[:-1], Finish(FinishReason.BLOCKED)]
    _, ended = play(turn(ScriptedModel([blocked]), table.tools, dispatch=table))
    assert (table.called, ended.calls) == ([], [])
    assert ended.stop_reason is StopReason.BLOCKED
    assert ended.answer.text.startswith("I wi\n\n")


def test_an_empty_reply_is_said_to_be_one_in_the_users_language() -> None:
    _, ended = play(turn(ScriptedModel([says("")]), locale="he"))
    assert "מודל השפה" in ended.answer.text


def test_a_large_result_is_cut_to_size_and_the_cut_is_said() -> None:
    model = ScriptedModel([calls(("a", {})), says("Many.")])
    rows = [{"title": f"row {n}", "text": "x" * 100} for n in range(500)]
    _, ended = play(turn(model, {"a": lambda progress: {"rows": rows}}))
    answered = model.requests[1].messages[-1]
    assert isinstance(answered, ToolMessage)
    content = json.loads(answered.results[0].content)
    assert len(answered.results[0].content) <= 4_000
    assert "shortened" in content["truncated"]
    assert len(rows) == 500
    assert ended.calls[0].result == content["output"]


def test_sources_are_numbered_once_over_the_turn_and_listed_where_referred_to() -> None:
    def cited(*ids: str) -> Any:
        made = [Citation(type="message", title=id, message_id=id) for id in ids]
        return lambda progress: CallOutput({}, made)

    model = ScriptedModel([calls(("a", {}), ("b", {})), says("As said in [3].")])
    _, ended = play(turn(model, {"a": cited("m1", "m2"), "b": cited("m2", "m3")}))
    assert [(c.n, c.message_id) for c in ended.citations] in ([(3, "m3")], [(3, "m1")])


def code(article: str) -> Citation:
    return Citation(type="code", title=f"Article {article}", code="NEC", article=article)


def test_notes_are_the_first_sources_and_those_of_results_follow() -> None:
    note = Note("Grounding.", code("250").model_copy(update={"n": 1}))
    made = CallOutput({}, [code("250"), code("310.16")])
    model = ScriptedModel([calls(("a", {})), says("See [1] and [2].")])
    _, ended = play(turn(model, {"a": lambda progress: made}, notes=(note,)))
    assert model.requests[0].notes == (note,)
    assert [(c.n, c.article) for c in ended.citations] == [(1, "250"), (2, "310.16")]


def test_what_an_answer_names_is_cited_and_what_is_to_be_said_of_it_is_added() -> None:
    def review(answer: str, locale: str) -> Review:
        assert (answer, locale) == ("By 110.9 it holds, by [1] too.", "en")
        return Review((code("110.9"),), "999.9 is not known.")

    made = CallOutput({}, [code("310.16")])
    model = ScriptedModel([calls(("a", {})), says("By 110.9 it holds, by [1] too.")])
    events, ended = play(turn(model, {"a": lambda progress: made}, profile={"review": review}))
    assert [(c.n, c.article) for c in ended.citations] == [(1, "310.16"), (2, "110.9")]
    assert ended.answer.text.endswith("\n\n999.9 is not known.")
    assert any(event.get("delta") == "\n\n999.9 is not known." for event in events)


def test_usage_is_added_up_over_the_steps() -> None:
    model = ScriptedModel([calls(("a", {})), says("Ok.")])
    _, ended = play(turn(model, {"a": lambda progress: 1}))
    used = ended.usage[0]
    assert (used.input_tokens, used.cached_input_tokens, used.output_tokens) == (20, 4, 10)


def test_calls_past_the_limit_of_a_step_are_refused() -> None:
    many = calls(*[("a", {"n": n}) for n in range(MAX_CALLS_PER_STEP + 1)])
    work = turn(
        ScriptedModel([many, says("Ok.")]),
        {"a": lambda progress, n: n},
        profile={"max_calls_per_tool": 99},
    )
    _, ended = play(work)
    assert [call.status for call in ended.calls].count(CallStatus.REFUSED) == 1


def test_a_repeat_in_one_step_does_not_count_in_the_next() -> None:
    model = ScriptedModel([calls(("a", {}), ("a", {})), calls(("b", {})), says("Ok.")])
    tools = {"a": lambda progress: 1, "b": lambda progress: 2}
    assert play(turn(model, tools))[1].stop_reason is None


def test_a_call_that_failed_in_passing_may_be_made_again() -> None:
    answers = iter([Unavailable("busy"), None])

    def flaky(progress: Any) -> str:
        if error := next(answers):
            raise error
        return "here"

    model = ScriptedModel([calls(("a", {})), calls(("a", {})), says("Ok.")])
    _, ended = play(turn(model, {"a": flaky}))
    assert [call.status for call in ended.calls] == [CallStatus.FAILED, CallStatus.DONE]
    assert ended.stop_reason is None


# waiting, stopping, and going on


def ask(**changes: Any) -> NeedsApproval:
    fields: dict[str, Any] = {
        "tool": "pay",
        "arguments": {"amountUsd": 5},
        "shown": {"amountUsd": 5},
        "summary": "Pay $5",
        "display": None,
        "decider": Decider(uid="ann"),
        "expires_s": 60,
        "version": 1,
        "capability_digest": "d",
    }
    return NeedsApproval(**{**fields, **changes})


def test_a_call_that_waits_ends_the_run_when_the_others_of_its_step_are_answered() -> None:
    notes = MemoryJournal()
    model = ScriptedModel([calls(("pay", {}), ("look", {}))])
    tools = {"pay": lambda progress: ask(), "look": lambda progress: "seen"}
    events, ended = play(turn(model, tools, journal=notes))
    (waiting,) = ended.waiting
    assert (waiting.place, waiting.call.name) == (0, "pay")
    assert notes.lines == ["reply 1 2", "result look"]
    assert "Pay $5" in ended.answer.text
    assert kinds(events)[-1] == "STEP_FINISHED"
    assert len(model.requests) == 1


def test_a_call_that_is_left_to_the_client_says_nothing_of_its_own() -> None:
    model = ScriptedModel([calls(("open", {}))])
    _, ended = play(turn(model, {"open": lambda progress: ClientCall({}, {})}))
    assert [type(each.needs) for each in ended.waiting] == [ClientCall]
    assert (ended.answer.text, ended.stop_reason) == ("", None)


def test_calls_that_wait_are_told_in_their_order_whichever_came_to_wait_first() -> None:
    def slow(progress: Any) -> ClientCall:
        time.sleep(0.1)
        return ClientCall({}, {})

    tools = {"first": slow, "second": lambda progress: ClientCall({}, {})}
    _, ended = play(turn(ScriptedModel([calls(("first", {}), ("second", {}))]), tools))
    assert [each.call.name for each in ended.waiting] == ["first", "second"]


def reply_of(*names: str) -> ModelMessage:
    return ModelMessage("", tuple(ToolCall(f"c{n}", name, {}) for n, name in enumerate(names)))


def going_on(reply: ModelMessage, *, made: Sequence[ToolCall] = (), **state: Any) -> dict[str, Any]:
    """A turn that goes on behind a reply whose calls are not all answered."""
    found = TurnState(step=1, **state)
    for call in made:
        found.count(call)
    return {"messages": (UserMessage.of("What is new?"), reply), "state": found}


def test_only_what_is_not_answered_yet_is_run() -> None:
    table = ToolTable({"a": lambda progress: "new", "b": lambda progress: "new"})
    answered = {0: ToolResult("c0", "a", '{"output": "old"}')}
    work = turn(
        ScriptedModel([says("Ok.")]),
        table.tools,
        dispatch=table,
        **going_on(reply_of("a", "b"), answered=answered),
    )
    _, ended = play(work)
    assert (table.called, ended.steps) == (["b"], 2)
    assert [call.tool for call in ended.calls] == ["b"]


def test_a_call_that_somebody_decided_is_run_though_it_is_not_offered_any_more() -> None:
    table = ToolTable({"a": lambda progress: "done"}, decided=frozenset({"c0"}))
    model = ScriptedModel([says("Ok.")])
    work = turn(model, table.tools, dispatch=table, **going_on(reply_of("a")))
    _, ended = play(replace(work, request=replace(work.request, tools=())))
    assert [call.status for call in ended.calls] == [CallStatus.DONE]


@pytest.mark.parametrize(
    ("limits", "state", "reason"),
    [
        ({"max_steps": 1}, {}, StopReason.MAX_STEPS),
        ({"max_calls": 1}, {}, StopReason.MAX_CALLS),
        ({"max_tokens": 100}, {"before": TurnUsage(tokens=100)}, StopReason.MAX_TOKENS),
        ({"max_cost_usd": 0.5}, {"before": TurnUsage(micro_usd=500_000)}, StopReason.MAX_COST),
    ],
)
@pytest.mark.parametrize("is_open", [True, False])
def test_what_earlier_runs_used_up_counts(
    limits: dict[str, Any], state: dict[str, Any], reason: StopReason, is_open: bool
) -> None:
    """Also when the run before was cut off after its last result, before anything followed."""
    reply = reply_of("a")
    more = going_on(reply, made=() if is_open else reply.tool_calls, **state)
    if not is_open:
        result = ToolResult("c0", "a", "{}")
        more["messages"] += (ToolMessage((result,)),)
    model = ScriptedModel([says("So far.")])
    _, ended = play(turn(model, {"a": lambda progress: "x"}, profile=limits, **more))
    assert (ended.stop_reason, ended.steps) == (reason, 1)
    assert all(request.tool_choice == "none" for request in model.requests)


def test_the_time_that_is_over_asks_no_model_again() -> None:
    model = ScriptedModel([says("So far.")])
    work = turn(
        model,
        {"a": lambda progress: "x"},
        deadline=time.monotonic() + 1,
        **going_on(reply_of("a")),
    )
    _, ended = play(work)
    assert (ended.stop_reason, model.requests) == (StopReason.DEADLINE, [])


def test_a_call_of_an_earlier_run_is_a_repeat() -> None:
    table = ToolTable({"a": lambda progress: "x", "b": lambda progress: "x"})
    earlier = (ToolCall("old", "a", {}),)
    work = turn(
        ScriptedModel([calls(("a", {})), says("Ok.")]),
        table.tools,
        dispatch=table,
        **going_on(reply_of("b"), made=earlier),
    )
    _, ended = play(work)
    assert (table.called, ended.stop_reason) == (["b"], StopReason.REPEATED_CALLS)


def test_a_clients_tool_may_be_called_again_but_not_in_the_next_step() -> None:
    tools = {"test": lambda progress: "x", "edit": lambda progress: "x"}
    table = ToolTable(tools, clients=frozenset(tools))
    test, edit = calls(("test", {})), calls(("edit", {}))
    model = ScriptedModel(
        [test, edit, test, edit, calls(("test", {}), ("test", {})), test, says("Ok.")]
    )
    _, ended = play(turn(model, tools, dispatch=table, profile={"max_steps": 20}))
    assert table.called == ["test", "edit", "test", "edit", "test"]
    assert ended.stop_reason is StopReason.REPEATED_CALLS


def test_a_stop_leaves_reads_and_sees_writes_to_their_end() -> None:
    is_stopped, may_end = threading.Event(), threading.Event()

    def read(progress: Any) -> str:
        may_end.wait(60)
        return "too late"

    def write(progress: Any) -> str:
        is_stopped.set()
        return "written"

    table = ToolTable({"read": read, "write": write}, writing=frozenset({"write"}))
    notes = MemoryJournal()
    work = turn(
        ScriptedModel([calls(("read", {}), ("write", {}))]),
        table.tools,
        dispatch=table,
        journal=notes,
        is_stopped=is_stopped.is_set,
    )
    try:
        _, ended = play(work)
    finally:
        may_end.set()
    assert ended.stop_reason is StopReason.CANCELLED
    assert notes.lines == ["reply 1 2", "result write"]


def test_nothing_for_a_second_is_said_to_who_drives_the_turn() -> None:
    may_end = threading.Event()
    model = ScriptedModel([calls(("a", {})), says("Ok.")])
    steps = run(turn(model, {"a": lambda progress: may_end.wait(60)}))
    while next(steps) is not None:
        pass
    may_end.set()
    assert [event for event in steps if event]


def test_a_write_that_runs_past_the_deadline_is_unknown() -> None:
    begins, release = threading.Event(), threading.Event()
    hang = {"a": lambda progress: begins.set() or release.wait(60)}
    table = ToolTable(hang, writing=frozenset(hang))

    def work(deadline: float) -> Turn:
        model = ScriptedModel([calls(("a", {}))])
        return turn(model, table.tools, dispatch=table, deadline=deadline)

    try:
        ended = play_past_deadline(begins, work)
    finally:
        release.set()
    assert ended.calls[0].status is CallStatus.UNKNOWN
