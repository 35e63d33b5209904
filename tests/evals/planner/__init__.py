"""How the offline planner understands first messages: each with the calls that are right for it, or
that it is to be asked about or declined."""
