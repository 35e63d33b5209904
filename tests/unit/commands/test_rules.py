"""Rules and indexes, composed from those of the platform and of each pack."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from rollcall.__main__ import main
from rollcall.catalog import Catalog
from rollcall.commands.init import security_rules
from rollcall.commands.rules import (
    Fragment,
    compose_indexes,
    compose_rules,
    fragments,
    indexes_text,
    platform,
    rules_block,
)
from rollcall.core.errors import Problem
from tests.unit.commands.init.apps import make

ROOT = Path(__file__).parents[3]
PLATFORM = Fragment(
    "rollcall",
    "function signedIn() {\n  return request.auth != null;\n}\n\n"
    "match /threads/{thread} {\n"
    "  allow read: if exists(/databases/$(database)/documents/threads/$(thread)/runs/first);\n\n"
    "  match /runs/{run} {\n    allow read: if signedIn();\n  }\n}\n",
    {
        "indexes": [
            {"collectionGroup": "runs", "queryScope": "COLLECTION_GROUP", "fields": []},
        ],
        "fieldOverrides": [{"collectionGroup": "messages", "fieldPath": "text", "indexes": []}],
    },
    is_platform=True,
)
CHAT = Fragment(
    "packs/chat",
    "match /rooms/{room} {\n"
    "  allow read: if get(/databases/$(database)/documents/rooms/$(room)).data.open;\n}\n",
    {"indexes": [{"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": []}]},
)
BLOCK = """\
match /databases/{database}/documents {
  // ---- rollcall ----

  function signedIn() {
    return request.auth != null;
  }

  match /threads/{thread} {
    allow read: if exists(/databases/$(database)/documents/threads/$(thread)/runs/first);

    match /runs/{run} {
      allow read: if signedIn();
    }
  }

  // ---- packs/chat ----

  match /rooms/{room} {
    allow read: if get(/databases/$(database)/documents/rooms/$(room)).data.open;
  }
}
"""


def overriding(field: str, *indexes: str, **more: object) -> Fragment:
    entries = [{"queryScope": "COLLECTION", "order": order} for order in indexes]
    override = {"collectionGroup": "messages", "fieldPath": field, "indexes": entries, **more}
    return Fragment(f"packs/{field}", indexes={"fieldOverrides": [override]})


def declaring(rules: str) -> list[Fragment]:
    return [Fragment("packs/one", rules), Fragment("packs/two", rules)]


def test_the_committed_files_are_what_the_command_makes() -> None:
    found = fragments({"packs": ROOT / "functions/packs"})
    assert (ROOT / "firestore.rules").read_text() == compose_rules(found)
    indexes = (ROOT / "firestore.indexes.json").read_text()
    assert indexes == indexes_text(compose_indexes(found))


def test_fragments_stand_in_one_block_each_under_its_name() -> None:
    assert rules_block([PLATFORM, CHAT]) == BLOCK


def test_a_whole_file_says_what_made_it() -> None:
    whole = compose_rules([PLATFORM, CHAT])
    assert whole.startswith("rules_version = '2';\n")
    assert "python -m rollcall rules" in whole
    assert whole.count("{") == whole.count("}")


def test_a_prefix_renames_the_platforms_collections_wherever_rules_name_them() -> None:
    block = rules_block([PLATFORM, CHAT], "rc")
    named = {
        "/threads/{thread}": "/rc_threads/{thread}",
        "match /runs/": "match /rc_runs/",
        "threads/$(thread)/runs/first": "rc_threads/$(thread)/rc_runs/first",
    }
    expected = BLOCK
    for plain, prefixed in named.items():
        expected = expected.replace(plain, prefixed)
    assert block == expected


def test_a_prefix_renames_every_collection_of_the_platforms_own_rules_and_indexes() -> None:
    (platform, *_) = fragments({})
    matched = re.findall(r"match /(\w+)/", rules_block([platform], "rc"))
    indexed = compose_indexes([platform], "rc")
    groups = [each["collectionGroup"] for entries in indexed.values() for each in entries]
    assert {"rc_threads", "rc_messages", "rc_approvals"} <= set(matched) & set(groups)
    assert all(name.startswith("rc_") for name in (*matched, *groups) if name != "databases")


def test_a_prefix_leaves_the_collections_of_packs() -> None:
    indexes = compose_indexes([PLATFORM, CHAT], "rc")["indexes"]
    assert [each["collectionGroup"] for each in indexes] == ["rc_runs", "rooms"]


def test_an_index_that_two_ask_for_is_there_once() -> None:
    assert compose_indexes([PLATFORM, CHAT, CHAT]) == compose_indexes([PLATFORM, CHAT])


def test_overrides_of_one_field_are_one_that_serves_both() -> None:
    composed = compose_indexes([overriding("text"), overriding("text", "ASCENDING", ttl=True)])
    (override,) = composed["fieldOverrides"]
    assert override == {
        "collectionGroup": "messages",
        "fieldPath": "text",
        "indexes": [{"queryScope": "COLLECTION", "order": "ASCENDING"}],
        "ttl": True,
    }


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("function mine() {\n  return true;\n}\n", "declare the function mine()"),
        ("match /rooms/{room} {\n}\n", "have rules for the collection rooms"),
    ],
)
def test_what_two_packs_cannot_both_have_is_refused_by_name(rules: str, said: str) -> None:
    with pytest.raises(Problem, match=re.escape(f"packs/one and packs/two {said}")):
        compose_rules(declaring(rules))


def test_a_pack_may_have_a_collection_of_the_platforms_name_only_beside_a_prefix() -> None:
    taken = Fragment("packs/mail", "match /threads/{thread} {\n}\n")
    with pytest.raises(Problem, match="rollcall and packs/mail have rules for the collection"):
        compose_rules([PLATFORM, taken])
    assert "match /threads/{thread}" in compose_rules([PLATFORM, taken], "rc")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An app with one pack, and its command line."""
    (tmp_path / "firebase.json").write_text('{"functions": {"source": "functions"}}')
    pack = tmp_path / "functions/packs/chat"
    pack.mkdir(parents=True)
    (tmp_path / "functions/main.py").write_text("from rollcall import bind\nbind(globals())\n")
    (pack / "firestore.rules").write_text(CHAT.rules)
    (pack / "firestore.indexes.json").write_text(f"// ours\n{json.dumps(CHAT.indexes)}")
    monkeypatch.chdir(pack)
    monkeypatch.setattr("sys.path", list(sys.path))
    return tmp_path


def test_the_command_writes_both_files_from_any_folder_of_the_app(app: Path) -> None:
    assert main(["rules"]) == 0
    assert "match /rooms/{room}" in (app / "firestore.rules").read_text()
    assert "rooms" in (app / "firestore.indexes.json").read_text()
    assert main(["rules", "--check"]) == 0


def test_the_prefix_is_the_one_of_the_functions(app: Path) -> None:
    (app / "functions/.env").write_text("ROLLCALL_PREFIX=rc\n")
    assert main(["rules"]) == 0
    assert "match /rc_threads/{thread}" in (app / "firestore.rules").read_text()
    assert "rc_threads" in (app / "firestore.indexes.json").read_text()


def test_indexes_of_the_apps_own_are_left(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = json.dumps({"indexes": [{"collectionGroup": "orders", "fields": []}]})
    (app / "firestore.indexes.json").write_text(own)
    assert main(["rules"]) == 1
    assert "has indexes of the app's own" in capsys.readouterr().err
    assert (app / "firestore.indexes.json").read_text() == own
    assert not (app / "firestore.rules").exists()


def test_the_files_are_those_that_firebase_json_names(app: Path) -> None:
    config = json.loads((app / "firebase.json").read_text())
    config["firestore"] = {"rules": "config/my.rules", "indexes": "config/my.indexes.json"}
    (app / "firebase.json").write_text(json.dumps(config))
    (app / "config").mkdir()
    assert main(["rules"]) == 0
    assert "match /threads/{thread}" in (app / "config" / "my.rules").read_text()
    assert not (app / "firestore.rules").exists()
    config["firestore"] = [{"database": "(default)"}, {"database": "other"}]
    (app / "firebase.json").write_text(json.dumps(config))
    assert main(["rules"]) == 1


def test_a_deleted_pack_takes_its_rules_along(app: Path) -> None:
    main(["rules"])
    for file in (app / "functions/packs/chat").iterdir():
        file.unlink()
    assert main(["rules"]) == 0
    assert "rooms" not in (app / "firestore.rules").read_text()


def test_a_check_names_the_stale_file_and_writes_nothing(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["rules"])
    stale = (app / "firestore.rules").read_text().replace("rooms", "halls")
    (app / "firestore.rules").write_text(stale)
    capsys.readouterr()
    assert main(["rules", "--check"]) == 1
    assert f"{app / 'firestore.rules'} is not what" in capsys.readouterr().out
    assert (app / "firestore.rules").read_text() == stale


def test_outside_an_app_the_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rules"]) == 2
    assert "is in no app with Rollcall" in capsys.readouterr().err


def test_indexes_that_are_no_json_are_told_with_their_file(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = app / "functions/packs/chat/firestore.indexes.json"
    file.write_text("{")
    assert main(["rules"]) == 1
    assert str(file) in capsys.readouterr().err


@pytest.mark.parametrize("file", ["firestore.rules", "firestore.indexes.json"])
def test_a_file_that_is_not_utf_8_is_told_with_the_byte(
    app: Path, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    (app / file).write_bytes(b"// \xe9")
    assert main(["rules"]) == 1
    assert f"{file}:1: byte 3 of the file, 0xe9, is not UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["// rollcall: begin\n", "rules_version = '2';\n"])
def test_rules_that_an_app_has_of_its_own_are_left_to_init(
    app: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (app / "firestore.rules").write_text(text)
    assert main(["rules"]) == 1
    told = capsys.readouterr().err
    assert "`python -m rollcall init` keeps Rollcall's in a block" in told
    assert "exits with 0 if nothing is to be changed" in told
    assert (app / "firestore.rules").read_text() == text


@pytest.mark.parametrize("prefix", ["", "rc"])
def test_the_names_are_those_of_a_deploy_and_of_the_rules_and_indexes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    found = platform(prefix, {})
    monkeypatch.setenv("ROLLCALL_PREFIX", prefix)
    assert found.functions == Catalog(str(tmp_path), ()).function_triggers().keys()
    rules = security_rules.read(f"service cloud.firestore {{ {found.rules} }}")
    assert set(security_rules.collection_lines(rules)) <= set(found.collections)
    ids = {path.rpartition("/")[2] for path in found.collections}
    assert {each["collectionGroup"] for each in found.indexes["fieldOverrides"]} <= ids


@pytest.mark.parametrize("prefix", ["", "rc"])
def test_rules_indexes_and_names_take_the_prefix(prefix: str) -> None:
    found = platform(prefix, {})
    before = f"{prefix}_" if prefix else ""
    assert f"match /{before}threads/{{thread}}" in found.rules
    assert {each["collectionGroup"].startswith(before) for each in found.indexes["indexes"]} == {
        True
    }
    assert f"{before}threads/{{}}/{before}messages" in found.collections
    assert {f"{before}messages", f"{before}events", f"{before}runs"} <= found.shared_groups
    assert f"{before}run_agent" in found.functions


def test_the_rules_and_indexes_of_the_apps_packages_come_along(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "capabilities/firestore.rules": "match /rooms/{r} {\n  allow read: if signedIn();\n}\n",
            "capabilities/firestore.indexes.json": '{"fieldOverrides": ['
            '{"collectionGroup": "rooms", "fieldPath": "map", "indexes": []}]}',
        },
    )
    found = platform("rc", {"capabilities": tmp_path / "capabilities"})
    assert "match /rooms/{r}" in found.rules
    assert "rooms" in {each["collectionGroup"] for each in found.indexes["fieldOverrides"]}
    assert "rooms" not in found.shared_groups
