"""Rollcall in the terminal: talk to any agent, and let one work in a folder of yours."""

__version__ = "0.1.0"
