"""Access to projects: a user's role is checked before a project is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from packs.electrical.projects.records import Panel, Project, ProjectRole
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.inputs import reason_of
from rollcall.core.shapes import ID
from rollcall.core.texts import isolated

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot

PROJECTS = "projects"
PANELS = "panels"
MAX_LISTED = 200
STORED = (
    "name", "edition", "building", "service", "feeders", "transformers", "motors", "grounding",
)  # fmt: skip
"""The project's fields in its own document, which has members and times too."""
PANEL_FIELDS = frozenset(field.alias or name for name, field in Panel.model_fields.items())
_FIELD = "projectId"
_RANK: dict[str, int] = {"viewer": 0, "member": 1, "owner": 2}


class StoredProject(Struct, frozen=True):
    """A project's documents as read; `panels` by id. A new project has none."""

    project: DocumentSnapshot[Any]
    panels: dict[str, DocumentSnapshot[Any]]

    @property
    def data(self) -> dict[str, Any]:
        """The project's own document."""
        return self.project.to_dict() or {}

    def read(self) -> Project:
        """Read the project.

        Raises:
            FailedPrecondition: It is not valid; the message says where.
        """
        from pydantic import ValidationError

        own = self.data
        fields = {name: own[name] for name in STORED if name in own}
        records = []
        for panel in self.panels.values():
            data = panel.to_dict() or {}
            records.append({key: value for key, value in data.items() if key in PANEL_FIELDS})
        records.sort(key=lambda panel: str(panel.get("id")))
        id = self.project.id
        try:
            return Project.model_validate({**fields, "id": id, "panels": records})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "project"
            raise FailedPrecondition(
                TEXTS.text("errors.project_not_valid", id=id, where=where, what=reason_of(first)),
                field=_FIELD,
                hint=TEXTS.text("hints.import_again"),
            ) from error


class OpenProject(Struct, frozen=True):
    """A project as one user sees it.

    Attributes:
        role: The user's role in it.
        stored: Its documents, for writes that fail if they have changed.
    """

    project: Project
    role: ProjectRole
    stored: StoredProject


def open_project(
    ctx: ToolContext, project_id: str | None = None, *, role: ProjectRole = "viewer"
) -> OpenProject:
    """Read a project and its panels, each a document, as of one moment.

    It is the project of the argument, of the client (`context.projectId`), or the user's only one.

    Args:
        role: The lowest role in the project that is enough.

    Raises:
        InvalidArgument: No project is named and the user has several, or none.
        PermissionDenied: The project is not the user's or does not exist, where the error does not
            say which; or the user's role in it is too low.
    """
    id = resolve_project_id(ctx, project_id)
    document = ctx.db.collection(PROJECTS).document(id).get()
    users_role = check_role(ctx, id, document.to_dict(), role)
    stored = with_panels(document)
    return OpenProject(stored.read(), users_role, stored)


def with_panels(project: DocumentSnapshot[Any]) -> StoredProject:
    """Read the panels of a project as of the moment when its own document was read."""
    panels = project.reference.collection(PANELS).stream(read_time=project.read_time)
    return StoredProject(project, {panel.id: panel for panel in panels})


def check_role(
    ctx: ToolContext, id: str, data: dict[str, Any] | None, needed: ProjectRole
) -> ProjectRole:
    """Return the user's role in a project whose document is `data`.

    Raises:
        PermissionDenied: The user has no role, or a role below `needed`.
    """
    members = (data or {}).get("members")
    held = members.get(ctx.user.uid) if isinstance(members, dict) else None
    if held not in _RANK:
        raise PermissionDenied(
            TEXTS.text("errors.not_in_project", id=id),
            field=_FIELD,
            hint=TEXTS.text("hints.list_projects"),
        )
    if _RANK[held] < _RANK[needed]:
        raise PermissionDenied(
            TEXTS.text(
                "errors.needs_role",
                needed=TEXTS.text(f"projects.roles.{needed}"),
                held=TEXTS.text(f"projects.roles.{held}"),
            ),
            field=_FIELD,
            hint=TEXTS.text("hints.ask_owner"),
        )
    role: ProjectRole = held
    return role


def of_user(ctx: ToolContext) -> list[DocumentSnapshot[Any]]:
    """Return the documents of the user's projects, at most `MAX_LISTED`."""
    from google.cloud.firestore import FieldFilter

    mine = FieldFilter("memberIds", "array_contains", ctx.user.uid)
    query = ctx.db.collection(PROJECTS).where(filter=mine).limit(MAX_LISTED)
    return list(query.stream())


def count_of(ctx: ToolContext, uid: str) -> int:
    """Count the projects that a user is in."""
    from google.cloud.firestore import FieldFilter

    theirs = FieldFilter("memberIds", "array_contains", uid)
    query: Any = ctx.db.collection(PROJECTS).where(filter=theirs)
    [[found]] = query.count().get()
    return int(found.value)


def resolve_project_id(ctx: ToolContext, project_id: str | None) -> str:
    """Return the id of the project that a call is about; access is not checked here.

    Raises:
        InvalidArgument: No project is named and the user has several, or none.
    """
    if project_id is not None:
        return checked_id(project_id)
    from_client = ctx.context.get("projectId")
    if from_client is not None:
        if not isinstance(from_client, str):
            raise InvalidArgument("context.projectId must be a text", field="context.projectId")
        return checked_id(from_client)
    mine = of_user(ctx)
    if len(mine) == 1:
        return mine[0].id
    if not mine:
        raise InvalidArgument(
            TEXTS.text("errors.no_project"), field=_FIELD, hint=TEXTS.text("hints.import_one")
        )
    names = ", ".join(
        f"{(each.to_dict() or {}).get('name', each.id)} ({each.id})" for each in mine[:10]
    )
    raise invalid(_FIELD, "which_project", names=isolated(names))


def checked_id(id: str) -> str:
    """Return the id, if it is well formed.

    Raises:
        InvalidArgument: It is not well formed.
    """
    if not ID.fullmatch(id):
        raise InvalidArgument(
            f"{id[:80]!r} is no project's id: letters, digits, - and _, at most 64", field=_FIELD
        )
    return id
