"""The examples for phones name what the functions take and return."""

from __future__ import annotations

import re

import pytest

from dev.paths import ROOT
from rollcall.core import wire

PAGE = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
FILE = (ROOT / "clients/phones/Rollcall.swift").read_text(encoding="utf-8")
SWIFT = {
    "RunRequest": wire.RunRequest,
    "Decision": wire.ResumeEntry,
    "Payload": wire.Decision,
    "RunResult": wire.RunResult,
    "Outcome": wire.Outcome,
    "Interrupt": wire.Interrupt,
}


def _wire(model: type[wire.Wire]) -> dict[str, bool]:
    """Names as they are sent, and whether they are always there."""
    fields = model.model_fields.items()
    return {str(field.alias or name): field.is_required() for name, field in fields}


def _struct(name: str) -> dict[str, bool]:
    """The stored properties of a Swift struct, and whether they are always there."""
    on_a_line = re.search(rf"struct {name}\b[^{{\n]*{{(.+)}}", FILE)
    found = on_a_line or re.search(rf"struct {name}\b[^{{\n]*{{(.*?)\n}}", FILE, re.DOTALL)
    assert found, name
    inner = re.sub(r"struct .*", "", found[1])
    properties = re.findall(r"var (\w+)(?:: (?:\[\w+\]|\w+)(\?)?)?(?: = \"\w+\")?", inner)
    return {each: not optional for each, optional in properties}


@pytest.mark.parametrize("name", SWIFT)
def test_fields_in_swift_are_those_of_the_functions(name: str) -> None:
    told, sent = _struct(name), _wire(SWIFT[name])
    assert told
    assert set(told) <= set(sent)
    if name in ("RunResult", "Outcome", "Interrupt"):  # what comes may be missing where it can be
        assert {each for each, always in told.items() if always} <= {
            each for each, always in sent.items() if always
        }


def test_fields_in_the_table_are_those_of_run_agent() -> None:
    rows = re.findall(r"`run_agent \{([^`]*)\}`", PAGE)
    assert rows
    for row in rows:
        outer = re.sub(r"\[.*\]", "", row)
        named = {each.split(":")[0].strip(" ?") for each in outer.split(",")}
        assert named <= set(_wire(wire.RunRequest)), row
