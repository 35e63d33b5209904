"""Foreign schemas are converted to the one form that providers take, or refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.registry.schemas import check_schema, errors, normalise, schema_of_parameters
from tests.support.for_every import for_every


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def item(schema: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    """What becomes of one argument's schema."""
    found: dict[str, Any] = normalise({**of(a=schema), "$defs": definitions})["properties"]["a"]
    return {key: value for key, value in found.items() if key != "description"}


def test_references_are_written_out() -> None:
    day = {"type": "string", "format": "date"}
    assert item({"$ref": "#/$defs/Day", "description": "When."}, Day=day) == day
    span = {"type": "object", "properties": {"from": {"$ref": "#/$defs/Day"}}}
    assert item({"$ref": "#/$defs/Span"}, Span=span, Day=day)["properties"] == {"from": day}


def test_the_same_definition_may_be_used_twice() -> None:
    both = {
        **of(a={"$ref": "#/$defs/D"}, b={"$ref": "#/$defs/D"}),
        "$defs": {"D": {"type": "number"}},
    }
    assert {each["type"] for each in normalise(both)["properties"].values()} == {"number"}


@for_every(
    ("schema", "why"),
    [
        ({"$ref": "#/$defs/Node"}, "refers to itself"),
        ({"$ref": "https://example.com/day.json"}, "not taken"),
        ({"$ref": "#/$defs/Nobody"}, "not there"),
        ({"$ref": 7}, "not taken"),
        ("text", "where a schema belongs"),
        ({"anyOf": []}, "lists nothing"),
        ({"allOf": [{"type": "string"}, {"type": "number"}]}, "differ in 'type'"),
        ({"enum": []}, "an enum with no value"),
        ({"type": "string", "enum": [1, 2]}, "no value of its type, string"),
        ({"type": "object", "properties": {}, "required": ["x"]}, "requires 'x'"),
    ],
)
def test_what_cannot_be_written_out_is_refused(schema: Any, why: str) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    with pytest.raises(ValueError, match=why):
        normalise({**of(a=schema), "$defs": {"Node": node}})


@for_every(
    ("given", "becomes"),
    [
        ({"type": ["string", "null"]}, {"type": "string"}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 1},
            {"type": "integer", "default": 1},
        ),
        ({"type": ["string", "number"]}, {"anyOf": [{"type": "string"}, {"type": "number"}]}),
        (
            {"oneOf": [{"type": "string"}, {"type": "number"}]},
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
        ),
        ({"const": "x"}, {"enum": ["x"]}),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}),
        ({"title": "A", "$comment": "b", "type": "string"}, {"type": "string"}),
        ({"$anchor": "a", "writeOnly": True, "type": "string"}, {"type": "string"}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": ["array", "null"]}, {"type": "array", "items": {}}),
        (
            {"allOf": [{"type": "array"}, {"items": {"type": "string"}}]},
            {"type": "array", "items": {"type": "string"}},
        ),
        ({"type": "string", "enum": ["a", 1, None]}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "enum": [1, 2.0, 2.5, True]}, {"type": "integer", "enum": [1, 2.0]}),
        ({"allOf": [{"enum": ["a", 1]}, {"type": "string"}]}, {"type": "string", "enum": ["a"]}),
        ({"enum": ["a", 1, None]}, {"enum": ["a", 1]}),
        (True, {}),
    ],
)
def test_unions_and_notes_take_one_form(given: Any, becomes: dict[str, Any]) -> None:
    assert item(given) == becomes


@pytest.mark.parametrize(
    "unit",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"enum": ["a", None]},
        {"type": "string", "nullable": True},
        {"$ref": "#/$defs/Unit"},
    ],
)
def test_an_argument_that_may_be_null_may_be_left_out(unit: dict[str, Any]) -> None:
    defined = {"Unit": {"oneOf": [{"type": "string"}, {"type": "null"}]}}
    schema = {**of(unit=unit, b={"type": "string"}), "required": ["unit", "b"], "$defs": defined}
    found = normalise(schema)
    assert found["required"] == ["b"]
    assert errors(found, {"b": "x"}) == []
    assert errors(found, {"b": "x", "unit": "a"}) == []


def test_what_several_parts_demand_of_one_argument_holds_together() -> None:
    number = {"properties": {"n": {"type": "number"}}}
    bounded = {"properties": {"n": {"maximum": 10}, "m": {"type": "string"}}, "required": ["m"]}
    found = normalise({"type": "object", "allOf": [number, bounded]})
    assert found["properties"]["n"] == {"type": "number", "maximum": 10, "description": "N"}
    one = normalise({**of(x={"type": "string"}), "anyOf": [{**of(y=True), "required": ["y"]}]})
    assert (list(one["properties"]), one["required"]) == (["y", "x"], ["y"])
    with pytest.raises(ValueError, match="differ in 'maximum'"):
        normalise({"allOf": [{"properties": {"n": {"maximum": n}}} for n in (1, 2)]})


def test_a_long_union_of_objects_is_no_deep_one() -> None:
    kinds = [
        {**of(kind={"const": f"k{n}"}, value={"minimum": n}), "required": ["kind"]}
        for n in range(20)
    ]
    found = normalise({"oneOf": kinds})
    assert found["properties"]["kind"]["enum"] == [f"k{n}" for n in range(20)]
    assert len(found["properties"]["value"]["anyOf"]) == 20


@pytest.mark.parametrize(
    "schema",
    [
        of(a={"type": "number", "default": float("nan")}),
        of(a={"default": b"bytes"}),
        {**of(a={"type": "string"}), "required": True},
        {**of(a={"type": "string"}), "required": [1], "anyOf": [of(b=True)]},
        of(a={"anyOf": [{"type": "string"}], "oneOf": [{"type": "number"}]}),
        of(a={"type": {"enum": "array"}, "const": 1}),
        of(a={"pattern": {"properties": 2.5, "required": ["b"]}}),
        of(a={"if": {"properties": ["b"], "required": ["b"]}}),
    ],
)
def test_what_is_no_json_schema_is_refused_and_nothing_else_is_raised(schema: Any) -> None:
    with pytest.raises(ValueError, match="jsonSchema"):
        normalise(schema)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({**of(a={"type": "string"}), "required": ["b"]}, "requires 'b'"),
        ({"type": "object", "required": ["b"]}, "requires 'b'"),
        ({**of(a=False), "required": ["a"]}, "requires 'a'"),
        ({**of(), "enum": [{}]}, "'enum' beside its arguments"),
        ({**of(), "not": {"required": ["a"]}}, "'not' beside its arguments"),
    ],
)
def test_what_a_provider_refuses_with_the_whole_request_is_refused_here(
    schema: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        normalise(schema)


def test_parts_may_require_what_others_of_them_describe() -> None:
    parts = [{"required": ["a"]}, {**of(b={"type": "string"}), "required": ["a"]}, of(a={})]
    assert normalise({"allOf": parts})["required"] == ["a"]


def test_an_argument_called_title_is_no_note() -> None:
    assert list(normalise(of(title={"type": "string"}))["properties"]) == ["title"]


def test_an_argument_that_nothing_fits_is_left_out() -> None:
    assert normalise(of(a=False, b={"type": "string"}))["properties"].keys() == {"b"}


def test_a_union_of_objects_becomes_one_with_what_all_require_required() -> None:
    email = {"type": "object", "properties": {"to": {"type": "string"}, "cc": {"type": "string"}}}
    text = {"type": "object", "properties": {"to": {"type": "integer"}, "at": {"type": "string"}}}
    found = normalise(
        {"oneOf": [{**email, "required": ["to"]}, {**text, "required": ["to", "at"]}]}
    )
    assert list(found["properties"]) == ["to", "cc", "at"]
    assert found["required"] == ["to"]
    assert found["properties"]["to"]["anyOf"] == [{"type": "string"}, {"type": "integer"}]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "array"},
        [],
        "x",
        None,
        {"anyOf": [{"type": "string"}, {"type": "object"}]},
    ],
)
def test_arguments_are_an_object(schema: Any) -> None:
    with pytest.raises(ValueError, match="object"):
        normalise(schema)


@pytest.mark.parametrize("name", ["", "a b", "סכום", "x" * 65, "a/b", "$ref"])
def test_names_that_providers_refuse_are_refused_with_the_name(name: str) -> None:
    with pytest.raises(ValueError, match="providers take"):
        normalise(of(**{name: {"type": "string"}}))


def test_an_argument_without_a_description_gets_its_name_in_words() -> None:
    found = normalise(
        of(dueDate={"type": "string"}, b={"type": "string", "description": "Its own."})
    )
    told = {name: each["description"] for name, each in found["properties"].items()}
    assert told == {"dueDate": "Due date", "b": "Its own."}


def test_a_flat_list_of_parameters_is_a_schema_too() -> None:
    listed = [
        {"name": "topic", "type": "string", "required": True, "description": "What about."},
        {"name": "count", "type": "number", "required": False, "default": 2},
        {"name": "kind", "type": "string", "enum": ["a", "b"]},
    ]
    found = normalise(schema_of_parameters(listed))
    assert found["required"] == ["topic"]
    assert found["properties"]["count"] == {"type": "number", "default": 2, "description": "Count"}
    assert found["properties"]["kind"]["enum"] == ["a", "b"]
    for wrong, why in (
        ({"name": "a", "type": ["string", "null"]}, "has the type"),
        ({"type": "string"}, "parameters.0 has no name"),
        ({"name": "a", "type": "date"}, "type 'date'"),
        ({"name": "a", "required": "no"}, "neither true nor false"),
    ):
        with pytest.raises(ValueError, match=why):
            schema_of_parameters([wrong])
    with pytest.raises(ValueError, match=r"parameters\.1 has the name 'a' of another"):
        schema_of_parameters([{"name": "a"}, {"name": "a", "type": "number"}])


_TREES = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": ["integer", "null"]},
            {"const": 1},
            {"$ref": "#/$defs/D"},
            True,
            {},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda a: {"type": "array", "items": a}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.dictionaries(st.sampled_from("abc"), inner).map(lambda found: of(**found)),
    ),
    max_leaves=12,
)


@given(_TREES)
def test_what_comes_out_is_sound_and_stays_as_it_is(tree: Any) -> None:
    try:
        once = normalise({**of(a=tree), "$defs": {"D": {"type": "string", "title": "D"}}})
    except ValueError:
        return
    check_schema(once)
    assert normalise(once) == once
    assert errors(once, []) != []
