"""A coding agent's tools, which run where the files are: on the user's own client."""
