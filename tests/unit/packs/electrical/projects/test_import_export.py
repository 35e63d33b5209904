"""The file format of projects agrees with the documentation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from packs.electrical.projects import records
from packs.electrical.projects.import_export import exported, imported
from packs.electrical.projects.topology import path_to
from seed.electrical.sample import projects
from tests.support.for_every import for_every

GUIDE = (Path(__file__).parents[5] / "docs/electrical.md").read_text(encoding="utf-8")
SECTION = GUIDE.split("## Projects")[1].split("\n## ")[0]
SAMPLES = {sample.project.id: sample.project for sample in projects()}


def example() -> str:
    [found] = re.findall(r"```jsonc\n(.*?)```", SECTION, re.DOTALL)
    return str(found)


def test_the_documented_example_imports_and_hangs_together() -> None:
    project = imported(example())
    boathouse = project.panel("boathouse")
    assert boathouse is not None
    assert [leg.feeder.id for leg in path_to(project, boathouse).legs] == ["to-boathouse"]
    assert project.panels[0].circuits[0].positions == (1, 3)


def test_the_documented_example_is_exported_as_it_stands() -> None:
    assert exported(imported(example())) == json.loads(example())


@pytest.mark.parametrize("id", SAMPLES)
def test_what_is_exported_imports_as_the_same(id: str) -> None:
    text = json.dumps(exported(SAMPLES[id]), ensure_ascii=False)
    assert imported(text) == imported(json.loads(text)) == SAMPLES[id]


def test_an_export_leaves_defaults_out_but_says_its_edition() -> None:
    data = exported(SAMPLES["house"])
    assert (data["schemaVersion"], data["edition"]) == (1, 2023)
    assert "gfci" not in data["panels"][1]["circuits"][0]
    assert "transformers" not in data


@for_every(
    "shape",
    [
        *(records.Project, records.Building, records.Service, records.Wiring, records.Panel),
        *(records.Enclosure, records.Circuit, records.Feeder, records.Transformer, records.Motor),
        *(records.Grounding, records.Electrode),
    ],
    ids=lambda shape: shape.__name__,
)
def test_every_field_is_documented(shape: type[BaseModel]) -> None:
    named = set(re.findall(r"`(\w+)`", SECTION))
    fields = {info.alias or name for name, info in shape.model_fields.items()}
    assert fields <= named | {"schemaVersion"}
