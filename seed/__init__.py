"""Data to start with: the files beside this one, and importers of a user's own conversations."""
