"""Mathematics for grades 1 to 6: families of problems whose keys are computed."""
