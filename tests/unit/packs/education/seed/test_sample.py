"""The sample's class: its size, the same each time, and correct answers where marked so."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from packs.education.blocks import Block, Key, key_problem
from packs.education.curriculum import Standard
from rollcall.store.seeding import read_seed
from seed.education import sample

TODAY = date(2026, 11, 23)
FOUND = sample.documents(today=TODAY)


def paths(prefix: str, depth: int) -> list[str]:
    return [path for path in FOUND if path.startswith(prefix) and path.count("/") == depth]


def test_there_are_two_courses_thirty_pupils_and_four_hundred_attempts() -> None:
    assert len(paths("courses/", 1)) == 2 and len(paths("attempts/", 1)) == 400
    assert len(paths("courses/math4/students/", 3)) == 30
    assert {FOUND[path]["uid"] for path in paths("attempts/", 1)} == {
        f"pupil-{number:02d}" for number in range(1, 31)
    }
    assert sample.documents(today=TODAY) == FOUND


def test_every_block_has_a_key_that_fits_and_computed_ones_say_how() -> None:
    blocks = [path for path in FOUND if "/blocks/" in path]
    assert len(blocks) == 62
    for path in blocks:
        block = Block.model_validate(FOUND[path])
        key = Key.model_validate(FOUND[path.replace("/blocks/", "/keys/")])
        assert key_problem(block, key) is None
        if block.kind == "numeric":
            left, _, right = (key.check or "").partition("*" if "*" in (key.check or "") else "+")
            parts = Fraction(left), Fraction(right)
            value = parts[0] * parts[1] if "*" in (key.check or "") else sum(parts)
            assert Fraction(key.value or "") == value


def test_no_pupils_name_stands_beside_an_answer() -> None:
    names = {FOUND[path]["name"] for path in paths("courses/math4/students/", 3)}
    assert len(names) == 30
    rest = str({path: data for path, data in FOUND.items() if "/students/" not in path})
    assert not [name for name in names if name in rest]


def test_every_standard_says_its_source_and_claims_no_more_than_it() -> None:
    file = read_seed(sample.STANDARDS_FILE)
    assert file.documents
    for data in file.documents.values():
        standard = Standard.read(data)
        assert standard.source.url and standard.source.page and standard.statement.he
        assert (standard.code, standard.hours, standard.bloom_levels) == (None, None, [])
