"""docs/deploy.md says nothing of this code that is not so."""

from __future__ import annotations

import re
from pathlib import Path

from rollcall.catalog import Catalog
from rollcall.commands.doctor.configuration import VARIABLES
from rollcall.core.triggers import OnSchedule
from tests.support.catalogs import catalog

PAGE = (Path(__file__).parents[2] / "docs/deploy.md").read_text(encoding="utf-8")
NUMBERS = {"seven": 7, "eight": 8, "twenty-seven": 27, "twenty-eight": 28}
PLATFORM = Catalog(catalog.folder, packages=()).function_triggers()
"""The functions that an app without packs has."""


def ids() -> set[str]:
    return {capability.id for capability in catalog.capabilities()}


def test_every_function_that_is_no_capability_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert catalog.function_triggers().keys() - ids() <= named


def test_the_platform_has_as_many_functions_as_it_says() -> None:
    found = re.search(r"each server capability, (\S+) of the platform", PAGE)
    assert found
    assert NUMBERS[found[1]] == len(PLATFORM)


def test_there_are_as_many_jobs_of_the_clock_as_it_says() -> None:
    jobs = [each for each in catalog.function_triggers().values() if isinstance(each, OnSchedule)]
    found = re.search(r"the clock's jobs, (\w+) ", PAGE)
    assert found and NUMBERS[found[1]] == len(jobs)


def test_every_variable_of_ours_is_named() -> None:
    assert set(re.findall(r"[A-Z_]{5,}", PAGE)) >= VARIABLES


def test_each_time_limit_is_the_functions_own() -> None:
    table = PAGE.split("| time limit | |")[1].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        _, names, limit, _ = line.split("|")
        seconds = int(re.sub(r"\D", "", limit.split(" s")[0]))
        for name in re.findall(r"`(\w+)`", names):
            assert catalog.function_triggers()[name].timeout_s == seconds, name  # type: ignore[attr-defined]
