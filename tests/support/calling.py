"""Calls Cloud Functions in this process, over their whole callable path, signed in as anyone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import flask
import jwt
from google.cloud.firestore import Client

from rollcall import catalog
from rollcall.agent.direct import direct_call
from rollcall.core.capability import Capability
from rollcall.core.context import Platform
from rollcall.core.triggers import OnCall, trigger_of

PROJECT = "demo-rollcall"


def token(uid: str = "ann", *, expires_in: int = 3600, **claims: Any) -> str:
    """An ID token as the Auth emulator's users have, unsigned."""
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


def emulate(setenv: Callable[[str, str], None]) -> None:
    """Make this process verify tokens as a function does on the emulator."""
    setenv("FUNCTIONS_EMULATOR", "true")
    setenv("GCLOUD_PROJECT", PROJECT)
    setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:1")
    catalog._prepare_process(None)


class Here:
    """A platform of one Firestore and no models."""

    text_model = None
    embedder = None

    def __init__(self, db: Client) -> None:
        self.db = db


def callables(platform: Platform) -> dict[str, Any]:
    """Every callable function of the codebase, bound to `platform`."""
    bound = {}
    for module in catalog._modules():
        for name, function in catalog._own_functions(module):
            trigger = trigger_of(function)
            if trigger is None:
                trigger, function = OnCall(), direct_call(Capability.of(function))
            if isinstance(trigger, OnCall):
                bound[name] = trigger.bind(name, function, lambda: platform)
    return bound


class Functions:
    """Functions by name, behind one web application."""

    def __init__(self, functions: dict[str, Any]) -> None:
        app = flask.Flask("functions")
        methods = ["GET", "POST", "PUT", "DELETE", "PATCH"]
        for name, function in functions.items():
            view = self._view(function)
            app.add_url_rule(f"/{name}", name, view, methods=methods)
        self._client = app.test_client()

    @staticmethod
    def _view(function: Any) -> Callable[[], Any]:
        return lambda: function(flask.request)

    def post(
        self,
        name: str,
        data: Any = None,
        *,
        uid: str = "ann",
        headers: dict[str, str] | None = None,
        raw: bytes = b"",
        method: str = "POST",
    ) -> Any:
        """Send `{"data": data}`, or `raw` as it is; an empty header value leaves the header out."""
        sent = {"Authorization": f"Bearer {token(uid)}", "Content-Type": "application/json"}
        sent |= headers or {}
        return self._client.open(
            f"/{name}",
            method=method,
            data=raw or json.dumps({"data": data}).encode(),
            headers={key: value for key, value in sent.items() if value},
        )

    def stream(self, name: str, data: Any, *, uid: str = "ann") -> list[dict[str, Any]]:
        """The frames of a streamed call."""
        response = self.post(name, data, uid=uid, headers={"Accept": "text/event-stream"})
        return frames(response)


def frames(response: Any) -> list[dict[str, Any]]:
    """The JSON of a stream's `data:` lines."""
    lines = response.get_data(as_text=True).splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
