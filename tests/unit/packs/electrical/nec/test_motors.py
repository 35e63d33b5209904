"""Tables 430.248 and 430.250, and 430.52 with its exceptions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec import tables
from packs.electrical.nec.motors import (
    MotorKind,
    ProtectiveDevice,
    allows_high_overload,
    full_load_amps,
    largest_protection,
    parse_hp,
    protection_percent,
)
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

KINDS, DEVICES = get_args(MotorKind), get_args(ProtectiveDevice)


@for_every(
    ("hp", "voltage", "phases", "amps"),
    [
        ("7-1/2", 230, 3, 22),
        (7.5, 208, 3, 24.2),
        ("1/2", 120, 1, 9.8),
        (5, 240, 1, 28),
        (10, 480, 3, 14),
        ("50", 460, 3, 65),
        ("1 1/2", 600, 3, 2.4),  # 2.1 on a page that misprints it
        (100, 2300, 3, 26),
        (0.75, 115, 1, 13.8),
        (500, 480, 3, 590),
    ],
)
def test_the_full_load_current_is_the_tables(
    hp: Any, voltage: float, phases: Any, amps: float
) -> None:
    assert full_load_amps(hp, voltage, phases) == amps


@pytest.mark.parametrize(
    ("text", "hp"),
    [
        ("7-1/2", Fraction(15, 2)),
        ("7 1/2 hp", Fraction(15, 2)),
        ("7½", Fraction(15, 2)),
        ("¾", Fraction(3, 4)),
        (0.5, Fraction(1, 2)),
        ("10 HP", Fraction(10)),
    ],
)
def test_horsepower_is_read_as_printed(text: Any, hp: Fraction) -> None:
    assert parse_hp(text) == hp


@pytest.mark.parametrize("text", ["", "0", "-5", "1/0", "many", "5 kW", float("nan")])
def test_what_is_no_horsepower_is_refused(text: Any) -> None:
    with pytest.raises(InvalidArgument, match="no horsepower") as refused:
        parse_hp(text)
    assert refused.value.field == "horsepower"


@pytest.mark.parametrize(
    ("hp", "voltage", "phases", "field", "said"),
    [
        (6, 230, 3, "horsepower", "7-1/2"),
        (15, 230, 1, "horsepower", "430.248"),
        (5, 277, 1, "voltage", "220–240 V"),
        (5, 480, 1, "voltage", "208 V"),
        (5, 120, 3, "voltage", "has one at 200 V, 208 V"),
        (250, 230, 3, "voltage", "460 V, 575 V"),
        (5, float("nan"), 3, "voltage", "440–480"),
    ],
)
def test_a_motor_the_tables_have_not_is_refused_with_what_they_have(
    hp: Any, voltage: float, phases: Any, field: str, said: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        full_load_amps(hp, voltage, phases)
    assert refused.value.field == field
    assert said in refused.value.message


@pytest.mark.parametrize("name", ["430_248", "430_250"])
def test_more_power_takes_more_current_and_more_voltage_less(name: str) -> None:
    rows = [cells[1:] for cells in tables.cells(name)]
    for column in zip(*rows, strict=True):
        amps = [value for value in column if value is not None]
        assert all(more > less for less, more in pairwise(amps))
    for row in rows:
        amps = [value for value in row if value is not None]
        assert amps == sorted(amps, reverse=True)


@pytest.mark.parametrize(
    ("kind", "device", "percent"),
    [
        ("polyphase", "inverse_time_breaker", 250),
        ("single_phase", "nontime_delay_fuse", 300),
        ("design_b", "instantaneous_breaker", 1100),
        ("squirrel_cage", "instantaneous_breaker", 800),
        ("wound_rotor", "inverse_time_breaker", 150),
        ("dc", "instantaneous_breaker", 250),
        ("synchronous", "dual_element_fuse", 175),
    ],
)
def test_percentages_are_those_of_table_430_52(kind: Any, device: Any, percent: int) -> None:
    assert protection_percent(kind, device) == percent


@pytest.mark.parametrize(
    ("amps", "device", "largest"),
    [
        (28, "inverse_time_breaker", 70),  # 70 A exactly
        (22, "inverse_time_breaker", 60),  # 55 A, up to 60
        (124, "inverse_time_breaker", 350),  # 310 A, up to 350
        (34, "dual_element_fuse", 60),  # 59.5 A, up to 60
        (34, "nontime_delay_fuse", 110),  # 102 A, up to 110
        (180, "nontime_delay_fuse", 600),  # 540 A
        (240, "nontime_delay_fuse", 800),  # 720 A, up to 800
        (1.1, "dual_element_fuse", 3),  # 1.925 A; fuses are made down to 1 A
    ],
)
def test_the_largest_device_is_the_next_standard_one_up(
    amps: float, device: Any, largest: int
) -> None:
    assert largest_protection(amps, "polyphase", device) == largest


def test_an_instantaneous_trip_is_a_setting_and_not_a_rating() -> None:
    trip = "instantaneous_breaker"
    assert largest_protection(28, "design_b", trip) == 308


@given(
    st.floats(0.5, 400),
    st.floats(0, 100),
    st.sampled_from(KINDS),
    st.sampled_from(DEVICES),
)
def test_more_current_never_means_a_smaller_device(
    amps: float, more: float, kind: Any, device: Any
) -> None:
    small = largest_protection(amps, kind, device)
    large = largest_protection(amps + more, kind, device)
    assert small <= large


@pytest.mark.parametrize(
    ("service_factor", "temperature_rise_c", "is_high"),
    [
        (1.15, None, True),
        (1.14, None, False),
        (None, 40, True),
        (None, 0, True),
        (None, 41, False),
        (1.0, 40, True),
        (None, None, False),
    ],
)
def test_a_service_factor_or_a_low_rise_allows_the_higher_overload_setting(
    service_factor: float | None, temperature_rise_c: float | None, is_high: bool
) -> None:
    assert allows_high_overload(service_factor, temperature_rise_c) is is_high


@pytest.mark.parametrize("amps", [0, -1, float("nan")])
def test_a_motor_takes_current(amps: float) -> None:
    with pytest.raises(InvalidArgument, match="more than 0 A"):
        largest_protection(amps, "polyphase", "inverse_time_breaker")
