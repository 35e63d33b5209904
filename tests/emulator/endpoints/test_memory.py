"""What a thread remembers when its messages have left the window."""

from __future__ import annotations

from rollcall.core.context import User
from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.core.triggers import Call
from rollcall.endpoints.my_data import clear_thread
from rollcall.store import paths
from tests.support.keeping import Keeping
from tests.support.leases import end_lease
from tests.support.office import Office, payment
from tests.support.scripted import calls, says


def told(office: Office) -> str:
    """The instructions of the newest request."""
    return office.model.requests[-1].instructions


def test_what_people_decided_is_told_to_every_later_turn(office: Office) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran)
    office.ask(says("Hello."), threadId=ran.thread, message="And now?")
    assert "Pay $5 to bob (done)" in told(office)
    second = office.ask(payment(7, "eve"), threadId=ran.thread)
    office.resume(second, answers=[{"approved": False}])
    office.ask(says("Fine."), threadId=ran.thread, message="Well?")
    assert "Pay $5 to bob (done)" in told(office)
    assert "Pay $7 to eve (rejected)" in told(office)


def test_a_cleared_thread_has_decided_nothing(office: Office) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran)
    clear_thread(Keeping(office.db), Call(User("ann"), {"threadId": ran.thread}))
    office.ask(says("Hello."), threadId=ran.thread, message="And now?")
    assert "bob" not in told(office)


def test_a_run_that_is_taken_up_after_a_crash_still_knows(office: Office) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran)
    data = {"message": "And now?", "threadId": ran.thread, "runId": "r2"}
    office.crash(data, calls(("look_up", {})), at="save_reply", before=False)
    end_lease(office.db, ran.thread, "r2")
    assert office.sweep(says("Here again.")) == 1
    assert "Pay $5 to bob (done)" in told(office)
    view = paths.window(office.db, ran.thread).get().to_dict() or {}
    assert view["decisions"] == ["Pay $5 to bob (done)"]


def test_only_the_last_messages_are_sent(office: Office) -> None:
    office.declare(history_messages=4)
    ran = office.ask(says("One."), message="first")
    for text in ("second", "third", "fourth"):
        office.ask(says("Yes."), threadId=ran.thread, message=text)
    sent = office.model.requests[-1].messages
    said = [each.text for each in sent if isinstance(each, UserMessage | ModelMessage)]
    assert said == ["third", "Yes.", "fourth"]


def test_a_turn_is_told_what_was_decided_before_it_and_its_own_only_afterwards(
    office: Office,
) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran, calls(("pay", {"amount": 7, "to": "ann"})))
    assert "Pay $5 to bob (done)" not in told(office)
    office.ask(says("Both."), threadId=ran.thread, message="And now?")
    assert "Pay $5 to bob (done)" in told(office)
