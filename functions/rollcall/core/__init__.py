"""Shapes, errors, triggers, texts and search that all other parts use. Imports no other part of
Rollcall."""
