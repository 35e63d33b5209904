"""Functions that are not capabilities: the orchestrator, the registry's, the clock's."""
