"""Cloud Functions in this process, called over their whole callable path as any user."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import flask
import jwt
from google.cloud.firestore import Client

from rollcall.agent.direct_call import direct_call
from rollcall.agent.paid_calls import metered
from rollcall.catalog import prepare_process
from rollcall.core.capability import Capability
from rollcall.core.context import Catalog, Decider, Platform, TextModel, User
from rollcall.core.errors import Unavailable
from rollcall.core.triggers import OnCall, OnRequest, trigger_of
from tests.support.catalogs import catalog

PROJECT = "demo-rollcall"


def token(uid: str = "ann", *, expires_in: int = 3600, **claims: Any) -> str:
    """An unsigned ID token, as those of the Auth emulator's users."""
    now = int(time.time())
    body = {
        "iss": f"https://securetoken.google.com/{PROJECT}",
        "aud": PROJECT,
        "sub": uid,
        "user_id": uid,
        "iat": now - 7200,
        "auth_time": now - 7200,
        "exp": now + expires_in,
        "firebase": {"sign_in_provider": "custom", "identities": {}},
        **claims,
    }
    return jwt.encode(body, "", algorithm="none")


def use_emulator_tokens(setenv: Callable[[str, str], None]) -> None:
    """Make this process verify tokens as functions on the emulators do."""
    setenv("FUNCTIONS_EMULATOR", "true")
    setenv("GCLOUD_PROJECT", PROJECT)
    setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:1")
    prepare_process(None)


class LocalPlatform:
    """A platform of one Firestore and no models.

    Attributes:
        queue: The enqueued tasks, as `(queue, data)`.
        users: Accounts by uid; any other uid is a plain user's.
        gone: The uids of deleted accounts.
        notified: The deciders that were notified, with their approvals.
        takes_tasks: Whether the queue takes tasks.
        catalog: What is declared, by default by this repository's packs.
    """

    text_model: TextModel | None = None
    embedder = None

    def __init__(self, db: Client, catalog: Catalog = catalog) -> None:
        self.db = db
        self.catalog = catalog
        self.queue: list[tuple[str, dict[str, Any]]] = []
        self.users: dict[str, User] = {}
        self.gone: set[str] = set()
        self.notified: list[tuple[Decider, str]] = []
        self.takes_tasks = True

    def text_model_for(self, user: User) -> TextModel | None:
        return metered(self.text_model, self.db, user)

    def embedder_for(self, user: User) -> None:
        return None

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        if not self.takes_tasks:
            raise Unavailable(f"the queue {queue} took no task")
        self.queue.append((queue, data))

    def find_user(self, uid: str) -> User | None:
        return None if uid in self.gone else self.users.get(uid, User(uid))

    def notify(self, decider: Decider, *, approval_id: str) -> None:
        self.notified.append((decider, approval_id))


class Callables(dict[str, Any]):
    """Functions that users call, by name, each bound to a platform when it is first called."""

    def __init__(self, declared: Mapping[str, Any], platform: Callable[[], Platform]) -> None:
        super().__init__()
        self._declared = declared
        self._platform = platform

    def __missing__(self, name: str) -> Any:
        function = self._declared[name]
        trigger = trigger_of(function)
        if trigger is None:
            trigger, function = OnCall(), direct_call(Capability.of(function))
        if not isinstance(trigger, OnCall | OnRequest):
            raise KeyError(f"users do not call {name}")
        self[name] = trigger.bind(name, function, self._platform)
        return self[name]


def callables(platform: Platform) -> Callables:
    """The functions of this repository, bound to `platform`."""
    return Callables(catalog.functions(), lambda: platform)


class Functions:
    """A client of functions by name, behind one web application."""

    def __init__(self, functions: Mapping[str, Any]) -> None:
        app = flask.Flask("functions")
        methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]

        def view(name: str, path: str = "") -> Any:
            """Where it is deployed, a function's path begins after its name."""
            environ = {**flask.request.environ, "SCRIPT_NAME": f"/{name}", "PATH_INFO": f"/{path}"}
            try:
                function = functions[name]
            except KeyError:
                flask.abort(404)
            return function(flask.Request(environ))

        # Two rules for all: hundreds of these are made, and each rule takes longer than a request.
        app.add_url_rule("/<name>", "function", view, methods=methods)
        app.add_url_rule("/<name>/<path:path>", "below", view, methods=methods)
        self._client = app.test_client()

    def post(
        self,
        name: str,
        data: Any = None,
        *,
        uid: str = "ann",
        claims: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        raw: bytes = b"",
        method: str = "POST",
    ) -> Any:
        """Send `{"data": data}`, or `raw` as it is; an empty header value leaves the header out."""
        sent = {
            "Authorization": f"Bearer {token(uid, **(claims or {}))}",
            "Content-Type": "application/json",
        }
        sent |= headers or {}
        return self._client.open(
            f"/{name}",
            method=method,
            data=raw or json.dumps({"data": data}).encode(),
            headers={key: value for key, value in sent.items() if value},
        )

    def send(
        self,
        path: str,
        body: Any = None,
        *,
        uid: str = "ann",
        headers: dict[str, str] | None = None,
        raw: bytes = b"",
        method: str = "POST",
    ) -> Any:
        """Send plain HTTP: `body` as JSON, or `raw` as it is."""
        data = raw or json.dumps(body).encode()
        return self.post(path, uid=uid, headers=headers, raw=data, method=method)

    def stream(
        self, name: str, data: Any, *, uid: str = "ann", claims: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """The frames of a streamed call."""
        accept = {"Accept": "text/event-stream"}
        response = self.post(name, data, uid=uid, claims=claims, headers=accept)
        return frames(response)


def frames(response: Any) -> list[dict[str, Any]]:
    """The JSON of a stream's `data:` lines."""
    lines = response.get_data(as_text=True).splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
