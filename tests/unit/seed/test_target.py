import pytest

from rollcall.commands import app
from seed.errors import UnusableInput
from seed.target import choose

EMULATOR = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:2"}


def test_the_emulator_named_by_the_environment_is_used() -> None:
    env = dict(EMULATOR)
    found = choose(project=None, production=False, env=env)
    assert (found.project, found.firestore, found.auth) == (
        "demo-rollcall",
        "127.0.0.1:1",
        "127.0.0.1:2",
    )
    assert env["GCLOUD_PROJECT"] == "demo-rollcall"


def test_a_named_project_goes_to_the_emulator_without_production() -> None:
    found = choose(project="real", production=False, env=dict(EMULATOR))
    assert str(found) == "real at the emulator 127.0.0.1:1"


def test_without_an_emulator_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: False)
    for project in (None, "real"):
        with pytest.raises(UnusableInput, match="there is no emulator"):
            choose(project=project, production=False, env={})


def test_running_emulators_of_this_repository_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: address.endswith(":8080"))
    monkeypatch.delenv("PORT_OFFSET", raising=False)
    env: dict[str, str] = {}
    found = choose(project=None, production=False, env=env)
    assert (found.firestore, found.auth) == ("127.0.0.1:8080", None)
    assert env["FIRESTORE_EMULATOR_HOST"] == "127.0.0.1:8080"


def test_production_needs_a_project_and_no_emulator() -> None:
    with pytest.raises(UnusableInput, match="needs the project's id"):
        choose(project=None, production=True, env={})
    with pytest.raises(UnusableInput, match="unset it first"):
        choose(project="real", production=True, env=dict(EMULATOR))
    env: dict[str, str] = {}
    found = choose(project="real", production=True, env=env)
    assert str(found) == "real at Google Cloud"
    assert env == {"GCLOUD_PROJECT": "real"}
