"""Tries to break what a run promises: `python -m tests.chaos`."""
