"""Values that are large in bytes, of models, tools, clients or people: each is stored, cut or
refused. Firestore takes 1 MiB a document and counts UTF-8."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.agent.approvals import ARGUMENTS_BYTES
from rollcall.agent.reply import REPLY_CHARS
from rollcall.agent.resume import CONTENTS_BYTES
from rollcall.core.capability import Capability, Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.wire import Display
from rollcall.models.base import Finish, FinishReason, TextDelta
from rollcall.store import budgets
from rollcall.testing import calls, says
from tests.support.full_form import cases
from tests.support.office import Office, RunResponse, payment

LETTERS = ["ש", "漢", "😀", '"', "\x01"]
TRIED = cases(LETTERS, 3)
LARGE_PNG = "iVBORw0KGgoA" + "A" * 849_988
"""As much base64 as a message may have, with the first bytes of a PNG."""
LAPTOP: dict[str, Any] = {"clientId": "laptop", "clientTools": ["open_file"]}


@pytest.fixture(autouse=True)
def long_replies(office: Office) -> None:
    """The model may say as much as is accepted of any, and the user may pay for it."""
    office.declare(max_output_tokens=150_000)
    office.db.document("budgets/limits").set({"user": {"tokensPerDay": None}})
    budgets.forget_limits()


def longest_text(letter: str, share: int = 1, *, limit: int = ARGUMENTS_BYTES) -> str:
    """As much of a letter as a share of a reply may have, as JSON in a call's arguments."""
    chars = (REPLY_CHARS - 20_000) // len(json.dumps(letter, ensure_ascii=False)[1:-1])
    return letter * (min(chars, (limit - 20_000) // len(letter.encode())) // share)


def call_reply(*wanted: tuple[str, dict[str, Any]]) -> list[Any]:
    """A reply that calls tools, in letters as they are."""
    return calls(*((name, json.dumps(each, ensure_ascii=False)) for name, each in wanted))


def with_parts(reply: list[Any], parts: Any) -> list[Any]:
    return [*reply[:-1], Finish(FinishReason.TOOL_CALLS, provider_parts=tuple(parts))]


@capability(name={"en": "Copy"}, category="office")
def look_up(ctx: ToolContext, *, word: str) -> dict[str, str]:
    """Give back as much as was said, and more."""
    return {"copy": word * 10}


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
@pytest.mark.parametrize("share", [1, 14])
def test_a_step_of_any_letters_is_stored(office: Office, letter: str, share: int) -> None:
    office.redeclare(Capability.of(look_up))
    text = longest_text(letter, share, limit=4 * REPLY_CHARS)
    step = call_reply(*(("look_up", {"word": text[: -number or None]}) for number in range(share)))
    step = [TextDelta("Let me see."), *step]
    step = with_parts(step, [{"text": text} for _ in range(share)])
    ran = office.ask(step, says(longest_text(letter)))
    assert ran.statuses() == ["done"] * share
    assert office.ask(says("Yes."), threadId=ran.thread).done["message"] == "Yes."
    assert office.stored_events(ran.thread, ran.done["runId"])


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_a_turn_of_many_large_steps_has_a_result(office: Office, letter: str) -> None:
    office.redeclare(Capability.of(look_up))
    steps = [
        call_reply(("look_up", {"word": longest_text(letter, limit=4 * REPLY_CHARS)[number:]}))
        for number in range(4)
    ]
    ran = office.ask(*steps, says("Done."))
    kept = office.result(ran.thread, ran.done["runId"])
    assert (ran.statuses(), kept["message"]) == (["done"] * 4, "Done.")


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_calls_that_are_refused_without_end_are_stored(office: Office, letter: str) -> None:
    names = [f"{letter * 300}{number}" for number in range(140)]
    ran = office.ask(call_reply(*((name, {}) for name in names)), says("Sorry."))
    assert (set(ran.statuses()), ran.done["message"]) == ({"refused"}, "Sorry.")


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_numbers_that_are_longer_when_they_are_written_out(office: Office, letter: str) -> None:
    numbers = f'{{"word": [{",".join(["1e15"] * 19_000)}]}}'
    other = json.dumps({"word": longest_text(letter, 3)}, ensure_ascii=False)
    step = calls(("look_up", numbers), ("look_nowhere", other))
    ran = office.ask(with_parts(step, [{"text": longest_text(letter)}]), says("Sorry."))
    assert (ran.statuses(), ran.done["message"]) == (["failed", "failed"], "Sorry.")


def tidy(**more: Any) -> Capability:
    """A write whose preview shows all of it."""

    def preview(ctx: ToolContext, *, paper: str) -> Preview:
        rows = [{"paper": paper}] * 3
        return Preview(Display(type="table", columns=["paper"], rows=rows))

    @capability(name={"en": "Tidy"}, category="office", effect="write", preview=preview, **more)
    def tidy(ctx: ToolContext, *, paper: str) -> str:
        """Tidy a paper away."""
        return paper

    return Capability.of(tidy)


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_an_approval_of_any_letters_is_asked_and_given(office: Office, letter: str) -> None:
    office.redeclare(tidy())
    ran = office.ask(call_reply(("tidy", {"paper": longest_text(letter)})))
    assert office.resume(ran, says("Tidied.")).statuses() == ["done"]


def test_changed_arguments_that_no_approval_could_hold_are_refused(office: Office) -> None:
    office.redeclare(tidy())
    ran = office.ask(call_reply(("tidy", {"paper": "lease"})))
    edited = {"approved": True, "editedArguments": {"paper": "ש" * ARGUMENTS_BYTES}}
    refused = office.resume(ran, answers=[edited])
    assert (refused.code, refused.field) == (
        "invalid-argument",
        "resume.0.payload.editedArguments",
    )
    edited = {"approved": True, "editedArguments": {"paper": "ש" * (ARGUMENTS_BYTES // 2 - 100)}}
    assert office.resume(ran, answers=[edited]).statuses() == ["done"]


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_what_a_client_answers_before_a_person_decides_is_stored(
    office: Office, letter: str
) -> None:
    office.redeclare(tidy())
    files = [("open_file", {"path": f"{number}"}) for number in range(4)]
    ran = office.ask(call_reply(*files, ("tidy", {"paper": longest_text(letter)})), **LAPTOP)
    noted = answer(office, ran, letter)
    assert noted.done["outcome"]["interrupts"]
    assert office.resume(ran, says("Done.")).statuses() == ["done"] * 5


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_a_client_may_answer_as_much_as_is_taken(office: Office, letter: str) -> None:
    ran = office.ask(call_reply(*(("open_file", {"path": f"{n}"}) for n in range(4))), **LAPTOP)
    assert answer(office, ran, letter).statuses() == ["done"] * 4


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_what_a_client_answers_while_the_user_goes_on_is_stored(
    office: Office, letter: str
) -> None:
    step = call_reply(*(("open_file", {"path": f"{n}"}) for n in range(4)), ("look_up", {}))
    step = with_parts([TextDelta(longest_text(letter)), *step], [{"text": longest_text(letter)}])
    ran = office.ask(step, payment(), **LAPTOP)
    noted = answer(office, ran, letter)
    assert noted.done["threadId"] == ran.thread
    assert office.ask(says("Never mind."), threadId=ran.thread).done["message"] == "Never mind."


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_a_failure_at_the_client_in_any_letters_is_stored(office: Office, letter: str) -> None:
    ran = office.ask(call_reply(*(("open_file", {"path": f"{n}"}) for n in range(12))), **LAPTOP)
    pending = ran.done["outcome"]["pendingToolCallIds"]
    results = [{"toolCallId": id, "error": letter * 4_000} for id in pending]
    ended = office.send({"toolResults": results, "clientId": "laptop", "threadId": ran.thread})
    assert ended.statuses() == ["failed"] * 12


def test_a_message_with_all_that_it_may_have_is_stored(office: Office) -> None:
    image = {"type": "image", "mediaType": "image/png", "data": LARGE_PNG, "name": "😀" * 200}
    parts = [{"type": "text", "text": "😀" * 32_000}, image]
    context = {"note": "ש" * 3_900}
    ran = office.ask(says("I see."), message=parts, context=context)
    assert ran.done["message"] == "I see."
    again = office.ask(
        says("Again."), message=parts, replaces=ran.done["turnId"], threadId=ran.thread
    )
    assert again.done["message"] == "Again."


@pytest.mark.long
@pytest.mark.parametrize("letter", TRIED)
def test_what_a_write_returned_is_told_when_its_step_was_cut_off(
    office: Office, letter: str
) -> None:
    @capability(
        name={"en": "Stamp"},
        category="office",
        effect="write",
        approval=ApprovalPolicy(ask="never"),
    )
    def stamp(ctx: ToolContext, *, paper: str) -> dict[str, str]:
        """Stamp a paper."""
        return {"stamped": paper * 2}

    office.redeclare(Capability.of(stamp))
    step = call_reply(
        *(("stamp", {"paper": longest_text(letter, 4)[number:]}) for number in range(4))
    )
    step = with_parts(step, [{"text": longest_text(letter)}])
    office.crash({"message": "Go", "runId": "r"}, step, at="save_results", before=True)
    thread = next(iter(office.db.collection("threads").stream())).id
    ran = office.ask(says("On."), threadId=thread, whenBusy="supersede")
    assert ran.done["message"] == "On."


def answer(office: Office, ran: RunResponse, letter: str) -> RunResponse:
    """Answer all calls that are left, with as much as all may have together."""
    pending = ran.done["outcome"]["pendingToolCallIds"]
    size = len(json.dumps(letter, ensure_ascii=False).encode()) - 2
    text = letter * min((CONTENTS_BYTES // len(pending) - 200) // size, 190_000 // size)
    results = [{"toolCallId": id, "content": {"text": text}} for id in pending]
    data = {"toolResults": results, "clientId": "laptop", "threadId": ran.thread}
    return office.send(data, says("Read."))


def return_much(office: Office) -> None:
    """Have `look_up` find as much as a step's document holds."""

    @capability(name={"en": "Look up"}, category="office")
    def look_up(ctx: ToolContext, *, word: str = "x") -> list[str]:
        """Look a word up."""
        return ["א" * 2_300 for _ in range(10)]

    office.redeclare(Capability.of(look_up))


def look_ups(word: str) -> Any:
    return calls(*(("look_up", {"word": f"{word}{n}"}) for n in range(8)))


def test_a_turn_whose_results_outgrow_the_view_goes_on_after_a_yes(office: Office) -> None:
    return_much(office)
    asked = office.ask(look_ups("a"), look_ups("b"), payment())
    ended = office.resume(asked)
    assert (ended.error, ended.statuses()) == (None, ["done"])
    assert office.model.requests[-1].messages[0].role == "user"
    assert len(office.done("pay")) == 1


@pytest.mark.parametrize(("char", "status"), [("a", "waiting"), ("\N{GRINNING FACE}", "failed")])
def test_arguments_of_any_size_are_asked_about_or_refused(
    office: Office, char: str, status: str
) -> None:
    @capability(name={"en": "Stamp"}, category="office", effect="write")
    def stamp(ctx: ToolContext, *, paper: str) -> int:
        """Stamp a paper."""
        return 1

    office.redeclare(Capability.of(stamp))
    text = json.dumps({"paper": char * 140_000}, ensure_ascii=False)
    assert office.ask(calls(("stamp", text))).statuses() == [status]


def test_arguments_of_any_size_are_kept_with_their_result(office: Office) -> None:
    text = json.dumps({"word": "\N{GRINNING FACE}" * 140_000}, ensure_ascii=False)
    ran = office.ask(calls(("look_up", text)))
    assert (ran.error, ran.statuses()) == (None, ["done"])
    assert office.ask(says("Hi."), threadId=ran.thread).error is None
