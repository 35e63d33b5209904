"""The Java that `make setup` brings, where this computer has none that is new enough."""

from __future__ import annotations

from dev.paths import JAVA_LOCK, ROOT
from dev.venv import pip_install
from rollcall.emulators import java


def prepare() -> None:
    """Make sure there is a Java for the Firestore emulator."""
    if java.find(ROOT) is None:
        print(
            f"No Java {java.OLDEST} or newer here; installing one into functions/venv ...",
            flush=True,
        )
        pip_install("--no-deps", "--requirement", str(JAVA_LOCK))
        java.search_path(ROOT)  # says what else can be done if that is none for this computer
