"""`smoke`: tests a deployment as a user would, each line with its fix."""

from __future__ import annotations

import os
import time
import uuid
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.commands.app import App, Place, require_app
from rollcall.commands.client import (
    Backend,
    CallError,
    Session,
    emulated,
    running_addresses,
    sign_in_developer,
)
from rollcall.commands.doctor.deployment import (
    DEPLOY_FUNCTIONS,
    check_against,
    check_indexes,
    job_problem,
)
from rollcall.commands.doctor.findings import (
    MAX_CHARS,
    Finding,
    Google,
    GoogleRefusal,
    fail,
    firebase,
    guard,
    ok,
    report,
    skip,
)
from rollcall.commands.doctor.findings import sign_in as google_sign_in
from rollcall.commands.output import quantity
from rollcall.core.capability import Capability
from rollcall.core.errors import USAGE, Problem
from rollcall.core.options import collection_id, function_name, queue_name, region
from rollcall.core.policy import combined
from rollcall.core.shapes import Role
from rollcall.core.texts import clipped
from rollcall.emulators.addresses import Addresses, Configuration
from rollcall.emulators.clock import run_function
from rollcall.emulators.jsonc import read_jsonc
from rollcall.emulators.suite import get_json
from rollcall.registry.access import is_named


def deployed(project: str, *, api_key: str | None) -> tuple[Backend, Google]:
    """Return a production project as clients reach it, and as the application default credentials
    do.

    Raises:
        Problem: There are none, or the project's web API key is not known.
    """
    google = google_sign_in(project)
    backend = Backend(
        project,
        identity="https://identitytoolkit.googleapis.com/v1",
        firestore="https://firestore.googleapis.com/v1",
        api_key=api_key or web_api_key(google),
        url_of=lambda name: f"https://{region()}-{project}.cloudfunctions.net/{name}",
        is_local=False,
    )
    return backend, google


def web_api_key(google: Google) -> str:
    """The key of the project's first web app. It is no secret: every client has it.

    Raises:
        Problem: There is none, or these credentials may not look.
    """
    cure = (
        "Give the project's web API key with --api-key: it is in the Firebase console, Project "
        "settings, General."
    )
    try:
        apps = google.get("firebase", f"v1beta1/projects/{google.project}/webApps").get("apps", [])
        if not apps:
            raise Problem(f"The project {google.project} has no web app. {cure}", exit_code=USAGE)
        config = google.get("firebase", f"v1beta1/{apps[0]['name']}/config")
    except GoogleRefusal as refused:
        raise Problem(f"{google.project}: {refused}. {cure}", exit_code=USAGE) from refused
    return str(config["apiKey"])


def enqueue(project: str, data: dict[str, Any], *, is_local: bool) -> str:
    """Put a task into the queue that continues turns; return its id.

    Raises:
        Problem: The queue did not take it.
    """
    from firebase_admin import functions  # type: ignore[import-untyped]

    target = f"locations/{region()}/functions/{queue_name('continuerun')}"
    try:
        with _admin_app(project, is_local=is_local) as app:
            return str(functions.task_queue(target, app=app).enqueue({"data": data}))
    except Exception as error:  # the SDK, its transport and its credentials, each in its way
        raise Problem(clipped(str(error), MAX_CHARS)) from error


def _custom_token(google: Google, uid: str) -> str | None:
    """By a service account's key, where these are its credentials; a person has none."""
    from google.auth.credentials import Signing

    if not isinstance(getattr(google.session, "credentials", None), Signing):
        return None
    from firebase_admin import auth

    with _admin_app(google.project, is_local=False) as app:
        return auth.create_custom_token(uid, app=app).decode()  # type: ignore[no-any-return]


@contextmanager
def _admin_app(project: str, *, is_local: bool) -> Iterator[Any]:
    import firebase_admin

    credential = None
    if is_local:
        from google.auth.credentials import AnonymousCredentials

        credential = AnonymousCredentials()  # type: ignore[no-untyped-call]
    name = f"smoke-{uuid.uuid4().hex[:8]}"
    app = firebase_admin.initialize_app(credential, {"projectId": project}, name=name)
    try:
        yield app
    finally:
        firebase_admin.delete_app(app)


MESSAGE = "What can you do?"

_STREAMS = 3
_MAX_TRIES = 4
"""How many of the app's writes are tried until one waits for a decision."""
_QUEUE_S = 90.0
_POLL_S = 0.5
_BUFFERED_S = 0.002
"""What is held back arrives within less time. A run commits to Firestore between its first event
and its result, which takes longer, though less than 10 ms near a database."""
_CLOCK = timedelta(minutes=5)
_DEPLOY_RULES = firebase("deploy --only firestore:rules")


class Smoke(Struct):
    """A smoke test of a project, by two users who are made for it and deleted at the end.

    Args:
        backend: The project as its clients reach it.
        owner: How its owner does: Google's own interfaces, or the addresses of emulators.
        model: The `<provider>:<name>` that has to answer; any where left out.

    Attributes:
        agent: The first agent that a new user may ask.
        sessions: The two users.
        threads: Those that the users' runs made.
        rejected: The path of the approval that a user rejected.
    """

    backend: Backend
    owner: Google | Addresses
    app: App
    model: str | None = None
    agent: str | None = None
    sessions: list[Session] = []
    threads: list[str] = []
    rejected: str | None = None

    def findings(self) -> Iterator[Finding]:
        """Every check. What could not be looked at is not proved, so that it failed."""
        for finding in self._checks():
            yield replace(finding, level="fail") if finding.level == "warn" else finding

    def _checks(self) -> Iterator[Finding]:
        """Those that need a user are skipped where nobody could be signed in."""
        by_user: tuple[tuple[str, Callable[[], Finding]], ...] = (
            ("registry", self._registry),
            ("run", self._run),
            ("approval", self._approval),
            ("rules", self._rules),
        )
        try:
            (signed_in,) = _checked("sign-in", self._sign_in)
            yield signed_in
            for topic, check in by_user:
                if signed_in.level == "ok":
                    yield from _checked(topic, check)
                else:
                    yield skip("nobody is signed in", topic=topic)
            yield from guard("indexes", self._indexes())
            yield from _checked("queue", self._queue)
            yield from _checked("clock", self._clock)
        finally:  # also where nobody reads on, as under `| head`
            cleaned = list(guard("clean-up", self._clean_up()))
        yield from cleaned

    def _sign_in(self) -> Finding:
        try:
            for _ in range(2):
                self.sessions.append(self._sign_up())
        except CallError as error:
            return fail(
                f"no user can be signed in: {error.message}",
                "switch a provider on in the Firebase console (Authentication, Sign-in method: "
                "Anonymous), or run this with a service account's key in "
                "GOOGLE_APPLICATION_CREDENTIALS",
            )
        return ok(f"as {self._user.uid}, and as another user")

    def _sign_up(self) -> Session:
        """Sign a user in who was not there before, in the first way that is possible.

        Raises:
            CallError: None is.
        """
        uid = f"smoke-{uuid.uuid4().hex[:16]}"
        if isinstance(self.owner, Addresses):
            return sign_in_developer(self.backend, uid)
        account = {"email": f"{uid}@example.com", "password": uuid.uuid4().hex}
        ways: list[tuple[str, str, dict[str, Any]]] = [
            ("anonymous", "signUp", {}),
            ("e-mail", "signUp", account),
        ]
        if token := _custom_token(self.owner, uid):
            ways.insert(0, ("custom token", "signInWithCustomToken", {"token": token}))
        refusals = []
        for way, method, data in ways:
            try:
                return self.backend.sign_in(method, data)
            except CallError as error:
                refusals.append(f"{way}: {error.message}")
        raise CallError("unauthenticated", "; ".join(refusals))

    @property
    def _user(self) -> Session:
        return self.sessions[0]

    def _call(self, name: str, data: Any) -> Any:
        return self.backend.call(function_name(name), data, self._user.token)

    def _registry(self) -> Finding:
        found = self._call("list_capabilities", {})
        agents = [each["id"] for each in found["agents"]]
        sync = "python -m rollcall sync --project {project}"
        if not agents:
            return fail("no agent for a new user", sync)
        self.agent = agents[0]
        if not found["capabilities"]:
            return fail("no capability is published for a new user", sync)
        count = quantity(len(found["capabilities"]), "capability", "capabilities")
        return ok(f"{count} for a new user; agent {self.agent}")

    def _run(self) -> Finding:
        """Try a few times: a client that is kept waiting by its own computer reads all at once."""
        if self.agent is None:
            return skip("there is no agent to ask")
        for _ in range(_STREAMS):
            if (finding := self._streamed_run(self.agent)) is not None:
                return finding
        return fail(
            "its events came only with its result",
            "call the function at its own address: a proxy on the way holds the stream back",
        )

    def _streamed_run(self, agent: str) -> Finding | None:
        """How a run went; None if its events came only with its result."""
        request = {"agent": agent, "message": MESSAGE}
        name, began, arrivals = function_name("run_agent"), time.monotonic(), list[float]()
        result: dict[str, Any] = self.backend.stream(
            name, request, lambda event: arrivals.append(time.monotonic()), self._user.token
        )
        ended = time.monotonic()
        self.threads.append(result["threadId"])
        if not arrivals or ended - arrivals[0] < _BUFFERED_S:
            return None
        if result["outcome"]["type"] != "success":
            reason = f" ({result['stopReason']})" if result.get("stopReason") else ""
            text = f"it ended as {result['outcome']['type']}{reason}"
            return fail(text, _logs("run_agent"))
        used = sorted({f"{each['provider']}:{each['model']}" for each in result["usage"]})
        if self.model is not None and self.model not in used:
            return fail(
                f"{', '.join(used) or 'no model'} answered, and not {self.model}",
                "name it in ROLLCALL_MODEL, give the functions its key (ROLLCALL_SECRETS), deploy",
            )
        first, whole = arrivals[0] - began, ended - began
        return ok(
            f"first event after {first:.2f} s, {len(arrivals)} before the result after "
            f"{whole:.2f} s, by {', '.join(used) or 'no model'}"
        )

    def _approval(self) -> Finding:
        asked = []
        for agent, capability in islice(self._writes(), _MAX_TRIES):
            message = capability.examples[0]["userRequest"]
            result = self._call("run_agent", {"agent": agent, "message": message})
            self.threads.append(result["threadId"])
            asked.append(capability.id)
            for call in result["toolCalls"]:
                is_done = call["tool"] == capability.id and call["status"] == "done"
                if is_done and not call.get("allowedBy"):  # and no policy of the app's lets it
                    text = f"{capability.id} was carried out, and nobody was asked"
                    mend = "publish the registry: python -m rollcall sync"
                    return fail(text, mend)
            for interrupt in result["outcome"].get("interrupts") or ():
                if interrupt["metadata"]["tool"] == capability.id:
                    return self._reject(interrupt, capability.id)
        text = f"no write capability came as far as asking, for a new user: {', '.join(asked)}"
        if not asked:
            text = "no write capability with an example that a new user's agent may use"
        return skip(text)

    def _writes(self) -> Iterator[tuple[str, Capability]]:
        """Writes that a new user can ask for, with the agent that has them: by their examples. One
        that a policy lets through would be carried out, so it is none of them."""
        catalog = self.app.catalog
        for capability in catalog.capabilities():
            mark = capability.mark
            if mark.effect != "write" or mark.runs_on != "server" or mark.min_role is not Role.USER:
                continue
            if not capability.examples:
                continue
            for agent in catalog.agents().values():
                named = is_named(capability.id, mark.category, frozenset(agent.tools))
                policy = combined(agent.approvals.get(capability.id), mark.approval)
                waits = policy.ask == "always" and policy.decider_role is None
                if named and waits and agent.min_role is Role.USER:
                    yield agent.id, capability
                    break

    def _reject(self, interrupt: Mapping[str, Any], tool: str) -> Finding:
        """Say no by the approval's document, as an app on another device does."""
        path = f"{collection_id('approvals')}/{interrupt['id']}"
        fields = {"approved": {"booleanValue": False}, "by": {"stringValue": self._user.uid}}
        decision = {"decision": {"mapValue": {"fields": fields}}}
        status = self.backend.update_document(path, self._user, decision, server_time="decision.at")
        if status != 200:
            text = f"{tool} waits, and the rules refuse the user's decision (HTTP {status})"
            return fail(text, _DEPLOY_RULES)
        self.rejected = path
        return ok(f"{tool} waited for the user, who said no: nothing was written")

    def _rules(self) -> Finding:
        if not self.threads:
            return skip("no run made a thread")
        path = f"{collection_id('threads')}/{self.threads[0]}"
        own, _ = self.backend.get_document(path, self._user)
        if own != 200:
            text = f"the user may not read their own thread (HTTP {own})"
            return fail(text, _DEPLOY_RULES)
        others, _ = self.backend.get_document(path, self.sessions[1])
        if others != 403:
            return fail(
                f"another user may read the thread (HTTP {others}): a rule of firestore.rules "
                f"lets everybody into {collection_id('threads')}",
                "take out wildcards such as `match /{document=**}` (rules are OR-ed), then "
                + _DEPLOY_RULES,
            )
        return ok("a user reads their own thread; another is denied (403)")

    def _indexes(self) -> Iterator[Finding]:
        if isinstance(self.owner, Addresses):
            yield skip("the emulator needs none")
            return
        google, (_, indexes) = self.owner, self.app.firestore_files

        def check(file: Path) -> Iterator[Finding]:
            return check_indexes(google, {"indexes": read_jsonc(file).get("indexes", ())})

        yield from check_against(indexes, check)

    def _queue(self) -> Finding:
        began = time.monotonic()
        if self.rejected is not None:
            is_done, what = self._is_decided, "the decided turn was gone on with"
        else:
            is_done, what = self._dispatched(), "a task was worked on"
        while not is_done():
            if time.monotonic() - began > _QUEUE_S:
                text = f"nothing came out of it within {_QUEUE_S:.0f} s"
                return fail(text, _logs("continuerun"))
            time.sleep(_POLL_S)
        return ok(f"{what} after {time.monotonic() - began:.1f} s")

    def _is_decided(self) -> bool:
        """Whether the turn whose write was rejected has taken that up."""
        assert self.rejected is not None
        _, document = self.backend.get_document(self.rejected, self._user)
        status = document.get("fields", {}).get("status", {}).get("stringValue")
        return bool(status == "rejected")

    def _dispatched(self) -> Callable[[], bool]:
        """Enqueue a task about no run, which does nothing; and how to see that it was done."""
        owner, project, queue = self.owner, self.backend.project, queue_name("continuerun")
        nothing = {"threadId": "none", "runId": "none"}
        if isinstance(owner, Addresses):
            before = _completed(owner.tasks, queue)
            enqueue(project, nothing, is_local=True)
            return lambda: _completed(owner.tasks, queue) > before
        task = enqueue(project, nothing, is_local=False)
        name = f"v2/projects/{project}/locations/{region()}/queues/{queue}/tasks/{task}"
        return lambda: _is_gone(owner, name)

    def _clock(self) -> Finding:
        name, owner, project = function_name("sweep_runs"), self.owner, self.backend.project
        if isinstance(owner, Addresses):
            said: list[str] = []
            function = {"region": region(), "name": name}
            if run_function(owner.functions, project, function, said.append):
                return ok(f"{name} ran; `python -m rollcall dev` is its clock")
            return fail(said[0], "look at what the function logged")
        path = f"v1/projects/{project}/locations/{region()}/jobs"
        job = owner.find("cloudscheduler", f"{path}/firebase-schedule-{name}-{region()}")
        if problem := job_problem(job, overdue=_CLOCK):
            mend = _logs("sweep_runs") if job else DEPLOY_FUNCTIONS
            return fail(f"{name}: {problem}", mend)
        return ok(f"{name} ran within the last {_CLOCK.seconds // 60} minutes")

    def _clean_up(self) -> Iterator[Finding]:
        """Delete the threads and the users that this test made."""
        left = []
        for thread in self.threads:
            try:
                self._call("delete_thread", {"threadId": thread})
            except CallError as error:
                left.append(f"thread {thread} ({error.message})")
        for session in self.sessions:
            try:
                self.backend.sign("delete", {"idToken": session.token})
            except CallError as error:
                left.append(f"user {session.uid} ({error.message})")
        if left:
            text = f"these are still there: {', '.join(left)}"
            yield fail(text, "delete them in the Firebase console")
        elif self.sessions:
            yield ok("the users and their threads are deleted")


def _checked(topic: str, check: Callable[[], Finding]) -> Iterator[Finding]:
    """The finding of a check; that a function refuses or cannot be reached is one too."""

    def findings() -> Iterator[Finding]:
        try:
            yield check()
        except CallError as error:
            yield fail(str(error), _cure(error))

    return guard(topic, findings())


def _cure(error: CallError) -> str:
    if error.code == "not-found":
        return f"{DEPLOY_FUNCTIONS}; is the region right (ROLLCALL_REGION)?"
    if error.code in ("unauthenticated", "permission-denied"):
        return (
            "let main.py call `bind(globals())`, or `firebase_admin.initialize_app()` before its "
            "own functions; and let everybody invoke the function (Cloud Run, Security): it checks "
            "tokens itself"
        )
    return firebase("functions:log")


def _logs(function: str) -> str:
    return firebase(f"functions:log --only {function_name(function)}")


def _completed(address: str, queue: str) -> int:
    """How many tasks the emulator's queue has done in the last minute."""
    stats = get_json(address, "/queueStats") or {}
    return sum(each["completedLastMin"] for name, each in stats.items() if queue in name)


def _is_gone(google: Google, task: str) -> bool:
    """Whether a task is done: Cloud Tasks forgets it then.

    Raises:
        Problem: It was tried, and failed.
    """
    found = google.find("cloudtasks", task)
    if found is None:
        return True
    status = found.get("lastAttempt", {}).get("responseStatus", {})
    if status.get("code"):
        raise Problem(f"the task was tried and failed: {status.get('message', status['code'])}")
    return False


def run(place: Place, options: Namespace) -> int:
    """Prove that the project works; 1 where a check failed."""
    app = require_app(place.app)
    owner: Google | Addresses
    if place.emulator is not None:
        configuration = Configuration(app.root)
        backend = emulated(configuration, place.project)
        owner = running_addresses(configuration, place.project)
        os.environ.update(owner.environment())  # by which the Admin SDK finds the queue
    else:
        backend, owner = deployed(place.project, api_key=options.api_key)
    smoke = Smoke(backend, owner, app, options.model)
    return report(smoke.findings(), place.project, as_json=options.json)
