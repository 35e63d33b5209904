"""The parts of the offline planner: read, choose, fill, plan, compose."""
