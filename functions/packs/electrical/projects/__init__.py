"""Electrical projects: their records, who may see them, and how things in them are found."""
