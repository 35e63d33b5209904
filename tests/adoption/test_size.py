"""What the library adds to what every app with Python functions installs."""

from __future__ import annotations

from collections.abc import Callable

from tests.adoption.apps import Library

MAX_MB = 25


def test_the_library_adds_little(
    library: Library, sizes: dict[str, int], figure: Callable[[str], None]
) -> None:
    firebase, added = sizes["firebase"] / 1e6, (sizes["rollcall"] - sizes["firebase"]) / 1e6
    figure(
        f"Installed, with bytecode: firebase-functions and firebase-admin {firebase:.1f} MB, "
        f"Rollcall without extras {added:.1f} MB more"
    )
    assert 0 < added <= MAX_MB
