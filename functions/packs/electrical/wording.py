"""The wording of the electrical pack: `texts/<language>.json`."""

from __future__ import annotations

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
