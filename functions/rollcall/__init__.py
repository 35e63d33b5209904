"""Rollcall: an agent backend for Firebase."""
