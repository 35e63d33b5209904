from __future__ import annotations

import pytest

from dev import demo
from dev.paths import ROOT
from dev.problem import Problem
from rollcall.commands.app import find_app, require_app


def test_an_agent_that_is_not_there_is_told_before_the_emulators_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.argv", ["make demo", "--agent", "mesaging"])
    with pytest.raises(Problem) as caught:
        demo.main()
    known = ", ".join(sorted(require_app(find_app(ROOT)).catalog.agents()))
    assert str(caught.value) == f"There is no agent 'mesaging'; there are {known}."
