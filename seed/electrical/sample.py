"""The sample's electrical projects, as the electrical pack takes them.

The file's documents are projects as `import_project` reads them, with `members` (roles by user
id) and `violations` beside: what was built wrong on purpose, each with its article and place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from packs.electrical.projects.documents import write_project
from packs.electrical.projects.records import Project, ProjectRole
from rollcall.store.seeding import SeedResult, read_seed

if TYPE_CHECKING:
    from rollcall.core.context import Platform
    from seed.screen import Screen

COLLECTIONS = frozenset({"projects"})
"""Collections whose files are written here, not by the plain loader."""

_FILE = Path(__file__).parent / "projects.json"
_BESIDE = frozenset({"members", "violations"})


class Sample(NamedTuple):
    """A project, who is in it, and what is wrong with it on purpose.

    `violations`: `{article, at, circuitNumber?, what}` each; `at` is the id of a panel or a
    transformer, or "service".
    """

    project: Project
    members: dict[str, ProjectRole]
    violations: list[dict[str, Any]]


def load(platform: Platform, screen: Screen) -> list[SeedResult]:
    """Write the projects with their panels and members."""
    done = [write_project(platform.db, sample.project, sample.members) for sample in projects()]
    new = sum(1 for each in done if each.anything)
    return [SeedResult("projects", "sample", new, len(done) - new)]


def projects() -> Iterator[Sample]:
    """All sample projects."""
    for id, data in read_seed(_FILE).documents.items():
        own = {key: value for key, value in data.items() if key not in _BESIDE}
        project = Project.model_validate({"id": id, **own})
        yield Sample(project, data["members"], data["violations"])
