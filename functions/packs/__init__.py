"""Capabilities by domain. A pack imports `core`, `store` and `knowledge` of the engine only."""
