"""The router: its checks before a call, the approvals it asks for, and answers of remote calls.

Writes themselves go through the ledger, which needs a database; see the tests on the emulator.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.agent.dispatch import CallOutput, ClientCall, NeedsApproval
from rollcall.agent.router import Router
from rollcall.core.capability import Capability, capability
from rollcall.core.context import Decider, ToolContext, User
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.messages import ToolCall
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import Citation, Display
from rollcall.core.wire import CallStatus, Role
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document
from rollcall.registry.entries import Entry
from rollcall.store.approvals import Approval, ApprovalDecision, ApprovalStatus, RememberedApproval
from rollcall.testing import StaticCatalog
from tests.support.office_pack import client_tool, office_capabilities

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PAYMENT = {"amountUsd": 5, "to": "bob"}


class Nowhere:
    """A platform without a database: what reaches for it fails."""

    db = None
    users: dict[str, User]

    def __init__(self, **users: User) -> None:
        self.users = users
        self.catalog = StaticCatalog(office_capabilities())

    def find_user(self, uid: str) -> User | None:
        return self.users.get(uid)


def entries(**overrides: dict[str, Any]) -> dict[str, Entry]:
    documents = [capability_document(each) for each in office_capabilities().values()]
    documents += [client_tool("open_file"), client_tool("edit_file")]
    return {
        each["id"]: read_capability(
            {"status": "active", **each, "overrides": overrides.get(each["id"], {})}
        )
        for each in documents
    }


def router(user: User | None = None, **more: Any) -> Router:
    fields: dict[str, Any] = {
        "platform": Nowhere(tess=User("tess", Role.TEACHER)),
        "ctx": ToolContext(user or User("ann"), now=NOW),
        "deadline": time.monotonic() + 60,
        "effect_key": lambda place: f"key-{place}",
        "entries": entries(),
    }
    return Router(**{**fields, **more})


def route(to: Router, name: str, arguments: Any = None, id: str = "c1", place: int = 0) -> Any:
    given = PAYMENT if arguments is None else arguments
    return to(place, ToolCall(id, name, given), lambda *a, **k: None)


def approval(tool: str = "pay", **changes: Any) -> Approval:
    fields: dict[str, Any] = {
        "id": "a1",
        "uid": "ann",
        "thread_id": "t",
        "run_id": "r",
        "turn_id": "r",
        "agent": "office",
        "call_id": "c1",
        "place": 0,
        "tool": tool,
        "version": 1,
        "capability_digest": office_capabilities()[tool].digest,
        "arguments": PAYMENT,
        "shown": PAYMENT,
        "summary": "Pay",
        "display": None,
        "locale": "en",
        "decider": Decider(uid="ann"),
        "created_at": NOW,
        "expires_at": NOW + timedelta(hours=1),
        "status": ApprovalStatus.APPROVED,
        "decision": ApprovalDecision(approved=True, by="ann", at=NOW),
    }
    return Approval(**{**fields, **changes})


def router_with(given: Approval, **more: Any) -> Router:
    return router(approvals={given.call_id: given}, **more)


def reaches_the_ledger(to: Router, name: str, **call: Any) -> bool:
    """Whether the call goes on to write; here that ends at the missing database."""
    try:
        found = route(to, name, **call)
    except AttributeError as error:
        assert "NoneType" in str(error)
        return True
    assert isinstance(found, NeedsApproval)
    return False


@capability(name={"en": "Cite"}, category="office")
def cite_page(ctx: ToolContext, *, page: int) -> int:
    """Cite a page; show the odd ones."""
    ctx.cite(Citation(type="document", title=f"Page {page}"))
    if page % 2:
        ctx.display = Display(type="text", text=f"Page {page}")
    return page


def test_calls_of_one_run_share_no_citations_and_no_display() -> None:
    own = Capability.of(cite_page)
    platform = Nowhere()
    platform.catalog = StaticCatalog({own.id: own})
    entry = read_capability({"status": "active", **capability_document(own)})
    to = router(platform=platform, entries={own.id: entry})
    outputs = [route(to, own.id, {"page": page}, id=f"c{page}") for page in (1, 2, 3)]
    assert [[each.title for each in output.citations] for output in outputs] == [
        ["Page 1"],
        ["Page 2"],
        ["Page 3"],
    ]
    assert [output.display and output.display.text for output in outputs] == [
        "Page 1",
        None,
        "Page 3",
    ]
    assert (to.ctx.citations, to.ctx.files, to.ctx.display) == ([], [], None)


def test_a_write_is_asked_for_with_all_that_the_question_needs() -> None:
    ask = route(router(), "pay")
    assert isinstance(ask, NeedsApproval)
    assert (ask.arguments, ask.summary) == ({"amountUsd": 5.0, "to": "bob"}, "Pay $5 to bob")
    assert (ask.decider, ask.expires_s) == (Decider(uid="ann"), 24 * 3600)
    assert ask.capability_digest == office_capabilities()["pay"].digest


def test_four_eyes_are_of_the_askers_tenant_and_not_the_askers() -> None:
    ask = route(router(User("ann", Role.ADMIN, "school")), "sign", {"paper": "a"})
    assert ask.decider == Decider(role=Role.TEACHER, tenant="school", not_uid="ann")


def test_a_yes_lets_the_very_call_through() -> None:
    assert reaches_the_ledger(router_with(approval()), "pay")


@pytest.mark.parametrize(
    ("changes", "call"),
    [
        ({}, {"id": "c2"}),
        ({}, {"id": "c2", "place": 0}),
        ({"call_id": "other"}, {}),
        ({"capability_digest": "as it was"}, {}),
        ({"decider": Decider(uid="eve")}, {}),
    ],
)
def test_a_yes_to_another_call_or_another_capability_is_none(
    changes: dict[str, Any], call: dict[str, Any]
) -> None:
    assert not reaches_the_ledger(router_with(approval(**changes)), "pay", **call)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"status": ApprovalStatus.REJECTED}, CallStatus.REJECTED),
        ({"status": ApprovalStatus.EXPIRED}, CallStatus.EXPIRED),
        ({"status": ApprovalStatus.PENDING, "decision": None}, CallStatus.EXPIRED),
        ({"status": ApprovalStatus.REPLACED}, CallStatus.EXPIRED),
        ({"decision": None}, CallStatus.EXPIRED),
    ],
)
def test_anything_but_a_yes_writes_nothing(changes: dict[str, Any], status: CallStatus) -> None:
    with pytest.raises(AgentError) as caught:
        route(router_with(approval(**changes)), "pay")
    assert caught.value.status is status  # type: ignore[attr-defined]


@pytest.mark.parametrize("by", ["stu", "nobody", "ann"])
def test_a_yes_of_somebody_who_may_not_decide_writes_nothing(by: str) -> None:
    four_eyes = approval(
        "sign",
        arguments={"paper": "a"},
        decider=Decider(role=Role.TEACHER, not_uid="ann"),
        decision=ApprovalDecision(approved=True, by=by, at=NOW),
    )
    people = Nowhere(stu=User("stu", Role.STUDENT), ann=User("ann", Role.ADMIN))
    with pytest.raises(PermissionDenied):
        route(router_with(four_eyes, platform=people), "sign")


def test_what_is_written_is_what_was_approved_and_not_what_a_model_says_now() -> None:
    frozen = approval(arguments={"amountUsd": 5, "to": "bob", "uid": "eve"})
    with pytest.raises(InvalidArgument):  # the frozen ones are looked at, and checked anew
        route(router_with(frozen), "pay", PAYMENT)


@pytest.mark.parametrize("name", ["expel", "no_such_tool"])
def test_what_is_not_for_this_user_is_refused(name: str) -> None:
    with pytest.raises(PermissionDenied):
        route(router(), name, {"who": "bob"})


def test_a_role_that_was_lost_is_no_use_to_a_yes() -> None:
    given = approval("expel", arguments={"who": "bob"})
    with pytest.raises(PermissionDenied):
        route(router_with(given), "expel")


def test_a_capability_that_an_operator_switched_off_is_no_use_to_a_yes() -> None:
    switched_off = entries(pay={"status": "disabled"})
    with pytest.raises(PermissionDenied):
        route(router_with(approval(), entries=switched_off), "pay")


def test_an_agent_that_is_asked_inside_a_tool_writes_nothing() -> None:
    for name, arguments in (("pay", PAYMENT), ("stamp", {"paper": "a"})):
        with pytest.raises(FailedPrecondition):
            route(router(effect_key=None), name, arguments)


@pytest.mark.parametrize(
    ("policy", "asks"),
    [
        (None, False),
        (ApprovalPolicy(), True),
        (ApprovalPolicy(ask="never"), False),
        (ApprovalPolicy(decider_role=Role.ADMIN), True),
    ],
)
def test_the_agents_policy_and_the_capabilitys_hold_both(
    policy: ApprovalPolicy | None, asks: bool
) -> None:
    to = router(policies={"stamp": policy} if policy else {})
    assert reaches_the_ledger(to, "stamp", arguments={"paper": "a"}) is not asks


def test_a_document_cannot_make_a_write_of_the_code_a_read() -> None:
    known = entries()
    harmless = replace(known["pay"], spec=replace(known["pay"].spec, writes=False))
    assert isinstance(route(router(entries={"pay": harmless}), "pay"), NeedsApproval)


def test_a_document_can_make_a_read_of_the_code_a_write() -> None:
    known = entries()
    harmful = replace(known["look_up"], spec=replace(known["look_up"].spec, writes=True))
    assert isinstance(route(router(entries={"look_up": harmful}), "look_up", {}), NeedsApproval)


def test_one_yes_in_a_thread_is_for_the_capability_as_it_was() -> None:
    digest = office_capabilities()["tidy"].digest
    arguments = {"desk": "a"}
    allowed = router(remembered={"tidy": RememberedApproval(digest, "a1")})
    assert reaches_the_ledger(allowed, "tidy", arguments=arguments)
    older = RememberedApproval("older", "a1")
    for other in ({"tidy": older}, {"pay": RememberedApproval(digest, "a1")}, {}):
        to = router(remembered=other)
        assert not reaches_the_ledger(to, "tidy", arguments=arguments)


# the user's own client


def test_a_client_tool_is_left_to_a_client_that_offered_it() -> None:
    to = router(client_tools=frozenset({"open_file"}))
    left = route(to, "open_file", {"path": "a"})
    assert isinstance(left, ClientCall)
    assert left.arguments == {"path": "a"}
    with pytest.raises(FailedPrecondition, match="no client"):
        route(router(), "open_file", {"path": "a"})


def test_a_client_tool_that_writes_is_asked_for_first() -> None:
    to = router(client_tools=frozenset({"edit_file"}))
    assert isinstance(route(to, "edit_file", {"path": "a"}), NeedsApproval)


@pytest.mark.parametrize(
    ("answer", "status"),
    [({"error": "no such file"}, CallStatus.FAILED), ({"expired": True}, CallStatus.EXPIRED)],
)
def test_a_client_that_failed_or_never_answered(answer: dict[str, Any], status: CallStatus) -> None:
    with pytest.raises(AgentError) as caught:
        route(router(client_results={"c1": answer}), "open_file", {"path": "a"})
    assert caught.value.status is status  # type: ignore[attr-defined]


@pytest.mark.parametrize("content", [None, "", 0, False, {"error": "in the data"}, [[1]]])
def test_what_a_client_answers_is_the_calls_result_whatever_it_is(content: Any) -> None:
    to = router(client_results={"c1": {"content": content}})
    assert route(to, "open_file", {"path": "a"}) == CallOutput(content)
    assert to.is_decided(ToolCall("c1", "open_file", {}))
    assert not to.is_decided(ToolCall("c2", "open_file", {}))
