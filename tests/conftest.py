"""What holds for all tests in Python."""

from __future__ import annotations

from hypothesis import settings

# A busy machine makes no claim false: no example is timed.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
