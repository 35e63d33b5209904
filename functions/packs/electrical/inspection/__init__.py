"""The inspection of a project: rules as data, each with its article of the code."""
