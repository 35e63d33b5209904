"""Voltage drop, against published examples and as properties of any run."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from packs.electrical.calculations.voltage_drop import (
    Method,
    Run,
    drop,
    headroom,
    impedance_of,
    sizes_of,
    smallest_size,
    study,
    within,
)
from packs.electrical.nec.conductors import Material, circular_mils, rank
from packs.electrical.nec.impedance import Conduit
from rollcall.core.errors import InvalidArgument

METHODS: tuple[Method, ...] = get_args(Method)
CONDUITS: tuple[Conduit, ...] = get_args(Conduit)
MATERIALS: tuple[Material, ...] = get_args(Material)
every_method = pytest.mark.parametrize("method", METHODS)
RUN = Run(amps=40, volts=240, phases=1, length_ft=150, size="8", material="copper")


def k_constant(run: Run) -> float:
    """K of the approximate formula 2 K I L / cmil, ohm circular mils per foot."""
    return impedance_of(run, "approximate").r_ohm_per_kft * circular_mils(run.size) / 1000


@st.composite
def runs(draw: st.DrawFn, *, method: Method = "exact") -> Run:
    """Runs that a building may have, in sizes that the method's table has."""
    material = draw(st.sampled_from(MATERIALS))
    return Run(
        amps=draw(st.floats(0.1, 2_000)),
        volts=draw(st.sampled_from([120.0, 208.0, 240.0, 277.0, 480.0])),
        phases=draw(st.sampled_from([1, 3])),
        length_ft=draw(st.floats(1, 3_000)),
        size=draw(st.sampled_from(sizes_of(material, method))),
        material=material,
        conduit=draw(st.sampled_from(CONDUITS)),
        sets=draw(st.integers(1, 4)),
        power_factor=draw(st.floats(0.2, 1)),
    )


# ---- Examples worked by others ----


def test_a_three_phase_feeder_of_the_nec_handbook() -> None:
    """NFPA, National Electrical Code Handbook, example after Chapter 9 Table 9: 100 A at 240 V in
    1 AWG copper in aluminum conduit, 150 ft, power factor 0.85: 4.157 V with the impedance
    rounded to 0.16."""
    run = Run(100, 240, 3, 150, "1", "copper", "aluminum", power_factor=0.85)
    found = drop(run)
    assert found.volts == pytest.approx(4.157, rel=0.005)
    assert found.receiving_volts == pytest.approx(235.84, abs=0.05)


def test_ohms_law_of_two_wires() -> None:
    """Mike Holt, Voltage Drop Calculations, Part 1: 16 A at 120 V over 100 ft of 12 AWG: 6.4 V by
    Ohm's law with Table 9, 6.3 V by 2 K I D / CM with K = 12.9."""
    run = Run(16, 120, 1, 100, "12", "copper", "pvc", power_factor=1)
    assert drop(run).volts == pytest.approx(6.4)
    assert drop(run, "approximate").volts == pytest.approx(6.3, abs=0.05)
    assert k_constant(run) == pytest.approx(12.9, abs=0.05)


def test_a_three_phase_aluminum_feeder_by_circular_mils() -> None:
    """Mike Holt, Voltage Drop Calculations, Part 1: 36 kVA at 208 V (100 A) over 80 ft of 1 AWG
    aluminum: 3.5 V with K = 21.2."""
    run = Run(100, 208, 3, 80, "1", "aluminum")
    assert drop(run, "approximate").volts == pytest.approx(3.5, abs=0.05)
    assert k_constant(run) == pytest.approx(21.2, abs=0.05)


def test_effective_impedance_is_that_of_table_9s_own_column() -> None:
    """Table 9, effective Z at 0.85 power factor, uncoated copper in steel conduit."""
    for size, ohm_per_kft in (("12", 1.7), ("8", 0.70), ("4/0", 0.080), ("500", 0.050)):
        run = Run(1000, 480, 1, 500, size, "copper", "steel", power_factor=0.85)
        assert drop(run).volts / 1000 == pytest.approx(ohm_per_kft, rel=0.05)


# ---- What the two methods are ----


def test_the_methods_agree_on_a_small_drop_of_a_resistive_load() -> None:
    run = Run(15, 120, 1, 30, "12", "copper", "pvc", power_factor=1)
    exact, approximate = (drop(run, method).percent for method in METHODS)
    assert approximate == pytest.approx(exact, rel=0.02)


# ---- What must hold of any run ----


@every_method
@given(data=st.data(), more=st.floats(1, 10))
def test_more_amps_or_length_never_lower_the_drop(method: Method, data: Any, more: float) -> None:
    run = data.draw(runs(method=method))
    lost = drop(run, method).volts
    for field in ("amps", "length_ft"):
        larger = replace(run, **{field: getattr(run, field) * more})
        assert drop(larger, method).volts >= lost * (1 - 1e-9)


@every_method
@given(data=st.data())
def test_a_larger_wire_never_raises_the_drop(method: Method, data: Any) -> None:
    run = data.draw(runs(method=method))
    sizes = sizes_of(run.material, method)
    lost = [drop(replace(run, size=size), method).volts for size in sizes]
    for smaller, larger in pairwise(lost):
        assert larger <= smaller * (1 + 1e-9)


@pytest.mark.parametrize("method", ["exact", "approximate"])
@given(data=st.data())
def test_a_second_set_in_parallel_halves_the_drop(method: Method, data: Any) -> None:
    run = replace(data.draw(runs(method=method)), sets=1)
    assert drop(replace(run, sets=2), method).volts == pytest.approx(drop(run, method).volts / 2)


@every_method
@given(data=st.data(), limit=st.floats(0.5, 5))
def test_at_the_headroom_the_drop_is_the_limit(method: Method, data: Any, limit: float) -> None:
    run = data.draw(runs(method=method))
    more = headroom(run, limit, method)
    for field in ("amps", "length_ft"):
        at_limit = replace(run, **{field: getattr(run, field) * more})
        assert drop(at_limit, method).percent == pytest.approx(limit, rel=1e-6)


@every_method
@given(data=st.data())
def test_the_smallest_complying_size_complies_and_the_next_smaller_does_not(
    method: Method, data: Any
) -> None:
    run = data.draw(runs(method=method))
    sizes = sizes_of(run.material, method)
    if run.sets > 1:  # 310.10(G)
        sizes = tuple(size for size in sizes if rank(size) >= rank("1/0"))
    found = smallest_size(run, 3, method)
    if found is None:
        assert drop(replace(run, size=sizes[-1]), method).percent > 3
        return
    assert within(drop(replace(run, size=found), method).percent, 3)
    for smaller in sizes[: sizes.index(found)]:
        assert drop(replace(run, size=smaller), method).percent > 3


def test_a_study_says_all_methods_that_have_the_size() -> None:
    assert set(study(RUN, None).by_method) == set(METHODS)
    assert set(study(replace(RUN, size="900"), None, "approximate").by_method) == {"approximate"}


def test_feeders_that_use_up_five_percent_leave_no_size() -> None:
    assert study(RUN, None).allowed_percent == 3
    assert headroom(RUN, 0) == 0


# ---- Refusals ----


@pytest.mark.parametrize(
    ("field", "name", "value"),
    [
        ("amps", "loadAmps", 0),
        ("amps", "loadAmps", math.nan),
        ("volts", "voltage", -120),
        ("length_ft", "lengthFt", math.inf),
        ("power_factor", "powerFactor", 1.01),
        ("power_factor", "powerFactor", 0),
    ],
)
def test_an_impossible_figure_is_refused_by_name(field: str, name: str, value: float) -> None:
    with pytest.raises(InvalidArgument) as caught:
        replace(RUN, **{field: value})  # type: ignore[arg-type]
    assert caught.value.field == name


@pytest.mark.parametrize(("size", "material"), [("700", "copper"), ("14", "aluminum")])
def test_a_size_that_table_9_has_not_is_refused_with_those_it_has(
    size: str, material: Material
) -> None:
    with pytest.raises(InvalidArgument, match="Table 9"):
        drop(replace(RUN, size=size, material=material))


def test_a_size_just_at_the_limit_is_the_smallest_that_complies() -> None:
    for feet in range(10, 400, 7):
        run = Run(30.1, 240.7, 1, feet, "6", "copper")
        at_limit = replace(run, length_ft=feet * headroom(run, 3.0))
        assert within(drop(at_limit).percent, 3.0)
        assert smallest_size(at_limit, 3.0) == "6"
