"""Lessons whose tools a teacher chooses; a session freezes the choice when it begins."""

REQUIRES = ("education",)
"""The packs that this one imports: education, for its courses."""
