"""AG-UI over plain HTTP: what of a `RunAgentInput` counts, and a run's events as AG-UI has them."""
