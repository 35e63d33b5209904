"""Google's REST interfaces, as far as the doctor reads them. Nothing here writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

TIMEOUT_S = 20
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_MOST_PAGES = 50
_ROLES = {
    "firestore": "Cloud Datastore Index Admin (roles/datastore.indexAdmin)",
    "firebaserules": "Firebase Rules Viewer (roles/firebaserules.viewer)",
    "cloudfunctions": "Cloud Functions Viewer (roles/cloudfunctions.viewer)",
    "cloudscheduler": "Cloud Scheduler Viewer (roles/cloudscheduler.viewer)",
    "secretmanager": "Secret Manager Viewer (roles/secretmanager.viewer)",
    "identitytoolkit": "Firebase Authentication Viewer (roles/firebaseauth.viewer)",
    "firebaseappcheck": "Firebase App Check Viewer (roles/firebaseappcheck.viewer)",
}


class Refused(Exception):
    """Google answered with an error.

    Attributes:
        status: The HTTP status.
        role: The role that would be needed to look, where that is known.
    """

    def __init__(self, status: int, message: str, role: str) -> None:
        super().__init__(message)
        self.status = status
        self.role = role


class Google:
    """Reads JSON of Google's services.

    Args:
        session: google-auth's `AuthorizedSession`, or one of requests.
        who: Whose credentials the session carries, for people.
        root: The address of a service, such as "firestore"; Google's own where left out.
    """

    def __init__(
        self, session: Any, *, who: str = "nobody", root: Callable[[str], str] | None = None
    ) -> None:
        self.who = who
        self._session = session
        self._root = root or (lambda service: f"https://{service}.googleapis.com")

    def get(self, service: str, path: str, **parameters: str) -> dict[str, Any]:
        """One answer.

        Raises:
            Refused: It is an error.
        """
        reply = self._session.get(
            f"{self._root(service)}/{path}", params=parameters, timeout=TIMEOUT_S
        )
        if reply.status_code != 200:
            raise Refused(reply.status_code, _message(reply), _ROLES.get(service, ""))
        found: dict[str, Any] = reply.json()
        return found

    def every(
        self, service: str, path: str, key: str, **parameters: str
    ) -> Iterator[dict[str, Any]]:
        """The items of all pages, under `key` in each."""
        for _ in range(_MOST_PAGES):
            page = self.get(service, path, **parameters)
            yield from page.get(key, ())
            if not page.get("nextPageToken"):
                return
            parameters["pageToken"] = page["nextPageToken"]


def sign_in(project: str) -> Google:
    """With the application default credentials of this computer.

    Raises:
        google.auth.exceptions.DefaultCredentialsError: There are none.
    """
    import google.auth
    from google.auth.transport.requests import AuthorizedSession

    credentials, _ = google.auth.default(scopes=[_SCOPE], quota_project_id=project)
    # A service account names itself; a person's credentials do so in newer files only.
    names = (getattr(credentials, name, "") for name in ("service_account_email", "account"))
    who = next(filter(None, names), "a person")
    return Google(AuthorizedSession(credentials), who=who)  # type: ignore[no-untyped-call]


def _message(reply: Any) -> str:
    """Google's own words, in one line."""
    try:
        text = str(reply.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        text = str(reply.text)
    return " ".join(text.split())[:300]
