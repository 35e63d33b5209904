"""The addresses of an app's emulators, by its firebase.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rollcall.core.errors import Problem
from rollcall.emulators.addresses import Configuration, default_project

PORTS = {
    "emulators": {
        "auth": {"port": 9099},
        "functions": {"port": 5001},
        "firestore": {"port": 8080, "websocketPort": 9150},
        "tasks": {"port": 9420},
        "eventarc": {"port": 9230},
        "hub": {"port": 4400},
        "logging": {"port": 4410},
        "ui": {"enabled": False},
    }
}


def app(root: Path, content: object) -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    (root / "firebase.json").write_text(text)
    return root


def test_what_firebase_json_says_is_taken_as_it_is(tmp_path: Path) -> None:
    configuration = Configuration(app(tmp_path, PORTS), port_offset=0)
    assert configuration.file(ui=False) == tmp_path / "firebase.json"
    assert configuration.addresses("demo-x").tasks == "127.0.0.1:9420"


def test_an_app_that_configures_no_emulators_gets_the_usual_ports(tmp_path: Path) -> None:
    configuration = Configuration(app(tmp_path, {"functions": {}}), port_offset=0)
    at = configuration.addresses("demo-x")
    assert (at.auth, at.firestore, at.hub) == ("127.0.0.1:9099", "127.0.0.1:8080", "127.0.0.1:4400")
    file = configuration.file(ui=False)
    written = json.loads(file.read_text())
    assert file.parent == tmp_path
    assert written["emulators"]["ui"] == {"enabled": False}
    assert {"auth", "functions", "firestore", "tasks"} <= set(written["emulators"])
    configuration.remove_file()
    assert [each.name for each in tmp_path.iterdir()] == ["firebase.json"]


def test_an_offset_moves_every_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT_OFFSET", "3000")
    ports = Configuration(app(tmp_path, PORTS)).ports()
    assert (ports["firestore"], ports["firestore websocketPort"]) == (11080, 12150)
    monkeypatch.setenv("PORT_OFFSET", "3001")
    with pytest.raises(Problem, match="whole hundred up to"):
        Configuration(tmp_path)


def test_only_ports_of_what_starts_have_to_be_free(tmp_path: Path) -> None:
    hosting = {"emulators": {**PORTS["emulators"], "hosting": {"port": 5000}}, "hosting": {}}
    configuration = Configuration(app(tmp_path, hosting), port_offset=0)
    assert configuration.also == ("hosting",)
    assert "hosting" not in configuration.ports(("auth", "firestore"))


def test_of_several_databases_the_emulator_gets_the_rules_of_the_default_one(
    tmp_path: Path,
) -> None:
    default = {"database": "(default)", "rules": "mine.rules"}
    several = {**PORTS, "firestore": [{"database": "other", "rules": "other.rules"}, default]}
    file = Configuration(app(tmp_path, several), port_offset=0).file(ui=False)
    assert json.loads(file.read_text())["firestore"] == default


def test_comments_are_read_over_and_addresses_are_not(tmp_path: Path) -> None:
    text = '{ // ours\n "hosting": {"site": "https://x"}, /* two\nlines */ "emulators": {} }'
    assert Configuration(app(tmp_path, text)).written["hosting"] == {"site": "https://x"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('{"functions": null, "hosting": false, "emulators": null, "firestore": ""}', {}),
        ('{"functions": [], "hosting": {}}', {"functions": [], "hosting": {}}),
        ('\ufeff{"hosting": {}}', {"hosting": {}}),
        ("", {}),
    ],
)
def test_a_part_is_there_where_firebase_tools_takes_it_for_there(
    tmp_path: Path, text: str, parts: object
) -> None:
    configuration = Configuration(app(tmp_path, text), port_offset=0)
    assert configuration.written == parts
    assert configuration.addresses("demo-x").firestore == "127.0.0.1:8080"


def test_settings_that_are_no_objects_say_nothing(tmp_path: Path) -> None:
    content = {
        "emulators": {"auth": True, "ui": True},
        "hosting": [{"headers": None}, {"headers": [{"source": "**", "headers": None}]}],
    }
    configuration = Configuration(app(tmp_path, content), port_offset=0)
    assert configuration.addresses("demo-x").auth == "127.0.0.1:9099"
    written = json.loads(configuration.file(ui=False).read_text())
    assert written["emulators"]["ui"] == {"port": 4000, "enabled": False}
    assert written["hosting"] == content["hosting"]


def test_a_firebaserc_that_is_not_utf_8_is_told_with_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GCLOUD_PROJECT", raising=False)
    (tmp_path / ".firebaserc").write_bytes(b'{"projects":\n{"default": "caf\xe9"}}')
    with pytest.raises(Problem, match=r"\.firebaserc:2: byte 29 of the file, 0xe9, is not UTF-8"):
        default_project(tmp_path)


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"firebase.json:3: this is no JSON: "):
        Configuration(app(tmp_path, '{\n/* a\n*/ "b" }'))
    (tmp_path / "firebase.json").unlink()
    with pytest.raises(Problem, match="cannot be read"):
        Configuration(tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([], ":1: an object { ... } is expected"),
        ({"functions": 5}, '"functions" is 5; an object with "source" is expected'),
        ({"functions": [{}, "x"]}, "\"functions\" is [{}, 'x']; an object with "),
        ({"functions": {"source": 7}}, '"source" in "functions" is 7; a text is expected'),
        ({"firestore": {"rules": []}}, '"rules" in "firestore" is []; a text is expected'),
        ({"hosting": "dist"}, '"hosting" is \'dist\'; an object with "public" is expected'),
        ({"emulators": 5}, '"emulators" is 5; an object is expected'),
        ({"emulators": {"auth": 9099}}, '"auth" in "emulators" is 9099; an object is expected'),
        (
            {"emulators": {"auth": {"port": "9099"}}},
            '"port" of "auth" in "emulators" is \'9099\'; a number is expected',
        ),
    ],
    ids=str,
)
def test_a_file_of_another_form_is_refused_with_the_part_at_fault(
    tmp_path: Path, content: object, told: str
) -> None:
    with pytest.raises(Problem) as problem:
        Configuration(app(tmp_path, content), port_offset=0)
    assert str(problem.value).startswith(f"{tmp_path / 'firebase.json'}")
    assert told in str(problem.value)


def test_settings_of_emulators_that_are_no_emulator_are_left_to_firebase_tools(
    tmp_path: Path,
) -> None:
    emulators = {"singleProjectMode": "warn", "auth": {"port": 9199}}
    configuration = Configuration(app(tmp_path, {"emulators": emulators}), port_offset=0)
    assert configuration.addresses("demo-x").auth == "127.0.0.1:9199"


def test_the_project_is_the_default_of_firebaserc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GCLOUD_PROJECT", raising=False)
    assert default_project(tmp_path) == "demo-rollcall"
    (tmp_path / ".firebaserc").write_text('{"projects": {"default": "demo-shop"}}')
    assert default_project(tmp_path) == "demo-shop"
    (tmp_path / ".firebaserc").write_text('{"projects": ["demo-shop"]}')
    assert default_project(tmp_path) == "demo-rollcall"
    monkeypatch.setenv("GCLOUD_PROJECT", "demo-other")
    assert default_project(tmp_path) == "demo-other"
