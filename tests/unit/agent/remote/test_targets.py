"""Probes: whether a remote capability is there, found without running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.agent import targets
from rollcall.agent.targets import probe
from rollcall.core.errors import AgentError, FailedPrecondition, NotFound, Unavailable
from rollcall.registry.capabilities import read_capability
from rollcall.registry.entries import Entry, Execution
from rollcall.registry.recorder import OWN_FAILURES
from tests.support.catalogs import catalog
from tests.support.https_server import Answer, Handler, HttpsServer
from tests.support.local_functions import use_emulator_tokens
from tests.unit.agent.remote.conftest import Names

HOST = "api.example.com"
Serve = Callable[[str, Answer], HttpsServer]


def entry(type: str, target: str) -> Entry:
    return read_capability(
        {
            "schemaVersion": 2,
            "id": "find_rooms",
            "name": "Find rooms",
            "description": "Find rooms that are free.",
            "category": "office",
            "minRole": "user",
            "status": "active",
            "effect": "write",
            "source": "app",
            "execution": {"type": type, "target": target},
            "jsonSchema": {"type": "object", "properties": {}},
        }
    )


def internal() -> Entry:
    found = entry("api_endpoint", "https://api.example.com/rooms")
    return replace(found, execution=Execution("internal_service", "find_rooms"))


def failure(each: Entry) -> AgentError:
    with pytest.raises(AgentError) as error:
        probe(each, catalog)
    return error.value


@pytest.fixture
def status() -> list[int]:
    """What the server answers."""
    return [200]


@pytest.fixture
def api(serve: Serve, monkeypatch: pytest.MonkeyPatch, status: list[int]) -> HttpsServer:
    server = serve(HOST, lambda handler: handler.reply(status[0]))
    monkeypatch.setenv("ROLLCALL_API_HOSTS", f"{HOST}:{server.port}")
    return server


@pytest.fixture
def emulator(
    monkeypatch: pytest.MonkeyPatch, names: Names, status: list[int]
) -> Iterator[HttpsServer]:
    def answer(handler: Handler) -> None:
        handler.reply(status[0])

    server = HttpsServer(None, "", answer)
    names["127.0.0.1"] = ["127.0.0.1"]
    use_emulator_tokens(monkeypatch.setenv)
    monkeypatch.setenv("FUNCTIONS_EMULATOR_HOST", f"127.0.0.1:{server.port}")
    yield server
    server.close()


@pytest.mark.parametrize("code", [200, 204, 302, 400, 401, 403, 404, 405, 429, 501])
def test_any_answer_below_500_is_a_sign_of_life(
    api: HttpsServer, status: list[int], code: int
) -> None:
    status[0] = code
    probe(entry("api_endpoint", f"https://{HOST}:{api.port}/rooms"), catalog)


@pytest.mark.parametrize("code", [500, 502, 503, 504])
def test_a_server_with_a_problem_of_its_own_is_not(
    api: HttpsServer, emulator: HttpsServer, status: list[int], code: int
) -> None:
    status[0] = code
    for each in (
        entry("api_endpoint", f"https://{HOST}:{api.port}/rooms"),
        entry("firebase_function", "findRooms"),
    ):
        error = failure(each)
        assert error.code in OWN_FAILURES
        assert str(code) in error.message


def test_a_write_is_not_made_and_no_secret_is_sent(
    api: HttpsServer, emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_API_SECRETS", f'{{"{HOST}": "ROOMS_SECRET"}}')
    monkeypatch.setenv("ROOMS_SECRET", "the secret of the rooms")
    probe(entry("api_endpoint", f"https://{HOST}:{api.port}/rooms"), catalog)
    probe(entry("firebase_function", "findRooms"), catalog)
    ((endpoint,), (function,)) = api.requests, emulator.requests
    assert (endpoint.method, function.method) == ("HEAD", "OPTIONS")
    for request in (endpoint, function):
        assert request.body == b""
        assert "authorization" not in request.headers


def test_a_host_that_is_not_listed_says_nothing_about_the_capability(
    api: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_API_HOSTS", "other.example.com")
    error = failure(entry("api_endpoint", f"https://{HOST}:{api.port}/rooms"))
    assert isinstance(error, FailedPrecondition)
    assert error.code not in OWN_FAILURES
    assert api.requests == []


def test_nobody_there_is_a_failure(emulator: HttpsServer) -> None:
    emulator.close()
    assert isinstance(failure(entry("firebase_function", "findRooms")), Unavailable)


def test_code_that_cannot_be_loaded_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(id: str) -> Any:
        raise NotFound(f"there is no capability {id!r} in this codebase")

    def broken(id: str) -> Any:
        raise ModuleNotFoundError("No module named 'rooms'")

    for find in (missing, broken):
        monkeypatch.setattr(catalog, "find_capability", find)
        assert failure(internal()).code in OWN_FAILURES


def test_code_of_this_codebase_loads() -> None:
    for capability in catalog.capabilities():
        targets.probe(replace(internal(), id=capability.id), catalog)
