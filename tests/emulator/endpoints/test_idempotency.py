"""One run id is one run, however often and however it is sent."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rollcall.agent import continuation
from rollcall.agent.continuation import follow
from rollcall.core.context import Call, User
from rollcall.core.errors import NotFound, Unavailable
from rollcall.endpoints.run_agent import run_agent
from rollcall.models.base import Finish, FinishReason, TextDelta, Usage
from rollcall.store import event_log, paths
from rollcall.store.runs import thread_id_for
from rollcall.testing import calls, says
from tests.support.office import Office, check_events, payment, run_concurrently
from tests.support.run_times import end_lease

DATA = {"agent": "office", "message": "What is new?", "runId": "r1"}
THREAD = thread_id_for("ann", "r1")


def test_who_asks_again_while_a_run_goes_on_sees_all_of_it(office: Office) -> None:
    office.model.replies = [calls(("read_slowly", {}))]
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(office.call, DATA)
        assert office.hooks.reading.wait(60)
        others = [pool.submit(office.call, DATA) for _ in range(3)]
        office.hooks.may_end.set()
        ran = [each.result(30) for each in (first, *others)]
    assert len(office.done("read_slowly")) == 1
    assert all(each.done == ran[0].done for each in ran)
    for each in ran:  # one that came when the run had just ended says so
        each.events[0]["metadata"].pop("isRetold", None)
    # Numbered from 0 without gaps or repeats, which `call` has checked; and the very same.
    assert all(each.events == ran[0].events for each in ran if len(each.events) > 2)
    assert len(office.runs(THREAD)) == 1


def test_many_at_once_are_one_run(office: Office) -> None:
    office.model.replies = [calls(("look_up", {}))]
    ran = run_concurrently(8, lambda _: office.call(DATA))
    assert all(each.done == ran[0].done for each in ran)
    assert len(office.done("look_up")) == 1
    assert len(office.runs(THREAD)) == 1


def test_a_run_that_is_done_is_told_again_whole(office: Office) -> None:
    office.model.replies = [calls(("look_up", {})), says("Here it is.")]
    first = office.call(DATA)
    again = office.call(DATA)
    assert again.done == first.done
    assert again.events[0]["metadata"].pop("isRetold") is True
    assert again.events == first.events
    assert len(office.model.requests) == 2


def test_a_run_whose_events_are_gone_is_told_again_by_its_start_and_end(office: Office) -> None:
    first = office.call(DATA)
    page = next(iter(paths.run(office.db, THREAD, "r1").collection("events").list_documents()))
    page.delete()
    again = office.call(DATA)
    assert again.done == first.done
    assert [event["type"] for event in again.events] == ["RUN_STARTED", "RUN_FINISHED"]


def test_a_repeat_without_a_stream_reads_no_events(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.call(DATA)
    monkeypatch.setattr(continuation, "read_events", None)
    again = run_agent(office.platform, Call(User("ann"), DATA, streams=False))
    assert [event["type"] for event in again if event] == ["RUN_STARTED", "RUN_FINISHED"]


def test_a_result_too_large_for_an_event_is_told_from_the_runs_document(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_log, "DOCUMENT_BYTES", 10)
    done = office.call(DATA).done
    stored = office.stored_events(THREAD, "r1")
    assert "result" not in stored[-1]
    followed = list(continuation.follow(office.db, THREAD, "r1", until=0))
    assert followed == [*stored[:-1], {**stored[-1], "result": done}]


def test_a_failed_runs_repeat_gives_its_error_again(office: Office) -> None:
    # So late that it is not tried again.
    office.model.replies = [Unavailable("no route to the model", retry_after_s=999)]
    first = office.call(DATA)
    again = office.call(DATA)
    assert first.code == again.code == "unavailable"
    assert first.error is not None
    assert again.error is not None
    assert again.error["message"] == first.error["message"]
    assert len(office.model.requests) == 1


@pytest.mark.parametrize("changes", [{"message": "Another"}, {"context": {"page": 2}}])
def test_a_run_id_with_other_data_is_refused(office: Office, changes: dict[str, Any]) -> None:
    office.call(DATA)
    refused = office.call({**DATA, **changes})
    assert (refused.code, refused.field) == ("already-exists", "runId")


def test_a_run_id_of_another_thread_is_refused(office: Office) -> None:
    other = office.ask(says("Hi.")).thread
    office.call(DATA)
    refused = office.call({**DATA, "threadId": other})
    assert (refused.code, refused.field) == ("already-exists", "runId")
    assert office.call({**DATA, "threadId": THREAD}).code == "already-exists"  # other data


def test_the_run_id_of_another_user_is_free(office: Office) -> None:
    mine = office.call(DATA).thread
    theirs = office.call(DATA, uid="eve").thread
    assert mine != theirs


def test_who_asks_again_for_a_run_that_died_goes_on_with_it(office: Office) -> None:
    data = {key: value for key, value in DATA.items() if key != "agent"}
    office.crash(data, calls(("look_up", {})), at="save_results", before=True)
    end_lease(office.db, THREAD, "r1")
    ran = office.call(DATA)
    assert ran.done["message"] == "Done."
    assert [event["type"] for event in ran.events].count("RUN_STARTED") == 1
    assert ran.events == office.stored_events(THREAD, "r1")


def test_who_follows_a_run_whose_process_dies_goes_on_with_it(office: Office) -> None:
    data = {key: value for key, value in DATA.items() if key != "agent"}
    office.crash(data, calls(("look_up", {})), at="save_results", before=True)
    stream = run_agent(office.platform, Call(User("ann"), DATA))
    seen = [next(stream)]  # what the dead process has stored
    end_lease(office.db, THREAD, "r1")
    seen += list(stream)
    events = [event for event in seen if event is not None]
    check_events(events, ended=True)
    assert events == office.stored_events(THREAD, "r1")


def test_a_busy_thread_names_who_holds_it_and_can_be_taken_over(office: Office) -> None:
    office.model.replies = [calls(("read_slowly", {}))]
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(office.call, DATA)
        assert office.hooks.reading.wait(60)
        second = {"agent": "office", "message": "And?", "threadId": THREAD}
        refused = office.call(second)
        assert refused.code == "aborted"
        assert refused.error is not None
        assert refused.error["message"] == "run r1 is still answering in this thread"
        refused = office.call({**second, "locale": "he"})
        assert refused.error is not None
        assert refused.error["message"] == "תשובה עוד נכתבת בשיחה הזאת (\u2068r1\u2069)"
        taken = office.call({**second, "whenBusy": "supersede"})
        office.hooks.may_end.set()
        assert first.result(30).code == "aborted"
    assert taken.done["message"] == "Done."
    office.check_history()
    runs = [each["runId"] for each in office.messages(THREAD)]
    assert runs == ["r1", "r1", taken.done["runId"], taken.done["runId"]]


def test_a_run_that_was_taken_over_can_save_nothing_more(office: Office) -> None:
    office.model.replies = [calls(("read_slowly", {}))]
    stream = run_agent(office.platform, Call(User("ann"), DATA))
    next(stream)
    office.ask(message="And?", threadId=THREAD, whenBusy="supersede")
    with pytest.raises(Exception, match="taken this thread over"):
        for _ in stream:
            pass
    assert office.run(THREAD, "r1")["status"] == "failed"


def test_the_events_of_a_long_answer_rest_in_few_documents(office: Office) -> None:
    """About one a second, and one for each save."""
    began = time.monotonic()
    pieces = [TextDelta(f"piece {n} ") for n in range(300)]
    office.model.replies = [[*pieces, Finish(FinishReason.STOP, Usage(10, 0, 300))]]
    ran = office.call(DATA)
    documents = list(office.db.collection(f"threads/{THREAD}/runs/r1/events").stream())
    assert len(documents) <= 2 + (time.monotonic() - began)
    assert office.stored_events(THREAD, "r1") == ran.events
    said = [each["delta"] for each in ran.events if each["type"] == "TEXT_MESSAGE_CONTENT"]
    assert "".join(said) == "".join(piece.text for piece in pieces)
    assert len(said) < 150  # pieces that come soon after one another are one event


def test_following_a_run_that_is_erased_is_not_found(office: Office) -> None:
    office.crash({"message": "Please.", "runId": "r1"}, payment(), at="save_reply", before=False)
    (thread,) = office.db.collection("threads").stream()
    stream = follow(office.db, thread.id, "r1", until=time.monotonic() + 60)
    next(stream)
    office.db.document(f"threads/{thread.id}/runs/r1").delete()
    with pytest.raises(NotFound, match="erased"):
        list(stream)
