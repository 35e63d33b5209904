"""How a run may end badly, and what its thread is like afterwards."""

from __future__ import annotations

import json

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import Aborted
from rollcall.core.messages import ModelMessage, ToolCall, ToolResult
from rollcall.store import paths
from rollcall.store.message_log import TurnUsage
from tests.emulator.store.test_threads import RESULT, answer, opened, opening

BROKEN = {"code": "internal", "message": "it broke off"}


def test_a_run_that_has_ended_cannot_give_its_successors_lease_away(db: Client) -> None:
    first = opened(db, opening())
    answer(first, "Hi.")
    second = opened(db, opening("r2", text="And now?", is_new=False))
    first.give_up(BROKEN)
    thread = paths.thread(db, second.thread_id).get().to_dict() or {}
    run = paths.run(db, second.thread_id, "r1").get().to_dict() or {}
    assert (thread["lease"]["runId"], thread["nextMessage"]) == ("r2", 3)
    assert run["status"] == "done"
    with pytest.raises(Aborted, match="r2 is still answering"):
        opened(db, opening("r3", text="Me too", is_new=False))


def test_a_thread_whose_newest_document_outgrows_the_view_still_opens(db: Client) -> None:
    run = opened(db, opening())
    calls = tuple(ToolCall(f"c{n}", "search", {}) for n in range(16))
    run.save_reply(1, ModelMessage("", calls), TurnUsage())
    for place, call in enumerate(calls):
        run.save_results({place: (ToolResult(call.id, "search", "א" * 24_000), {})})
    run.give_up(BROKEN)
    again = opened(db, opening("r2", text="And now?", is_new=False))
    assert again.next_message == 3
    assert len(again.history) == 4  # rebuilt from the log


def test_an_answer_that_could_not_be_saved_is_in_no_view(db: Client) -> None:
    run = opened(db, opening())
    with pytest.raises(Exception, match="400"):
        run.finish(step=1, answer=ModelMessage("x" * 1_100_000), spent=TurnUsage(), result=RESULT)
    run.give_up(BROKEN)
    view = paths.window(db, run.thread_id).get().to_dict() or {}
    assert [document["n"] for document in json.loads(view["log"])] == [0]
    assert opened(db, opening("r2", text="Again", is_new=False)).next_message == 2


@pytest.mark.parametrize("context", [{"a": [[1]]}, {"": 1}, {"__x__": 1}, {"a.b`c": 1}])
def test_any_context_that_is_json_can_be_kept(db: Client, context: dict[str, object]) -> None:
    assert opened(db, opening(context=context)).next_message == 1
