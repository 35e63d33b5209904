"""Projects as JSON, for files: what is exported can be imported."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from packs.electrical.projects.records import SCHEMA_VERSION, Project
from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import check_json, validate

TEXT_CHARS = 3_000_000
MAX_VALUES = 200_000
"""More than the largest project has: 100 panels of 84 circuits, each with all its fields."""

ProjectJson = dict[str, Any] | Annotated[str, Field(min_length=2, max_length=TEXT_CHARS)]
"""A project as an object, or as the text of one."""

_FIELD = "data"
_VERSION = "schemaVersion"


def exported(project: Project) -> dict[str, Any]:
    """A project as plain JSON. What is unknown or at its default is left out, but the edition: it
    says by which code the project was made."""
    fields = project.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {_VERSION: SCHEMA_VERSION, "edition": project.edition, **fields}


def imported(data: dict[str, Any] | str) -> Project:
    """The project of a JSON that somebody wrote or exported.

    Raises:
        InvalidArgument: It is none; `field` is the path of what is wrong, such as
            `data.panels.2.circuits.5.breakerAmps`.
    """
    given = _parsed(data) if isinstance(data, str) else dict(data)
    check_json(given, field=_FIELD, most=MAX_VALUES)
    version = given.pop(_VERSION, SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise InvalidArgument(
            f"{_FIELD}.{_VERSION}: {version!r} is not known here; {SCHEMA_VERSION} is",
            field=f"{_FIELD}.{_VERSION}",
        )
    return validate(Project, given, field=_FIELD)


def counts(project: Project) -> dict[str, int]:
    """How much there is of each kind."""
    return {
        "panels": len(project.panels),
        "circuits": sum(len(panel.circuits) for panel in project.panels),
        "feeders": len(project.feeders),
        "transformers": len(project.transformers),
        "motors": len(project.motors),
    }


def _parsed(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except RecursionError as error:
        raise InvalidArgument("data is nested too deeply", field=_FIELD) from error
    except ValueError as error:
        raise InvalidArgument(f"data is no JSON: {error}", field=_FIELD) from error
    if not isinstance(given, dict):
        raise InvalidArgument("data must be a project, as a JSON object", field=_FIELD)
    return given
