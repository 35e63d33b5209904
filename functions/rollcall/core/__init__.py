"""Shapes, errors, triggers, texts and search that every other part uses. It imports nothing else of
Rollcall."""
