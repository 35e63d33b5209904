"""Electrical projects: their records, access to them, and selection of panels and circuits."""
