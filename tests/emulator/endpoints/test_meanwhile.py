"""What a turn meets when it goes on: results too large for the view, and code that is no more."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from rollcall.agent.continuation import follow
from rollcall.core.capability import Capability, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import NotFound
from rollcall.core.policy import ApprovalPolicy
from rollcall.testing import StaticCatalog, calls, says
from tests.support.office import Office, payment
from tests.support.office_pack import office_capabilities


def large(office: Office) -> None:
    """Have `look_up` find as much as a step's document holds."""

    @capability(name={"en": "Look up"}, category="office")
    def look_up(ctx: ToolContext, *, word: str = "x") -> list[str]:
        """Look a word up."""
        return ["א" * 2_300 for _ in range(10)]

    office.redeclare(Capability.of(look_up))


def looking_up(word: str) -> Any:
    return calls(*(("look_up", {"word": f"{word}{n}"}) for n in range(8)))


def test_a_turn_whose_results_outgrow_the_view_goes_on_after_a_yes(office: Office) -> None:
    large(office)
    asked = office.ask(looking_up("a"), looking_up("b"), payment())
    ended = office.resume(asked)
    assert (ended.error, ended.statuses()) == (None, ["done"])
    assert office.model.requests[-1].messages[0].role == "user"
    assert len(office.done("pay")) == 1


def test_a_yes_to_what_is_no_more_is_told_to_the_model(office: Office) -> None:
    asked = office.ask(payment())
    known = {id: each for id, each in office_capabilities().items() if id != "pay"}
    office.platform.catalog = StaticCatalog(known, office.platform.catalog.agents().values())
    ended = office.resume(asked)
    assert (ended.error, ended.statuses()) == (None, ["failed"])
    assert office.done("pay") == []


def test_a_write_that_cannot_say_how_it_is_undone_has_happened(office: Office) -> None:
    @capability(
        name={"en": "Stamp"},
        category="office",
        effect="write",
        approval=ApprovalPolicy(ask="never"),
        undo=Undo("cancel_room", lambda arguments, output: {"room": output["room"]}),
    )
    def stamp(ctx: ToolContext, *, paper: str) -> dict[str, str]:
        """Stamp a paper."""
        return {"stamped": paper}

    office.redeclare(Capability.of(stamp))
    ran = office.ask(calls(("stamp", {"paper": "lease"})))
    assert ran.statuses() == ["done"]
    assert office.effects()[0]["status"] == "done"


def test_who_follows_a_run_that_is_erased_is_told_so(office: Office) -> None:
    office.crash({"message": "Please.", "runId": "r1"}, payment(), at="save_reply", before=False)
    (thread,) = office.db.collection("threads").stream()
    stream = follow(office.db, thread.id, "r1", until=time.monotonic() + 60)
    next(stream)
    office.db.document(f"threads/{thread.id}/runs/r1").delete()
    with pytest.raises(NotFound, match="erased"):
        list(stream)


def raised(amount: int) -> int:
    return amount + 1


def test_what_makes_other_arguments_of_those_that_were_approved_writes_nothing(
    office: Office,
) -> None:
    @capability(name={"en": "Stamp"}, category="office", effect="write")
    def stamp(ctx: ToolContext, *, times: Annotated[int, AfterValidator(raised)]) -> int:
        """Stamp so many times."""
        ctx.db.collection("done").add({"tool": "stamp", "times": times})
        return times

    office.redeclare(Capability.of(stamp))
    asked = office.ask(calls(("stamp", {"times": 1})))
    assert office.resume(asked).statuses() == ["failed"]
    assert office.done("stamp") == []


@pytest.mark.parametrize(("char", "status"), [("a", "waiting"), ("\N{GRINNING FACE}", "failed")])
def test_arguments_of_any_size_are_asked_about_or_refused(
    office: Office, char: str, status: str
) -> None:
    @capability(name={"en": "Stamp"}, category="office", effect="write")
    def stamp(ctx: ToolContext, *, paper: str) -> int:
        """Stamp a paper."""
        return 1

    office.declare(max_output_tokens=150_000)
    office.redeclare(Capability.of(stamp))
    text = json.dumps({"paper": char * 140_000}, ensure_ascii=False)
    assert office.ask(calls(("stamp", text))).statuses() == [status]


def test_arguments_of_any_size_are_kept_with_their_result(office: Office) -> None:
    office.declare(max_output_tokens=150_000)
    text = json.dumps({"word": "\N{GRINNING FACE}" * 140_000}, ensure_ascii=False)
    ran = office.ask(calls(("look_up", text)))
    assert (ran.error, ran.statuses()) == (None, ["done"])
    assert office.ask(says("Hi."), threadId=ran.thread).error is None
