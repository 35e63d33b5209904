"""A turn's numbered sources."""

from __future__ import annotations

import pytest

from rollcall.agent.turn import MAX_CITATIONS, Sources
from rollcall.core.wire import Citation


def citation(id: str) -> Citation:
    return Citation(type="message", title=f"Launch · {id}", message_id=id)


def test_the_same_source_keeps_its_number() -> None:
    sources = Sources()
    assert [c.n for c in sources.number([citation("m1"), citation("m2")])] == [1, 2]
    assert [c.n for c in sources.number([citation("m2"), citation("m3")])] == [2, 3]


def test_sources_of_an_earlier_run_keep_their_numbers() -> None:
    sources = Sources([citation("m1").model_copy(update={"n": 3})])
    assert [c.n for c in sources.number([citation("m2"), citation("m1")])] == [4, 3]


def test_sources_are_bounded() -> None:
    sources = Sources()
    assert len(sources.number([citation(f"m{n}") for n in range(500)])) == MAX_CITATIONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So it was said [2].", [2]),
        ("Both [1, 3] say so.", [1, 3]),
        ("Nobody is named.", [1, 2, 3]),
        ("An array[9] is no mark.", [1, 2, 3]),
    ],
)
def test_the_answers_marks_choose_the_sources_that_are_listed(
    text: str, expected: list[int]
) -> None:
    sources = Sources()
    sources.number([citation("m1"), citation("m2"), citation("m3")])
    assert [c.n for c in sources.referred_to(text)] == expected


def test_notes_are_listed_only_where_an_answer_refers_to_them_or_a_result_names_them() -> None:
    notes = [citation(f"n{n}").model_copy(update={"n": n}) for n in (1, 2)]
    sources = Sources(notes=notes)
    assert sources.referred_to("I have no tool for this.") == []
    assert sources.referred_to("By the code [2].") == [notes[1]]
    sources.number([citation("n1"), citation("m1")])
    assert [c.n for c in sources.referred_to("Nobody is named.")] == [1, 3]
