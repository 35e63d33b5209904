"""The loop and what it stands on: profiles, the history window, dispatch."""
