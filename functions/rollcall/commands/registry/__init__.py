"""`registry`: an operator looks at the registry of a project and changes it."""
