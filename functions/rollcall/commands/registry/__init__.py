"""`registry`: shows and changes the registry of a project."""
