"""Firebase sign-in: by e-mail address and password, by a custom token, or by a refresh token.

user = sign_in(deployment, email="noa@example.com", password="...")
user = User(deployment, refresh_token=kept)      # `token` raises if it has expired
"""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from rollcall_cli import http
from rollcall_cli.deployment import Deployment
from rollcall_cli.http import CallError
from rollcall_cli.wording import Message, error_text

_TOKEN_LIVES_S = 50 * 60  # an hour, less a good margin
_MAX_USERS = 10
ERROR_CODES = frozenset(
    [
        "EMAIL_NOT_FOUND",
        "INVALID_PASSWORD",
        "INVALID_LOGIN_CREDENTIALS",
        "INVALID_EMAIL",
        "MISSING_EMAIL",
        "MISSING_PASSWORD",
        "PASSWORD_LOGIN_DISABLED",
        "OPERATION_NOT_ALLOWED",
        "TOO_MANY_ATTEMPTS_TRY_LATER",
        "USER_DISABLED",
        "INVALID_CUSTOM_TOKEN",
        "CREDENTIAL_MISMATCH",
        "TOKEN_EXPIRED",
        "INVALID_REFRESH_TOKEN",
        "USER_NOT_FOUND",
    ]
)
"""Error codes of the service that have a text, `error.sign_in.<code>`."""


class User:
    """A signed-in user. ID tokens are renewed before they expire."""

    def __init__(self, deployment: Deployment, *, refresh_token: str) -> None:
        self.refresh_token = refresh_token
        self._deployment = deployment
        self._token = ""
        self._uid = ""
        self._expires_at = 0.0

    @property
    def uid(self) -> str:
        """The user's id; requests a token if there is none yet.

        Raises:
            CallError: As for `token`.
        """
        self.token()
        return self._uid

    def token(self) -> str:
        """An ID token that is valid for some minutes.

        Raises:
            CallError: The sign-in has expired, or the service cannot be reached.
        """
        if time.monotonic() >= self._expires_at:
            form = {"grant_type": "refresh_token", "refresh_token": self.refresh_token}
            body = _post(self._deployment, f"{self._deployment.tokens_url}token", form=form)
            self.refresh_token = body["refresh_token"]
            self._take(body["id_token"], body.get("user_id"))
        return self._token

    def _take(self, token: str, uid: str | None) -> None:
        self._token = token
        self._uid = uid or _subject(token)
        self._expires_at = time.monotonic() + _TOKEN_LIVES_S


def sign_in(deployment: Deployment, *, email: str, password: str) -> User:
    """Sign in with an e-mail address and a password.

    Raises:
        CallError: They are wrong, or the service cannot be reached.
    """
    return _user_from(deployment, "signInWithPassword", {"email": email, "password": password})


def sign_up(deployment: Deployment, *, email: str, password: str) -> User:
    """Create an account with an e-mail address and a password, and sign in.

    Raises:
        CallError: The account exists, or the service cannot be reached.
    """
    return _user_from(deployment, "signUp", {"email": email, "password": password})


def sign_in_with_token(deployment: Deployment, custom_token: str) -> User:
    """Sign in with a custom token from a server of the project.

    Raises:
        CallError: The token is invalid, or the service cannot be reached.
    """
    return _user_from(deployment, "signInWithCustomToken", {"token": custom_token})


def emails(deployment: Deployment) -> list[str]:
    """The e-mail addresses of the first users of an Auth emulator.

    Raises:
        CallError: Nobody answers.
    """
    url = f"{deployment.identity_url}projects/{deployment.project}/accounts:query"
    found = _post(deployment, url, data={}, headers={"Authorization": "Bearer owner"})
    users = found.get("userInfo") or []
    return sorted(each["email"] for each in users if each.get("email"))[:_MAX_USERS]


def _user_from(deployment: Deployment, method: str, data: dict[str, str]) -> User:
    body = _post(
        deployment,
        f"{deployment.identity_url}accounts:{method}",
        data={**data, "returnSecureToken": True},
    )
    user = User(deployment, refresh_token=body["refreshToken"])
    user._take(body["idToken"], body.get("localId"))
    return user


def _post(
    deployment: Deployment,
    url: str,
    *,
    data: dict[str, Any] | None = None,
    form: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    sent: dict[str, Any] = {"data": form}
    if data is not None:
        sent = {"content": http.body_of(data), "headers": {**http.JSON, **(headers or {})}}
    with http.open_client(
        error_text("sign_in_service"), url, is_local=deployment.is_local
    ) as client:
        reply = client.post(url, params={"key": deployment.api_key}, **sent)
    try:
        body: dict[str, Any] = reply.json()
    except ValueError:
        told = error_text("no_json", what=error_text("sign_in_service"), status=reply.status_code)
        raise CallError("unavailable", told) from None
    if "error" in body:
        raise CallError("unauthenticated", error_text("sign_in", why=_words(body["error"])))
    return body


def _words(refusal: Any) -> str | Message:
    """The text for an error of the service."""
    said = str(refusal.get("message") if isinstance(refusal, dict) else refusal)
    known = said.split()[0] if said else ""
    return error_text(f"sign_in.{known}", said=said) if known in ERROR_CODES else said


def _subject(token: str) -> str:
    """The user id of an ID token, unverified: it came from the sign-in service itself."""
    payload = token.split(".")[1]
    padded = payload + "=" * (-len(payload) % 4)
    return str(json.loads(base64.urlsafe_b64decode(padded))["sub"])
