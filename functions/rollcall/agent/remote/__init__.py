"""Targets that are reached over HTTPS: other functions, and endpoints on an allow-list."""
