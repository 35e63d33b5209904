"""Rules for every capability, agent and function of this codebase."""

from __future__ import annotations

import json

import pytest

from dev.without_pack import packs
from rollcall.core.capability import Capability
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
from rollcall.core.shapes import MAX_ID_CHARS
from rollcall.core.text import language
from rollcall.core.triggers import trigger_of
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document
from tests.support.catalogs import catalog
from tests.support.for_every import for_every

CAPABILITIES = catalog.capabilities()
IDS = {capability.id for capability in CAPABILITIES}
_OF_ANOTHER_PACK = {"delete_document": "knowledge", "list_documents": "knowledge"}
"""Tools that other packs name, by their pack, which may be deleted."""
NAMES = IDS | {tool for tool, pack in _OF_ANOTHER_PACK.items() if pack not in packs()}
every_capability = for_every("capability", CAPABILITIES, ids=lambda item: item.id)
every_agent = pytest.mark.parametrize(
    "profile", list(catalog.agents().values()), ids=lambda item: item.id
)


@every_capability
def test_it_is_named_and_described_for_people_and_models(capability: Capability) -> None:
    assert {"en", "he"} <= set(capability.name)
    assert len(capability.id) <= MAX_ID_CHARS
    assert len(capability.description) > 20
    for name, shape in capability.json_schema["properties"].items():
        assert shape.get("description"), f"{name} says nothing of itself"


@every_capability
def test_its_schema_is_plain_json_that_providers_take(capability: Capability) -> None:
    text = json.dumps(capability.json_schema)
    assert capability.json_schema["type"] == "object"
    assert '"$ref"' not in text
    assert '"null"' not in text
    for name in capability.json_schema["properties"]:
        assert "_" not in name


@every_capability
def test_it_is_found_in_both_languages(capability: Capability) -> None:
    asked = [example["userRequest"] for example in capability.examples]
    words = [*capability.keywords, *asked]
    assert {language(word) for word in words} == {"en", "he"}


@every_capability
def test_its_examples_are_valid_calls(capability: Capability) -> None:
    for example in capability.examples:
        capability.arguments.model_validate_json(json.dumps(example["parameters"]), strict=True)


@every_capability
def test_what_it_relates_to_exists(capability: Capability) -> None:
    assert set(capability.mark.related) <= NAMES - {capability.id}


@every_capability
def test_its_registry_document_reads_back_as_an_entry(capability: Capability) -> None:
    entry = read_capability({**capability_document(capability), "status": "active"})
    assert (entry.id, entry.spec.parameters) == (capability.id, capability.json_schema)


@every_capability
def test_a_write_says_what_an_approval_would_allow(capability: Capability) -> None:
    mark = capability.mark
    assert mark.effect == "read" or mark.summary is not None or mark.preview is not None


@every_capability
def test_it_is_found_by_its_id_alone(capability: Capability) -> None:
    assert catalog.find_capability(capability.id) == capability


@every_agent
def test_an_agents_tools_exist_and_its_limits_hold(profile: AgentProfile) -> None:
    assert set(profile.tools) <= NAMES
    assert {"en", "he"} <= set(profile.name)
    assert 1 <= profile.max_steps <= MAX_STEPS_CAP


def test_every_function_has_one_name_and_is_bound_under_it() -> None:
    names = catalog.functions().keys()  # it refuses a second one of a name
    assert {"run_agent", "list_capabilities", "sync_registry"} <= names


def test_every_trigger_says_where_it_comes_from() -> None:
    for name, function in catalog.functions().items():
        assert function.__doc__, f"{name} has no docstring"
        assert name in IDS or trigger_of(function) is not None
