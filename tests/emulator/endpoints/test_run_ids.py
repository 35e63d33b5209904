"""A run id that a client chose names one run over all threads of its user, also in races."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import WriteBatch
from google.cloud.firestore_v1.services.firestore.client import FirestoreClient

from rollcall.core.context import Call, User
from rollcall.endpoints.my_data import clear_thread, delete_my_data, delete_thread
from rollcall.store import runs
from rollcall.store.runs import run_key
from rollcall.testing import calls, says
from tests.support.firestore_operations import FirestoreOperations, count_operations
from tests.support.office import Office, RunResponse, payment, run_concurrently

ANN = User("ann")


def in_threads(office: Office, number: int) -> list[str]:
    """Threads of ann's that are there."""
    return [office.ask(says("Hi.")).thread for _ in range(number)]


def ask(office: Office, thread: str | None, *, id: str = "mine", **more: Any) -> RunResponse:
    here = {"threadId": thread} if thread else {}
    return office.call({"agent": "office", "message": "Hello.", "runId": id, **here}, **more)


def runs_of(office: Office, id: str = "mine") -> list[str]:
    """Threads that have a run of this id."""
    found = office.db.collection_group("runs").stream()
    return [each.reference.parent.parent.id for each in found if each.id == id]


def codes(ran: list[RunResponse]) -> Counter[str | None]:
    return Counter(each.code for each in ran)


# at once


@pytest.mark.parametrize("is_new", [False, True])
def test_of_one_id_in_many_threads_at_once_one_run_is_opened(office: Office, is_new: bool) -> None:
    places = [*in_threads(office, 5), *([None] if is_new else [])]
    ran = run_concurrently(len(places), lambda number: ask(office, places[number]))
    assert codes(ran) == {None: 1, "already-exists": len(places) - 1}
    assert {each.field for each in ran if each.error} == {"runId"}
    assert runs_of(office) == [each.thread for each in ran if each.result]


def test_of_many_at_once_those_in_the_threads_that_lost_are_refused(office: Office) -> None:
    places = in_threads(office, 3)
    ran = run_concurrently(9, lambda number: ask(office, places[number % 3]))
    (winner,) = runs_of(office)
    for number, each in enumerate(ran):
        assert each.code == (None if places[number % 3] == winner else "already-exists")
    assert len({each.done["runId"] for each in ran if each.result}) == 1


@pytest.mark.parametrize("is_new", [False, True])
def test_of_one_id_many_times_at_once_in_one_thread_all_are_told_one_run(
    office: Office, is_new: bool
) -> None:
    place = None if is_new else in_threads(office, 1)[0]
    ran = run_concurrently(8, lambda _: ask(office, place))
    assert codes(ran) == {None: 8}
    assert all(each.done == ran[0].done for each in ran)
    assert runs_of(office) == [ran[0].thread]


def test_two_users_with_one_id_do_not_meet(office: Office) -> None:
    users = ["ann", "eve", "bob"]
    ran = run_concurrently(6, lambda number: ask(office, None, uid=users[number % 3]))
    assert codes(ran) == {None: 6}
    assert len(runs_of(office)) == len({each.thread for each in ran}) == 3


def test_of_one_id_in_answers_to_many_threads_at_once_one_goes_on(office: Office) -> None:
    waiting = [office.ask(payment(number)) for number in range(1, 5)]
    ran = run_concurrently(4, lambda number: office.resume(waiting[number], runId="mine"))
    assert codes(ran) == {None: 1, "already-exists": 3}
    assert len(office.done("pay")) == len(runs_of(office)) == 1
    # The others still wait for an answer under an id of its own.
    lost = [each for each, answer in zip(waiting, ran, strict=True) if answer.error]
    assert codes([office.resume(each) for each in lost]) == {None: 3}
    assert len(office.done("pay")) == 4


def test_of_one_id_in_results_for_many_threads_at_once_one_goes_on(office: Office) -> None:
    client: dict[str, Any] = {"clientTools": ["open_file"], "clientId": "laptop"}
    waiting = [office.ask(calls(("open_file", {"path": "a"})), **client) for _ in range(4)]

    def answer(number: int) -> RunResponse:
        ran = waiting[number]
        (call,) = ran.done["outcome"]["pendingToolCallIds"]
        results = [{"toolCallId": call, "content": "x"}]
        return office.send({"toolResults": results}, threadId=ran.thread, runId="mine", **client)

    ran = run_concurrently(4, answer)
    assert codes(ran) == {None: 1, "already-exists": 3}
    assert runs_of(office) == [each.thread for each in ran if each.result]


@pytest.mark.parametrize("attempt", range(4))
def test_of_a_message_and_an_answer_with_one_id_at_once_one_is_a_run(
    office: Office, attempt: int
) -> None:
    waiting, (place,) = office.ask(payment(5)), in_threads(office, 1)
    ways: list[Callable[[], RunResponse]] = [
        lambda: office.resume(waiting, runId="mine"),
        lambda: ask(office, place),
    ]
    ran = run_concurrently(2, lambda number: ways[(number + attempt) % 2]())
    assert codes(ran) == {None: 1, "already-exists": 1}
    assert len(runs_of(office)) == 1


@pytest.mark.parametrize("attempt", range(4))
def test_of_a_message_and_an_answer_with_one_id_at_once_in_one_thread_one_is_a_run(
    office: Office, attempt: int
) -> None:
    waiting = office.ask(payment(5))
    ways: list[Callable[[], RunResponse]] = [
        lambda: office.resume(waiting, runId="mine"),
        lambda: ask(office, waiting.thread),
    ]
    ran = run_concurrently(2, lambda number: ways[(number + attempt) % 2]())
    refused = [each.code for each in ran if each.error]
    # Who comes when the question is closed is told so; both are told why they are no run.
    assert refused in (["already-exists"], ["failed-precondition"], ["aborted"])
    assert runs_of(office) == [waiting.thread]


@pytest.mark.parametrize("moment", ["before the reads", "before the query", "before the commit"])
@pytest.mark.parametrize("answers", [False, True])
def test_a_run_that_is_opened_elsewhere_meanwhile_is_found(
    office: Office, monkeypatch: pytest.MonkeyPatch, moment: str, answers: bool
) -> None:
    """At each moment of an opening: after its query alone, after its reads alone, after both."""
    place, other = in_threads(office, 2)
    waiting = office.ask(payment(5))
    queried, read, met = threading.Event(), threading.Event(), threading.Event()
    find, read_all, commit = runs.find_run, runs.read_all, WriteBatch.commit

    def open_elsewhere() -> None:
        if not met.is_set():
            met.set()
            assert ask(office, other).done["message"] == "Done."

    def finding(*args: Any) -> Any:
        if moment == "before the query" and not met.is_set():
            assert read.wait(60)
            open_elsewhere()
        found = find(*args)
        queried.set()
        return found

    def reading(*args: Any) -> Any:
        if moment == "before the reads" and not met.is_set():
            assert queried.wait(60)
            open_elsewhere()
        found = read_all(*args)
        read.set()
        return found

    def committing(batch: Any, *args: Any, **options: Any) -> Any:
        if moment == "before the commit":
            open_elsewhere()
        return commit(batch, *args, **options)

    monkeypatch.setattr(runs, "find_run", finding)
    monkeypatch.setattr(runs, "read_all", reading)
    monkeypatch.setattr(WriteBatch, "commit", committing)
    ran = office.resume(waiting, runId="mine") if answers else ask(office, place)
    assert (ran.code, met.is_set()) == ("already-exists", True)
    assert runs_of(office) == [other]
    assert office.done("pay") == []


# later


def test_an_answers_id_is_taken_and_told_again(office: Office) -> None:
    first, other = office.ask(payment(5)), office.ask(payment(6))
    done = office.resume(first, runId="mine")
    assert office.resume(first, runId="mine").done == done.done
    assert office.resume(other, runId="mine").code == "already-exists"
    assert ask(office, first.thread).code == ask(office, None).code == "already-exists"
    assert runs_of(office) == [first.thread]


def test_a_messages_id_is_none_for_an_answer(office: Office) -> None:
    ask(office, None)
    waiting = office.ask(payment(5))
    assert office.resume(waiting, runId="mine").code == "already-exists"
    assert office.resume(waiting).done["outcome"] == {"type": "success"}


@pytest.mark.parametrize("erase", [clear_thread, delete_thread])
@pytest.mark.parametrize("answers", [False, True])
def test_the_id_of_an_erased_run_stays_taken(
    office: Office, erase: Callable[..., Any], answers: bool
) -> None:
    (other,) = in_threads(office, 1)
    if answers:
        thread = office.resume(office.ask(payment(5)), runId="mine").thread
    else:
        thread = ask(office, None).thread
    erase(office.platform, Call(ANN, {"threadId": thread}))
    assert ask(office, thread).code == "not-found"
    assert ask(office, None).code == ("already-exists" if answers else "not-found")
    assert ask(office, other).code == "already-exists"
    assert office.resume(office.ask(payment(5)), runId="mine").code == "already-exists"
    assert runs_of(office) == []
    assert office.document(f"runs/{run_key('ann', 'mine')}")["threadId"] == thread


def test_an_id_is_free_again_when_all_of_its_user_is_erased(office: Office) -> None:
    ask(office, None)
    ask(office, None, id="erased")
    clear_thread(office.platform, Call(ANN, {"threadId": ask(office, None, id="erased").thread}))
    delete_my_data(office.platform, Call(ANN, {"confirm": True}))
    assert list(office.db.collection("runs").list_documents()) == []
    for id, thread in zip(("mine", "erased"), in_threads(office, 2), strict=True):
        assert ask(office, thread, id=id).thread == thread


@pytest.mark.parametrize("id", ["A", "0", "a-_Z9", "-".join("x" * 32) + "9", "erased", "runs"])
def test_any_legal_id_is_one_run(office: Office, id: str) -> None:
    (other,) = in_threads(office, 1)
    first = ask(office, None, id=id)
    assert ask(office, None, id=id).done == first.done
    assert ask(office, other, id=id).code == "already-exists"
    assert runs_of(office, id) == [first.thread]


@pytest.mark.parametrize("id", ["ריצה", "run🙂", "a/b", "__x__", "", "a b", "x" * 65])
def test_no_other_id_is_looked_for(office: Office, id: str) -> None:
    with count_operations() as found:
        assert (ask(office, None, id=id).code, found.reads) == ("invalid-argument", 0)


def test_a_run_of_an_earlier_version_is_known_in_its_thread(office: Office) -> None:
    """It has no key."""
    from google.cloud.firestore import DELETE_FIELD

    first = ask(office, None)
    office.db.document(f"threads/{first.thread}/runs/mine").update({"key": DELETE_FIELD})
    assert ask(office, None).done == first.done
    assert office.call({"agent": "office", "message": "Else.", "runId": "mine"}).code == (
        "already-exists"
    )


# what it costs


def test_a_clients_id_is_one_read_more(office: Office) -> None:
    office.model.id = "offline:scripted"
    office.declare(models=(office.model.id,))
    (place,) = in_threads(office, 1)
    with count_operations() as theirs:
        office.ask(says("Hi."), threadId=place)
    with count_operations() as own:
        office.ask(says("Hi."), threadId=place, runId="mine")
    assert (theirs.reads, theirs.writes) == (3, 8)
    expected = FirestoreOperations(
        4, theirs.writes, theirs.event_writes, round_trips=theirs.round_trips + 1
    )
    assert own == expected


def test_the_id_is_looked_for_while_the_thread_is_read(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waits for the other to be asked."""
    (place,) = in_threads(office, 1)
    meeting = threading.Barrier(2, timeout=60)

    def meet(name: str, matters: Callable[[str], bool]) -> None:
        original = getattr(FirestoreClient, name)

        def asked(self: FirestoreClient, request: Any = None, **options: Any) -> Any:
            if matters(str(request)):
                meeting.wait()
            return original(self, request=request, **options)

        monkeypatch.setattr(FirestoreClient, name, asked)

    meet("run_query", lambda asked: '"key"' in asked)
    meet("batch_get_documents", lambda asked: f"threads/{place}/views/window" in asked)
    assert ask(office, place).done["message"] == "Done."


@pytest.mark.parametrize("call", ["run_query", "batch_get_documents"])
def test_an_opening_that_cannot_look_for_its_id_fails_and_leaves_nothing(
    office: Office, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    (place,) = in_threads(office, 1)
    original = getattr(FirestoreClient, call)

    def lost(self: FirestoreClient, request: Any = None, **options: Any) -> Any:
        if any(word in str(request) for word in ('"key"', "views/window")):
            raise ServiceUnavailable("the connection was lost")
        return original(self, request=request, **options)

    with monkeypatch.context() as patched:
        patched.setattr(FirestoreClient, call, lost)
        before = threading.active_count()
        assert ask(office, place).code == "unavailable"
        assert threading.active_count() == before
    assert runs_of(office) == []
    assert ask(office, place).done["message"] == "Done."
