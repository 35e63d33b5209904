"""`registry doctor`: checks a project, and says what is missing and what mends it."""
