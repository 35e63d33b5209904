"""docs/deploy.md says nothing of this code that is not so. Its tables of variables and functions
are made of the code (`dev/doc_tables.py`)."""

from __future__ import annotations

import re
from pathlib import Path

from rollcall.catalog import Catalog
from rollcall.commands.doctor.configuration import VARIABLES
from rollcall.core.triggers import OnCall, OnTask
from tests.support.catalogs import catalog

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "deploy.md").read_text(encoding="utf-8")
PLATFORM = Catalog(catalog.folder, packages=()).function_triggers()
"""The functions that an app without packs has."""


def test_every_function_that_is_no_capability_is_named_here_or_in_its_packs_page() -> None:
    ids = {capability.id for capability in catalog.capabilities()}
    packs = {function.__module__.split(".")[1] for function in catalog.functions().values()}
    pages = [path for pack in packs if (path := DOCS / f"{pack}.md").exists()]
    text = PAGE + "".join(page.read_text(encoding="utf-8") for page in pages)
    assert catalog.function_triggers().keys() - ids <= set(re.findall(r"`(\w+)`", text))
    assert PLATFORM.keys() <= set(re.findall(r"^\|`(\w+)`\|", PAGE, re.MULTILINE))


def test_a_capability_has_the_time_limit_that_it_says() -> None:
    found = re.search(r"each server capability, with a time limit of (\d+) s", PAGE)
    assert found
    assert OnCall().timeout_s == int(found[1])


def test_every_variable_of_ours_is_named() -> None:
    assert set(re.findall(r"[A-Z_]{5,}", PAGE)) >= VARIABLES.keys()


def test_queues_try_and_share_as_it_says() -> None:
    text = " ".join(PAGE.split())
    assert "A queue task is tried five times; `continuerun` runs 50 tasks at once" in text
    assert "`indexdocument` 5, each in an instance of its own" in text
    tasks = {name: each for name, each in PLATFORM.items() if isinstance(each, OnTask)}
    assert {each.max_attempts for each in tasks.values()} == {5}
    assert tasks["continuerun"].max_concurrent == 50
    assert (tasks["indexdocument"].max_concurrent, tasks["indexdocument"].alone) == (5, True)
