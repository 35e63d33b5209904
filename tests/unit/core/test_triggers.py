"""Triggers: what a marked function is bound to, and what a token makes of a user."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.triggers import (
    DocumentEvent,
    OnCall,
    OnDocument,
    OnSchedule,
    bound,
    to_user,
    trigger_of,
)
from rollcall.core.triggers import _snapshots as snapshots
from rollcall.core.wire import Role


def here() -> Any:
    return "platform"


def test_a_marked_function_stays_itself() -> None:
    @bound(OnSchedule("every day 03:00"))
    def tidy(platform: Any) -> None:
        """Tidy up."""

    assert trigger_of(tidy) == OnSchedule("every day 03:00")
    assert trigger_of(len) is None


@pytest.mark.parametrize(
    ("trigger", "key"),
    [
        (OnCall(), "callableTrigger"),
        (OnSchedule("every day 03:00"), "scheduleTrigger"),
        (OnDocument("messages/{messageId}"), "eventTrigger"),
        (OnDocument("messages/{messageId}", when="created"), "eventTrigger"),
    ],
)
def test_each_trigger_declares_its_function(trigger: Any, key: str) -> None:
    function = trigger.bind("tidy", lambda *args: None, here)
    endpoint = function.__firebase_endpoint__
    assert function.__name__ == "tidy"
    assert getattr(endpoint, key) is not None


def test_secrets_are_bound_where_the_environment_names_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROLLCALL_SECRETS", "GEMINI_API_KEY, OPENAI_API_KEY,")
    for trigger in (OnCall(), OnSchedule("every day 03:00"), OnDocument("a/{b}")):
        endpoint = trigger.bind("tidy", lambda *args: None, here).__firebase_endpoint__
        bound_secrets = [secret["key"] for secret in endpoint.secretEnvironmentVariables]
        assert bound_secrets == ["GEMINI_API_KEY", "OPENAI_API_KEY"]


def test_an_instance_serves_as_many_requests_as_it_has_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THREADS", "24")
    monkeypatch.setenv("ROLLCALL_REGION", "europe-west1")
    endpoint = OnCall().bind("tidy", lambda *args: None, here).__firebase_endpoint__
    assert (endpoint.concurrency, endpoint.cpu) == (24, 1)
    assert endpoint.region == ["europe-west1"]


def test_a_document_trigger_is_retried() -> None:
    endpoint = OnDocument("a/{b}").bind("tidy", lambda *args: None, here).__firebase_endpoint__
    assert endpoint.eventTrigger["retry"] is True


class Snapshot:
    def __init__(self, data: dict[str, Any] | None) -> None:
        self.data = data
        self.exists = data is not None

    def to_dict(self) -> dict[str, Any] | None:
        return self.data


class Change:
    def __init__(self, before: Snapshot | None, after: Snapshot | None) -> None:
        self.before, self.after = before, after


def test_an_event_says_what_was_there_before_and_after() -> None:
    new, old = Snapshot({"a": 2}), Snapshot({"a": 1})
    assert snapshots(new, "created") == (None, {"a": 2})
    assert snapshots(old, "deleted") == ({"a": 1}, None)
    assert snapshots(Change(old, new), "updated") == ({"a": 1}, {"a": 2})
    assert snapshots(Change(None, new), "written") == (None, {"a": 2})
    assert snapshots(Change(old, None), "written") == ({"a": 1}, None)
    assert DocumentEvent({}, None, None).after is None


@pytest.mark.parametrize("role", ["Admin", "root", "", None, 7, ["admin"], {"admin": True}])
def test_a_role_that_is_not_ours_counts_as_user(role: Any) -> None:
    user = to_user("ann", {"role": role, "tenant": 5, "name": ["Ann"]})
    assert (user.role, user.tenant, user.name) == (Role.USER, None, None)


def test_a_tokens_role_tenant_and_name_are_taken() -> None:
    user = to_user("ann", {"role": "teacher", "tenant": "north", "name": "Ann"})
    assert (user.role, user.tenant, user.name) == (Role.TEACHER, "north", "Ann")
