"""Fixtures of every test on the emulators, such as a Firestore project of its own."""

from __future__ import annotations

import os
import uuid
from functools import cache
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from rollcall.registry import recorder
from tests.support import queries
from tests.support.queries import committed_indexes  # noqa: F401  # a fixture of every test

_untested: list[str] = []


@pytest.fixture(autouse=True)
def nothing_seen_yet() -> None:
    """What other tests saw of capabilities' health is not told in this one, which counts writes."""
    recorder.recorder.cache_clear()


@pytest.fixture
def db() -> Client:
    """A client on the Firestore emulator, in a project that no other test uses."""
    return _new_project()


@pytest.fixture(scope="module")
def module_db() -> Client:
    """The same for all tests of a module, which must not disturb one another."""
    return _new_project()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where all tests passed without building every query of the package, so that one of them
    has never met the committed indexes. Workers tell the process that gave them tests what they
    built."""
    config = session.config
    if config.option.collectonly:
        return
    if hasattr(config, "workeroutput"):
        config.workeroutput["queries"] = sorted(queries.built)
        return
    is_chosen = config.getoption("keyword") or config.getoption("markexpr")
    is_all = "tests/emulator" in config.args and not is_chosen
    if is_all and session.testscollected and not session.testsfailed:
        for file, function in sorted(queries.builders() - queries.built):
            _untested.append(f"{file}: no test runs the query that {function} builds")
    if _untested:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    queries.built.update(map(tuple, getattr(node, "workeroutput", {}).get("queries", ())))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _untested:
        terminalreporter.line(line, red=True)


def _new_project() -> Client:
    if "FIRESTORE_EMULATOR_HOST" not in os.environ:
        pytest.fail("start these tests with `make test`: no Firestore emulator is named")
    client = _client(f"demo-{uuid.uuid4().hex[:12]}")
    client._firestore_api_internal = _connection()
    return client


@cache
def _connection() -> Any:
    """The connection that all tests of a process share: it names no project."""
    return _client("demo-any")._firestore_api


def _client(project: str) -> Client:
    return Client(project=project, credentials=AnonymousCredentials())
