"""docs/registry.md agrees with the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rollcall.registry.capabilities import _Overrides, read_capability
from rollcall.registry.documents import _adapters
from rollcall.registry.entries import Entry

PAGE = (Path(__file__).parents[3] / "docs/registry.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LINES: list[dict[str, Any]] = [
    json.loads(line) for block in BLOCKS for line in block.splitlines() if line.strip()
]
DOCUMENTS = [each for each in LINES if "id" in each]
OVERRIDES = [each["overrides"] for each in LINES if "overrides" in each]


def read(changes: dict[str, Any] | None = None, *, number: int = 0) -> Entry:
    return read_capability({**DOCUMENTS[number], **(changes or {})})


def test_the_documents_are_taken_as_they_stand() -> None:
    room, invoice = (read(number=number) for number in range(len(DOCUMENTS)))
    assert (room.execution.type, invoice.execution.type) == ("firebase_function", "api_endpoint")
    assert (room.spec.writes, invoice.spec.writes) == (False, True)
    assert invoice.policy and invoice.policy.decider_role == "admin"


@pytest.mark.parametrize("overrides", OVERRIDES, ids=lambda each: ",".join(each))
def test_the_overrides_are_taken_as_they_stand(overrides: dict[str, Any]) -> None:
    entry = read({"overrides": overrides})
    if "tenants" in overrides:
        assert (entry.tenants, entry.min_role, entry.status) == ({"acme"}, "teacher", "beta")
    if "keywords" in overrides:
        assert (entry.spec.keywords, entry.phrases) == (("room", "hall"), ("יש חדר פנוי?",))


def test_every_field_that_can_be_overruled_is_named() -> None:
    section = PAGE.split("## Overrides")[1].split("\n## ")[0]
    of_capabilities = {field.alias for field in _Overrides.model_fields.values()}
    named = set(re.findall(r"`(\w+)`", section))
    assert of_capabilities | _adapters().keys() | {"status"} <= named


def test_every_subcommand_is_named() -> None:
    from rollcall.__main__ import parser

    table = PAGE.split("## The command")[1].split("\n## ")[0]
    registry = parser()._subparsers._group_actions[0].choices["registry"]  # type: ignore
    for name in registry._subparsers._group_actions[0].choices:
        assert re.search(rf"`{name}\b", table), name
