"""The service that a load needs: its size and conductors."""

from __future__ import annotations

from msgspec import Struct

from packs.electrical.calculations.conductors import (
    MAX_SETS,
    Installation,
    is_common,
    smallest_size,
    table_sizes,
)
from packs.electrical.calculations.loads.calculation import Premises
from packs.electrical.calculations.loads.limits import DWELLING_RATINGS_A, allowed_by_310_12
from packs.electrical.calculations.requirements import Requirement
from packs.electrical.nec.conductors import Material, Size, ampacity

SERVICE_SIZES = (
    100, 125, 150, 200, 400, 600, 800, 1000, 1200, 1600, 2000, 2500, 3000, 4000,
)  # fmt: skip
"""Ratings in which services are commonly built, A. For a dwelling, 400 A is the class that meter
sockets call 320: 320 A of continuous load."""

DWELLING_LEAST_AMPS = 100
"""230.79(C), for a one-family dwelling."""

_MATERIALS: tuple[Material, ...] = ("copper", "aluminum")


class Conductors(Struct, frozen=True):
    """Ungrounded conductors for a service.

    Attributes:
        sets: In parallel for each line.
        ampacity_amps: Of all sets together, at 75 °C terminals.
        by_dwelling_share: Chosen by 310.12, at 83 % of the rating.
    """

    material: Material
    size: Size
    sets: int
    ampacity_amps: float
    by_dwelling_share: bool


def service_size(amps: float, premises: Premises) -> int | None:
    """The smallest common service for a load; None above all of them."""
    least = DWELLING_LEAST_AMPS if premises.is_one_family else 0
    need = max(amps, least) * (1 - 1e-9)
    return next((size for size in SERVICE_SIZES if size >= need), None)


def service_conductors(rating: int, amps: float, premises: Premises) -> list[Conductors]:
    """The smallest copper and aluminum conductors for a service of a rating and a load.

    By 310.12 for dwellings; else Table 310.16 at 75 °C terminals and not more than three
    current-carrying conductors in a raceway, with 240.4(B) and (C).
    """
    conductors = []
    low, high = DWELLING_RATINGS_A
    by_share = premises.is_one_family and premises.system.phases == 1 and low <= rating <= high
    for material in _MATERIALS:
        if by_share:
            for size in table_sizes(material):
                carries = ampacity(size, material, 75)
                if allowed_by_310_12(rating, carries):
                    conductors.append(Conductors(material, size, 1, carries, True))
                    break
            continue
        need = Requirement(amps, amps, breaker_amps=rating)
        for sets in range(1, MAX_SETS + 1):
            single = smallest_size(Installation(material, 75, 75, sets=sets), need)
            if single is not None and is_common(single):
                carries = sets * ampacity(single, material, 75)
                conductors.append(Conductors(material, single, sets, carries, False))
                break
    return conductors
