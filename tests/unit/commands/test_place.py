from __future__ import annotations

import pytest

from rollcall.commands import app
from rollcall.commands.app import Place, choose, connect, find_app
from rollcall.core.errors import USAGE, Problem
from tests.support.catalogs import FUNCTIONS


def test_the_emulator_that_is_named_comes_first() -> None:
    env = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "GCLOUD_PROJECT": "demo-x"}
    chosen = choose("my-project", env)
    assert str(chosen) == "project my-project · the emulator at 127.0.0.1:1"
    assert env["GCLOUD_PROJECT"] == "my-project"


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "127.0.0.1:99999", "127.0.0.1:x"])
def test_an_emulator_that_does_not_answer_is_told_at_once(address: str) -> None:
    with pytest.raises(Problem, match=r"No emulator answers at .*FIRESTORE_EMULATOR_HOST"):
        connect(Place("demo-x", address))


@pytest.mark.parametrize("env", [{"GCLOUD_PROJECT": "shop"}, {"GOOGLE_CLOUD_PROJECT": "shop"}])
def test_a_real_project_without_an_emulator_is_production(env: dict[str, str]) -> None:
    chosen = choose(None, env)
    assert (chosen.emulator, str(chosen)) == (None, "project shop · production")
    assert env["GCLOUD_PROJECT"] == "shop"


@pytest.mark.parametrize("project", [None, "demo-rollcall"])
def test_nothing_named_and_nothing_running_is_wrong_usage(
    project: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: False)
    with pytest.raises(Problem, match="--project") as problem:
        choose(project, {})
    assert problem.value.exit_code == USAGE


def test_the_apps_emulators_are_found_where_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: True)
    monkeypatch.setenv("PORT_OFFSET", "100")
    env: dict[str, str] = {}
    assert choose(None, env, find_app(FUNCTIONS)).emulator == "127.0.0.1:8180"
    assert env["FIRESTORE_EMULATOR_HOST"] == "127.0.0.1:8180"
    assert env["GCLOUD_PROJECT"] == "demo-rollcall"
    assert "FIREBASE_AUTH_EMULATOR_HOST" in env


def test_a_real_project_never_goes_to_emulators_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "_listens", lambda address: True)
    assert choose("shop", {}, find_app(FUNCTIONS)).emulator is None
