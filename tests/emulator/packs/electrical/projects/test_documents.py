"""How projects are stored in Firestore."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition
from google.cloud.firestore import Client

from packs.electrical.projects.access import open_project, with_panels
from packs.electrical.projects.documents import put_project, remove_project, write_project
from packs.electrical.projects.records import Project
from rollcall.core.context import ToolContext
from seed.electrical.sample import projects

SAMPLES = {sample.project.id: sample.project for sample in projects()}
HOUSE = SAMPLES["house"]
OWNER: dict[str, Any] = {"demo": "owner"}
AtWork = Callable[..., ToolContext]


def in_order(project: Project) -> Project:
    """As it is read: the panels by id."""
    return project.model_copy(
        update={"panels": tuple(sorted(project.panels, key=lambda panel: panel.id))}
    )


def panels(db: Client, id: str) -> set[str]:
    return {each.id for each in db.collection(f"projects/{id}/panels").stream()}


@pytest.mark.parametrize("id", SAMPLES)
def test_what_is_written_is_read(sample_projects: Client, at_work: AtWork, id: str) -> None:
    opened = open_project(at_work(), id)
    assert opened.project == in_order(SAMPLES[id])


def test_writing_twice_writes_once(db: Client) -> None:
    first = write_project(db, HOUSE, OWNER)
    before = db.document("projects/house").get()
    second = write_project(db, HOUSE, OWNER)
    assert (first.put, first.removed) == (3, 0)
    assert (second.put, second.removed, second.unchanged) == (0, 0, 3)
    assert db.document("projects/house").get().update_time == before.update_time


def test_one_changed_panel_is_one_panel_written_and_the_project_marked(db: Client) -> None:
    write_project(db, HOUSE, OWNER)
    garage = HOUSE.panels[1].model_copy(update={"circuits": HOUSE.panels[1].circuits[:2]})
    done = write_project(db, HOUSE.model_copy(update={"panels": (HOUSE.panels[0], garage)}), OWNER)
    assert (done.put, done.unchanged) == (2, 1)
    kept = db.document("projects/house/panels/garage").get().to_dict() or {}
    assert len(kept["circuits"]) == 2


def test_panels_and_fields_that_are_gone_go(db: Client) -> None:
    write_project(db, HOUSE, OWNER)
    main = HOUSE.panels[0].model_copy(update={"location": None})
    write_project(db, HOUSE.model_copy(update={"panels": (main,), "feeders": ()}), OWNER)
    assert panels(db, "house") == {"main"}
    assert "location" not in (db.document("projects/house/panels/main").get().to_dict() or {})


def test_a_project_that_somebody_changed_meanwhile_is_not_written_over(db: Client) -> None:
    write_project(db, HOUSE, OWNER)
    stored = with_panels(db.document("projects/house").get())
    db.document("projects/house/panels/main").update({"circuits": []})
    batch = db.batch()
    changed = HOUSE.panels[0].model_copy(update={"aic_rating": 22_000})
    put_project(batch, stored, HOUSE.model_copy(update={"panels": (changed,)}), OWNER)
    with pytest.raises(FailedPrecondition):
        batch.commit()
    assert panels(db, "house") == {"main", "garage"}


def test_a_reader_sees_the_panels_of_the_moment_that_the_project_was_read(db: Client) -> None:
    write_project(db, HOUSE, OWNER)
    stored = with_panels(db.document("projects/house").get())
    write_project(db, HOUSE.model_copy(update={"panels": (), "feeders": ()}), OWNER)
    panels = stored.project.reference.collection("panels")
    at_that_moment = {each.id for each in panels.stream(read_time=stored.project.read_time)}
    assert at_that_moment == set(stored.panels) == {"main", "garage"}


def test_removing_a_project_leaves_nothing_of_it(db: Client) -> None:
    write_project(db, HOUSE, OWNER)
    batch = db.batch()
    remove_project(batch, with_panels(db.document("projects/house").get()))
    batch.commit()
    assert not db.document("projects/house").get().exists
    assert panels(db, "house") == set()
