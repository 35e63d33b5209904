"""Makes one test of a rule over many cases, which reports each case that breaks it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Test = Callable[..., None]


def for_every(
    names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], str] = repr
) -> Callable[[Test], Test]:
    """Make one test of a rule: the function runs for every case, and the test fails with all cases
    that break the rule.

    It takes what `pytest.mark.parametrize` takes, which makes a test of each case instead. Fixtures
    of the test are made once, so they must not remember one case in the next.

    Args:
        names: The parameter that a case goes to; several share out its parts.
        cases: What the rule holds for; none at all is a mistake.
        ids: How a broken rule names a case.
    """
    parameters = [names] if isinstance(names, str) else list(names)
    every = list(cases)
    if not every:
        raise ValueError(f"there is no case of {names}, so nothing would be tested")

    def decorate(rule: Test) -> Test:
        @functools.wraps(rule)
        def test(**fixtures: Any) -> None:
            broken = []
            for case in every:
                parts = [case] if isinstance(names, str) else case
                try:
                    rule(**dict(zip(parameters, parts, strict=True)), **fixtures)
                except Exception as error:
                    error.add_note(f"with {', '.join(parameters)} = {ids(case)}")
                    broken.append(error)
            if broken:
                raise ExceptionGroup(f"{len(broken)} of {len(every)} cases", broken)

        signature = inspect.signature(rule)
        left = [part for name, part in signature.parameters.items() if name not in parameters]
        test.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return test

    return decorate
