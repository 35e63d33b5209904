"""Capabilities by domain. A pack imports `core` and `store` only."""
