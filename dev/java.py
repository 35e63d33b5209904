"""The Java that `make setup` brings, where this computer has none that is new enough."""

from __future__ import annotations

from dev.paths import JAVA_LOCK, ROOT
from dev.venv import pip_install
from rollcall.emulators import requirements


def prepare() -> bool:
    """Make sure there is a Java for the Firestore emulator; whether one was installed."""
    if requirements.find_java(ROOT) is not None:
        return False
    print(
        f"No Java {requirements.OLDEST} or newer here; installing one into functions/venv ...",
        flush=True,
    )
    pip_install("--no-deps", "--requirement", str(JAVA_LOCK))
    # It says what else can be done if that is none for this computer.
    requirements.search_path(ROOT)
    return True
