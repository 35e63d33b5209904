"""Sizes, currents and names as they stand in sentences of either language."""

from __future__ import annotations

from packs.electrical.nec.sizes import Material
from packs.electrical.nec.sizes import size_text as size_text
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import Words
from packs.electrical.wording import amps as amps
from packs.electrical.wording import circuit_text, panel_text
from packs.electrical.wording import percent as percent
from packs.electrical.wording import volts as volts

MATERIALS: dict[Material, Words] = {
    "copper": Words("copper", "נחושת"),
    "aluminum": Words("aluminum", "אלומיניום"),
}


def circuit_words(found: PanelCircuit) -> Words:
    """A circuit with its place."""
    text = circuit_text(found.panel, found.circuit)
    return Words(text.say("en"), text.say("he"))


def panel_words(name: str) -> Words:
    """A panel by its name; in Hebrew with the word for it, unless the name begins with that."""
    text = panel_text(name)
    return Words(text.say("en"), text.say("he"))
