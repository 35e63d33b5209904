"""What the capabilities about conductors share: their arguments, their cases and their words."""
