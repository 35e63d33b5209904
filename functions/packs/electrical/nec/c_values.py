"""C values of the point-to-point method: 1 / (ohm per ft) of three single conductors, 600 V.

Source: Bussmann (Eaton), Selecting Protective Devices. PVC and aluminum conduit are nonmagnetic.
"""

from __future__ import annotations

from functools import cache

from packs.electrical.nec import stored
from packs.electrical.nec.figures import Figure
from packs.electrical.nec.impedance import Conduit
from packs.electrical.nec.sizes import Material, Size, label
from rollcall.core.errors import InvalidArgument


def c_value(size: Size, material: Material, conduit: Conduit) -> float:
    """C of one conductor per phase; n in parallel have n times it.

    Raises:
        InvalidArgument: The table has no such size.
    """
    return c_figure(size, material, conduit).value


def c_figure(size: Size, material: Material, conduit: Conduit) -> Figure:
    """C with its standing: three values of large aluminum conductors could not be checked."""
    row = _rows().get(size)
    if row is None:
        sizes = list(_rows())
        raise InvalidArgument(
            f"there is no C value for {size}; there are for {label(sizes[0])} to "
            f"{label(sizes[-1])}: {', '.join(sizes)}",
            field="conductorSize",
        )
    key = material + ("Steel" if conduit == "steel" else "Nonmagnetic")
    columns = [column["key"] for column in stored.load("c_values")["columns"]]
    value = float(row.cells[columns.index(key)])
    if key in row.uncertain:
        return Figure(value, False, stored.words(stored.load("c_values")["unverified"]))
    return Figure(value, True)


@cache
def _rows() -> dict[Size, stored.Row]:
    return {row.cells[0]: row for row in stored.rows("c_values")}
