"""Rollcall in the terminal: talk to any agent, and let one work in a folder of yours."""
