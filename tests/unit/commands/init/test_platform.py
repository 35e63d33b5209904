from __future__ import annotations

from pathlib import Path

import pytest

from rollcall.catalog import Catalog
from rollcall.commands.init import security_rules
from rollcall.commands.init.platform import platform
from tests.unit.commands.init.apps import make


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
