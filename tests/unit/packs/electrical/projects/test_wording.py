"""The words for the values of records."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from packs.electrical.projects.records import Area, ConduitType, LoadType
from packs.electrical.projects.wording import value_name


@pytest.mark.parametrize(
    ("field", "kind"), [("load_type", LoadType), ("area", Area), ("conduit_type", ConduitType)]
)
def test_every_value_has_a_name_that_is_no_id(field: str, kind: Any) -> None:
    names = [value_name(field, value) for value in get_args(kind)]
    texts = {locale: [name.say(locale) for name in names if name] for locale in ("en", "he")}
    assert len(texts["en"]) == len(get_args(kind))
    assert not [text for text in (*texts["en"], *texts["he"]) if "_" in text]
    assert all(any("א" <= char <= "ת" for char in text) for text in texts["he"])


def test_a_value_that_is_its_own_name_has_no_other() -> None:
    named = value_name("load_type", "ev_charger")
    assert named is not None and named.say("en") == "EV charger"
    assert value_name("insulation", "THHN") is None
