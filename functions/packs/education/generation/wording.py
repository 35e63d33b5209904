"""The texts of generated content and the model's prompts, by language."""

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
