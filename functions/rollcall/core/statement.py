"""Signed statements of who the user is, from one function to another.

A call carries its statement in the header `X-Rollcall-Statement`, as a JWS signed with HMAC-SHA256
under the secret `ROLLCALL_STATEMENT_SECRET`, which all functions that trust one another share. It
is valid for one function, one body and one minute, so an intercepted one is of no other use.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time

import jwt

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition, Unauthenticated
from rollcall.core.options import project_id
from rollcall.core.shapes import Role

HEADER = "X-Rollcall-Statement"
SECRET = "ROLLCALL_STATEMENT_SECRET"
SECRET_MIN = 32
LIFETIME_S = 60
SKEW_S = 5
"""The greatest difference between the clocks of two functions."""

_ALGORITHM = "HS256"
_CLAIMS = ["iss", "aud", "sub", "role", "iat", "exp", "jti", "digest"]


def project() -> str:
    """Return the Firebase project of this process.

    Raises:
        FailedPrecondition: The environment names none.
    """
    found = project_id()
    if found is None:
        raise FailedPrecondition("the environment names no project", hint="set GCLOUD_PROJECT")
    return found


def can_sign() -> bool:
    """Tell whether a secret for statements is set."""
    return bool(os.environ.get(SECRET))


def signed(user: User, *, function: str, body: bytes) -> str:
    """Return a statement that `function` is called for `user` with exactly this body.

    Raises:
        FailedPrecondition: The secret is missing or too short.
    """
    now = int(time.time())
    claims = {
        "iss": project(),
        "aud": function,
        "sub": user.uid,
        "role": user.role.value,
        "tenant": user.tenant,
        "name": user.name,
        "iat": now,
        "exp": now + LIFETIME_S,
        "jti": secrets.token_hex(16),
        "digest": _digest(body),
    }
    return jwt.encode(claims, _secret(), algorithm=_ALGORITHM)


def verified(statement: str, *, function: str, body: bytes) -> User:
    """Verify a statement that came to `function` with `body`, and return its user.

    Raises:
        Unauthenticated: It is not signed with our secret, is for another project, function or body,
            is expired or not valid yet, or has too long a lifetime.
        FailedPrecondition: The secret is missing or too short.
    """
    secret = _secret()
    try:
        claims = jwt.decode(
            statement,
            secret,
            algorithms=[_ALGORITHM],
            audience=function,
            issuer=project(),
            leeway=SKEW_S,
            options={"require": _CLAIMS, "strict_aud": True},
        )
    except jwt.PyJWTError as error:
        raise _refused() from error
    lasts_s = int(claims["exp"]) - int(claims["iat"])
    stated = str(claims["digest"]).encode("utf-8", "replace")
    fits = hmac.compare_digest(stated, _digest(body).encode())
    if not fits or not 0 < lasts_s <= LIFETIME_S:
        raise _refused()
    uid, role = claims["sub"], claims["role"]
    tenant, name = claims.get("tenant"), claims.get("name")
    texts = all(each is None or isinstance(each, str) for each in (tenant, name))
    if not uid or not isinstance(role, str) or role not in set(Role) or not texts:
        raise _refused()
    return User(uid=uid, role=Role(role), tenant=tenant, name=name)


def _refused() -> Unauthenticated:
    # The same answer for all reasons, so that a forger learns nothing from it.
    return Unauthenticated("the statement of who is calling is not valid for this call")


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _secret() -> str:
    secret = os.environ.get(SECRET, "")
    if len(secret) < SECRET_MIN:
        raise FailedPrecondition(
            "this deployment has no secret to sign statements of users with",
            hint=f"set {SECRET} to at least {SECRET_MIN} random characters",
        )
    return secret
