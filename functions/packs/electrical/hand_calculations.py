"""Capabilities that calculate with the figures of a question alone, without a project: ampacity,
a motor's circuit, grounding conductors, conduit fill, the neutral, and drops of a direct current
and between two voltages."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.arguments import (
    AmbientC,
    AmbientF,
    BreakerAmps,
    CurrentCarrying,
    Insulation,
    LengthFt,
    LengthM,
    LoadAmps,
    Sets,
    TerminalRating,
    ambient_in_celsius,
    length_in_feet,
)
from packs.electrical.calculations.conductors import (
    SMALLEST_IN_PARALLEL,
    STANDARD_AMBIENT_C,
    STANDARD_CONDUCTORS,
    Installation,
    ampacity_of,
    largest_breaker,
    rating_columns,
    smallest_size,
)
from packs.electrical.calculations.loads.calculation import (
    SMALL_APPLIANCE_VA,
    figure_of,
)
from packs.electrical.calculations.loads.dwellings import (
    APPLIANCE_FACTOR,
    APPLIANCE_LEAST_VA,
    MIN_APPLIANCES,
)
from packs.electrical.calculations.requirements import CONTINUOUS, Requirement
from packs.electrical.nec.conductors import label, rank, small_conductor_limit
from packs.electrical.nec.editions import DEFAULT, Edition, article
from packs.electrical.nec.grounding import (
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
)
from packs.electrical.nec.impedance import dc_resistance
from packs.electrical.nec.loads import (
    dryer_demand_w,
    lighting_demand_va,
    lighting_va_per_ft2,
    range_demand_w,
)
from packs.electrical.nec.motors import (
    OVERLOAD_HIGH,
    OVERLOAD_LOW,
    ProtectiveDevice,
    allows_high_overload,
    full_load_amps,
    largest_protection,
)
from packs.electrical.nec.tables import unchecked
from packs.electrical.projects.records import (
    ConductorMaterial,
    ConductorSize,
    Phases,
    is_network,
)
from packs.electrical.results import Basis, CalculationResult, CodeReference, Step, finish, table
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Display, Wire

ONE_MORE_FROM = 0.8
"""Of conductors of one size, a decimal of this or more counts as one more (chapter 9, note 7)."""
NEUTRAL_SHARE, NEUTRAL_FULL_AMPS = 0.7, 200

TableMotor = Literal["single_phase", "polyphase", "squirrel_cage", "design_b", "wound_rotor"]
"""The rows of Table 430.52 whose motors have the currents of Tables 430.248 and 430.250 here."""
ConduitType = Literal["emt", "imc", "rmc", "fmc", "lfmc", "pvc", "pvc_80"]
AnyVolts = Annotated[float, Field(gt=0, le=15_000)]
Watts = Annotated[float, Field(ge=0, le=1_000_000)]
WattsOfEach = Annotated[list[Annotated[float, Field(gt=0, le=50_000)]], Field(max_length=100)]


class Conductors(Wire):
    """Conductors of one size in a raceway."""

    size: Annotated[ConductorSize, Field(description='AWG or kcmil, such as "12", "2/0".')]
    count: Annotated[int, Field(ge=1, le=500)] = 1
    insulation: Annotated[
        str, Field(max_length=20, description='Its marking, such as "THHN", "XHHW-2".')
    ] = "THHN"


class HandCalculation(CalculationResult):
    """A calculation on stated figures.

    Attributes:
        value: The result, in `unit`; the size of conductors, the trade size of conduit.
        compliant: Whether the given size is enough; absent where none was given.
    """

    value: float | str
    unit: str | None = None
    compliant: bool | None = None
    steps: tuple[Step, ...]


StepValues = tuple[str, float | str, str | None, str | None]
"""The key of a figure's name, its value, its unit and its place in the code."""


def _result(
    ctx: ToolContext,
    id: str,
    steps: Iterable[StepValues],
    *,
    compliant: bool | None = None,
    edition: Edition = DEFAULT,
    tables: Iterable[str] = (),
    basis: Basis | None = None,
) -> HandCalculation:
    """Return the result of a capability from its steps, the last of which is the result's value.

    Args:
        tables: Those that were used, of which a warning says where the edition's were not checked.
    """
    basis = basis or Basis()
    figures = tuple(
        Step(
            name=TEXTS.say(ctx.locale, f"hand_calculations.steps.{key}"),
            value=round(value, 4) if isinstance(value, float | int) else value,
            unit=unit,
            reference=reference,
        )
        for key, value, unit, reference in steps
    )
    last = figures[-1]
    references = dict.fromkeys(each.reference for each in figures if each.reference)
    basis.citations += [CodeReference(edition=edition, article=each) for each in references]
    if (unsure := unchecked(tables, edition)) is not None:
        basis.warnings.append(unsure)
    columns = TEXTS.data(ctx.locale, "conductor_sizing.columns.words")
    rows = [(each.name, each.text, each.reference or "") for each in figures]
    sentences = [f"{name}: {value}" for name, value, _ in rows]
    answer = f"{sentences[-1]}. {'; '.join(sentences[:-1])}."
    if compliant is not None:
        answer = f"{answer} {TEXTS.say(ctx.locale, f'hand_calculations.{compliant}')}"
    result = HandCalculation(
        answer=answer,
        value=last.value,
        unit=last.unit,
        compliant=compliant,
        steps=figures,
        **basis.fields(ctx.locale),
    )
    title = TEXTS.say(ctx.locale, f"capabilities.{id}.name")
    display = Display(type="table", title=title, text=answer, **table(columns, rows))
    return finish(ctx, result, display)


@capability(related=["check_conductor_sizing"])
def derate_conductors(
    ctx: ToolContext,
    *,
    conductor_size: ConductorSize,
    conductor_material: ConductorMaterial = "copper",
    insulation: Insulation = "THHN",
    ambient_c: AmbientC | None = None,
    ambient_f: AmbientF | None = None,
    current_carrying_conductors: CurrentCarrying = STANDARD_CONDUCTORS,
    conductor_sets: Sets = 1,
    terminal_rating_c: TerminalRating | None = None,
    edition: Edition = DEFAULT,
) -> HandCalculation:
    """Derate conductors for ambient temperature and bundling, without a load: what they carry as
    they are installed by Table 310.16, and the largest breaker that protects them.

    Args:
        conductor_size: AWG or kcmil, such as "12", "2/0", "250 kcmil".
        conductor_material: "copper" or "aluminum".
        insulation: Its marking, such as "THHN", "XHHW-2".
        ambient_c: Temperature around the conductors, °C; 30 if left out.
        ambient_f: The same in °F, instead of ambient_c.
        current_carrying_conductors: How many carry current in the same raceway or cable.
        conductor_sets: Conductors in parallel for each line.
        terminal_rating_c: Marked on the equipment, 60, 75 or 90 °C; not counted if left out.
        edition: The NEC's edition, for the numbers of tables.
    """
    if conductor_sets > 1 and rank(conductor_size) < rank(SMALLEST_IN_PARALLEL):
        raise invalid("conductorSets", "too_small_in_parallel", least=label(SMALLEST_IN_PARALLEL))
    celsius = ambient_in_celsius(ambient_c, ambient_f)
    corrected_c, limit_c = rating_columns(insulation)
    how = Installation(
        material=conductor_material,
        insulation_c=corrected_c,
        terminal_c=min(terminal_rating_c or limit_c, limit_c),
        ambient_c=STANDARD_AMBIENT_C if celsius is None else celsius,
        current_carrying=current_carrying_conductors,
        sets=conductor_sets,
    )
    allowed, basis = ampacity_of(conductor_size, how), Basis()
    if celsius is None:
        reason = TEXTS.text("calculations.conductors.ambient")
        basis.assume("ambientC", STANDARD_AMBIENT_C, "°C", reason)
    if terminal_rating_c is None:
        reason = TEXTS.text("hand_calculations.no_terminals")
        basis.assume("terminalRatingC", limit_c, "°C", reason)
    limit = small_conductor_limit(conductor_size, conductor_material)
    breaker = largest_breaker(allowed.amps, Requirement(1, 1), limit)
    table, heat, bundling = (
        article(each, edition) for each in ("310.16", "310.15(B)(1)(1)", "310.15(C)(1)")
    )
    steps: list[StepValues] = [
        ("table_ampacity", allowed.table_amps, "A", f"Table {table}"),
        ("temperature_factor", allowed.temperature_factor, None, f"Table {heat}"),
        ("bundling_factor", allowed.adjustment_factor, None, f"Table {bundling}"),
        (
            "terminals",
            allowed.terminal_amps,
            "A",
            "334.80" if limit_c < corrected_c else "110.14(C)",
        ),
        ("largest_breaker", breaker, "A", "240.4(D)" if limit else "240.4(B)"),
        ("ampacity", allowed.amps, "A", "310.15"),
    ]
    used = (
        "310.16",
        "310.15(B)(1)(1)",
        "310.15(C)(1)",
        "240.6(A)",
        *(("240.4(D)",) if limit else ()),
    )
    return _result(ctx, "derate_conductors", steps, edition=edition, tables=used, basis=basis)


@capability(related=["derate_conductors"])
def size_motor_circuit(
    ctx: ToolContext,
    *,
    hp: Annotated[str, Field(max_length=12)],
    voltage: AnyVolts,
    phases: Phases | None = None,
    motor_kind: TableMotor | None = None,
    device: ProtectiveDevice = "inverse_time_breaker",
    nameplate_amps: LoadAmps | None = None,
    service_factor: Annotated[float, Field(ge=1, le=2)] | None = None,
    temperature_rise_c: Annotated[float, Field(gt=0, le=200)] | None = None,
    conductor_material: ConductorMaterial = "copper",
    terminal_rating_c: TerminalRating = 75,
) -> HandCalculation:
    """Size the branch circuit of a motor that is in no project: full-load current, conductors at
    125 %, overload protection, and the largest short-circuit device by Article 430.

    Args:
        hp: Horsepower, such as "25", "7-1/2".
        voltage: Of the system, V.
        phases: 1 or 3; if left out, 1 for the kind single_phase and 3 for others.
        motor_kind: The row of Table 430.52; single-phase or squirrel cage if left out.
        device: Breaker or fuse that protects against short circuits.
        nameplate_amps: The nameplate's current, A, for the overload protection.
        service_factor: Marked on the motor; 1.15 or more raises the overload setting.
        temperature_rise_c: Marked on the motor; 40 °C or less raises the overload setting.
        conductor_material: "copper" or "aluminum".
        terminal_rating_c: Column of Table 310.16: 60, 75 or 90 °C.
    """
    kind: TableMotor = motor_kind or ("single_phase" if phases == 1 else "squirrel_cage")
    of_kind: Literal[1, 3] = 1 if kind == "single_phase" else 3
    if phases not in (None, of_kind):
        raise invalid("phases", "motor_phases")
    phases = of_kind
    try:
        current = full_load_amps(hp, voltage, phases)
    except InvalidArgument as error:
        field = "hp" if error.field == "horsepower" else error.field
        raise InvalidArgument(error.text, field=field) from error
    table = "Table 430.248" if phases == 1 else "Table 430.250"
    required = round(current * CONTINUOUS, 4)
    how = Installation(conductor_material, terminal_rating_c, terminal_rating_c)
    size = smallest_size(how, Requirement(required, required, rule="motor"))
    if size is None:
        raise invalid("hp", "no_single_conductor", required=required)
    device_amps = largest_protection(current, kind, device)
    steps: list[StepValues] = [
        ("full_load", current, "A", table),
        ("short_circuit", device_amps, "A", "430.52"),
    ]
    if nameplate_amps is not None:
        is_high = allows_high_overload(service_factor, temperature_rise_c)
        share = OVERLOAD_HIGH if is_high else OVERLOAD_LOW
        steps.append(("overload", round(nameplate_amps * share, 2), "A", "430.32(A)(1)"))
    # Behind an instantaneous trip, by the dual-element fuse that 430.52 allows (250.122(D)(2)).
    is_instantaneous = device == "instantaneous_breaker"
    fuse_amps = largest_protection(current, kind, "dual_element_fuse")
    ground_amps = fuse_amps if is_instantaneous else device_amps
    ground = equipment_grounding_conductor(ground_amps, conductor_material)
    ground = min(ground, size, key=rank)  # never larger than the circuit's own (250.122(A))
    steps += [
        ("grounding", label(ground), None, "250.122(D)(2)" if is_instantaneous else "250.122"),
        ("conductor_amps", required, "A", "430.22"),
        ("conductors", label(size), None, "Table 310.16"),
    ]
    return _result(ctx, "size_motor_circuit", steps)


@capability(related=["lookup_nec_table"])
def size_grounding_conductor(
    ctx: ToolContext,
    *,
    breaker_amps: BreakerAmps,
    conductor_material: ConductorMaterial = "copper",
    raceways: Sets = 1,
    installed_size: ConductorSize | None = None,
    required_size: ConductorSize | None = None,
    edition: Edition = DEFAULT,
) -> HandCalculation:
    """Size the equipment grounding conductor of a circuit or feeder by 250.122: in each raceway of
    parallel sets, and larger where the phase conductors are larger than required.

    Args:
        breaker_amps: The overcurrent device, A.
        conductor_material: Of the grounding conductor.
        raceways: In how many the parallel sets run; each has a full-sized conductor (250.122(F)).
        installed_size: The phase conductor that is installed, of each set.
        required_size: The smallest phase conductor that would be enough, for 250.122(B).
        edition: The NEC's edition.
    """
    if required_size and not installed_size:
        raise invalid("installedSize", "both_sizes")
    if required_size and installed_size and rank(installed_size) < rank(required_size):
        raise invalid(
            "installedSize",
            "sizes_reversed",
            installed=label(installed_size),
            required=label(required_size),
        )
    base = equipment_grounding_conductor(breaker_amps, conductor_material, edition)
    steps: list[StepValues] = [("by_table", label(base), None, "Table 250.122")]
    size = base
    if installed_size and required_size:
        size = enlarged_grounding_conductor(base, needed=required_size, installed=installed_size)
        steps.append(("enlarged", label(size), None, "250.122(B)"))
    if installed_size and raceways == 1:
        size = min(size, installed_size, key=rank)
    if raceways > 1:
        steps.append(("raceways", raceways, None, "250.122(F)"))
    steps.append(("grounding", label(size), None, "250.122(F)" if raceways > 1 else "250.122"))
    return _result(ctx, "size_grounding_conductor", steps, edition=edition, tables=("250.122",))


@capability(related=["derate_conductors"])
def calculate_conduit_fill(
    ctx: ToolContext,
    *,
    conductors: Annotated[list[Conductors], Field(min_length=1, max_length=30)],
    conduit_type: ConduitType = "emt",
    trade_size: Annotated[str, Field(max_length=8)] | None = None,
    nipple: bool = False,
) -> HandCalculation:
    """Calculate how full a conduit is, or find the smallest trade size: chapter 9, Tables 1, 4
    and 5, for conductors of one or several sizes and insulations.

    Args:
        conductors: Each size with its count and insulation ("THHN", "XHHW-2", "THW").
        conduit_type: emt, imc, rmc, fmc, lfmc, pvc (schedule 40) or pvc_80.
        trade_size: The size to check, such as "3/4" or "1-1/4"; left out, the smallest is found.
        nipple: Whether it is at most 24 in long, which may be 60 % full.
    """
    path = Path(__file__).parent / "calculations" / "conduit_fill.json"
    data, area = json.loads(path.read_text(encoding="utf-8")), 0.0
    areas: set[float] = set()
    for each in conductors:
        kind = data["types"].get(each.insulation.strip().upper())
        known = data["conductors"].get(kind, {})
        if each.size not in known:
            raise invalid(
                "conductors",
                "no_conductor_area",
                insulation=each.insulation,
                size=each.size,
                types=", ".join(data["types"]),
            )
        area += known[each.size] * each.count
        areas.add(known[each.size])
    count, sizes = sum(each.count for each in conductors), data["conduits"][conduit_type]
    percent = data["nippleFill"] if nipple else data["fill"][min(count, 3) - 1]
    chosen = (trade_size or "").strip().replace(" ", "-").rstrip('"')
    if chosen and chosen not in sizes:
        raise invalid(
            "tradeSize",
            "no_trade_size",
            conduit_type=conduit_type,
            trade_size=trade_size,
            sizes=", ".join(sizes),
        )
    fits = [
        each
        for each, inside in sizes.items()
        if area <= _room(inside * percent / 100, areas) + 1e-9
    ]
    if not chosen and not fits:
        raise invalid("conductors", "no_conduit_large_enough", conduit_type=conduit_type)
    size = chosen or fits[0]
    steps: list[StepValues] = [
        ("conductors_area", area, "in²", "Chapter 9 Table 5"),
        ("inside", sizes[size], "in²", "Chapter 9 Table 4"),
        ("allowed", percent, "%", "Chapter 9 Table 1"),
        ("smallest", fits[0] if fits else "—", None, "Chapter 9 Table 4"),
    ]
    share, basis = round(100 * area / sizes[size], 2), Basis()
    fill: StepValues = ("fill", share, "%", "Chapter 9 Table 1")
    if size in fits and share > percent:
        basis.warnings.append(TEXTS.text("hand_calculations.note_7"))
    compliant = size in fits if chosen else None
    steps = [*steps, fill] if chosen else [*steps[:3], fill, steps[3]]
    return _result(ctx, "calculate_conduit_fill", steps, compliant=compliant, basis=basis)


def _room(allowed: float, areas: set[float]) -> float:
    """Return what conductors of these areas may take of a raceway, where Table 1 allows an area: of
    one size, what whole conductors take (note 7)."""
    if len(areas) > 1:
        return allowed
    (one,) = areas
    return max(allowed, one * math.floor(round(allowed / one + 1 - ONE_MORE_FROM, 9)))


@capability(related=["check_panel_capacity"])
def calculate_neutral_load(
    ctx: ToolContext,
    *,
    floor_area_ft2: Annotated[float, Field(gt=0, le=1_000_000)] | None = None,
    small_appliance_circuits: Annotated[int, Field(ge=0, le=200)] = 2,
    laundry_circuits: Annotated[int, Field(ge=0, le=200)] = 1,
    fastened_watts: WattsOfEach | None = None,
    ranges_watts: WattsOfEach | None = None,
    dryers_watts: WattsOfEach | None = None,
    other_neutral_va: Watts = 0,
    unbalanced_amps: LoadAmps | None = None,
    voltage: AnyVolts = 240,
    phases: Phases = 1,
    edition: Edition = DEFAULT,
) -> HandCalculation:
    """Calculate the neutral load of a dwelling's feeder or service (220.61), also where 220.82 or
    220.84 gives the load of the lines: ranges and dryers count 70 %, and of what is above 200 A
    70 %; on two lines and the neutral of 208Y/120 V all count in full. Loads between lines put
    nothing on the neutral.

    Args:
        floor_area_ft2: For the general lighting, ft².
        small_appliance_circuits: 1500 VA each.
        laundry_circuits: 1500 VA each.
        fastened_watts: Appliances of 120 V that are fastened in place, each in W.
        ranges_watts: Household cooking appliances, each in W (Table 220.55, 70 %).
        dryers_watts: Household dryers, each in W (Table 220.54, 70 %).
        other_neutral_va: Other loads to the neutral, VA.
        unbalanced_amps: The greatest unbalanced load itself, A, instead of all of these.
        voltage: Between lines, V.
        phases: 1 or 3.
        edition: The NEC's edition.
    """

    def at(number: str) -> str:
        return article(number, edition)

    parts_of_load = (floor_area_ft2, fastened_watts, ranges_watts, dryers_watts, other_neutral_va)
    if unbalanced_amps is not None and any(parts_of_load):
        raise invalid("unbalancedAmps", "neutral_known_or_added")
    steps: list[StepValues] = []
    basis, tables = Basis(), tuple[str, ...]()
    amps = unbalanced_amps
    is_full = phases == 1 and is_network(voltage)
    counted, reduction = (1.0, at("220.61(C)(1)")) if is_full else (NEUTRAL_SHARE, at("220.61(B)"))
    if amps is None:
        if floor_area_ft2 is None:
            raise invalid("floorAreaFt2", "area_or_unbalanced")
        each = figure_of(lighting_va_per_ft2("dwelling", edition), basis)
        circuits = small_appliance_circuits + laundry_circuits
        general = floor_area_ft2 * each + circuits * SMALL_APPLIANCE_VA
        lighting = figure_of(lighting_demand_va(general, "dwelling", edition), basis)
        try:
            cooking = range_demand_w(ranges_watts or [])
        except InvalidArgument as error:
            raise InvalidArgument(error.text, field="rangesWatts") from error
        parts = (
            ("lighting", lighting, at("220.42")),
            ("fastened", _fastened_va(fastened_watts or [], edition), at("220.53")),
            ("cooking", cooking * counted, reduction),
            ("dryers", dryer_demand_w(dryers_watts or []) * counted, reduction),
            ("others", other_neutral_va, at("220.61(A)")),
        )
        steps += [(key, va, "VA", place) for key, va, place in parts if va]
        used = {"220.54": dryers_watts, "220.55": ranges_watts}
        tables = tuple(table for table, watts in used.items() if watts)
        total = sum(va for _, va, _ in parts)
        amps = total / (voltage * (3**0.5 if phases == 3 else 1))
        steps.append(("neutral_va", total, "VA", at("220.61(A)")))
    steps.append(("unbalanced", round(amps, 2), "A", at("220.61(A)")))
    if amps > NEUTRAL_FULL_AMPS:
        amps = NEUTRAL_FULL_AMPS + counted * (amps - NEUTRAL_FULL_AMPS)
    steps.append(("neutral", round(amps, 1), "A", reduction))
    neutral, one, several = at("220.61"), at("220.82"), at("220.84")
    key = "hand_calculations.neutral_by_part_iii"
    basis.warnings.append(TEXTS.text(key, neutral=neutral, one=one, several=several))
    return _result(
        ctx, "calculate_neutral_load", steps, edition=edition, tables=tables, basis=basis
    )


def _fastened_va(watts: Sequence[float], edition: Edition) -> float:
    """220.53: of four or more, 75 %; from 2020 on those below 500 W are not among them."""
    least = APPLIANCE_LEAST_VA if edition >= 2020 else 0
    counted = [each for each in watts if each >= least]
    share = APPLIANCE_FACTOR if len(counted) >= MIN_APPLIANCES else 1
    return sum(watts) - sum(counted) * (1 - share)


@capability(related=["calculate_voltage_drop"])
def calculate_dc_voltage_drop(
    ctx: ToolContext,
    *,
    load_amps: LoadAmps,
    conductor_size: ConductorSize,
    source_voltage: AnyVolts,
    length_ft: LengthFt | None = None,
    length_m: LengthM | None = None,
    conductor_material: ConductorMaterial = "copper",
    coated: bool = False,
    solid: bool = False,
    conductor_temperature_c: Annotated[float, Field(ge=-50, le=250)] = 75,
) -> HandCalculation:
    """Calculate the voltage drop of a direct-current circuit of two wires, also with coated
    (tinned) or solid conductors, by the resistances of chapter 9, Table 8.

    Args:
        load_amps: The load's current, A.
        conductor_size: AWG or kcmil.
        source_voltage: At the source, V.
        length_ft: Length one way, ft.
        length_m: The same in m, instead of length_ft.
        conductor_material: "copper" or "aluminum".
        coated: Whether copper is coated (tinned).
        solid: Whether conductors are solid, up to 8 AWG.
        conductor_temperature_c: Of the conductors in use, °C.
    """
    length = length_in_feet(length_ft, length_m)
    if length is None:
        raise invalid("lengthFt", "length_one_way")
    ohms = dc_resistance(
        conductor_size,
        conductor_material,
        stranded=not solid,
        coated=coated,
        temperature_c=conductor_temperature_c,
    )
    drop, basis = 2 * load_amps * ohms * length / 1000, Basis()
    if drop >= source_voltage:
        basis.warnings.append(TEXTS.text("voltage_drop.nothing_left"))
    steps: list[StepValues] = [
        ("resistance", ohms, "Ω/kft", "Chapter 9 Table 8"),
        ("drop", round(drop, 3), "V", None),
        ("left", round(max(source_voltage - drop, 0), 3), "V", None),
        ("drop_percent", round(100 * drop / source_voltage, 3), "%", "210.19"),
    ]
    return _result(ctx, "calculate_dc_voltage_drop", steps, basis=basis)


@capability(related=["calculate_voltage_drop"])
def compare_voltages(
    ctx: ToolContext, *, source_voltage: AnyVolts, load_voltage: AnyVolts
) -> HandCalculation:
    """Calculate the percent drop between two voltages: at the source and, measured or known, at the
    load.

    Args:
        source_voltage: V.
        load_voltage: V.
    """
    if load_voltage > source_voltage:
        raise invalid(
            "loadVoltage", "nothing_drops", load_voltage=load_voltage, source_voltage=source_voltage
        )
    drop = source_voltage - load_voltage
    percent = round(100 * drop / source_voltage, 3)
    steps: list[StepValues] = [("drop", drop, "V", None), ("drop_percent", percent, "%", "210.19")]
    return _result(ctx, "compare_voltages", steps)
