"""Lessons whose tools a teacher chooses: what was chosen is frozen when the lesson begins."""

REQUIRES = ("education",)
"""Packs whose code this one uses: education's courses."""
