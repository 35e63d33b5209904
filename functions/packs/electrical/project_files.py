"""The capabilities `export_project` and `import_project`, for whole projects as JSON."""

from __future__ import annotations

import json
from typing import Annotated, Any

from packs.electrical.projects.access import open_project
from packs.electrical.projects.import_export import (
    Import,
    ProjectJson,
    exported,
    imported,
    panel_changes,
    prepare,
)
from packs.electrical.projects.records import RecordId
from packs.electrical.projects.wording import columns_named, counts, counts_in_words
from packs.electrical.results import table
from packs.electrical.wording import TEXTS
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.hidden import Hidden
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated, short

APPROVAL_CHARS = 150_000
"""Most characters of an import that needs approval, which is stored in the approval's document."""


class ProjectTransfer(Wire):
    """The export or import of a project, with the counts of its records."""

    done: str
    project_id: str
    name: str
    panels: int
    circuits: int
    feeders: int
    transformers: int
    motors: int


class ProjectExport(ProjectTransfer):
    """The result of export_project. `data` is the project in the form of import_project, for direct
    callers of the function and never for a model."""

    data: Annotated[dict[str, Any], Hidden()]


class ProjectImported(ProjectTransfer):
    """The result of import_project.

    Attributes:
        created: Whether the project is new; if not, an existing one was replaced.
    """

    created: bool


@capability(
    related=["import_project", "export_panel_schedule"],
)
def export_project(ctx: ToolContext, *, project_id: RecordId | None = None) -> ProjectExport:
    """Export a whole project as JSON, for a backup or to bring it in elsewhere.

    The file itself goes to the app, which asks for it by this function; what it holds is told.

    Args:
        project_id: The project; leave out for the one at hand.
    """
    project = open_project(ctx, project_id).project
    held = counts(project)
    done = TEXTS.say(
        ctx.locale,
        "projects.export.done",
        name=isolated(project.name),
        counts=counts_in_words(ctx.locale, held),
    )
    ctx.show(Display(type="text", text=done))
    return ProjectExport(
        done=done, project_id=project.id, name=project.name, data=exported(project), **held
    )


def _preview_import(ctx: ToolContext, *, data: dict[str, Any] | str) -> Preview:
    """Show the change of each panel."""
    if len(data if isinstance(data, str) else json.dumps(data)) > APPROVAL_CHARS:
        raise FailedPrecondition(
            TEXTS.text("errors.too_large_for_agent", chars=APPROVAL_CHARS),
            field="data",
            hint=TEXTS.text("hints.import_in_app"),
        )
    project_import = prepare(ctx, imported(data))
    try:
        before = project_import.before()
    except FailedPrecondition:  # the stored project is damaged, which the import repairs
        before = None
    columns = columns_named(ctx.locale, "panel", "circuits", "change")
    rows = [
        (
            isolated(panel.name),
            len(panel.circuits),
            TEXTS.say(ctx.locale, f"projects.import.changes.{change}"),
        )
        for change, panel in panel_changes(before, project_import.project)
    ]
    title = _in_words(ctx, project_import, "ask")
    text = counts_in_words(ctx.locale, counts(project_import.project))
    display = Display(type="confirmation", title=title, text=text, **table(columns, rows))
    return Preview(display)


def _in_words(ctx: ToolContext, project_import: Import, text: str) -> str:
    """Say a text of an import: that for a new project, or that for a replaced one."""
    kind = "replace" if project_import.replaces else "new"
    name = isolated(project_import.project.name)
    return TEXTS.say(ctx.locale, f"projects.import.{text}_{kind}", name=name)


def _summarize_import(given: dict[str, Any]) -> dict[str, str]:
    data = given["data"]
    name = short(str(data.get("name"))) if isinstance(data, dict) else ""
    summary = TEXTS.by_language("projects.import.summary", name=name)
    return {language: text.rstrip() for language, text in summary.items()}


def _undo_arguments(arguments: dict[str, Any], result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that delete a new project; a replacement cannot be undone."""
    return {"projectId": result["projectId"]} if result["created"] else None


@capability(
    related=["export_project", "delete_project"],
    effect="write",
    atomic=True,
    summary=_summarize_import,
    preview=_preview_import,
    undo=Undo("delete_project", _undo_arguments),
)
def import_project(ctx: ToolContext, *, data: ProjectJson) -> ProjectImported:
    """Bring in a whole project as JSON: a new one, or in place of one that the user owns.

    Use it only with a project that the user gave as JSON; change single circuits with add_circuit,
    update_circuit and remove_circuit. Everything is checked first, and a wrong value is named by
    its path. A project with the same id that the user owns is replaced with all its panels; who is
    in it stays. Anything else becomes a new project of the user's.

    Args:
        data: The project as export_project gives it: id, name, building, service, panels with
            their circuits, feeders, transformers, motors, grounding. An object, or the text of
            one, at most 3,000,000 characters.
    """
    project_import = prepare(ctx, imported(data))
    project_import.write(ctx)
    held = counts(project_import.project)
    done = _in_words(ctx, project_import, "done")
    return ProjectImported(
        done=f"{done}: {counts_in_words(ctx.locale, held)}".removesuffix(": "),
        project_id=project_import.project.id,
        name=project_import.project.name,
        created=not project_import.replaces,
        **held,
    )
