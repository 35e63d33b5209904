"""Findings of the doctor, and the REST interfaces of Google that its checks read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from rollcall.commands.output import in_camel_case, print_json, say
from rollcall.core.errors import FAILED, Problem
from rollcall.core.texts import clipped

TIMEOUT_S = 20
MAX_CHARS = 300
"""Of an error of Google's, in its own words and in one line."""
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_MAX_PAGES = 50
_ROLES = {
    "firestore": "Cloud Datastore Index Admin (roles/datastore.indexAdmin)",
    "firebaserules": "Firebase Rules Viewer (roles/firebaserules.viewer)",
    "cloudfunctions": "Cloud Functions Viewer (roles/cloudfunctions.viewer)",
    "cloudscheduler": "Cloud Scheduler Viewer (roles/cloudscheduler.viewer)",
    "secretmanager": "Secret Manager Viewer (roles/secretmanager.viewer)",
    "identitytoolkit": "Firebase Authentication Viewer (roles/firebaseauth.viewer)",
    "firebaseappcheck": "Firebase App Check Viewer (roles/firebaseappcheck.viewer)",
}


class GoogleRefusal(Exception):
    """Google answered with an error.

    Attributes:
        status: The HTTP status.
        role: The role that would be needed to look, where that is known.
    """

    def __init__(self, status: int, message: str, role: str) -> None:
        super().__init__(message)
        self.status = status
        self.role = role


class Google(Struct, frozen=True):
    """Reads Google's REST services as JSON.

    Args:
        session: google-auth's `AuthorizedSession`, or one of requests.
        project: The project that is looked at.
        who: Whose credentials the session carries, for people.
        root: The address of a service, such as "firestore", for `{service}`.
    """

    session: Any
    project: str
    who: str = "nobody"
    root: str = "https://{service}.googleapis.com"

    def get(self, service: str, path: str, **parameters: str) -> dict[str, Any]:
        """One answer.

        Raises:
            GoogleRefusal: It is an error.
        """
        url = f"{self.root.format(service=service)}/{path}"
        reply = self.session.get(url, params=parameters, timeout=TIMEOUT_S)
        if reply.status_code != 200:
            try:
                text = str(reply.json()["error"]["message"])
            except (ValueError, KeyError, TypeError):
                text = str(reply.text)
            message = clipped(text, MAX_CHARS)
            raise GoogleRefusal(reply.status_code, message, _ROLES.get(service, ""))
        found: dict[str, Any] = reply.json()
        return found

    def find(self, service: str, path: str) -> dict[str, Any] | None:
        """One answer; None where there is no such thing."""
        try:
            return self.get(service, path)
        except GoogleRefusal as refused:
            if refused.status != 404:
                raise
            return None

    def every(
        self, service: str, path: str, key: str, **parameters: str
    ) -> Iterator[dict[str, Any]]:
        """The items of all pages, under `key` in each."""
        for _ in range(_MAX_PAGES):
            page = self.get(service, path, **parameters)
            yield from page.get(key, ())
            if not page.get("nextPageToken"):
                return
            parameters["pageToken"] = page["nextPageToken"]


def sign_in(project: str) -> Google:
    """Sign in with the application default credentials.

    Raises:
        Problem: There are none.
    """
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError
    from google.auth.transport.requests import AuthorizedSession

    try:
        credentials, _ = google.auth.default(scopes=[_SCOPE], quota_project_id=project)
    except DefaultCredentialsError as error:
        raise Problem(
            f"There are no credentials for the project {project}. Sign in with\n"
            "`gcloud auth application-default login`, or name a service account's key in "
            "GOOGLE_APPLICATION_CREDENTIALS."
        ) from error
    # A service account names itself; a person's credentials do so in newer files only.
    names = (getattr(credentials, name, "") for name in ("service_account_email", "account"))
    who = next(filter(None, names), "a person")
    session = AuthorizedSession(credentials)  # type: ignore[no-untyped-call]
    return Google(session, project, who=who)


Level = Literal["ok", "warn", "fail", "skip"]


class Finding(Struct, frozen=True):
    """A line of the doctor's report.

    Args:
        level: "fail" where something does not work, "warn" where something is worth a look, "skip"
            where nothing was looked at.
        mend: The command, or the place in the console.
        topic: What was checked; `guard` says it for a whole check.
    """

    level: Level
    text: str
    mend: str = ""
    topic: str = ""

    def about(self, project: str) -> Finding:
        """With the project's id in what mends it."""
        return replace(self, mend=self.mend.replace("{project}", project))


ok, warn = partial(Finding, "ok"), partial(Finding, "warn")
fail, skip = partial(Finding, "fail"), partial(Finding, "skip")


def firebase(command: str) -> str:
    """Return a fix as a firebase command; `{project}` stands for the project."""
    return f"firebase {command} --project {{project}}"


def rollcall(command: str) -> str:
    """Return a fix as a rollcall command."""
    return f"python -m rollcall {command} --project {{project}}"


def report(findings: Iterable[Finding], project: str, *, as_json: bool) -> int:
    """Print findings, each as soon as it is made, or all of them as JSON. Return the exit code."""
    found = []
    for finding in findings:
        found.append(finding.about(project))
        if not as_json:
            say(f"{finding.level:<4}  {finding.topic:<11}  {finding.text}")
            if mend := found[-1].mend:
                say(f"{'':<19}-> {mend}")
    if as_json:
        print_json({"project": project, "findings": in_camel_case(found)})
    return FAILED if any(each.level == "fail" for each in found) else 0


def guard(topic: str, check: Iterable[Finding]) -> Iterator[Finding]:
    """Run a check, and say in its findings what they are about; an error of Google's is one, and so
    is a problem, such as a file that cannot be read."""
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError
    from requests import RequestException

    try:
        for found in check:
            yield replace(found, topic=topic)
    except Problem as problem:
        yield fail(str(problem), topic=topic)
    except GoogleRefusal as refused:
        mend = f"give your account the role {refused.role}" if refused.role else ""
        if refused.status == 403:
            text = f"it may not be looked at with these credentials: {refused}"
        else:
            text = f"Google answered {refused.status}: {refused}"
        yield warn(text, mend, topic=topic)
    except (GoogleAPIError, GoogleAuthError, RequestException) as error:
        yield warn(f"no answer: {clipped(str(error), MAX_CHARS)}", topic=topic)


def name_list(names: Iterable[str], *, most: int = 8) -> str:
    """Return names as a phrase; of many the first, and how many more."""
    found = list(names)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
