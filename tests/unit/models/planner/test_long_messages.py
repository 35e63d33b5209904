"""The offline planner and the longest messages: work grows as the text does."""

import time
from itertools import pairwise

import pytest

from rollcall.core.text import sentences
from rollcall.models.planner.mentions import read_message
from tests.support.full_form import amount, cases
from tests.unit.models.planner.kit import ELECTRICAL, MESSAGING, ask

LONGEST = 32_000
UNITS = (
    *(" ", "\t", "\n", "a ", "Aa ", "א ", "ושוב ", "1 ", "1,", "1.", "5 K ", "-", "a-", "a1-", "“"),
    *('" ', "'a ", ". ", "a.", "a, ", "; ", "@", "a@", "a/", "I ", "five ", "that ", "know "),
)
# A word of Hebrew and an address; the hyphens that words are cut at.
SOME_GROW = cases(UNITS, 6, 22)
SOME_ARE_LONGEST = cases(UNITS, 13)


def cpu_s(text: str, turn: int) -> float:
    """CPU that the planner takes for a text."""
    start = time.process_time()
    ask(f"Send {turn} {text} x", MESSAGING)
    return time.process_time() - start


def grows_too_fast(unit: str, turn: int) -> bool:
    short, long = (cpu_s((unit * size)[:size], turn) for size in (4_000, 16_000))
    return long >= 8 * max(short, 0.05)  # what is very short is measured badly


@pytest.mark.long
@pytest.mark.parametrize("unit", SOME_GROW)
def test_four_times_the_text_is_not_sixteen_times_the_work(unit: str) -> None:
    # Measured again where it seems so: others may have had the machine's caches.
    assert not all(grows_too_fast(unit, turn) for turn in range(4))


@pytest.mark.long
@pytest.mark.parametrize("unit", SOME_ARE_LONGEST)
def test_the_longest_message_of_anything_is_answered(unit: str) -> None:
    text = (unit * LONGEST)[: LONGEST - 2] + " x"
    assert ask(text, ELECTRICAL).history
    assert sentences(text)


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_a_text_mentions_some_hundreds_of_things_at_most(unit: str) -> None:
    size = amount(8_000, full=LONGEST)
    found = read_message((unit * size)[:size]).mentions
    assert len(found) <= 400
    assert all(one.end <= other.start for one, other in pairwise(found))
