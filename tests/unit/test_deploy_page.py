"""docs/deploy.md says nothing of this code that is not so."""

from __future__ import annotations

import re
from pathlib import Path

from rollcall.commands.doctor.configuration import VARIABLES
from rollcall.core.triggers import OnSchedule
from tests.support.catalogs import catalog

PAGE = (Path(__file__).parents[2] / "docs/deploy.md").read_text(encoding="utf-8")
NUMBERS = {"six": 6, "seven": 7, "eight": 8}


def ids() -> set[str]:
    return {capability.id for capability in catalog.capabilities()}


def test_every_function_that_is_no_capability_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert catalog.function_triggers().keys() - ids() <= named


def test_there_are_as_many_functions_as_it_says() -> None:
    found = re.search(r"\((\d+) capabilities, (\w+) of\sthem on clients\) they are (\d+)", PAGE)
    assert found
    here = catalog.function_triggers().keys()
    assert int(found[1]) == len(ids())
    assert NUMBERS[found[2]] == len(ids() - here)
    assert int(found[3]) == len(here)


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
