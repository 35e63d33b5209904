"""The capabilities `share_project` and `delete_project`, for the owners of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from packs.electrical.projects.access import (
    PROJECTS,
    StoredProject,
    check_role,
    checked_id,
    count_of,
    resolve_project_id,
    with_panels,
)
from packs.electrical.projects.documents import membership, remove_project, unchanged
from packs.electrical.projects.records import ProjectRole, RecordId
from packs.electrical.wording import TEXTS
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound, ResourceExhausted
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated, short

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot

MAX_MEMBERS = 100
MAX_BY_SHARING = 100
"""A user in this many projects cannot be added to another, but can still create projects."""

UserId = Annotated[str, Field(min_length=1, max_length=128)]
NewRole = Literal["owner", "member", "viewer", "none"]


class ProjectShared(Wire):
    """The result of share_project. The role "none" means not in the project; `is_own` is true where
    users changed their own role. It does not name the user: it is stored with the inviter's data,
    where an erasure of the other user's data would not find it."""

    done: str
    project_id: str
    name: str
    role: NewRole
    previous_role: NewRole
    is_own: bool


class ProjectDeleted(Wire):
    """The result of delete_project."""

    done: str
    project_id: str
    name: str
    panels: int


class _Sharing(Struct, frozen=True):
    """A change of one user's role; `members` are the roles of all members after it."""

    id: str
    snapshot: DocumentSnapshot[Any]
    members: dict[str, ProjectRole]
    previous: NewRole

    @property
    def name(self) -> str:
        return str((self.snapshot.to_dict() or {}).get("name") or self.id)


def _sharing(ctx: ToolContext, project_id: str | None, user_id: str, role: NewRole) -> _Sharing:
    """Return the change of role, if this user may make it.

    Raises:
        PermissionDenied: The user is no owner, and does not leave the project themselves.
        FailedPrecondition: It changes nothing, or no owner would be left.
        NotFound: There is no such user.
    """
    id = resolve_project_id(ctx, project_id)
    snapshot = ctx.db.collection(PROJECTS).document(id).get()
    data = snapshot.to_dict() or {}
    leaves = user_id == ctx.user.uid and role == "none"
    check_role(ctx, id, data, "viewer" if leaves else "owner")
    members: dict[str, ProjectRole] = dict(data["members"])
    previous: NewRole = members.pop(user_id, "none")
    if role != "none":
        members[user_id] = role
    if role == previous:
        key = "errors.has_no_role" if role == "none" else "errors.has_role"
        message = TEXTS.text(key, role=TEXTS.text(f"projects.roles.{role}"))
        raise FailedPrecondition(message, field="role")
    if "owner" not in members.values():
        raise FailedPrecondition(
            TEXTS.text("errors.last_owner"),
            field="role",
            hint=TEXTS.text("hints.another_owner_first"),
        )
    if len(members) > MAX_MEMBERS:
        raise ResourceExhausted(
            TEXTS.text("errors.too_many_members", most=MAX_MEMBERS), field="userId"
        )
    if previous == "none":  # a new member is not asked, and needs room for projects of their own
        user = None
        if "/" not in user_id and ctx.platform is not None:
            user = ctx.platform.find_user(user_id)
        if user is None:
            raise NotFound(TEXTS.text("errors.no_such_user"), field="userId")
        if count_of(ctx, user_id) >= MAX_BY_SHARING:
            raise ResourceExhausted(
                TEXTS.text("errors.user_in_most_projects"),
                field="userId",
                hint=TEXTS.text("hints.they_can_leave"),
            )
    return _Sharing(id, snapshot, members, previous)


def _role(ctx: ToolContext, role: NewRole) -> str:
    return TEXTS.say(ctx.locale, f"projects.roles.{role}")


def _preview_share(
    ctx: ToolContext, *, user_id: str, role: NewRole, project_id: str | None
) -> Preview:
    change = _sharing(ctx, project_id, user_id, role)
    title = TEXTS.say(ctx.locale, "projects.share.ask", name=isolated(change.name))
    text = TEXTS.say(
        ctx.locale,
        "projects.share.change",
        user=isolated(user_id),
        before=_role(ctx, change.previous),
        after=_role(ctx, role),
    )
    arguments = {"userId": user_id, "role": role, "projectId": change.id}
    summary = TEXTS.say(
        ctx.locale,
        f"projects.share.summary.{role}",
        user=short(user_id),
        project=short(change.name),
    )
    display = Display(type="confirmation", title=title, text=text)
    return Preview(display, arguments=arguments, summary=summary, shows=tuple(arguments))


def _summarize_share(given: dict[str, Any]) -> dict[str, str]:
    user, role = short(str(given["userId"])), given["role"]
    project = short(str(given.get("projectId") or "")) if given.get("projectId") else ""
    summary = TEXTS.by_language(f"projects.share.summary.{role}", user=user, project=project)
    return {language: text.strip() for language, text in summary.items()}


def _undo_share(given: dict[str, Any], result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that restore the role. A user who changed their own role is no longer an
    owner and cannot undo it."""
    if result["isOwn"]:
        return None
    return {**given, "projectId": result["projectId"], "role": result["previousRole"]}


@capability(
    related=["list_projects", "delete_project"],
    effect="write",
    atomic=True,
    summary=_summarize_share,
    preview=_preview_share,
    undo=Undo("share_project", _undo_share),
)
def share_project(
    ctx: ToolContext, *, user_id: UserId, role: NewRole, project_id: RecordId | None = None
) -> ProjectShared:
    """Give somebody a role in a project, change it, or take them out of it.

    Owners may; everybody may leave. Viewers read, members also change circuits, owners also share,
    replace and delete. The last owner stays.

    Args:
        user_id: The id of their account, such as "dan".
        role: Their role from now on; "none" takes them out.
        project_id: The project; leave out for the one at hand.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    change = _sharing(ctx, project_id, user_id, role)
    changes = {**membership(change.members), "updatedAt": SERVER_TIMESTAMP}
    ctx.batch.update(change.snapshot.reference, changes, option=unchanged(change.snapshot))
    done = TEXTS.say(
        ctx.locale,
        "projects.share.done",
        name=isolated(change.name),
        role=_role(ctx, role),
    )
    return ProjectShared(
        done=done,
        project_id=change.id,
        name=change.name,
        role=role,
        previous_role=change.previous,
        is_own=user_id == ctx.user.uid,
    )


def _deletable_project(ctx: ToolContext, project_id: str) -> StoredProject:
    """Return the stored project, if the user owns it."""
    found = with_panels(ctx.db.collection(PROJECTS).document(checked_id(project_id)).get())
    check_role(ctx, project_id, found.data, "owner")
    return found


def _preview_delete(ctx: ToolContext, *, project_id: str) -> Preview:
    found = _deletable_project(ctx, project_id)
    title = TEXTS.say(ctx.locale, "projects.delete.ask", name=isolated(_name(found, project_id)))
    text = TEXTS.say(
        ctx.locale,
        "projects.delete.text",
        people=len(found.data["members"]),
        panels=len(found.panels),
    )
    summary = TEXTS.say(
        ctx.locale, "projects.delete.summary", project=short(_name(found, project_id))
    )
    display = Display(type="confirmation", title=title, text=text)
    return Preview(display, summary=summary, shows=("projectId",))


def _name(found: StoredProject, id: str) -> str:
    return str(found.data.get("name") or id)


@capability(
    related=["export_project", "import_project"],
    effect="write",
    atomic=True,
    summary=lambda given: TEXTS.by_language(
        "projects.delete.summary", project=short(str(given["projectId"]))
    ),
    preview=_preview_delete,
)
def delete_project(ctx: ToolContext, *, project_id: RecordId) -> ProjectDeleted:
    """Delete a project that the user owns, with all its panels and circuits, for everybody.

    Use it only where the user asks for a whole project to be deleted. It cannot be taken back.

    Args:
        project_id: The project; its id comes from list_projects.
    """
    found = _deletable_project(ctx, project_id)
    remove_project(ctx.batch, found)
    name = _name(found, project_id)
    return ProjectDeleted(
        done=TEXTS.say(ctx.locale, "projects.delete.done", name=isolated(name)),
        project_id=project_id,
        name=name,
        panels=len(found.panels),
    )
