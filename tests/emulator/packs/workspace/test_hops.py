"""The cost of a hop at Firestore: a client's answers and the run that they open, up to the next
call that is left to the client."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from rollcall.registry import recorder
from rollcall.store.message_log import WINDOW_DOCUMENTS
from rollcall.testing import calls, says
from tests.support.firestore_operations import FirestoreOperations, count_operations
from tests.support.office import RunResponse
from tests.support.packs.workspace.desk import Desk, Folder

READS, WRITES, EVENT_WRITES = 3, 10, 4
"""The thread, its window and the run that waited; and all that two runs have to say."""
A_YES = FirestoreOperations(reads=4, writes=10, event_writes=2, round_trips=4)
"""The approval is read as well, and the trail told of it; no model is asked."""


@pytest.fixture
def warm(desk: Desk, folder: Folder) -> RunResponse:
    """A turn under way, in a process that has run before, with a model that costs nothing."""
    desk.model.id = "offline:scripted"
    desk.declare()
    return folder.answer(folder.ask(calls(read("app.py"))), calls(read("docs/a.md")))


def read(path: str) -> tuple[str, dict[str, Any]]:
    return "read_file", {"path": path}


def test_a_hop_reads_three_documents_and_no_registry(folder: Folder, warm: RunResponse) -> None:
    found, _ = hop(folder, warm, calls(read("src/lib.py")))
    assert found == FirestoreOperations(READS, WRITES, EVENT_WRITES, round_trips=6)


def test_a_client_that_names_the_next_run_saves_a_round_trip(
    folder: Folder, warm: RunResponse
) -> None:
    found, ran = hop(folder, warm, calls(read("src/lib.py")), runId=next_run_id(warm))
    assert found == FirestoreOperations(READS, WRITES, EVENT_WRITES, round_trips=5)
    assert ran.done["runId"] == next_run_id(warm)


def test_what_is_sent_again_under_its_name_is_one_run(folder: Folder, warm: RunResponse) -> None:
    results, data = folder.results(warm), {"runId": next_run_id(warm)}
    once = folder.send(warm, results, says("Done."), **data)
    again = folder.send(warm, results, says("Never."), **data)
    assert again.done == once.done


def test_a_yes_and_what_the_client_wrote_are_two_cheap_runs(
    folder: Folder, warm: RunResponse
) -> None:
    asked = folder.answer(warm, calls(("write_file", {"path": "new.py", "content": "x = 1\n"})))
    recorder.recorder.cache_clear()
    with count_operations() as found:
        left = folder.decide(asked)
    assert found == A_YES
    found, _ = hop(folder, left, says("Written."))
    assert (found.reads, found.writes, found.event_writes) == (READS, 8, 2)
    assert folder.files["new.py"] == "x = 1\n"


def test_a_hop_costs_the_same_late_in_a_long_turn(
    desk: Desk, folder: Folder, warm: RunResponse
) -> None:
    text = "def f(x):\n    return x\n" * 900
    folder.files |= {f"{n}.py": text for n in range(8)}
    ran, reads = warm, []
    for n in range(WINDOW_DOCUMENTS + 20):
        found, ran = hop(folder, ran, calls(read(f"{n % 8}.py")))
        reads.append(found.reads)
    # A process looks at the registry's manifest, the limits and the prices now and then.
    assert reads.count(READS) > 50 and max(reads) <= READS + 3
    assert found.writes == WRITES
    messages = desk.model.requests[-1].messages
    assert messages[0].text == "Please."
    assert "'leftOut'" not in str(messages[-1])
    desk.check_history()


def test_what_stands_before_the_dialogue_stays_the_same_in_a_turn(
    desk: Desk, folder: Folder, warm: RunResponse
) -> None:
    asked = folder.answer(warm, calls(("write_file", {"path": "new.py", "content": "x = 1\n"})))
    folder.answer(folder.decide(asked), calls(read("new.py")))
    sent = desk.model.requests
    assert len(sent) == 4
    assert len({request.instructions for request in sent}) == 1
    assert all(request.tools == sent[0].tools for request in sent)
    assert {request.cache_key for request in sent} != {None}
    assert len({request.cache_key for request in sent}) == 1
    for request, after in pairwise(sent):
        assert after.messages[: len(request.messages)] == request.messages


def next_run_id(ran: RunResponse) -> str:
    turn, _, number = str(ran.done["runId"]).rpartition("~")
    return f"{turn}~{int(number) + 1}"


def hop(
    folder: Folder, ran: RunResponse, reply: Any, **more: Any
) -> tuple[FirestoreOperations, RunResponse]:
    recorder.recorder.cache_clear()  # one write in 20 s of a process, and no run's
    with count_operations() as found:
        following = folder.answer(ran, reply, **more)
    return found, following
