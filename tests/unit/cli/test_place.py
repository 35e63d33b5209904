"""Where a Rollcall is."""

from __future__ import annotations

import pytest

from rollcall_cli.place import emulators_of, wants_emulators
from rollcall_cli.problem import Problem
from rollcall_cli.signing_in import DEMO_EMAIL, DEMO_PASSWORD
from seed.sample import DEMO_USER


def test_emulators_are_where_make_emulators_has_them() -> None:
    place = emulators_of({"PORT_OFFSET": "3000"})
    assert place.functions_url == "http://127.0.0.1:8001/demo-rollcall/us-central1/"
    assert place.firestore_url == "http://127.0.0.1:11080/v1/"
    assert place.identity_url.startswith("http://127.0.0.1:12099/identitytoolkit.googleapis.com/")
    assert place.is_local


def test_emulators_that_are_named_come_first() -> None:
    env = {"FUNCTIONS_EMULATOR_HOST": "127.0.0.1:1", "GCLOUD_PROJECT": "demo-x"}
    assert emulators_of(env).functions_url == "http://127.0.0.1:1/demo-x/us-central1/"
    assert wants_emulators(env)
    assert not wants_emulators({"FUNCTIONS_EMULATOR_HOST": "", "ROLLCALL_PROJECT": "x"})


def test_port_offset_is_a_number() -> None:
    with pytest.raises(Problem, match="PORT_OFFSET"):
        emulators_of({"PORT_OFFSET": "many"})


def test_user_of_the_emulators_is_the_sample_datas() -> None:
    assert (DEMO_USER.email, DEMO_USER.password) == (DEMO_EMAIL, DEMO_PASSWORD)
