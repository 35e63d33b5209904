"""The catalogue of this repository's own app, for tests."""

from __future__ import annotations

from pathlib import Path

from rollcall.catalog import Catalog

FUNCTIONS = Path(__file__).parents[2] / "functions"
catalog = Catalog(str(FUNCTIONS))
"""The capabilities and agents of this repository's packs."""
