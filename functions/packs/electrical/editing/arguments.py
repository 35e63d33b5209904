"""Arguments of the capabilities that change circuits, and a circuit's fields made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from packs.electrical.arguments import length_in_feet
from packs.electrical.projects.records import MAX_SPACES, Circuit
from rollcall.core.errors import InvalidArgument


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Pole = Annotated[Literal["1", "2", "3"], BeforeValidator(_as_text)]
Position = Annotated[int, Field(ge=1, le=MAX_SPACES)]
Watts = Annotated[float, Field(ge=0, le=2_000_000)]
AnyPowerFactor = Annotated[float, Field(gt=0, le=1)]
Shown = dict[str, Any]
"""A circuit as it was shown to who said yes."""

Clearable = Literal[
    "power_factor", "voltage", "area", "conductor_size", "insulation", "conduit_type", "length_ft",
    "egc_size", "ambient_c", "current_carrying_conductors", "terminal_rating_c",
    "disconnect_in_sight",
]  # fmt: skip
"""Fields that may be unknown."""

CLEARABLE: tuple[Clearable, ...] = get_args(Clearable)
_RENAMED = {"circuit_id": "id", "pole": "poles", "new_circuit_number": "circuit_number"}
_NO_FIELDS = frozenset({"length_m", "panel_id", "panel_name", "project_id"})


def fields_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """A circuit's fields by their Python names, of those arguments that were given.

    Raises:
        InvalidArgument: The length is given in two units.
    """
    found = {
        _RENAMED.get(name, name): value
        for name, value in given.items()
        if value is not None and name not in _NO_FIELDS
    }
    length = length_in_feet(given.get("length_ft"), given.get("length_m"))
    if length is not None:
        found["length_ft"] = round(length, 2)
    if "poles" in found:
        found["poles"] = int(found["poles"])
    return found


def arguments_of(circuit: Circuit) -> dict[str, Any]:
    """A circuit as arguments of add_circuit: plain JSON, camelCase, what is known."""
    found = circuit.dump()
    found["circuitId"] = found.pop("id")
    found["pole"] = str(found.pop("poles"))
    return found


def checked_standard(breaker_amps: int) -> int:
    """The rating, if breakers are made of it.

    Raises:
        InvalidArgument: They are not (240.6(A)).
    """
    from packs.electrical.nec.overcurrent import STANDARD_RATINGS, is_standard

    if not is_standard(breaker_amps):
        near = sorted(STANDARD_RATINGS, key=lambda rating: abs(rating - breaker_amps))[:2]
        raise InvalidArgument(
            f"{breaker_amps} A is no standard rating of a breaker (240.6(A)); near it are "
            f"{min(near)} and {max(near)} A",
            field="breakerAmps",
        )
    return breaker_amps
