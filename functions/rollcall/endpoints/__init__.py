"""Functions that are not capabilities: runs, the registry's, uploads, users' data, scheduled
jobs."""
