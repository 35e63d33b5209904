from __future__ import annotations

import re
from pathlib import Path

import pytest

import rollcall
from rollcall.catalog import Catalog
from rollcall.commands.init import security_rules
from rollcall.commands.init.platform import COLLECTIONS, platform
from tests.unit.commands.init.apps import make

ENGINE = Path(rollcall.__file__).parent


def test_every_collection_that_the_engine_names_is_known() -> None:
    """Whether in paths (`db.collection("threads")`), constants or the rules."""
    sources = "\n".join(path.read_text() for path in ENGINE.rglob("*.py"))
    named = set(re.findall(r"collection_id\(\s*['\"](\w+)['\"]\s*\)", sources))
    constants = set(re.findall(r"collection_id\((?:\w+\.)?([A-Z_]+)\)", sources))
    for constant in constants:
        named |= set(re.findall(rf"^{constant} = \"(\w+)\"", sources, re.MULTILINE))
    known = {path.rpartition("/")[2] for path in COLLECTIONS}
    assert named
    assert named <= known
    block = f"service cloud.firestore {{ {platform('', {}).rules} }}"
    assert set(security_rules.collection_lines(security_rules.read(block))) <= set(COLLECTIONS)


def test_the_engines_functions_are_those_that_a_deploy_makes(tmp_path: Path) -> None:
    assert platform("", {}).functions == Catalog(str(tmp_path), ()).function_triggers().keys()


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
