"""What the planner names in a Hebrew answer or question is named in Hebrew, for every tool of every
agent: fields of results, parameters and the values that they list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from rollcall.core.capability import Capability
from rollcall.core.messages import Json, ToolCall, ToolResult
from rollcall.core.text import language
from rollcall.models.planner.composer import Wish, answer, label
from rollcall.models.planner.history import Step
from rollcall.models.planner.parameters import parameters
from tests.support.catalogs import catalog
from tests.unit.models.planner.test_examples import spec

TOOLS = {tool for agent in catalog.agents().values() for tool in agent.tools}
CAPABILITIES = [
    each for each in catalog.capabilities() if each.id in TOOLS and each.mark.category != "tutoring"
]
"""A lesson's own tools are called by a model alone."""
APART = {"citations", "display"}
"""Fields that are taken out of a result before a model sees it."""
SAYS_ITSELF = ({"done"}, {"answer", "assumptions"})
"""A result with such fields is told in its own words."""
_IS_ENGLISH = re.compile(r"[A-Za-z]{3,}")


def results(of: Capability) -> Iterator[dict[str, Json]]:
    """Yield results of a capability that say one thing each."""
    schema = TypeAdapter(of.returns).json_schema(mode="serialization")
    fields = _properties(schema, schema)
    if any(own <= fields.keys() for own in SAYS_ITSELF):
        return
    for name, shape in fields.items():
        items = _properties(_resolved(shape, schema).get("items", {}), schema)
        yield from ({name: [{k: v}]} for k, inner in items.items() for v in _values(inner))
        yield from ({name: value} for value in _values(shape) if not items)


def _resolved(shape: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    shape = next((each for each in shape.get("anyOf", ()) if each.get("type") != "null"), shape)
    name = shape.get("$ref", "").rpartition("/")[2]
    return schema["$defs"][name] if name else shape


def _properties(shape: dict[str, Any], schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = _resolved(shape, schema).get("properties", {})
    return {k: _resolved(v, schema) for k, v in found.items() if k not in APART}


def _values(shape: dict[str, Any]) -> list[Json]:
    kinds = {"boolean": True, "integer": 7, "number": 7.5, "array": ["מילה"], "object": {}}
    return shape.get("enum") or [kinds.get(shape.get("type", ""), "מילה")]


def test_a_hebrew_answer_names_every_field_in_hebrew() -> None:
    english = {}
    for each in CAPABILITIES:
        for output in results(each):
            content = json.dumps({"output": output}, ensure_ascii=False)
            step = Step(ToolCall("c", each.id, {}), ToolResult("c", each.id, content))
            if found := _IS_ENGLISH.findall(answer((step,), Wish(), "he")):
                english[f"{each.id}: {output}"] = found
    assert english == {}


def test_a_hebrew_question_names_what_is_missing_and_what_may_be_chosen_in_hebrew() -> None:
    english = {}
    for each in CAPABILITIES:
        tool = spec(each)
        for parameter in parameters(tool):
            noun = re.sub(r" (?:name|ids?|description|text)$", "", parameter.label)
            named = [(noun, parameter.aliases)] if parameter.required else []
            named += [(str(v), tool.aliases.get(str(v), ())) for v in parameter.options]
            for name, others in named if parameter.required else ():
                if language(found := label(name, "he", others)) != "he" and not found.isdigit():
                    english[f"{each.id}: {parameter.name}"] = found
    assert english == {}
