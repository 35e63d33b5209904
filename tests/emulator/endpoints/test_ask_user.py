"""The tool `ask_user`, by which a model asks the user back, through the whole of `run_agent`."""

from __future__ import annotations

from datetime import timedelta

from rollcall.core.messages import ModelMessage, ToolMessage, UserMessage
from rollcall.store.runs import thread_id_for
from rollcall.testing import calls, says
from tests.support.office import Office
from tests.support.run_times import end_lease

ASKS = {"question": "Which room?", "quickReplies": ["Blue", "Red"], "collectedData": {"hours": 2}}


def test_a_question_has_its_fields_and_its_answer_goes_on_in_the_thread(office: Office) -> None:
    first = office.ask(calls(("ask_user", ASKS)), message="A room for two hours")
    assert first.done["type"] == "question" and first.done["message"] == "Which room?"
    assert first.done["quickReplies"] == ["Blue", "Red"]
    assert first.done["collectedData"] == {"hours": 2}
    assert first.done["outcome"] == {"type": "success"} and "stopReason" not in first.done
    shown = [e["delta"] for e in first.events if e["type"] == "TEXT_MESSAGE_CONTENT"]
    assert "".join(shown) == "Which room?"
    second = office.ask(says("Done."), message="Blue", threadId=first.thread)
    *_, asked, answer, question, said = office.model.requests[-1].messages
    assert isinstance(asked, ModelMessage) and asked.tool_calls[0].name == "ask_user"
    assert isinstance(answer, ToolMessage)
    assert isinstance(question, ModelMessage) and question.text == "Which room?"
    assert isinstance(said, UserMessage) and second.done["type"] == "info"


def test_a_question_beside_a_write_follows_its_approval(office: Office) -> None:
    both = calls(("book_room", {"room": "Blue"}), ("ask_user", {"question": "For whom?"}))
    waits = office.ask(both, message="Book the blue room")
    assert waits.done["outcome"]["type"] == "interrupt"
    assert "For whom?" not in waits.done["message"]
    asked = len(office.model.requests)
    after = office.resume(waits)
    assert after.done["type"] == "question" and after.done["message"] == "For whom?"
    assert len(office.model.requests) == asked  # the model is not asked again
    assert after.statuses()[0] == "done"


def test_the_question_rule_stays_for_models_that_ignore_the_tool(office: Office) -> None:
    assert office.ask(says("Which room?")).done["type"] == "question"
    listed = office.ask(says("על איזה נושא?\n- שברים\n- כפל"))
    assert listed.done["type"] == "info"


def test_a_run_that_died_after_its_question_asks_it_and_no_model(office: Office) -> None:
    asks = calls(("ask_user", ASKS))
    data, thread = {"message": "Please.", "runId": "r1"}, thread_id_for("ann", "r1")
    office.crash(data, asks, at="save_results", before=False)
    asked = len(office.model.requests)
    end_lease(office.db, thread, "r1")
    office.sweep(after=timedelta(minutes=1))
    result = office.result(thread, "r1")
    assert result["message"] == "Which room?" and result["quickReplies"] == ["Blue", "Red"]
    assert result["type"] == "question" and len(office.model.requests) == asked
    office.check_history()
