"""Capabilities by domain. A pack imports `core`, `store`, `knowledge` and `render` alone."""
