"""Where a Rollcall is."""

from __future__ import annotations

import pytest

from rollcall_cli.deployment import emulators_from_env, wants_emulators
from rollcall_cli.problem import Problem
from rollcall_cli.session import DEMO_EMAIL, DEMO_PASSWORD
from seed.target import DEMO_USER


def test_emulators_are_where_make_emulators_has_them() -> None:
    deployment = emulators_from_env({"PORT_OFFSET": "3000"})
    assert deployment.functions_url == "http://127.0.0.1:8001/demo-rollcall/us-central1/"
    assert deployment.firestore_url == "http://127.0.0.1:11080/v1/"
    assert deployment.identity_url.startswith(
        "http://127.0.0.1:12099/identitytoolkit.googleapis.com/"
    )
    assert deployment.is_local


def test_emulators_that_are_named_come_first() -> None:
    env = {"FUNCTIONS_EMULATOR_HOST": "127.0.0.1:1", "GCLOUD_PROJECT": "demo-x"}
    assert emulators_from_env(env).functions_url == "http://127.0.0.1:1/demo-x/us-central1/"
    assert wants_emulators(env)
    assert not wants_emulators({"FUNCTIONS_EMULATOR_HOST": "", "ROLLCALL_PROJECT": "x"})


@pytest.mark.parametrize("offset", ["many", "-1", "99999", "²", "9" * 5000])
def test_port_offset_is_a_number(offset: str) -> None:
    with pytest.raises(Problem, match="PORT_OFFSET"):
        emulators_from_env({"PORT_OFFSET": offset})


@pytest.mark.parametrize("host", ["localhost:5001", "[::1]:5001", "emulators.internal:1"])
def test_emulators_have_any_address(host: str) -> None:
    deployment = emulators_from_env({"FUNCTIONS_EMULATOR_HOST": host})
    assert deployment.functions_url == f"http://{host}/demo-rollcall/us-central1/"


@pytest.mark.parametrize("host", ["http://127.0.0.1:1", "localhost", "x:abc", "x:70000", "x/y:1"])
def test_what_is_no_address_is_refused_by_its_variable(host: str) -> None:
    with pytest.raises(Problem, match="FIRESTORE_EMULATOR_HOST is an address such as"):
        emulators_from_env({"FIRESTORE_EMULATOR_HOST": host})


@pytest.mark.parametrize("variable", ["GCLOUD_PROJECT", "ROLLCALL_REGION"])
def test_project_and_region_of_emulators_are_names(variable: str) -> None:
    with pytest.raises(Problem, match="is no project id or region"):
        emulators_from_env({variable: "a/../b"})


def test_a_prefix_stands_before_every_collection_of_a_path() -> None:
    deployment, plain = (
        emulators_from_env({"ROLLCALL_PREFIX": "rc"}),
        emulators_from_env({"ROLLCALL_PREFIX": ""}),
    )
    assert deployment.prefix == "rc"
    assert deployment.path("threads") == "rc_threads"
    assert (
        deployment.path("threads", "t1", "runs", "r1", "events")
        == "rc_threads/t1/rc_runs/r1/rc_events"
    )
    assert plain.path("threads", "t1", "messages") == "threads/t1/messages"


@pytest.mark.parametrize("text", ["RC", "1rc", "rc_", "../rc", "a" * 17])
def test_what_cannot_be_a_prefix_is_refused(text: str) -> None:
    with pytest.raises(Problem, match="is no prefix: a lower-case letter"):
        emulators_from_env({"ROLLCALL_PREFIX": text})


def test_user_of_the_emulators_is_the_sample_datas() -> None:
    assert (DEMO_USER.email, DEMO_USER.password) == (DEMO_EMAIL, DEMO_PASSWORD)
