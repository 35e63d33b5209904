"""What `make setup` says."""

from __future__ import annotations

import pytest

from dev import setup


def test_a_step_that_installs_says_how_long_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([0.0, 41.6, 50.0, 60.0])
    steps = (("Python packages", lambda: True), ("Java", lambda: False))
    setup.install(steps, clock=lambda: next(clock))
    assert capsys.readouterr().out == "1 of 2: Python packages, 42 s.\n"


def test_a_set_up_that_lacks_nothing_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    setup.install((("Python packages", lambda: False),))
    assert capsys.readouterr().out == ""


def test_a_step_that_fails_ends_the_set_up() -> None:
    def fail() -> bool:
        raise setup.problem.Problem("pip says why above")

    with pytest.raises(setup.problem.Problem, match="pip says why"):
        setup.install((("Python packages", fail), ("Java", pytest.fail)))
