"""The offline planner as a model: its stream, its honesty, its small talk."""

import time

import pytest
from msgspec.structs import replace

from rollcall.core.errors import DeadlineExceeded, FailedPrecondition
from rollcall.core.messages import ModelMessage, ToolMessage, UserMessage
from rollcall.core.shapes import ASK_USER
from rollcall.models.base import (
    BY_PROVIDER,
    ArgumentsDelta,
    CallEnd,
    CallStart,
    FinishReason,
    ModelRequest,
    TextDelta,
    load_model,
)
from rollcall.models.offline import Model
from tests.unit.models.planner.kit import (
    EDUCATION,
    ELECTRICAL,
    MESSAGING,
    Talk,
    answer_of,
    ask,
    finish_of,
    message_of,
    spec,
)


def request(message: str, **more: object) -> ModelRequest:
    return ModelRequest("", (UserMessage.of(message),), MESSAGING, **more)  # type: ignore[arg-type]


def test_it_loads_under_its_id() -> None:
    assert load_model("offline:planner").id == "offline:planner"
    assert Model("").id == "offline:planner"


def test_a_call_streams_as_start_pieces_and_end() -> None:
    deltas = list(Model().stream(request("What are my top 3 priorities?")))
    start, *pieces, end, finish = deltas
    assert isinstance(start, CallStart)
    assert isinstance(end, CallEnd)
    assert start.id == end.id
    assert len(pieces) == sum(isinstance(piece, ArgumentsDelta) for piece in pieces)
    assert message_of(deltas).tool_calls[0].arguments == {"limit": 3}
    assert finish_of(deltas).reason is FinishReason.TOOL_CALLS
    assert finish == finish_of(deltas)


def test_text_streams_in_several_pieces_with_estimated_usage() -> None:
    deltas = list(Model().stream(request("Hello, how are you?")))
    assert sum(isinstance(delta, TextDelta) for delta in deltas) > 3
    finish = finish_of(deltas)
    assert finish.reason is FinishReason.STOP
    assert finish.usage.input_tokens > 0
    assert finish.usage.output_tokens > 0
    assert "estimate" in finish.detail


def test_a_notice_is_said_before_an_answer_or_a_question_and_not_with_a_call() -> None:
    def reply(message: str) -> ModelMessage:
        tools = (*MESSAGING, *EDUCATION, spec(ASK_USER, "Ask.", {}))
        wanted = replace(request(message, notice="No tutor here."), tools=tools)
        return message_of(list(Model().stream(wanted)))

    plain = message_of(list(Model().stream(request("Hello!")))).text
    assert plain and reply("Hello!").text == f"No tutor here.\n\n{plain}"
    called = reply("What are my priorities?")
    assert called.tool_calls and called.text == ""
    asked = reply("צרי דף עבודה")
    assert [each.name for each in asked.tool_calls] == [ASK_USER]
    assert asked.text == "No tutor here."


def test_the_same_request_gets_the_same_reply() -> None:
    wanted = request("What are my priorities and what action items do I have?")
    assert list(Model().stream(wanted)) == list(Model().stream(wanted))


def test_call_ids_are_unique_over_a_thread() -> None:
    talk = Talk(MESSAGING)
    talk.say("What are my priorities and what action items do I have?")
    talk.say("What are my priorities?")
    calls = [c.id for m in talk.history if isinstance(m, ModelMessage) for c in m.tool_calls]
    assert len(calls) == len(set(calls)) == 3


def test_free_json_is_refused() -> None:
    with pytest.raises(FailedPrecondition, match="offline"):
        list(Model().stream(request("Hello", response_schema={"type": "object"})))


def test_a_passed_deadline_is_kept() -> None:
    with pytest.raises(DeadlineExceeded):
        list(Model().stream(request("Hello", deadline=time.monotonic() - 1)))


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("Hello, how are you?", "Hello"),
        ("שלום, מה שלומך?", "שלום"),
        ("Thanks a lot!", "welcome"),
        ("תודה רבה!", "בשמחה"),
        ("bye", "Goodbye"),
    ],
)
def test_small_talk_is_answered_without_tools(message: str, word: str) -> None:
    talk = ask(message, MESSAGING)
    assert talk.calls == []
    assert word in answer_of(talk)


@pytest.mark.parametrize("message", ["Are you an AI?", "which model are you?", "who are you?"])
def test_it_says_that_it_is_no_language_model(message: str) -> None:
    assert "not a language model" in answer_of(ask(message, MESSAGING))


def test_it_says_so_in_hebrew() -> None:
    assert "לא מודל שפה" in answer_of(ask("האם אתה בוט?", MESSAGING))


def test_help_names_what_the_offered_tools_do_with_examples_to_tap() -> None:
    talk = ask("מה אתה יודע לעשות?", EDUCATION)
    assert "דף עבודה" in answer_of(talk)
    assert talk.quick_replies == ("צרי לי דף עבודה על שברים לכיתה ד",)


TIDE = spec("tide_level", f"{BY_PROVIDER}Tell the level of the tide.", {})


def test_help_names_what_a_tool_of_others_does_without_the_words_before_it() -> None:
    assert "- Tell the level of the tide" in answer_of(ask("What can you do?", (TIDE,)))
    request = ModelRequest("", (UserMessage.of("What can you do?"),), abilities=(TIDE,))
    said = message_of(list(Model().stream(request))).text
    assert "Tell the level of the tide" in said
    assert "provider" not in said


def test_the_words_before_a_description_of_others_choose_no_tool() -> None:
    def called(message: str) -> bool:
        return bool(ask(message, (TIDE,), lambda name, arguments: {"tide": "high"}).calls)

    assert called("What is the level of the tide?")
    assert not called("Instructions by the data provider")


def test_without_tools_it_says_so() -> None:
    assert "no tools" in answer_of(ask("What are my priorities?", ()))


@pytest.mark.parametrize("message", ["What's the weather in Paris?", "Tell me a joke about cats"])
def test_what_no_tool_fits_is_not_attempted(message: str) -> None:
    talk = ask(message, ELECTRICAL)
    assert talk.calls == []
    assert "don't have a tool" in answer_of(talk)


def test_when_calls_are_over_it_tells_what_was_found_so_far() -> None:
    talk = Talk(MESSAGING)
    talk.say("What are my priorities?")
    cut = ModelRequest("", tuple(talk.history[:-1]), MESSAGING, tool_choice="none")
    said = message_of(list(Model().stream(cut)))
    assert said.tool_calls == ()
    assert "so far" in said.text
    assert "The server is down" in said.text


def test_results_of_calls_that_another_model_made_are_told() -> None:
    talk = Talk(MESSAGING)
    talk.say("What are my priorities?")
    question = UserMessage.of("Anything else on fire?")
    history = (question, *talk.history[1:-1])
    assert isinstance(history[-1], ToolMessage)
    reply = message_of(list(Model().stream(ModelRequest("", history, MESSAGING))))
    assert "The server is down" in reply.text


def test_a_greeting_offers_three_short_things_in_the_users_language() -> None:
    said = answer_of(ask("Hello", MESSAGING)).splitlines()
    assert said[2] == "- Get a list of your conversations"
    assert sum(line.startswith("- ") for line in said) == 3
    english = replace(EDUCATION[0], description="Make a worksheet.")
    assert "- „צרי לי דף עבודה על שברים לכיתה ד”" in answer_of(ask("שלום", (english,)))


def test_examples_that_are_questions_make_no_question_of_the_answer() -> None:
    asked = replace(MESSAGING[0], examples=({"userRequest": "מה דחוף?"},))
    assert "?" not in answer_of(ask("שלום", (asked,)))
