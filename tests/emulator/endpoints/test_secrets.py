"""Secrets are stored nowhere: each one planted at a source of data is looked for in all
documents."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from google.cloud.firestore import Client
from pydantic import BaseModel

from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.hidden import Hidden
from rollcall.core.wire import Display
from rollcall.models.base import load_embedder, load_model
from rollcall.models.structured import StructuredText
from tests.support import local_functions, office_pack
from tests.support.fake_providers import GEMINI_KEY, OPENAI_KEY, FakeProviders
from tests.support.office import Office
from tests.support.provider_replies import (
    Reply,
    plain,
    responses_call,
    responses_text,
)
from tests.support.user_data import all_documents

PHRASE = "correct horse battery staple 4711"
"""A secret that looks like words: it is known by its variable alone."""
STRIPE, GITHUB, SLACK = (
    "sk_live_planted0123456789",
    "ghp_planted0123456789abcdef",
    "xoxb-planted-0123456789",
)
HIDDEN_RESULT = "file number 908-17-2206"
FORMED = (STRIPE, GITHUB, SLACK)


class Found(BaseModel):
    name: str
    file_number: Annotated[str, Hidden()]
    note: str


@capability(name={"en": "Find a person"}, category="office")
def find_person(ctx: ToolContext, *, name: str) -> Found:
    """Find a person."""
    ctx.show(Display(type="text", text=f"key: {STRIPE}"))
    return Found(name=name, file_number=HIDDEN_RESULT, note=f"{PHRASE}; {OPENAI_KEY}; {GITHUB}")


@capability(name={"en": "Break"}, category="office")
def break_down(ctx: ToolContext) -> str:
    """Break down."""
    raise RuntimeError(f"cannot log in with {PHRASE}, {SLACK}")


@capability(name={"en": "Refuse"}, category="office")
def refuse(ctx: ToolContext) -> str:
    """Refuse."""
    raise FailedPrecondition(f"the server said: bad key {OPENAI_KEY}", hint=f"not {PHRASE}")


@capability(name={"en": "Think"}, category="office")
def think(ctx: ToolContext, *, about: str) -> dict[str, Any]:
    """Think about something."""
    assert ctx.text_model is not None
    instructions, text = f"Keys: {PHRASE}", f"About {about}, {STRIPE}"
    return ctx.text_model.generate(instructions=instructions, text=text, schema={"type": "object"})


@capability(name={"en": "Delegate"}, category="office")
def delegate(ctx: ToolContext, *, what: str) -> dict[str, Any]:
    """Have an agent do it."""
    return ctx.ask_agent("office", what)


def _show_payment(ctx: ToolContext, *, to: str, pin: str) -> Preview:
    row = {"to": to, "pin": pin, "key": STRIPE}
    return Preview(Display(type="table", title=f"With {PHRASE}", columns=list(row), rows=[row]))


@capability(
    name={"en": "Pay with a PIN"},
    category="office",
    effect="write",
    summary=lambda a: f"Pay {a['to']} with {PHRASE} ({a['pin']})",
    preview=_show_payment,
)
def pay_with_pin(
    ctx: ToolContext, *, to: str, pin: Annotated[str, Hidden()]
) -> Annotated[dict[str, str], "what was paid"]:
    """Pay."""
    return {"receipt": f"{GITHUB} {PHRASE}", "to": to}


OWN = (find_person, break_down, refuse, think, delegate, pay_with_pin)


def call_of(name: str, arguments: dict[str, Any]) -> Reply:
    return responses_call(name, json.dumps(arguments))


@dataclass
class Planted:
    """A deployment full of secrets.

    Attributes:
        streamed: Everything that was ever answered to a client.
    """

    office: Office
    provider: FakeProviders
    secrets: tuple[str, ...]
    streamed: list[Any] = field(default_factory=list)

    def send(self, data: dict[str, Any], *replies: Reply, **more: Any) -> Any:
        self.provider.openai(*replies)
        ran = self.office.send(data, **more)
        self.streamed += [ran.events, ran.result, ran.error]
        return ran

    def ask(self, *replies: Reply, **data: Any) -> Any:
        return self.send({"message": f"Use {PHRASE} and {GITHUB}", **data}, *replies)

    def call(self, name: str, arguments: dict[str, Any], *replies: Reply) -> None:
        self.provider.openai(*replies)
        answer = self.office.functions.post(name, {"arguments": arguments})
        assert answer.status_code == 200, answer.get_data(as_text=True)

    def leaks(self, caplog: pytest.LogCaptureFixture, *also: str) -> list[str]:
        """Where a secret is, as "place: secret"."""
        places = {path: str(data) for path, data in all_documents(self.office.db).items()}
        places["log"] = caplog.text
        for number, request in enumerate(self.provider.requests):
            places[f"provider {number}"] = request.body.decode()
        for number, said in enumerate(self.streamed):
            places[f"client {number}"] = json.dumps(said, ensure_ascii=False)
        return [
            f"{place}: {secret}"
            for place, text in places.items()
            for secret in (*self.secrets, *also)
            if secret in text
        ]


@pytest.fixture
def planted(
    db: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Planted]:
    caplog.set_level(logging.DEBUG, "rollcall")
    monkeypatch.setattr(office_pack, "FUNCTIONS", (*office_pack.FUNCTIONS, *OWN))
    monkeypatch.setenv("ACME_SECRET", PHRASE)
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "true")
    token = local_functions.token("ann")
    monkeypatch.setattr(local_functions, "token", lambda uid, **claims: token)
    with FakeProviders() as provider:
        office = Office(db, monkeypatch)
        profile = office_pack.PROFILE
        own = tuple(each.__name__ for each in OWN)
        named = {"tools": (*own, *profile.tools), "pinned": (*own, *profile.pinned)}
        office.declare(profile, models=("openai:gpt-test",), **named)
        office.platform.text_model = StructuredText(load_model("openai:gpt-test"))  # type: ignore
        secrets = (PHRASE, *FORMED, OPENAI_KEY, GEMINI_KEY, token, HIDDEN_RESULT)
        yield Planted(office, provider, secrets)


def test_of_what_users_and_clients_send(planted: Planted, caplog: pytest.LogCaptureFixture) -> None:
    asked = planted.ask(
        call_of("pay", {"amountUsd": 3, "to": "bob"}),
        context={"page": f"?token={SLACK}", "keys": [PHRASE, {"of": STRIPE}]},
    )
    no = {"approved": False, "reason": f"not with {PHRASE} or {STRIPE}"}
    entry = {"interruptId": asked.interrupts[0]["id"], "status": "resolved", "payload": no}
    ended = planted.send(
        {"resume": [entry], "threadId": asked.thread}, responses_text(f"Not with {GITHUB}.")
    )
    assert ended.statuses() == ["rejected"]
    assert len(planted.provider.requests) == 2
    assert planted.leaks(caplog) == []


def test_of_changed_arguments(planted: Planted, caplog: pytest.LogCaptureFixture) -> None:
    asked = planted.ask(call_of("pay", {"amountUsd": 3, "to": "bob"}))
    yes = {"approved": True, "editedArguments": {"amountUsd": 3, "to": f"bob {STRIPE}"}}
    entry = {"interruptId": asked.interrupts[0]["id"], "status": "resolved", "payload": yes}
    refused = planted.send({"resume": [entry], "threadId": asked.thread})
    assert (refused.code, refused.field) == (
        "invalid-argument",
        "resume.0.payload.editedArguments",
    )
    assert planted.office.done("pay") == []
    assert planted.leaks(caplog) == []


def test_of_what_a_clients_tool_returns(planted: Planted, caplog: pytest.LogCaptureFixture) -> None:
    for result in ({"content": {"lines": [PHRASE, STRIPE]}}, {"content": None, "error": PHRASE}):
        asked = planted.ask(
            call_of("open_file", {"path": "a"}), clientId="c", clientTools=["open_file"]
        )
        call = asked.done["outcome"]["pendingToolCallIds"][0]
        data = {"toolResults": [{"toolCallId": call, **result}], "threadId": asked.thread}
        planted.send({**data, "clientId": "c"}, responses_text("Read."))
    assert len(planted.provider.requests) == 4
    assert planted.leaks(caplog) == []


def test_of_results_hidden_fields_errors_and_displays(
    planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    ended = planted.ask(
        call_of("find_person", {"name": "Bo"}),
        call_of("break_down", {}),
        call_of("refuse", {}),
        responses_text(f"Found. {STRIPE}"),
    )
    assert ended.statuses() == ["done", "failed", "failed"]
    assert "incident" in caplog.text
    assert planted.leaks(caplog) == []


def test_of_approvals_and_the_writes_they_allow(
    planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    arguments = {"to": "bob", "pin": "88-41-07-99"}
    asked = planted.ask(call_of("pay_with_pin", arguments))
    interrupt = asked.interrupts[0]
    approval = planted.office.document(f"approvals/{interrupt['id']}")
    shown = [approval[key] for key in ("summary", "display", "argumentsShown")]
    assert "88-41-07-99" not in json.dumps([interrupt, shown])
    assert planted.leaks(caplog) == []
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
    ended = planted.send({"resume": [entry], "threadId": asked.thread}, responses_text("Paid."))
    assert ended.statuses() == ["done"]
    assert planted.leaks(caplog) == []


def test_of_what_capabilities_ask_of_models_and_agents(
    planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    thought: Reply = responses_text(json.dumps({"thought": "deep"}))
    planted.call("think", {"about": GITHUB}, thought)
    planted.call("delegate", {"what": f"Look for {PHRASE}, {STRIPE}"}, responses_text("No."))
    ended = planted.ask(call_of("think", {"about": SLACK}), thought, responses_text("Ok."))
    assert ended.statuses() == ["done"]
    assert len(planted.provider.requests) == 5
    assert planted.leaks(caplog) == []


def test_of_a_provider_that_repeats_the_key_and_the_request(
    planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"error": {"message": f"Incorrect API key provided: {OPENAI_KEY} ({PHRASE})"}}
    refused = planted.ask(plain(said, status=401))
    assert refused.error is not None or refused.done["stopReason"]
    assert planted.leaks(caplog) == []


def test_of_names_and_ids(planted: Planted, caplog: pytest.LogCaptureFixture) -> None:
    ended = planted.send(
        {"message": "Hi", "clientId": "c1", "locale": "en"},
        responses_text("Hello."),
        claims={"name": f"Ann {STRIPE}"},
    )
    assert ended.done["message"] == "Hello."
    assert planted.leaks(caplog) == []


def test_of_what_is_embedded(planted: Planted, caplog: pytest.LogCaptureFixture) -> None:
    for embedder in ("openai:text-embedding-3-small", "gemini:gemini-embedding-2"):
        load_embedder(embedder).embed([f"{PHRASE} {STRIPE}", "plain"], task="document")
    assert len(planted.provider.requests) == 2
    assert planted.leaks(caplog) == []


def test_of_hidden_arguments_to_those_who_decide_for_others(
    planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    planted.office.override("capabilities/pay_with_pin", approval={"deciderRole": "teacher"})
    call = call_of("pay_with_pin", {"to": "bob", "pin": "88-41-07-99"})
    ended = planted.ask(call, responses_text("That cannot be done."))
    assert ended.statuses() == ["failed"]
    assert planted.office.approvals() == {}
    assert planted.leaks(caplog) == []


def test_of_a_reason_that_a_client_wrote_itself(
    planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    asked = planted.ask(call_of("pay", {"amountUsd": 3, "to": "bob"}))
    planted.provider.openai(responses_text("Not paid."))
    approval = asked.interrupts[0]["id"]
    planted.office.decide(approval, approved=False, by="ann", reason=f"{PHRASE} {STRIPE}")
    planted.office.run_queue()
    assert len(planted.provider.requests) == 2
    found = [leak for leak in planted.leaks(caplog) if not leak.startswith("approvals/")]
    assert found == []
