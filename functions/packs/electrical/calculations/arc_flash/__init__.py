"""The arc-flash model of IEEE Std 1584-2018, and what NFPA 70E makes of its result."""
