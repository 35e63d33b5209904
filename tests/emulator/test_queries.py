"""Every query of the package has been made in these tests, and so has met the committed indexes.

Runs after the others: its name sorts behind their folders'.
"""

from __future__ import annotations

import pytest

from tests.support import queries


def test_every_function_that_builds_a_query_was_run(request: pytest.FixtureRequest) -> None:
    is_all = "tests/emulator" in request.config.args and not request.config.getoption("keyword")
    if not (is_all and queries.built):
        pytest.skip("only some of the tests were run")
    assert queries.builders() - queries.built == set()
