from __future__ import annotations

import pytest

from dev import demo
from dev.problem import Problem


def test_an_agent_that_is_not_there_is_told_before_the_emulators_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.argv", ["make demo", "--agent", "mesaging"])
    with pytest.raises(Problem) as caught:
        demo.main()
    assert str(caught.value).startswith("There is no agent 'mesaging'; there are ")
    assert "messaging" in str(caught.value)
