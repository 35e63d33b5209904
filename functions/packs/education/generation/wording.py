"""The wording of what is made, and the prompts, from `texts/<language>.json`."""

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
