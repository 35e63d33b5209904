"""The rules, a file for each part of the code. `catalog.RULES` has them all."""
