"""The offline planner: from a request's messages and tools to the next reply, without a model."""
