"""A conductor held against every rule, and what would comply: size, device, equipment ground."""

from __future__ import annotations

from dataclasses import dataclass, replace

from packs.electrical.calculations.conductors import (
    Checked,
    Installation,
    Need,
    check,
    smallest_parallel,
    smallest_size,
)
from packs.electrical.nec.editions import Edition
from packs.electrical.nec.grounding import (
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
)
from packs.electrical.nec.sizes import Material, Size, rank


@dataclass(frozen=True, slots=True)
class Sizing:
    """What came of a check.

    Attributes:
        checked: The size that was asked about, or the smallest that complies where none was.
        is_proposed: Whether it is the latter.
        breaker_amps: The device that the circuit has or, where that one may not stay, should have.
        smallest: The smallest size that complies, as many in parallel as there are.
        parallel: The fewest in parallel that would do, where no single one does.
    """

    checked: Checked
    is_proposed: bool
    breaker_amps: int
    smallest: Size | None
    parallel: tuple[int, Size] | None


def sizing(size: Size | None, how: Installation, need: Need) -> Sizing | None:
    """Check a size, or find one; None where none is given and none complies.

    Raises:
        InvalidArgument: Table 310.16 has no such conductor, or it is too hot for the insulation.
    """
    sound = sound_need(need)
    smallest = smallest_size(how, sound)
    parallel = None if smallest else smallest_parallel(how, sound)
    if size is None and smallest is None:
        return None
    checked = check(size or smallest or "", how, need)
    return Sizing(checked, size is None, sound.device_amps, smallest, parallel)


def grounding_of(
    breaker_amps: int,
    installed: Size,
    needed: Size | None,
    material: Material,
    edition: Edition,
) -> Size:
    """The equipment grounding conductor: Table 250.122, in proportion where the conductors are
    larger than needed (B), and never larger than they are (A)."""
    size = equipment_grounding_conductor(breaker_amps, material, edition)
    if needed is not None:
        size = enlarged_grounding_conductor(size, needed=needed, installed=installed)
    return size if rank(size) <= rank(installed) else installed


def sound_need(need: Need) -> Need:
    """The need with a device that suits the load: the one there is, if it does."""
    if need.breaker_amps is None:
        return need
    least = need.required_amps if need.rule == "general" else need.load_amps
    most = need.largest_breaker_amps
    sound = need.breaker_amps >= least and (most is None or need.breaker_amps <= most)
    return need if sound else replace(need, breaker_amps=None)
