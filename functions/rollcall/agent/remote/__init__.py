"""Calls of capabilities over HTTPS: other functions, and endpoints on an allow-list."""
