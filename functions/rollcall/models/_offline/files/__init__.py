"""Requests about files and commands: read by fixed rules, and done step by step with file tools."""
