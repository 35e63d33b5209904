"""Vectors in 8-bit numbers."""

from __future__ import annotations

import math
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.core.eight_bits import eight_bits


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50).filter(lambda v: max(map(abs, v)) > 0.1))
def test_the_numbers_times_the_scale_have_length_1(vector: list[float]) -> None:
    scale, numbers = eight_bits(vector)
    assert math.isclose(scale * math.sqrt(sum(map(mul, numbers, numbers))), 1, rel_tol=1e-9)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_a_vector_that_has_no_direction_has_no_scale(vector: list[float]) -> None:
    assert eight_bits(vector)[0] == 0
