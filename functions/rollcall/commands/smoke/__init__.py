"""`smoke`: proves that a deployment works, as its users would see it."""
