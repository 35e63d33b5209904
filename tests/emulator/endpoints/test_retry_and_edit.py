"""Retrying the newest turn and editing its message: the log keeps both, the model sees one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rollcall.agent import attached_files
from rollcall.agent.run_setup import RunContext
from rollcall.core.context import Call, User
from rollcall.core.errors import Unavailable
from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.endpoints.my_data import clear_thread, delete_thread
from rollcall.endpoints.rate_message import rate_message
from rollcall.store import paths
from rollcall.store.message_log import WINDOW_DOCUMENTS
from rollcall.testing import calls, says
from tests.support.firestore_operations import count_operations
from tests.support.local_functions import LocalPlatform
from tests.support.lost_commits import How, lose_commit
from tests.support.office import Office, RunResponse, payment, run_concurrently
from tests.support.run_times import end_lease


def newest_texts(office: Office) -> list[str]:
    """The texts that the model was sent last, of both sides."""
    sent = office.model.requests[-1].messages
    return [each.text for each in sent if isinstance(each, UserMessage | ModelMessage)]


def newest_instructions(office: Office) -> str:
    return office.model.requests[-1].instructions


def retry(office: Office, ran: RunResponse, *replies: Any, **more: Any) -> RunResponse:
    """Ask a run's turn again."""
    data = {"threadId": ran.thread, "retry": ran.done["turnId"]}
    return office.send(data, *replies, **more)


def edit(office: Office, ran: RunResponse, message: str, *replies: Any, **more: Any) -> RunResponse:
    """Send another message in the place of a run's turn."""
    data = {"threadId": ran.thread, "replaces": ran.done["turnId"], "message": message}
    return office.send(data, *replies, **more)


def test_a_retry_asks_the_same_message_again_in_a_turn_of_its_own(office: Office) -> None:
    first = office.ask(says("Bad."), message="Tell me a joke")
    again = retry(office, first, says("Better."))
    assert again.done["message"] == "Better."
    assert again.done["turnId"] != first.done["turnId"]
    assert newest_texts(office) == ["Tell me a joke"]


def test_an_edited_message_takes_the_place_of_the_last(office: Office) -> None:
    before = office.ask(says("Hello."), message="Hi")
    first = office.ask(says("4."), message="2 + 2", threadId=before.thread)
    edit(office, first, "2 + 3", says("5."))
    assert newest_texts(office) == ["Hi", "Hello.", "2 + 3"]
    office.ask(says("Yes."), message="Sure?", threadId=before.thread)
    assert newest_texts(office) == ["Hi", "Hello.", "2 + 3", "5.", "Sure?"]


def test_the_log_keeps_both_and_says_which_was_replaced(office: Office) -> None:
    first = office.ask(says("Bad."), message="Tell me a joke")
    retry(office, first, says("Better."))
    log = office.messages(first.thread)
    assert [each.get("text") for each in log] == [None, "Bad.", None, "Better."]
    assert [each.get("replaces") for each in log] == [None, None, first.done["turnId"], None]


def test_after_several_retries_the_newest_alone_is_seen(office: Office) -> None:
    ran = office.ask(says("1."), message="Go")
    for number in range(2, 6):
        ran = retry(office, ran, says(f"{number}."))
    ran = edit(office, ran, "Stop", says("Stopped."))
    office.ask(says("Fine."), message="Thanks", threadId=ran.thread)
    assert newest_texts(office) == ["Stop", "Stopped.", "Thanks"]


def test_a_log_that_is_read_anew_leaves_replaced_turns_out_too(office: Office) -> None:
    hello = office.ask(says("Hello."), message="Hi")
    first = office.ask(says("Bad."), message="Joke", threadId=hello.thread)
    second = retry(office, first, says("Worse."))
    retry(office, second, says("Better."))
    paths.window(office.db, hello.thread).delete()
    office.ask(says("Fine."), message="Thanks", threadId=hello.thread)
    assert newest_texts(office) == ["Hi", "Hello.", "Joke", "Better.", "Thanks"]


def test_replaced_turns_crowd_nothing_out_of_the_history(office: Office) -> None:
    ran = office.ask(says("Hello."), message="Hi")
    thread = ran.thread
    office.ask(says("Noted."), message="Remember 7", threadId=thread)
    ran = office.ask(*[calls(("look_up", {"word": str(n)})) for n in range(4)], threadId=thread)
    for attempt in range(12):
        words = [calls(("look_up", {"word": f"{attempt}-{n}"})) for n in range(3)]
        ran = retry(office, ran, *words, says("Found."))
    assert len(office.messages(thread)) > WINDOW_DOCUMENTS
    paths.window(office.db, thread).delete()
    office.ask(says("7."), message="What was it?", threadId=thread)
    assert newest_texts(office)[:4] == ["Hi", "Hello.", "Remember 7", "Noted."]


def test_a_failed_turn_can_be_asked_again(office: Office) -> None:
    hello = office.ask(says("Hello."), message="Hi")
    thread = hello.thread
    failed = office.ask(Unavailable("no route", retry_after_s=999), threadId=thread, runId="r2")
    assert failed.code == "unavailable"
    ran = office.send({"threadId": thread, "retry": "r2"}, says("Here."))
    assert (ran.done["message"], newest_texts(office)) == ("Here.", ["Hi", "Hello.", "Please."])


def test_a_stopped_turn_can_be_asked_again(office: Office) -> None:
    def until_stopped(request: Any) -> Any:
        stop = {"threadId": thread, "runId": "r2"}
        assert office.functions.post("cancel_run", stop).status_code == 200
        yield from calls(("look_up", {}))

    thread = office.ask(says("Hello.")).thread
    stopped = office.ask(until_stopped, message="Long?", threadId=thread, runId="r2")
    assert stopped.done["outcome"]["type"] == "cancelled"
    ran = office.send({"threadId": thread, "retry": "r2"}, says("All of it."))
    assert ran.done["message"] == "All of it."
    assert newest_texts(office)[-1] == "Long?"


def test_a_turn_that_waits_is_closed_by_its_retry_and_nothing_is_written(office: Office) -> None:
    waiting = office.ask(payment(5, "bob"), message="Pay bob")
    again = retry(office, waiting, says("Not now."))
    assert [each["status"] for each in office.approvals().values()] == ["expired"]
    assert (again.done["message"], office.done("pay")) == ("Not now.", [])
    assert office.resume(waiting).code == "failed-precondition"


def test_calls_left_to_the_client_are_closed_by_an_edit(office: Office) -> None:
    data = {"message": "Open it", "clientId": "tab", "clientTools": ["open_file"]}
    waiting = office.send(data, calls(("open_file", {"path": "a.txt"})))
    pending = waiting.done["outcome"]["pendingToolCallIds"]
    edit(office, waiting, "Never mind", says("Fine."))
    late = office.send(
        {
            "threadId": waiting.thread,
            "clientId": "tab",
            "toolResults": [{"toolCallId": pending[0], "content": "text"}],
        }
    )
    assert late.code is not None
    assert newest_texts(office) == ["Never mind"]


@pytest.mark.parametrize("is_late", [False, True])
def test_a_write_that_a_client_may_have_done_is_told(office: Office, is_late: bool) -> None:
    data = {"message": "Mend it", "clientId": "tab", "clientTools": ["edit_file"]}
    waiting = office.send(data, calls(("edit_file", {"path": "a.txt"})))
    waiting = office.resume(waiting) if waiting.interrupts else waiting
    assert waiting.done["outcome"]["pendingToolCallIds"]
    if is_late:
        thread = office.db.document(f"threads/{waiting.thread}")
        thread.update({"waiting.until": datetime.now(UTC) - timedelta(minutes=1)})
        assert office.sweep(says("Nobody answered.")) == 1
    retry(office, waiting, says("Let me look."))
    assert "edit_file" in newest_instructions(office)
    assert "(begun; nobody knows whether it happened)" in newest_instructions(office)


def test_the_model_is_told_what_a_replaced_turn_has_written(office: Office) -> None:
    ran = office.ask(payment(5, "bob"), message="Pay bob")
    done = office.resume(ran, says("Paid."))
    again = retry(office, done, says("It is paid."))
    assert 'pay {"amountUsd": 5.0, "to": "bob"} (done)' in newest_instructions(office)
    assert "Do not write it a second time" in newest_instructions(office)
    # Of a retry of the retry, and in later turns, too.
    office.ask(says("Yes."), message="Sure?", threadId=retry(office, again, says("Paid.")).thread)
    assert newest_instructions(office).count('pay {"amountUsd": 5.0, "to": "bob"} (done)') == 1
    assert len(office.done("pay")) == 1


def test_what_a_long_turn_wrote_first_is_told_though_the_window_begins_later(
    office: Office,
) -> None:
    office.declare(max_output_tokens=150_000)
    ran = office.ask(payment(5, "bob"), message="Pay bob and look up much")
    large = [calls(("look_up", {"word": f"{n}" * 140_000})) for n in range(4)]
    done = office.resume(ran, *large, says("Paid."))
    window = paths.window(office.db, done.thread).get().to_dict() or {}
    assert all(each["role"] != "user" for each in json.loads(window["log"]))
    retry(office, done, says("It is paid."))
    assert 'pay {"amountUsd": 5.0, "to": "bob"} (done)' in newest_instructions(office)


def test_what_only_read_is_not_told(office: Office) -> None:
    first = office.ask(calls(("look_up", {"word": "x"})), says("Found."))
    retry(office, first, says("Found again."))
    assert "Do not write it a second time" not in newest_instructions(office)


def test_a_retry_that_crashed_is_taken_up_with_all_it_knew(office: Office) -> None:
    ran = office.ask(payment(5, "bob"), message="Pay bob")
    done = office.resume(ran, says("Paid."))
    data = {"threadId": done.thread, "retry": done.done["turnId"], "runId": "r2"}
    office.crash(data, calls(("look_up", {})), at="save_reply", before=False)
    end_lease(office.db, done.thread, "r2")
    assert office.sweep(says("Here again.")) == 1
    assert 'pay {"amountUsd": 5.0, "to": "bob"} (done)' in newest_instructions(office)
    assert newest_texts(office)[0] == "Pay bob"
    assert "Paid." not in newest_texts(office)


def test_a_write_whose_end_only_the_ledger_knows_is_told(office: Office) -> None:
    ran = office.ask(payment(5, "bob"), message="Pay bob")
    entry = {"interruptId": ran.interrupts[0]["id"], "status": "resolved"}
    resume = [{**entry, "payload": {"approved": True}}]
    data = {"threadId": ran.thread, "resume": resume}
    office.crash(data, at="save_results", before=True)  # it was paid, and that was not noted
    again = office.send(
        {"threadId": ran.thread, "retry": ran.done["turnId"], "whenBusy": "supersede"},
        says("It is paid."),
    )
    assert again.done["message"] == "It is paid."
    assert len(office.done("pay")) == 1
    assert 'pay {"amountUsd": 5, "to": "bob"} (done)' in newest_instructions(office)


@pytest.mark.parametrize("how", ["before", "after", "twice"])
def test_a_retry_whose_answer_is_lost_is_one_retry(office: Office, how: How) -> None:
    office.patch.setenv("ROLLCALL_LEASE_S", "1")  # which the lost run has to its end
    first = office.ask(says("Bad."), message="Joke")
    data = {"threadId": first.thread, "retry": first.done["turnId"], "runId": "r2"}
    with lose_commit(office.patch, 0, how):
        office.send(data, says("Better."))
    assert office.send(data, says("Better.")).done["message"] == "Better."
    assert [each.get("text") for each in office.messages(first.thread)] == [
        None,
        "Bad.",
        None,
        "Better.",
    ]
    assert newest_texts(office) == ["Joke"]


@pytest.mark.parametrize("before", [True, False])
def test_a_retry_that_died_before_anything_was_saved_goes_on(office: Office, before: bool) -> None:
    first = office.ask(says("Bad."), message="Joke")
    data = {"threadId": first.thread, "retry": first.done["turnId"], "runId": "r2"}
    office.crash(data, calls(("look_up", {})), at="save_reply", before=before)
    end_lease(office.db, first.thread, "r2")
    # The client asks once more before any sweep.
    assert office.send(data, says("Better.")).done["message"] == "Better."
    assert newest_texts(office)[0] == "Joke"
    assert "Bad." not in newest_texts(office)


@pytest.mark.parametrize("number", range(4))
def test_a_retry_and_a_decision_at_once_are_one_of_both(office: Office, number: int) -> None:
    waiting = office.ask(payment(5, "bob"), message="Pay bob")
    (interrupt,) = waiting.interrupts
    office.model.replies = [says("Done."), says("Done.")]

    def one(turn: int) -> RunResponse | None:
        if turn == number % 2:
            return office.send({"threadId": waiting.thread, "retry": waiting.done["turnId"]})
        office.decide(interrupt["id"], approved=True, by="ann")
        return None

    (retried,) = filter(None, run_concurrently(2, one))
    office.run_queue()
    (approval,) = office.approvals().values()
    log = office.messages(waiting.thread)
    was_replaced = any(each.get("replaces") for each in log)
    assert was_replaced == (retried.code is None) == (approval["status"] == "expired")
    assert len(office.done("pay")) == (0 if was_replaced else 1)
    office.check_history()


@pytest.mark.parametrize("number", range(4))
def test_a_retry_and_the_clients_answers_at_once_are_one_of_both(
    office: Office, number: int
) -> None:
    data = {"message": "Open it", "clientId": "tab", "clientTools": ["open_file"]}
    waiting = office.send(data, calls(("open_file", {"path": "a.txt"})))
    (pending,) = waiting.done["outcome"]["pendingToolCallIds"]
    answers = {"clientId": "tab", "toolResults": [{"toolCallId": pending, "content": "text"}]}
    office.model.replies = [says("Done."), says("Done.")]

    def one(turn: int) -> RunResponse:
        asked = {"retry": waiting.done["turnId"]} if turn == number % 2 else answers
        return office.send({"threadId": waiting.thread, **asked})

    ended = run_concurrently(2, one)
    assert sorted(each.code or "" for each in ended)[0] == ""
    log = office.messages(waiting.thread)
    runs = {each["runId"] for each in log}
    assert len(runs) == 1 + sum(each.code is None for each in ended)
    office.check_history()


def test_the_same_run_id_is_one_retry(office: Office) -> None:
    first = office.ask(says("Bad."), message="Joke")
    data = {"threadId": first.thread, "retry": first.done["turnId"], "runId": "r2"}
    ran = run_concurrently(4, lambda _: office.send(data))
    assert all(each.done == ran[0].done for each in ran)
    later = office.ask(says("Fine."), message="Thanks", threadId=first.thread)
    assert office.send(data).done == ran[0].done
    assert len(office.runs(first.thread)) == 3
    assert later.done["turnId"] in office.runs(first.thread)


def test_the_same_run_id_with_another_edit_is_refused(office: Office) -> None:
    first = office.ask(says("Bad."), message="Joke")
    edit(office, first, "A good joke", says("Ha."), runId="r2")
    assert edit(office, first, "Another joke", runId="r2").code == "already-exists"


def test_of_two_tabs_that_retry_at_once_one_does(office: Office) -> None:
    first = office.ask(says("Bad."), message="Joke")
    data = {"threadId": first.thread, "retry": first.done["turnId"]}
    ran = run_concurrently(3, lambda n: office.send({**data, "runId": f"tab{n}"}))
    codes = sorted(each.code or "done" for each in ran)
    assert codes.count("done") == 1
    assert set(codes) <= {"done", "aborted", "failed-precondition"}
    assert [each.get("replaces") for each in office.messages(first.thread)].count(
        first.done["turnId"]
    ) == 1


@pytest.mark.parametrize("named", ["retry", "replaces"])
def test_only_the_newest_turn_may_be_named_and_the_refusal_says_which_it_is(
    office: Office, named: str
) -> None:
    first = office.ask(says("Hello."), message="Hi")
    second = office.ask(says("Fine."), message="And you?", threadId=first.thread)
    more = {"message": "Hello!"} if named == "replaces" else {}
    for turn in (first.done["turnId"], "nothing", f"{second.done['turnId']}~1"):
        refused = office.send({"threadId": first.thread, named: turn, **more})
        assert (refused.code, refused.field) == ("failed-precondition", named)
        assert refused.error is not None
        assert second.done["turnId"] in refused.error["message"]
    assert len(office.messages(first.thread)) == 4


def test_a_turn_that_was_replaced_is_not_asked_again(office: Office) -> None:
    first = office.ask(says("1."), message="Go")
    second = retry(office, first, says("2."))
    refused = retry(office, first)
    assert refused.code == "failed-precondition"
    assert refused.error is not None
    assert second.done["turnId"] in refused.error["message"]


@pytest.mark.parametrize("turn", ["its own", "none"])
def test_nobody_retries_anothers_turn(office: Office, turn: str) -> None:
    first = office.ask(says("Hello."), message="Hi")
    named = first.done["turnId"] if turn == "its own" else "nothing"
    refused = office.send({"threadId": first.thread, "retry": named}, uid="eve")
    assert (refused.code, refused.field) == ("permission-denied", "threadId")
    other = office.send({"threadId": first.thread, "replaces": named, "message": "Mine"}, uid="eve")
    assert other.code == "permission-denied"
    assert len(office.messages(first.thread)) == 2


def test_a_turn_of_an_erased_thread_is_gone(office: Office) -> None:
    first = office.ask(says("Hello."), message="Hi")
    data = Call(User("ann"), {"threadId": first.thread})
    clear_thread(LocalPlatform(office.db), data)
    refused = retry(office, first)
    assert (refused.code, refused.field) == ("failed-precondition", "retry")
    assert edit(office, first, "Hi!").code == "failed-precondition"
    delete_thread(LocalPlatform(office.db), data)
    assert retry(office, first).code == "not-found"


def test_a_turn_that_is_running_is_refused_or_taken_over(office: Office) -> None:
    hello = office.ask(says("Hello."))
    data = {"message": "Go on", "threadId": hello.thread, "runId": "r2"}
    office.crash(data, calls(("look_up", {})), at="save_reply", before=False)
    again = {"threadId": hello.thread, "retry": "r2"}
    assert office.send(again).code == "aborted"
    assert office.send({**again, "whenBusy": "supersede"}, says("Done.")).done["message"] == "Done."
    assert newest_texts(office)[-1] == "Go on"
    assert office.run(hello.thread, "r2")["status"] == "failed"


def test_a_retry_keeps_the_place_and_takes_another_language(office: Office) -> None:
    first = office.ask(says("Hello."), context={"projectId": "house"})
    retry(office, first, says("שלום."), locale="he")
    assert '"projectId": "house"' in newest_instructions(office)
    asked = [
        json.loads(office.run(first.thread, id)["request"]) for id in office.runs(first.thread)
    ]
    assert sorted(each["locale"] for each in asked) == ["en", "he"]


def test_a_message_with_an_image_is_asked_again_whole(office: Office) -> None:
    image = {"type": "image", "mediaType": "image/png", "data": "iVBORw0KGgo=", "name": "a.png"}
    office.patch.setattr(attached_files, "media_types", lambda model: frozenset({"image/png"}))
    first = office.send({"message": [{"type": "text", "text": "What is it?"}, image]}, says("?"))
    retry(office, first, says("A dot."))
    sent = office.model.requests[-1].messages[-1]
    assert isinstance(sent, UserMessage)
    assert sent.parts[1].type == "image"
    assert len(office.model.requests[-1].messages) == 1


def test_tools_are_chosen_as_if_the_replaced_turn_had_not_been(office: Office) -> None:
    seen: list[list[str]] = []
    original = RunContext.choose_tools

    def choose(
        asked: RunContext, documents: Sequence[dict[str, Any]], *args: Any
    ) -> dict[str, Any]:
        seen.append([each.get("text") or each["parts"][0]["text"] for each in documents])
        return original(asked, documents, *args)

    office.patch.setattr(RunContext, "choose_tools", choose)
    first = office.ask(says("Hello."), message="Hi")
    found = office.ask(calls(("look_up", {})), says("Found."), threadId=first.thread)
    retry(office, found, says("Done."))
    assert seen == [[], ["Hi", "Hello."], ["Hi", "Hello."]]


def test_a_thread_is_named_once_and_a_name_of_the_users_stays(office: Office) -> None:
    ran = office.ask(says("Hello."), message="Hi! Could you please summarize the budget?")
    thread = office.db.document(f"threads/{ran.thread}")
    assert office.document(thread.path)["title"] == "Summarize the budget"
    thread.update({"title": "Money"})
    edit(office, ran, "Something else entirely", says("Fine."))
    assert office.document(thread.path)["title"] == "Money"
    clear_thread(LocalPlatform(office.db), Call(User("ann"), {"threadId": ran.thread}))
    office.ask(says("Hello."), message="What is new?", threadId=ran.thread)
    assert office.document(thread.path)["title"] == "What is new?"


def test_both_answers_can_be_rated(office: Office) -> None:
    first = office.ask(says("Bad."), message="Joke")
    again = retry(office, first, says("Better."))
    for ran, rating in ((first, "down"), (again, "up")):
        data = {"threadId": ran.thread, "runId": ran.done["runId"], "rating": rating}
        assert rate_message(office.platform, Call(User("ann"), data))["rating"] == rating


def test_the_last_run_of_a_turn_with_a_client_hop_can_be_rated(office: Office) -> None:
    data = {"message": "Open it", "clientId": "tab", "clientTools": ["open_file"]}
    waiting = office.send(data, calls(("open_file", {"path": "a.txt"})))
    result = {"toolCallId": waiting.done["outcome"]["pendingToolCallIds"][0], "content": "text"}
    ended = office.send(
        {"threadId": waiting.thread, "clientId": "tab", "toolResults": [result]},
        says("It says text."),
    )
    assert ended.done["runId"] != waiting.done["runId"]
    rated = {"threadId": ended.thread, "runId": ended.done["runId"], "rating": "up"}
    assert rate_message(office.platform, Call(User("ann"), rated))["rating"] == "up"
    again = retry(office, ended, says("Text."))
    rated = {**rated, "runId": again.done["runId"], "rating": "down"}
    assert rate_message(office.platform, Call(User("ann"), rated))["rating"] == "down"


def test_a_retry_costs_one_read_of_its_message_more(office: Office) -> None:
    thread = office.ask(says("Hello.")).thread
    with count_operations() as plain:
        ran = office.ask(says("Yes."), message="One", threadId=thread)
    with count_operations() as again:
        retry(office, ran, says("Yes."))
    assert (again.platform_reads, again.platform_writes) == (
        plain.platform_reads + 1,
        plain.platform_writes,
    )
