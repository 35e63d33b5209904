"""`registry doctor`: checks a project, and says what is missing and how to fix it."""
