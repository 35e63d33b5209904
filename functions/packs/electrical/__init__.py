"""An NEC copilot: calculates on a project's data, cites the code, and asks before it writes."""
