"""A signed statement is valid for one function, one body and one minute."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from typing import Any

import jwt
import pytest

from rollcall.core import statement
from rollcall.core.context import Call, User
from rollcall.core.errors import FailedPrecondition, Unauthenticated
from rollcall.core.http import bind_callable
from rollcall.core.statement import HEADER, LIFETIME_S, SKEW_S, signed, verified
from rollcall.core.wire import Role
from tests.support.local_functions import PROJECT, Functions, token, use_emulator_tokens

SECRET = "a secret of the tests that is long enough"
BODY = b'{"data": {"arguments": {"x": 1}}}'
ANN = User("ann", role=Role.TEACHER, tenant="north", name="Ann א")


@pytest.fixture(autouse=True)
def configured(monkeypatch: pytest.MonkeyPatch) -> None:
    use_emulator_tokens(monkeypatch.setenv)
    monkeypatch.setenv("ROLLCALL_STATEMENT_SECRET", SECRET)


def claims(**changes: Any) -> dict[str, Any]:
    """What a good statement says, changed; a claim that becomes None is left out."""
    good = jwt.decode(signed(ANN, function="tried", body=BODY), options={"verify_signature": False})
    return {key: value for key, value in {**good, **changes}.items() if value is not None}


def make_statement(secret: str = SECRET, algorithm: str = "HS256", **changes: Any) -> str:
    return jwt.encode(claims(**changes), secret, algorithm=algorithm)


def test_what_is_signed_is_read_back() -> None:
    sent = signed(ANN, function="tried", body=BODY)
    assert verified(sent, function="tried", body=BODY) == ANN
    nobody = User("bob")
    sent = signed(nobody, function="tried", body=b"")
    assert verified(sent, function="tried", body=b"") == nobody


def test_a_statement_lives_a_minute_and_is_never_the_same_twice() -> None:
    found = claims()
    assert found["exp"] - found["iat"] == 60
    assert (found["iss"], found["aud"], found["sub"]) == (PROJECT, "tried", "ann")
    assert found["jti"] != claims()["jti"]


def unsigned() -> str:
    return jwt.encode(claims(), "", algorithm="none")


def tampered_statement() -> str:
    head, _, mac = make_statement().split(".")
    forged = json.dumps(claims(role="admin")).encode()
    return ".".join([head, base64.urlsafe_b64encode(forged).decode().rstrip("="), mac])


@pytest.mark.parametrize(
    "forge",
    [
        lambda: "",
        lambda: "x",
        lambda: "a.b.c",
        lambda: token(),
        unsigned,
        tampered_statement,
        lambda: make_statement()[:-2],
        lambda: make_statement() + ", " + make_statement(),
        lambda: make_statement("another secret that is long enough, too"),
        lambda: make_statement(algorithm="HS512"),
        lambda: make_statement(aud="other"),
        lambda: make_statement(aud=["tried"]),
        lambda: make_statement(aud=None),
        lambda: make_statement(iss="other-project"),
        lambda: make_statement(iss=None),
        lambda: make_statement(sub=None),
        lambda: make_statement(sub=""),
        lambda: make_statement(sub=7),
        lambda: make_statement(jti=None),
        lambda: make_statement(iat=None),
        lambda: make_statement(exp=None),
        lambda: make_statement(digest=None),
        lambda: make_statement(digest=""),
        lambda: make_statement(digest="é"),
        lambda: make_statement(role="owner"),
        lambda: make_statement(role=["admin"]),
        lambda: make_statement(role=None),
        lambda: make_statement(tenant=7),
        lambda: make_statement(name=[]),
        lambda: make_statement(exp=int(time.time()) - SKEW_S - 1, iat=int(time.time()) - 30),
        lambda: make_statement(iat=int(time.time()) + SKEW_S + 2, exp=int(time.time()) + 50),
        lambda: make_statement(nbf=int(time.time()) + 60),
        lambda: make_statement(exp=int(time.time()) + LIFETIME_S + 10),
        lambda: make_statement(exp=int(time.time()), iat=int(time.time())),
        lambda: make_statement(exp="soon"),
    ],
)
@pytest.mark.filterwarnings("ignore::jwt.InsecureKeyLengthWarning")
def test_any_other_statement_is_refused_in_the_same_words(forge: Any) -> None:
    with pytest.raises(Unauthenticated, match="not valid for this call"):
        verified(forge(), function="tried", body=BODY)


def test_it_is_for_one_body_and_one_function() -> None:
    sent = signed(ANN, function="tried", body=BODY)
    for function, body in (("tried", BODY + b" "), ("tried", b""), ("Tried", BODY), ("", BODY)):
        with pytest.raises(Unauthenticated):
            verified(sent, function=function, body=body)


@pytest.mark.parametrize("secret", [None, "", "x" * 31])
def test_without_a_secret_that_is_long_enough_nothing_is_signed_or_believed(
    secret: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = make_statement()
    monkeypatch.delenv(statement.SECRET)
    if secret is not None:
        monkeypatch.setenv(statement.SECRET, secret)
    with pytest.raises(FailedPrecondition):
        signed(ANN, function="tried", body=BODY)
    with pytest.raises(FailedPrecondition):
        verified(sent, function="tried", body=BODY)


# The receiving function


def echo(call: Call) -> Any:
    user = call.user
    return {"user": [user.uid, user.role, user.tenant, user.name], "token": call.token}


def post(sent: dict[str, str], raw: bytes = BODY) -> Any:
    functions = Functions({"tried": bind_callable("tried", echo, timeout_s=60)})
    return functions.post("tried", headers=sent, raw=raw)


def test_a_statement_alone_makes_a_call_of_its_user() -> None:
    response = post({"Authorization": "", HEADER: make_statement()})
    assert response.json == {
        "result": {"user": ["ann", "teacher", "north", "Ann א"], "token": None}
    }


@pytest.mark.parametrize("changes", [{"aud": "other"}, {"digest": "0" * 64}, {"exp": 1_000_000}])
def test_a_bad_statement_is_unauthenticated_even_beside_a_good_token(
    changes: dict[str, Any],
) -> None:
    for sent in ({"Authorization": ""}, {}):
        response = post({**sent, HEADER: make_statement(**changes)})
        assert response.status_code == 401
        assert response.json["error"]["details"]["code"] == "unauthenticated"


def test_a_statement_opens_nothing_for_other_arguments() -> None:
    changed = BODY.replace(b"1", b"2")
    assert post({"Authorization": "", HEADER: make_statement()}, raw=changed).status_code == 401


def test_the_token_wins_and_must_be_the_same_users() -> None:
    sent = token("ann", role="user")
    response = post({"Authorization": f"Bearer {sent}", HEADER: make_statement(role="admin")})
    assert response.json == {"result": {"user": ["ann", "user", None, None], "token": sent}}
    response = post({"Authorization": f"Bearer {token('eve')}", HEADER: make_statement()})
    assert response.status_code == 401


@pytest.mark.parametrize("header", ["Bearer forged.token.here", "Basic abc"])
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_statement_mends_no_bad_token(header: str) -> None:
    assert post({"Authorization": header, HEADER: make_statement()}).status_code == 401
    over = f"Bearer {token(expires_in=-60)}"
    assert post({"Authorization": over, HEADER: make_statement()}).status_code == 401


@pytest.fixture
def attested(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """App Check is enforced, as in production."""
    monkeypatch.setattr("rollcall.core.http.app_check", lambda: True)
    yield


def test_a_statement_stands_for_app_check_and_nothing_else_does(attested: None) -> None:
    assert post({}).status_code == 401
    assert post({"X-Firebase-AppCheck": "forged"}).status_code == 401
    assert post({HEADER: "forged"}).status_code == 401
    assert post({HEADER: make_statement()}).status_code == 200
    assert post({"Authorization": "", HEADER: make_statement()}).status_code == 200
