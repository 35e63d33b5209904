"""The names by which measuring scripts outside this repository import the in-process platform."""

from __future__ import annotations

from tests.support.local_functions import LocalPlatform as Here
from tests.support.local_functions import use_emulator_tokens as emulate

__all__ = ["Here", "emulate"]
