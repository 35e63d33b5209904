"""Export and import of projects as JSON, and the id that an imported project gets."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from packs.electrical.projects.access import (
    MAX_LISTED,
    PROJECTS,
    StoredProject,
    check_role,
    count_of,
    with_panels,
)
from packs.electrical.projects.documents import Members, put_project
from packs.electrical.projects.records import SCHEMA_VERSION, Panel, Project
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.context import ToolContext
from rollcall.core.errors import ResourceExhausted
from rollcall.core.inputs import check_json, validate

TEXT_CHARS = 3_000_000
MAX_VALUES = 200_000
"""More than the largest project has: 100 panels of 84 circuits, each with all its fields."""

ProjectJson = dict[str, Any] | Annotated[str, Field(min_length=2, max_length=TEXT_CHARS)]
"""A project as an object, or as the text of one."""

_FIELD = "data"
_VERSION = "schemaVersion"


def exported(project: Project) -> dict[str, Any]:
    """Return a project as plain JSON, without unknown and default values except the edition, which
    is the code that the project was made by."""
    fields = project.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {_VERSION: SCHEMA_VERSION, "edition": project.edition, **fields}


def imported(data: dict[str, Any] | str) -> Project:
    """Read a project from JSON that somebody wrote or exported.

    Raises:
        InvalidArgument: It is not a project; `field` is the path of the error, such as
            `data.panels.2.circuits.5.breakerAmps`.
    """
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except RecursionError as error:
            raise invalid(_FIELD, "nested_too_deeply") from error
        except ValueError as error:
            raise invalid(_FIELD, "not_json", error=error) from error
    if not isinstance(data, dict):
        raise invalid(_FIELD, "not_a_project")
    check_json(data, field=_FIELD, most=MAX_VALUES)
    fields = dict(data)
    version = fields.pop(_VERSION, SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise invalid(
            f"{_FIELD}.{_VERSION}",
            "unknown_version",
            field=_FIELD,
            name=_VERSION,
            version=version,
            known=SCHEMA_VERSION,
        )
    return validate(Project, fields, field=_FIELD)


_BASE_CHARS = 50


class Import(Struct, frozen=True):
    """A project with its final id, and the documents that are stored under that id."""

    project: Project
    stored: StoredProject

    @property
    def replaces(self) -> bool:
        return self.stored.project.exists

    @property
    def members(self) -> Members:
        """The members of the project that it replaces."""
        members: Members = self.stored.data.get("members", {})
        return members

    def before(self) -> Project | None:
        """Return the project that it replaces.

        Raises:
            FailedPrecondition: The stored project is not valid.
        """
        if not self.replaces:
            return None
        return self.stored.read()

    def write(self, ctx: ToolContext) -> None:
        """Add it to the call's batch; the user owns a new project."""
        own: Members = {ctx.user.uid: "owner"}
        put_project(ctx.batch, self.stored, self.project, self.members or own)


def prepare(ctx: ToolContext, project: Project) -> Import:
    """Return the import of a project for this user: into the project with its id, if the user is a
    member; otherwise into a project of the user's own, whose id is derived from both ids.

    So a user can neither find out nor take an id that others use, and a repeated import makes no
    second project.

    Raises:
        PermissionDenied: The user is in that project, but is not its owner.
        ResourceExhausted: The user has as many projects as allowed.
    """
    collection = ctx.db.collection(PROJECTS)
    named = collection.document(project.id).get()
    data = named.to_dict() or {}
    # A stranger causes one read, not one for each panel.
    if ctx.user.uid in data.get("members", {}):
        check_role(ctx, project.id, data, "owner")
        return Import(project, with_panels(named))
    id = own_id(project.id, ctx.user.uid)
    own = collection.document(id).get()
    if own.exists:
        check_role(ctx, id, own.to_dict(), "owner")
    elif (count := count_of(ctx, ctx.user.uid)) >= MAX_LISTED:
        raise ResourceExhausted(
            TEXTS.text("errors.too_many_projects", count=count, most=MAX_LISTED),
            hint=TEXTS.text("hints.leave_a_project"),
        )
    return Import(project.model_copy(update={"id": id}), with_panels(own))


def own_id(id: str, uid: str) -> str:
    """Return the id of a user's own project that was imported as `id`."""
    return f"{id[:_BASE_CHARS]}-{sha256(f'{uid}/{id}'.encode()).hexdigest()[:8]}"


Change = Literal["new", "changed", "removed", "same"]


def panel_changes(before: Project | None, after: Project) -> list[tuple[Change, Panel]]:
    """Return the change of each panel."""
    known = {panel.id: panel for panel in before.panels} if before else {}
    changes: list[tuple[Change, Panel]] = []
    for panel in after.panels:
        old = known.pop(panel.id, None)
        changes.append(("new" if old is None else "same" if old == panel else "changed", panel))
    return [*changes, *(("removed", panel) for panel in known.values())]
