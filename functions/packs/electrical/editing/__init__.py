"""Circuits added, changed and removed: what is proposed, what must hold, what is written."""
