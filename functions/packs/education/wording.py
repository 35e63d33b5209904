"""The wording of the education pack, from `texts/<language>.json`."""

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
