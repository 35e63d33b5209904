"""Projects taken out and brought in, as JSON."""

from __future__ import annotations

import json
from typing import Annotated, Any

from packs.electrical.projects.access import open_project
from packs.electrical.projects.importing import Change, Import, panel_changes, prepare
from packs.electrical.projects.records import Project, RecordId
from packs.electrical.projects.transfer import ProjectJson, counts, exported, imported
from packs.electrical.projects.wording import counts_in_words
from packs.electrical.results import Words
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.hidden import Hidden
from rollcall.core.shapes import Display, Wire
from rollcall.core.wording import isolated, say, short

ASKED_CHARS = 150_000
"""What is asked about is kept with its approval, in one document."""

_CHANGES: dict[Change, Words] = {
    "new": Words("new", "חדש"),
    "changed": Words("replaced", "מוחלף"),
    "removed": Words("removed", "נמחק"),
    "same": Words("as it was", "ללא שינוי"),
}
_PANEL = Words("Panel", "לוח")
_CIRCUITS = Words("Circuits", "מעגלים")
_CHANGE = Words("Change", "שינוי")


class ProjectExport(Wire):
    """What export_project returns. `data` is the project as import_project takes it; only who
    calls the function itself is given it, a model is not."""

    done: str
    project_id: str
    name: str
    panels: int
    circuits: int
    feeders: int
    transformers: int
    motors: int
    data: Annotated[dict[str, Any], Hidden()]


class ProjectImported(Wire):
    """What import_project returns.

    Attributes:
        created: Whether it is a new project; if not, one was replaced.
    """

    done: str
    project_id: str
    name: str
    created: bool
    panels: int
    circuits: int
    feeders: int
    transformers: int
    motors: int


@capability(
    category="electrical",
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
    done = say(
        ctx.locale,
        en="The export of {name} is ready: {held}",
        he="הייצוא של {name} מוכן: {held}",
        name=isolated(project.name),
        held=counts_in_words(ctx.locale, held),
    )
    ctx.show(Display(type="text", text=done))
    return ProjectExport(
        done=done, project_id=project.id, name=project.name, data=exported(project), **held
    )


def _preview_import(ctx: ToolContext, *, data: dict[str, Any] | str) -> Preview:
    """What there would be, panel by panel, and what would go."""
    if len(data if isinstance(data, str) else json.dumps(data)) > ASKED_CHARS:
        raise FailedPrecondition(
            f"a project of more than {ASKED_CHARS:,} characters is not imported through an agent",
            field="data",
            hint="let the app call import_project itself",
        )
    asked = prepare(ctx, imported(data))
    columns = [words.say(ctx.locale) for words in (_PANEL, _CIRCUITS, _CHANGE)]
    rows = [
        dict(
            zip(
                columns,
                (isolated(panel.name), len(panel.circuits), _CHANGES[change].say(ctx.locale)),
                strict=True,
            )
        )
        for change, panel in panel_changes(_before(asked), asked.project)
    ]
    title = _in_words(
        ctx,
        asked,
        en=("Import {name}?", "Replace {name}?"),
        he=("לייבא את {name}?", "להחליף את {name}?"),
    )
    text = counts_in_words(ctx.locale, counts(asked.project))
    return Preview(Display(type="confirmation", title=title, text=text, columns=columns, rows=rows))


def _before(asked: Import) -> Project | None:
    """What would be replaced; None also where it is damaged, which an import mends."""
    try:
        return asked.before()
    except FailedPrecondition:
        return None


def _in_words(ctx: ToolContext, asked: Import, *, en: tuple[str, str], he: tuple[str, str]) -> str:
    """The first of two sentences for a new project, the second for one that is replaced."""
    place = int(asked.replaces)
    name = isolated(asked.project.name)
    return say(ctx.locale, en=en[place], he=he[place], name=name)


def _summarize_import(given: dict[str, Any]) -> dict[str, str]:
    data = given["data"]
    name = short(str(data.get("name"))) if isinstance(data, dict) else ""
    return {
        "en": f"Import the project {name}".rstrip(),
        "he": f"לייבא את הפרויקט {name}".rstrip(),
    }


def _take_back(given: dict[str, Any], result: dict[str, Any]) -> dict[str, Any] | None:
    """A new project can be deleted; what was replaced is gone."""
    return {"projectId": result["projectId"]} if result["created"] else None


@capability(
    category="electrical",
    related=["export_project", "delete_project"],
    effect="write",
    atomic=True,
    summary=_summarize_import,
    preview=_preview_import,
    undo=Undo("delete_project", _take_back),
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
    asked = prepare(ctx, imported(data))
    asked.write(ctx)
    held = counts(asked.project)
    done = _in_words(
        ctx,
        asked,
        en=("Imported {name}", "Replaced {name}"),
        he=("הפרויקט {name} יובא", "הפרויקט {name} הוחלף"),
    )
    return ProjectImported(
        done=f"{done}: {counts_in_words(ctx.locale, held)}".removesuffix(": "),
        project_id=asked.project.id,
        name=asked.project.name,
        created=not asked.replaces,
        **held,
    )
