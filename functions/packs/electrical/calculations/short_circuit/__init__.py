"""Available fault current by the point-to-point method, and what equipment must interrupt."""
