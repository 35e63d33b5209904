"""`smoke` against a project in production, which a local server plays."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rollcall.commands import smoke as command
from rollcall.commands.app import App
from rollcall.commands.client import Backend
from rollcall.commands.doctor.findings import Finding
from rollcall.commands.smoke import Smoke, web_api_key
from rollcall.core.errors import Problem
from tests.support.fake_google import FakeGoogle
from tests.support.https_server import Handler, HttpsServer

JOBS = "v1/projects/shop/locations/us-central1/jobs"
GROUPS = "v1/projects/shop/databases/(default)/collectionGroups/-"
INDEX = {
    "collectionGroup": "threads",
    "queryScope": "COLLECTION",
    "fields": [
        {"fieldPath": "uid", "order": "ASCENDING"},
        {"fieldPath": "updatedAt", "order": "DESCENDING"},
    ],
}
PACK = '''
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext

EXAMPLE = {"userRequest": "Order tea", "parameters": {}}


@capability(name="Order", category="shop", effect="write", examples=[EXAMPLE])
def order_tea(ctx: ToolContext) -> None:
    """Order tea."""
'''
AGENTS = """
from rollcall.core.profile import AgentProfile

CLERK = AgentProfile(id="clerk", name="Clerk", instructions="Help.", tools=("*",))
"""


class Cloud:
    """Sign-in, functions and Firestore of a project in which all is well, but what a test breaks.

    Attributes:
        refused: Functions that answer 401.
        providers: The methods of signing in that are switched on.
        waits: Whether the write waits for a decision.
        other_reads: What another user gets of a thread.
        status: Of the approval, once the queue has been at work.
    """

    PAUSE_S = 0.05
    """Between a run's first event and its result, as a model would take."""

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.providers = {"anonymous"}
        self.agents = [{"id": "clerk"}]
        self.waits = True
        self.other_reads = 403
        self.status = "rejected"
        self.asked: list[str] = []
        self._users = 0
        self._server = HttpsServer(None, "", self._reply)
        self.root = f"http://127.0.0.1:{self._server.port}"
        self.backend = Backend(
            "shop",
            f"{self.root}/id",
            f"{self.root}/v1",
            "key",
            lambda name: f"{self.root}/f/{name}",
            is_local=True,
        )

    def close(self) -> None:
        self._server.close()

    def _reply(self, handler: Handler) -> None:
        received = handler.server.owner.requests[-1]
        path = received.path.partition("?")[0]
        data = json.loads(received.body or b"{}")
        self.asked.append(path)
        if path.startswith("/id/"):
            self._sign(handler, path.partition(":")[2], data)
        elif path.startswith("/f/"):
            streams = received.headers["accept"] == "text/event-stream"
            self._call(handler, path.removeprefix("/f/"), data["data"], streams=streams)
        else:
            self._firestore(handler, path, received.headers["authorization"])

    def _sign(self, handler: Handler, method: str, data: dict[str, Any]) -> None:
        provider = "e-mail" if "email" in data else "anonymous"
        if method == "signUp" and provider not in self.providers:
            error = {"code": 400, "message": "ADMIN_ONLY_OPERATION"}
            return _json(handler, {"error": error}, 400)
        self._users += 1
        return _json(handler, {"idToken": f"u{self._users}", "localId": f"u{self._users}"})

    def _call(self, handler: Handler, name: str, data: Any, *, streams: bool) -> None:
        if name in self.refused:
            error = {"status": "UNAUTHENTICATED", "message": "Unauthenticated"}
            return _json(handler, {"error": error}, 401)
        if name == "list_capabilities":
            return _json(handler, {"result": {"capabilities": [{}], "agents": self.agents}})
        if name != "run_agent":
            return _json(handler, {"result": {}})
        usage = [{"provider": "gemini", "model": "flash"}]
        result: dict[str, Any] = {"threadId": "t1", "runId": "r1", "usage": usage, "toolCalls": []}
        result["outcome"] = {"type": "success"}
        if data["message"] == "Order tea" and self.waits:
            interrupt = {"id": "a1", "metadata": {"tool": "order_tea"}}
            result["outcome"] = {"type": "interrupt", "interrupts": [interrupt]}
        if not streams:
            return _json(handler, {"result": result})
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b'data: {"message": {"type": "RUN_STARTED"}}\n\n')
        handler.wfile.flush()
        time.sleep(self.PAUSE_S)
        handler.wfile.write(f"data: {json.dumps({'result': result})}\n\n".encode())
        return None

    def _firestore(self, handler: Handler, path: str, token: str) -> None:
        if path.endswith("/threads/t1"):
            return _json(handler, {}, 200 if token == "Bearer u1" else self.other_reads)
        return _json(handler, {"fields": {"status": {"stringValue": self.status}}})


def _json(handler: Handler, body: Any, status: int = 200) -> None:
    handler.reply(status, json.dumps(body).encode(), connection="close")


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    cloud = Cloud()
    yield cloud
    cloud.close()


@pytest.fixture
def google() -> Iterator[FakeGoogle]:
    """A project whose index is ready and whose clock runs."""
    with FakeGoogle() as google:
        stored = {**INDEX, "state": "READY", "name": f"{GROUPS[:-1]}threads/indexes/1"}
        google.answer("firestore", f"{GROUPS}/indexes", {"indexes": [stored]})
        google.answer("firestore", f"{GROUPS}/fields", {"fields": []})
        ran = datetime.now(UTC).isoformat()
        job = {"state": "ENABLED", "lastAttemptTime": ran}
        google.answer("cloudscheduler", f"{JOBS}/firebase-schedule-sweep_runs-us-central1", job)
        yield google


@pytest.fixture
def app(tmp_path: Path) -> App:
    pack = tmp_path / "smoke_pack"
    pack.mkdir()
    (pack / "__init__.py").touch()
    (pack / "order.py").write_text(PACK)
    (pack / "agents.py").write_text(AGENTS)
    (tmp_path / "firestore.indexes.json").write_text(json.dumps({"indexes": [INDEX]}))
    (tmp_path / "firebase.json").write_text('{"firestore": {"rules": "firestore.rules"}}')
    return App(tmp_path, tmp_path, packs=("smoke_pack",))


Findings = dict[str, Finding]


def smoke(cloud: Cloud, google: FakeGoogle, app: App, *, model: str | None = None) -> Findings:
    """What it finds, by topic."""
    test = Smoke(cloud.backend, google.client, app, model)
    return {each.topic: each for each in test.findings()}


def levels(findings: Findings) -> dict[str, str]:
    return {topic: each.level for topic, each in findings.items()}


def test_a_sound_project_passes_and_is_left_as_it_was(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    found = smoke(cloud, google, app, model="gemini:flash")
    assert set(levels(found).values()) == {"ok"}, found
    assert list(found) == [
        *("sign-in", "registry", "run", "approval", "rules"),
        *("indexes", "queue", "clock", "clean-up"),
    ]
    assert "order_tea waited" in found["approval"].text
    documents = "/v1/projects/shop/databases/(default)/documents"
    assert {f"{documents}:commit", f"{documents}/threads/t1"} <= set(cloud.asked)
    assert cloud.asked.count("/f/delete_thread") == 2
    assert cloud.asked.count("/id/accounts:delete") == 2


def test_who_stops_reading_leaves_no_user_behind(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    findings = Smoke(cloud.backend, google.client, app).findings()
    assert next(findings).topic == "sign-in"
    findings.close()
    assert cloud.asked.count("/id/accounts:delete") == 2


def test_where_no_agent_is_published_nobody_is_asked(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    cloud.agents = []
    found = smoke(cloud, google, app)
    assert (found["registry"].level, found["registry"].text) == ("fail", "no agent for a new user")
    assert (found["run"].level, found["run"].text) == ("skip", "there is no agent to ask")


def test_where_nobody_can_sign_in_the_cure_is_told_and_the_rest_is_skipped(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    cloud.providers = set()
    found = smoke(cloud, google, app)
    assert found["sign-in"].level == "fail"
    assert "anonymous:" in found["sign-in"].text
    assert "e-mail:" in found["sign-in"].text
    assert "Anonymous" in found["sign-in"].mend
    skipped = [found[topic].level for topic in ("registry", "run", "approval", "rules")]
    assert skipped == ["skip"] * 4
    assert found["clock"].level == "ok"


def test_e_mail_serves_where_nobody_may_be_anonymous(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    cloud.providers = {"e-mail"}
    assert smoke(cloud, google, app)["sign-in"].level == "ok"


def test_a_function_that_refuses_every_token_fails_with_its_cure(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    cloud.refused = {"list_capabilities", "run_agent"}
    found = smoke(cloud, google, app)
    assert levels(found)["registry"] == "fail"
    assert "initialize_app" in found["registry"].mend
    assert levels(found)["rules"] == "skip"


def test_rules_that_let_others_read_fail(cloud: Cloud, google: FakeGoogle, app: App) -> None:
    cloud.other_reads = 200
    found = smoke(cloud, google, app)["rules"]
    assert (found.level, "match /{document=**}" in found.about("shop").mend) == ("fail", True)


def test_another_model_than_the_one_that_is_named_fails(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    found = smoke(cloud, google, app, model="openai:gpt")["run"]
    assert (found.level, found.text) == ("fail", "gemini:flash answered, and not openai:gpt")


def test_a_stream_that_something_holds_back_fails(
    cloud: Cloud, google: FakeGoogle, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_BUFFERED_S", 60.0)
    monkeypatch.setattr(Cloud, "PAUSE_S", 0.0)
    found = smoke(cloud, google, app)["run"]
    assert (found.level, "only with its result" in found.text) == ("fail", True)


def test_an_index_that_is_missing_or_not_built_yet_is_no_success(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    building = {**INDEX, "state": "CREATING", "name": f"{GROUPS[:-1]}threads/indexes/1"}
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": [building]})
    found = smoke(cloud, google, app)["indexes"]
    assert (found.level, "being built" in found.text) == ("fail", True)
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": []})
    assert smoke(cloud, google, app)["indexes"].level == "fail"


def test_what_may_not_be_looked_at_is_no_success(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    google.refuse("firestore", f"{GROUPS}/indexes", 403, "Permission denied.")
    found = smoke(cloud, google, app)["indexes"]
    assert (found.level, "roles/datastore.indexAdmin" in found.mend) == ("fail", True)


def test_a_queue_that_does_nothing_fails(
    cloud: Cloud, google: FakeGoogle, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_QUEUE_S", 0.0)
    cloud.status = "pending"
    found = smoke(cloud, google, app)
    assert levels(found)["approval"] == "ok"
    assert (found["queue"].level, "nothing came out" in found["queue"].text) == ("fail", True)


def test_without_an_approval_a_task_about_nothing_is_followed(
    cloud: Cloud, google: FakeGoogle, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud.waits = False
    monkeypatch.setattr(command, "enqueue", lambda project, data, is_local: "task1")
    found = smoke(cloud, google, app)
    assert (found["approval"].level, found["queue"].level) == ("skip", "ok")
    assert "order_tea" in found["approval"].text
    failed = {"lastAttempt": {"responseStatus": {"code": 7, "message": "denied"}}}
    task = "v2/projects/shop/locations/us-central1/queues/continuerun/tasks/task1"
    google.answer("cloudtasks", task, failed)
    queue = smoke(cloud, google, app)["queue"]
    assert (queue.level, "denied" in queue.text) == ("fail", True)


@pytest.mark.parametrize(
    ("job", "told"),
    [
        (None, "no job of Cloud Scheduler"),
        ({"state": "PAUSED"}, "PAUSED"),
        ({"state": "ENABLED"}, "never ran"),
        ({"state": "ENABLED", "status": {"code": 5}}, "failed with code 5"),
        ({"state": "ENABLED", "lastAttemptTime": "2026-01-01T00:00:00Z"}, "last ran 2026-01"),
    ],
)
def test_a_clock_that_stands_still_fails(
    cloud: Cloud, google: FakeGoogle, app: App, job: Any, told: str
) -> None:
    path = f"{JOBS}/firebase-schedule-sweep_runs-us-central1"
    google.refuse("cloudscheduler", path, 404, "Job not found.")
    if job is not None:
        google.answer("cloudscheduler", path, job)
    found = smoke(cloud, google, app)["clock"]
    assert (found.level, told in found.text) == ("fail", True), found


def test_a_run_a_minute_ago_is_recent_enough(cloud: Cloud, google: FakeGoogle, app: App) -> None:
    ran = (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
    job = {"state": "ENABLED", "lastAttemptTime": ran}
    google.answer("cloudscheduler", f"{JOBS}/firebase-schedule-sweep_runs-us-central1", job)
    assert smoke(cloud, google, app)["clock"].level == "ok"


def test_indexes_that_nothing_here_asks_for_fail_and_the_rest_is_tested(
    cloud: Cloud, google: FakeGoogle, app: App
) -> None:
    (app.root / "firestore.indexes.json").unlink()
    found = smoke(cloud, google, app)
    assert (found["indexes"].level, found["indexes"].mend) == ("fail", "python -m rollcall init")
    assert {each.level for topic, each in found.items() if topic != "indexes"} == {"ok"}


def test_the_web_api_key_is_looked_up(google: FakeGoogle) -> None:
    name = "projects/shop/webApps/1:2:web:3"
    with pytest.raises(Problem, match="--api-key"):
        web_api_key(google.client)
    google.answer("firebase", "v1beta1/projects/shop/webApps", {"apps": [{"name": name}]})
    google.answer("firebase", f"v1beta1/{name}/config", {"apiKey": "AIza"})
    assert web_api_key(google.client) == "AIza"


def test_a_write_that_a_policy_lets_through_is_not_asked_for(
    cloud: Cloud, google: FakeGoogle, tmp_path: Path
) -> None:
    pack = tmp_path / "trusting_pack"
    pack.mkdir()
    (pack / "__init__.py").touch()
    (pack / "order.py").write_text(PACK)
    policy = "from rollcall.core.policy import ApprovalPolicy\n"
    never = 'tools=("*",), approvals={"order_tea": ApprovalPolicy(ask="never")}'
    (pack / "agents.py").write_text(policy + AGENTS.replace('tools=("*",)', never))
    (tmp_path / "firestore.indexes.json").write_text(json.dumps({"indexes": [INDEX]}))
    found = smoke(cloud, google, App(tmp_path, tmp_path, packs=("trusting_pack",)))
    assert found["approval"].level == "skip"
    assert cloud.asked.count("/f/run_agent") == 1
