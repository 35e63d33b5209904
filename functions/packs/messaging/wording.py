"""The pack's texts, by language."""

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
