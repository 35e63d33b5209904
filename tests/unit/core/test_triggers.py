"""Triggers: the functions they bind, and the user that a token gives."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import flask
import pytest
import yaml

from rollcall.core.context import to_user
from rollcall.core.errors import Aborted, AgentError, InvalidArgument, NotFound, Unavailable
from rollcall.core.logs import log_fields
from rollcall.core.triggers import (
    DocumentEvent,
    OnCall,
    OnDocument,
    OnRequest,
    OnSchedule,
    OnTask,
    bound,
    trigger_of,
)
from rollcall.core.triggers import _snapshots as snapshots
from rollcall.core.wire import Role
from tests.support.forked_python import run_python
from tests.support.full_form import cases

FUNCTIONS = Path(__file__).parents[3] / "functions"


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
        (OnRequest(), "httpsTrigger"),
        (OnSchedule("every day 03:00"), "scheduleTrigger"),
        (OnDocument("messages/{messageId}"), "eventTrigger"),
        (OnDocument("messages/{messageId}", when="created"), "eventTrigger"),
        (OnTask(), "taskQueueTrigger"),
    ],
)
def test_each_trigger_declares_its_function(trigger: Any, key: str) -> None:
    function = trigger.bind("tidy", lambda *args: None, here)
    endpoint = function.__firebase_endpoint__
    assert function.__name__ == "tidy"
    assert getattr(endpoint, key) is not None


def test_only_a_trigger_on_the_platforms_own_documents_is_bound_under_the_prefix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, others = OnDocument("approvals/{id}", platform=True), OnDocument("approvals/{id}")
    for prefix, expected in (("", "approvals/{id}"), ("rc", "rc_approvals/{id}")):
        monkeypatch.setenv("ROLLCALL_PREFIX", prefix)
        assert watched(own) == expected
        assert watched(others) == "approvals/{id}"


def watched(trigger: OnDocument) -> str:
    """The path of the documents that the function of a trigger is deployed for."""
    endpoint = trigger.bind("tidy", lambda *args: None, here).__firebase_endpoint__
    return str(endpoint.eventTrigger["eventFilterPathPatterns"]["document"])


def test_secrets_are_bound_where_the_environment_names_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROLLCALL_SECRETS", "GEMINI_API_KEY, OPENAI_API_KEY,")
    for trigger in (OnCall(), OnSchedule("every day 03:00"), OnDocument("a/{b}"), OnTask()):
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


def test_instances_are_bounded_by_function_and_for_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROLLCALL_MIN_INSTANCES", "run_agent:1")
    monkeypatch.setenv("ROLLCALL_MAX_INSTANCES", "run_agent:50, *:10,")
    found = {}
    for name, trigger in (("run_agent", OnCall()), ("tidy", OnTask()), ("t", OnDocument("a/{b}"))):
        endpoint = trigger.bind(name, lambda *args: None, here).__firebase_endpoint__
        found[name] = (endpoint.minInstances, endpoint.maxInstances)
    assert (found["run_agent"], found["tidy"][1], found["t"][1]) == ((1, 50), 10, 10)
    assert not isinstance(found["tidy"][0], int)


@pytest.mark.parametrize("value", ["1", "run_agent", "run_agent:-1", "run_agent:x", "run agent:1"])
def test_instances_that_cannot_be_read_stop_the_deploy(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ROLLCALL_MIN_INSTANCES", value)
    with pytest.raises(ValueError, match="is not of the form run_agent:1"):
        OnCall().bind("run_agent", lambda *args: None, here)


def test_a_queue_runs_as_many_tasks_at_once_as_the_variable_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def at_once(name: str) -> int:
        endpoint = OnTask().bind(name, lambda *args: None, here).__firebase_endpoint__
        found: int = endpoint.taskQueueTrigger["rateLimits"]["maxConcurrentDispatches"]
        return found

    monkeypatch.setenv("ROLLCALL_MAX_TASKS", "continuerun:300")
    assert (at_once("continuerun"), at_once("tidy")) == (300, 50)
    monkeypatch.setenv("ROLLCALL_MAX_TASKS", "continuerun:5001")
    with pytest.raises(ValueError, match="1 to 5000 are accepted"):
        at_once("continuerun")


def discovered(**environment: str) -> subprocess.CompletedProcess[str]:
    """Discovery as firebase-tools does it, by what it runs."""
    code = (
        "from firebase_functions.private import serving\n"
        "print(serving.functions_as_yaml(serving.get_functions()))"
    )
    return run_python(
        code, folder=FUNCTIONS, environment={"GCLOUD_PROJECT": "demo-test", **environment}
    )


def test_the_deployed_manifest_keeps_the_named_function_warm_and_bounds_all() -> None:
    done = discovered(ROLLCALL_MIN_INSTANCES="run_agent:2", ROLLCALL_MAX_INSTANCES="*:7")
    assert done.returncode == 0, done.stderr
    endpoints = yaml.safe_load(done.stdout)["endpoints"]
    warm = {name: each["minInstances"] for name, each in endpoints.items() if each["minInstances"]}
    assert warm == {"run_agent": 2}
    assert {each["maxInstances"] for each in endpoints.values()} == {7}


@pytest.mark.long
@pytest.mark.parametrize("value", cases(["run_agnet:1", "*:1"], 0))
def test_a_function_that_is_not_there_cannot_be_kept_warm(value: str) -> None:
    done = discovered(ROLLCALL_MIN_INSTANCES=value)
    assert done.returncode == 1
    assert "ROLLCALL_MIN_INSTANCES: there is no function" in done.stderr


def test_a_document_trigger_is_retried() -> None:
    endpoint = OnDocument("a/{b}").bind("tidy", lambda *args: None, here).__firebase_endpoint__
    assert endpoint.eventTrigger["retry"] is True


def test_a_queue_is_bounded_in_tries_time_and_width() -> None:
    trigger = OnTask(max_attempts=3, timeout_s=900, max_concurrent=7)
    endpoint = trigger.bind("tidy", lambda *args: None, here).__firebase_endpoint__
    queue = endpoint.taskQueueTrigger
    assert (queue["retryConfig"]["maxAttempts"], endpoint.timeoutSeconds) == (3, 900)
    assert queue["rateLimits"]["maxConcurrentDispatches"] == 7


def test_a_task_that_needs_an_instances_memory_has_it_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THREADS", "48")
    shared, own = (
        OnTask(alone=alone).bind("tidy", lambda *args: None, here).__firebase_endpoint__
        for alone in (False, True)
    )
    assert (shared.concurrency, own.concurrency) == (48, 1)


def test_a_queue_cannot_be_named_with_an_underscore() -> None:
    with pytest.raises(ValueError, match="tidy_up"):
        OnTask().bind("tidy_up", lambda *args: None, here)


def dispatched(handler: Any, data: Any) -> int:
    """The status that a task with this data ends with."""
    function = OnTask().bind("tidy", handler, here)
    with flask.Flask("t").test_request_context(method="POST", json={"data": data}):
        return int(flask.make_response(function(flask.request)).status_code)


def failing_handler(error: Exception) -> Any:
    def handler(platform: Any, data: dict[str, Any]) -> None:
        raise error

    return handler


def test_a_task_hands_its_data_and_the_platform_on() -> None:
    seen: list[Any] = []
    assert dispatched(lambda *given: seen.append(given), {"id": 1}) == 200
    assert seen == [("platform", {"id": 1})]


def test_what_a_task_does_is_noted_as_its_functions_and_of_its_requests_trace() -> None:
    seen: list[Any] = []
    function = OnTask().bind("tidy", lambda *given: seen.append(dict(log_fields())), here)
    trace, span = "a" * 32, "b" * 16
    sent = {"X-Cloud-Trace-Context": f"{trace}/{int(span, 16)};o=1"}
    with flask.Flask("t").test_request_context(method="POST", json={"data": {}}, headers=sent):
        function(flask.request)
    assert seen == [{"function": "tidy", "trace": trace, "span": span, "sampled": "01"}]
    assert log_fields() == {}


@pytest.mark.parametrize("data", [None, "x", [1], 7])
def test_a_task_without_an_object_for_data_is_dropped(data: Any) -> None:
    assert dispatched(failing_handler(AssertionError("called")), data) == 200


@pytest.mark.parametrize("error", [Unavailable("later"), Aborted("busy"), OSError("network")])
def test_a_task_that_may_succeed_later_is_tried_again(error: Exception) -> None:
    assert dispatched(failing_handler(error), {}) == 500


@pytest.mark.parametrize("error", [InvalidArgument("no"), NotFound("gone")])
def test_a_task_that_cannot_succeed_is_not_repeated(error: AgentError) -> None:
    assert dispatched(failing_handler(error), {}) == 200


class Snapshot:
    def __init__(self, data: dict[str, Any] | None, update_time: datetime | None = None) -> None:
        self.data = data
        self.update_time = update_time
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


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-21T09:00:00.25Z",
        datetime(2026, 11, 21, 9, 0, 0, 250_000),
        datetime(2026, 11, 21, 9, 0, 0, 250_000, tzinfo=UTC),
    ],
)
def test_an_event_says_when_it_happened_and_not_when_it_is_handled(time: Any) -> None:
    assert when(time) == datetime(2026, 11, 21, 9, 0, 0, 250_000, tzinfo=UTC)


def test_a_time_that_was_cut_to_the_second_is_none_before_what_happened() -> None:
    assert when("2026-11-21T09:00:00Z") == datetime(2026, 11, 21, 9, 0, 1, tzinfo=UTC)


WRITTEN = datetime(2026, 11, 21, 9, 0, 0, 437_215, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("written", Change(None, Snapshot({"a": 2}, WRITTEN))),
        ("updated", Change(Snapshot({"a": 1}, datetime(2026, 1, 1)), Snapshot({"a": 2}, WRITTEN))),
        ("created", Snapshot({"a": 2}, WRITTEN)),
    ],
)
def test_a_document_says_when_it_was_written_however_late_the_event_is(
    kind: Any, data: Any
) -> None:
    assert when("2026-11-21T09:00:35Z", data, kind) == WRITTEN


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("written", Change(Snapshot({"a": 1}, WRITTEN), None)),
        ("written", Change(Snapshot({"a": 1}, WRITTEN), Snapshot(None))),
        ("deleted", Snapshot({"a": 1}, WRITTEN)),
    ],
)
def test_of_a_deleted_document_the_event_says_when(kind: Any, data: Any) -> None:
    assert when("2026-11-21T09:00:35.5Z", data, kind) == datetime(
        2026, 11, 21, 9, 0, 35, 500_000, tzinfo=UTC
    )


def when(time: Any, data: Any = None, kind: Any = "written") -> datetime:
    """When a document was written, as a handler of it is told."""
    seen: list[DocumentEvent] = []
    trigger = OnDocument("a/{b}", when=kind)
    function = trigger.bind("tidy", lambda platform, event: seen.append(event), here)
    data = data or Change(None, Snapshot({"a": 2}))
    function.__wrapped__(SimpleNamespace(data=data, params={"b": "x"}, time=time))
    (event,) = seen
    assert event.params == {"b": "x"}
    return event.time


@pytest.mark.parametrize("role", ["Admin", "root", "", None, 7, ["admin"], {"admin": True}])
def test_a_role_that_is_not_ours_counts_as_user(role: Any) -> None:
    user = to_user("ann", {"role": role, "tenant": 5, "name": ["Ann"]})
    assert (user.role, user.tenant, user.name) == (Role.USER, None, None)


def test_a_tokens_role_tenant_and_name_are_taken() -> None:
    user = to_user("ann", {"role": "teacher", "tenant": "north", "name": "Ann"})
    assert (user.role, user.tenant, user.name) == (Role.TEACHER, "north", "Ann")
