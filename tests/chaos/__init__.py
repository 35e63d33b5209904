"""Tries to break a run's guarantees: `python -m tests.chaos`."""
