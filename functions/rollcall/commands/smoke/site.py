"""Where a smoke test goes: an app's emulators that run, or a deployed project."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import requests

from rollcall.commands.app import App
from rollcall.commands.client import (
    Backend,
    CallError,
    Session,
    emulated,
    running_addresses,
    sign_in_developer,
)
from rollcall.commands.doctor.google import TIMEOUT_S, Google, Refused
from rollcall.commands.doctor.google import sign_in as google_sign_in
from rollcall.core.options import queue_name, region
from rollcall.core.problem import USAGE, Problem
from rollcall.emulators.addresses import Addresses, Configuration

Mint = Callable[[str], str]
"""Makes a custom token for a user's id."""

_IDENTITY = "https://identitytoolkit.googleapis.com/v1"
_FIRESTORE = "https://firestore.googleapis.com/v1"


@dataclass(frozen=True)
class Site:
    """A project as a client reaches it, and as its owner does.

    Attributes:
        documents: The REST address of its Firestore documents; ends in a slash.
        google: Google's own interfaces; None on the emulators.
        addresses: The emulators'; None in production.
        mint: None where these credentials cannot sign custom tokens.
    """

    backend: Backend
    documents: str
    google: Google | None = None
    addresses: Addresses | None = None
    mint: Mint | None = None

    @property
    def project(self) -> str:
        return self.backend.project

    def sign_up(self) -> Session:
        """Sign a user in who was not there before, in the first way that is possible.

        Raises:
            CallError: None is.
        """
        uid = f"smoke-{uuid.uuid4().hex[:16]}"
        if self.addresses is not None:
            return sign_in_developer(self.backend, uid)
        refusals = []
        for way, sign_up in self._ways(uid):
            try:
                return sign_up()
            except CallError as error:
                refusals.append(f"{way}: {error.message}")
        raise CallError("unauthenticated", "; ".join(refusals))

    def get(self, path: str, session: Session) -> tuple[int, dict[str, Any]]:
        """Read a document as a user; the HTTP status, and what was answered."""
        return self._request("GET", path, session)

    def patch(
        self, path: str, session: Session, fields: dict[str, Any], *, server_time: str
    ) -> tuple[int, dict[str, Any]]:
        """Set some fields of a document that is there as a user, and `server_time` to now."""
        name = self.documents.partition("/v1/")[2] + path
        write = {
            "update": {"name": name, "fields": fields},
            "updateMask": {"fieldPaths": list(fields)},
            "updateTransforms": [{"fieldPath": server_time, "setToServerValue": "REQUEST_TIME"}],
            "currentDocument": {"exists": True},
        }
        return self._request("POST", ":commit", session, {"writes": [write]})

    def _request(
        self, method: str, path: str, session: Session, body: Any = None
    ) -> tuple[int, dict[str, Any]]:
        url = self.documents.rstrip("/") + path if path.startswith(":") else self.documents + path
        with requests.Session() as http:
            http.trust_env = not self.backend.is_local
            headers = {"Authorization": f"Bearer {session.token}"}
            reply = http.request(method, url, json=body, headers=headers, timeout=TIMEOUT_S)
        try:
            return reply.status_code, reply.json()
        except ValueError:
            return reply.status_code, {}

    def _ways(self, uid: str) -> Iterator[tuple[str, Callable[[], Session]]]:
        sign_in = self.backend.sign_in
        if mint := self.mint:
            yield "custom token", lambda: sign_in("signInWithCustomToken", {"token": mint(uid)})
        yield "anonymous", lambda: sign_in("signUp", {})
        account = {"email": f"{uid}@example.com", "password": uuid.uuid4().hex}
        yield "e-mail", lambda: sign_in("signUp", account)


def emulated_site(app: App, project: str | None) -> Site:
    """The app's emulators.

    Raises:
        Problem: They do not run.
    """
    configuration = Configuration(app.root)
    at = running_addresses(configuration, project)
    os.environ.update(at.environment())  # by which the Admin SDK finds the queue
    documents = f"http://{at.firestore}/v1/{_documents(at.project)}"
    return Site(emulated(configuration, project), documents, addresses=at)


def deployed_site(project: str, *, api_key: str | None) -> Site:
    """A project in production, looked at with the application default credentials.

    Raises:
        google.auth.exceptions.DefaultCredentialsError: There are none.
        Problem: The project's web API key is not known.
    """
    google = google_sign_in(project)
    key = api_key or web_api_key(google, project)
    backend = Backend(project, _IDENTITY, key, function_url(project), is_local=False)
    return Site(backend, f"{_FIRESTORE}/{_documents(project)}", google, mint=_mint(project))


def function_url(project: str) -> Callable[[str], str]:
    """Where functions of a deployed project are, by name."""
    return lambda name: f"https://{region()}-{project}.cloudfunctions.net/{name}"


def web_api_key(google: Google, project: str) -> str:
    """The key of the project's first web app. It is no secret: every client has it.

    Raises:
        Problem: There is none, or these credentials may not look.
    """
    cure = (
        "Give the project's web API key with --api-key: it is in the Firebase console, Project "
        "settings, General."
    )
    try:
        apps = google.get("firebase", f"v1beta1/projects/{project}/webApps").get("apps", [])
        if not apps:
            raise Problem(f"The project {project} has no web app. {cure}", exit_code=USAGE)
        config = google.get("firebase", f"v1beta1/{apps[0]['name']}/config")
    except Refused as refused:
        raise Problem(f"{project}: {refused}. {cure}", exit_code=USAGE) from refused
    return str(config["apiKey"])


def enqueue(site: Site, data: dict[str, Any]) -> str:
    """Put a task into the queue that goes on with turns; the task's id.

    Raises:
        Problem: The queue did not take it.
    """
    import firebase_admin  # type: ignore[import-untyped]
    from firebase_admin import functions

    app = _admin_app(site.project, is_local=site.addresses is not None)
    target = f"locations/{region()}/functions/{queue_name('continuerun')}"
    try:
        return str(functions.task_queue(target, app=app).enqueue({"data": data}))
    except Exception as error:  # the SDK, its transport and its credentials, each in its way
        raise Problem(" ".join(str(error).split())[:300]) from error
    finally:
        firebase_admin.delete_app(app)


def _mint(project: str) -> Mint | None:
    """By a service account's key, where these are its credentials; a person has none."""
    import google.auth
    from google.auth import credentials

    found, _ = google.auth.default()
    if not isinstance(found, credentials.Signing):
        return None

    def mint(uid: str) -> str:
        import firebase_admin
        from firebase_admin import auth

        app = _admin_app(project, is_local=False)
        try:
            return auth.create_custom_token(uid, app=app).decode()  # type: ignore[no-any-return]
        finally:
            firebase_admin.delete_app(app)

    return mint


def _admin_app(project: str, *, is_local: bool) -> Any:
    import firebase_admin

    credential = None
    if is_local:
        from google.auth.credentials import AnonymousCredentials

        credential = AnonymousCredentials()  # type: ignore[no-untyped-call]
    name = f"smoke-{uuid.uuid4().hex[:8]}"
    return firebase_admin.initialize_app(credential, {"projectId": project}, name=name)


def _documents(project: str) -> str:
    return f"projects/{project}/databases/(default)/documents/"
