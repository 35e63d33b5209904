"""An inspection never raises for a record that validates: every field of every record, with every
choice and the ends of every range, in all editions."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import inspect
from packs.electrical.inspection.rules import RULES
from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.projects.records import Circuit, Project
from tests.support.full_form import IS_FULL, amount
from tests.unit.packs.electrical.inspection.buildings import HOME, SHOP

SCHEMA: dict[str, Any] = Project.model_json_schema()
STRUCTURE = {"id", "name", "panels", "circuits", "feeders", "transformers", "motors", "panelId",
             "sourceId", "targetId", "circuitNumber", "electrodes", "edition"}  # fmt: skip
"""What holds a project together; the rest is anything that validates."""
TYPICAL = (10, 17, 30, 100, 120, 208, 240, 480, 600, 4160)
STRINGS: dict[str, tuple[Any, ...]] = {
    "insulation": ("NM-B", "THHN", "THWN-2", "UF", "XHHW-2", "MI", "home-made", ""),
    "hp": ("1/6", "1", "7-1/2", "500", "999"),
    "description": ("Sump pump", "שקעי מטבח", "?", "\u0000{0}%s", "x" * 200),
}
SIZES = ("18", "14", "12", "1/0", "250", "2000")


def values(schema: dict[str, Any], name: str) -> Iterator[Any]:
    """The choices of a field, or the ends of its range and usual values between them."""
    if "$ref" in schema:
        found = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
        yield from ([choices(found)] if "properties" in found else values(found, name))
    for each in schema.get("anyOf", ()):
        yield from values(each, name)
    if "const" in schema or "enum" in schema:
        yield from schema.get("enum", [schema.get("const")])
        return
    match schema.get("type"):
        case "null":
            yield None
        case "boolean":
            yield from (True, False)
        case "integer" | "number":
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 0.001)
            high = schema["maximum"]
            yield from (low, high, *(each for each in TYPICAL if low <= each <= high))
        case "string":
            yield from (SIZES if "Size" in name else STRINGS.get(name, ("x",)))


@cache
def _fields(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = SCHEMA if kind == "Project" else SCHEMA["$defs"][kind]
    return found["properties"]  # type: ignore[no-any-return]


def choices(schema: dict[str, Any]) -> dict[str, Any]:
    """A record of the largest values, for one that stands inside another."""
    return {
        name: list(values(each, name))[-1]
        for name, each in schema["properties"].items()
        if name not in STRUCTURE
    }


def records(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record of a project with the name of its shape."""
    yield "Building", data["building"]
    yield "Service", data["service"]
    yield "Grounding", data["grounding"]
    for panel in data["panels"]:
        yield "Panel", panel
        yield from (("Circuit", circuit) for circuit in panel["circuits"])
    for kind in ("Feeder", "Transformer", "Motor"):
        yield from ((kind, each) for each in data.get(f"{kind.lower()}s", ()))
    for electrode in data["grounding"]["electrodes"]:
        yield "Electrode", electrode


def changes(base: dict[str, Any]) -> list[tuple[int, str, Any]]:
    """Every value of every field: the number of its record, its name and the value."""
    return [
        (number, name, value)
        for number, (kind, _) in enumerate(records(base))
        for name, schema in _fields(kind).items()
        if name not in STRUCTURE or kind == "Electrode"
        for value in values(schema, name)
    ]


def changed(base: dict[str, Any], edition: Edition, *patches: tuple[int, str, Any]) -> Any:
    data = deepcopy(base) | {"edition": edition}
    at = [record for _, record in records(data)]
    for number, name, value in patches:
        at[number][name] = value
    return data


def check(data: dict[str, Any]) -> bool:
    """Inspect a project and say its findings in both languages; False if it does not validate."""
    try:
        project = Project.model_validate(data)
    except ValidationError:
        return False
    report = inspect(Facts(project), RULES)
    assert 0 <= report.score <= 100
    for issue in report.issues:
        assert all(issue.message.say(locale) and issue.fix.say(locale) for locale in ("en", "he"))
    return True


BASES = {"home": HOME, "shop": SHOP}
CHANGES = {name: changes(base) for name, base in BASES.items()}


def test_all_fields_are_tried() -> None:
    tried = {name for all_changes in CHANGES.values() for _, name, _ in all_changes}
    for kind in ("Circuit", "Panel", "Service", "Feeder", "Transformer", "Motor", "Grounding",
                 "Building", "Electrode"):  # fmt: skip
        assert set(_fields(kind)) - STRUCTURE <= tried, kind
    assert {(name, value) for _, name, value in CHANGES["home"] if name == "area"} >= {
        ("area", each) for each in ("kitchen", "boathouse", "other", None)
    }
    assert set(Circuit.model_fields) == {"id", *(_snake(each) for each in _fields("Circuit"))}


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)


@pytest.mark.parametrize("base", BASES)
@given(data=st.data())
def test_any_record_that_validates_is_inspected(base: str, data: st.DataObject) -> None:
    edition: Edition = data.draw(st.sampled_from(EDITIONS))
    patches = data.draw(st.lists(st.sampled_from(CHANGES[base]), min_size=1, max_size=12))
    check(changed(BASES[base], edition, *patches))


@pytest.mark.long
@pytest.mark.parametrize("base", BASES)
def test_each_value_of_each_field_is_inspected(base: str) -> None:
    """Each in one edition, in turn; of records of one kind the first with such a field. `make test`
    tries a choice or one end of each range, the lower one at home and the upper one in the shop."""
    kinds = [kind for kind, _ in records(BASES[base])]
    fields: dict[tuple[str, str], dict[str, tuple[int, str, Any]]] = {}
    for number, name, value in CHANGES[base]:
        of_field = fields.setdefault((kinds[number], name), {})
        of_field.setdefault(repr(value), (number, name, value))
    chosen = [
        change
        for of_field in fields.values()
        for place, change in enumerate(of_field.values())
        if IS_FULL or place == [*BASES].index(base)
    ]
    whole = [
        check(changed(BASES[base], EDITIONS[place % len(EDITIONS)], change))
        for place, change in enumerate(chosen)
    ]
    assert sum(whole) > amount(75, full=300)
