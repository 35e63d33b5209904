"""Load calculations by Article 220 for panels, feeders and services."""
