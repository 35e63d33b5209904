"""The records of an electrical project, which are stored, imported and exported.

Voltages are in volts between lines, currents in amperes, lengths in feet one way. A field that is
None is not known: a calculation that needs it fails, or states its assumption.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import BeforeValidator, Field, model_validator

from packs.electrical.nec.conductors import Material, Size, parse_material, parse_size
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.motors import hp_text
from packs.electrical.wording import TEXTS, panel_text
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Id, Wire
from rollcall.core.texts import Text, isolated

SCHEMA_VERSION = 1
MAX_PANELS = 100
MAX_SPACES = 84
"""Most positions of a panel."""


def _as_value_error(parse: Callable[[str], str]) -> Callable[[Any], Any]:
    """Wrap a parser for pydantic, which adds the value's path in the record to the error."""

    def parsed(value: Any) -> Any:
        try:
            return parse(value) if isinstance(value, str) else value
        except InvalidArgument as error:
            raise ValueError(error.text) from error

    return parsed


ConductorSize = Annotated[Size, BeforeValidator(_as_value_error(parse_size))]
ConductorMaterial = Annotated[Material, BeforeValidator(_as_value_error(parse_material))]
Horsepower = Annotated[
    str,
    BeforeValidator(_as_value_error(hp_text)),
    Field(pattern=r"^(\d{1,3}|\d/\d|\d{1,2}-\d/\d)$"),
]
"""As the tables write it: "7-1/2"."""

RecordId = Id
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")]
Description = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Voltage = Annotated[float, Field(ge=100, le=15_000)]
Amps = Annotated[float, Field(gt=0, le=6_000)]
Feet = Annotated[float, Field(gt=0, le=10_000)]
Phases = Literal[1, 3]
Poles = Literal[1, 2, 3]
ProjectRole = Literal["owner", "member", "viewer"]

ConduitType = Literal[
    "emt", "imc", "rmc", "fmc", "lfmc", "pvc", "rtrc", "aluminum", "nm_cable", "mc_cable",
    "ser_cable", "direct_burial", "wireway",
]  # fmt: skip
LoadType = Literal[
    "lighting", "receptacle", "small_appliance", "laundry", "appliance", "range", "cooktop", "oven",
    "dryer", "water_heater", "space_heating", "air_conditioning", "heat_pump", "motor",
    "ev_charger", "equipment", "welder", "subpanel", "other", "spare",
]  # fmt: skip
Area = Literal[
    "kitchen", "bathroom", "bedroom", "living", "dining", "laundry", "garage", "basement",
    "crawl_space", "outdoor", "rooftop", "pool", "hallway", "office", "corridor", "restroom",
    "mechanical", "shop", "closet", "stairway", "accessory_building", "boathouse",
    "food_preparation", "buffet", "sink", "shower", "locker_room", "wet_location", "other",
]  # fmt: skip
Occupancy = Literal[
    "dwelling", "office", "workshop", "store", "warehouse", "school", "restaurant", "hotel",
    "hospital", "industrial", "other",
]  # fmt: skip


def is_network(voltage: float) -> bool:
    """Whether a voltage between lines is that of a 208Y/120 V system, two lines with one phase."""
    return 200 <= voltage <= 216


def lower(value: Any) -> Any:
    """`NM cable` as `nm_cable`."""
    return value.strip().lower().replace(" ", "_") if isinstance(value, str) else value


class Wiring(Wire):
    """The conductors of a circuit, a feeder or the service; `conductor_sets` run in parallel."""

    conductor_size: ConductorSize | None = None
    conductor_material: ConductorMaterial = "copper"
    conductor_sets: Annotated[int, Field(ge=1, le=12)] = 1
    insulation: Annotated[str, Field(max_length=20)] | None = None
    conduit_type: Annotated[ConduitType, BeforeValidator(lower)] | None = None
    length_ft: Feet | None = None
    egc_size: ConductorSize | None = None
    egc_material: ConductorMaterial = "copper"
    ambient_c: Annotated[float, Field(ge=-40, le=85)] | None = None
    current_carrying_conductors: Annotated[int, Field(ge=1, le=60)] | None = None
    """In the same raceway or cable, these conductors included."""
    terminal_rating_c: Literal[60, 75, 90] | None = None


class Circuit(Wiring):
    """A branch circuit of a panel. It is at the position `circuit_number` and, with more poles, at
    every second one after it, as on a panelboard with odd numbers left and even ones right.

    `voltage` is the load's: between its lines, or to neutral with one pole; None takes the panel's.
    """

    id: RecordId
    circuit_number: Annotated[int, Field(ge=1, le=MAX_SPACES)]
    poles: Poles = 1
    description: Description
    load_watts: Annotated[float, Field(ge=0, le=2_000_000)] = 0
    power_factor: Annotated[float, Field(gt=0, le=1)] | None = None
    voltage: Voltage | None = None
    load_type: LoadType = "other"
    continuous: bool = False
    """Whether its greatest current is expected for three hours or more (Article 100)."""
    area: Area | None = None
    breaker_amps: Annotated[int, Field(ge=1, le=6_000)]
    gfci: bool = False
    afci: bool = False
    disconnect_in_sight: bool | None = None

    @property
    def positions(self) -> tuple[int, ...]:
        """The spaces that it takes."""
        return tuple(range(self.circuit_number, self.circuit_number + 2 * self.poles, 2))

    @property
    def is_spare(self) -> bool:
        return self.load_type == "spare"


class Enclosure(Wire):
    """Inner measures of a panel's enclosure."""

    height_mm: Annotated[float, Field(gt=0, le=5_000)]
    width_mm: Annotated[float, Field(gt=0, le=5_000)]
    depth_mm: Annotated[float, Field(gt=0, le=5_000)]


class Panel(Wire):
    """A panelboard, switchboard or load centre with its circuits.

    Attributes:
        voltage: Between lines: 240 in a house, 208 or 480 with three phases.
        bus_rating: Of its busbars, A.
        main_breaker_amps: None for main lugs only.
        aic_rating: Its interrupting rating, A.
        clearing_time_s: The time that the device upstream takes to clear an arcing fault here.
    """

    id: RecordId
    name: Name
    kind: Literal["panelboard", "switchboard", "switchgear", "mcc"] = "panelboard"
    voltage: Voltage
    phases: Phases
    wires: Literal[2, 3, 4] | None = None
    high_leg: bool = False
    """A 240 V three-phase delta with one coil tapped in the middle."""
    bus_rating: Amps
    main_breaker_amps: Amps | None = None
    aic_rating: Annotated[float, Field(gt=0, le=300_000)] | None = None
    series_rated: bool = False
    spaces: Annotated[int, Field(ge=1, le=MAX_SPACES)]
    location: Area | None = None
    is_service_equipment: bool = False
    neutral_bonded: bool | None = None
    """Whether neutral and equipment grounds are bonded in it."""
    directory_complete: bool | None = None
    arc_flash_label: bool | None = None
    fault_current_label: bool | None = None
    working_space_depth_in: Annotated[float, Field(ge=0, le=500)] | None = None
    working_space_width_in: Annotated[float, Field(ge=0, le=500)] | None = None
    working_space_height_in: Annotated[float, Field(ge=0, le=500)] | None = None
    enclosure: Enclosure | None = None
    electrode_configuration: Literal["VCB", "VCBB", "HCB", "VOA", "HOA"] | None = None
    conductor_gap_mm: Annotated[float, Field(gt=0, le=500)] | None = None
    clearing_time_s: Annotated[float, Field(gt=0, le=10)] | None = None
    circuits: Annotated[tuple[Circuit, ...], Field(max_length=MAX_SPACES)] = ()

    @model_validator(mode="after")
    def _circuits_fit(self) -> Panel:
        taken: dict[int, Circuit] = {}
        for circuit in self.circuits:
            if circuit.poles > self.phases + (self.phases == 1):
                raise self._does_not_fit("too_many_poles", circuit, poles=circuit.poles)
            for position in circuit.positions:
                if position > self.spaces:
                    raise self._does_not_fit(
                        "position_beyond", circuit, position=position, spaces=self.spaces
                    )
                if position in taken:
                    other = taken[position].circuit_number
                    raise self._does_not_fit(
                        "position_of_two", circuit, position=position, other=other
                    )
                taken[position] = circuit
        for problem in _same_ids("circuits", self.circuits, panel=panel_text(self.name)):
            raise ValueError(problem)
        return self

    def _does_not_fit(self, key: str, circuit: Circuit, **values: object) -> ValueError:
        values |= {"number": circuit.circuit_number, "panel": panel_text(self.name)}
        return ValueError(TEXTS.text(f"errors.{key}", **values))

    @property
    def line_to_neutral(self) -> float:
        """Volts from a line to the neutral: half the voltage between lines with one phase or a high
        leg; but two lines of a 208Y/120 V system have 120 V, and 2 wires the whole voltage."""
        if self.phases == 1 and self.wires == 2:
            return self.voltage
        is_wye = self.phases == 3 and not self.high_leg
        of_wye = is_wye or (self.phases == 1 and is_network(self.voltage))
        return self.voltage / (3**0.5 if of_wye else 2)


class PanelCircuit(Struct, frozen=True):
    """A circuit and the panel that it is in.

    Attributes:
        stated: The names of the circuit's fields whose values are those of a question.
        load_amps: The load's current, A, where a question states it.
    """

    panel: Panel
    circuit: Circuit
    stated: frozenset[str] = frozenset()
    load_amps: float | None = None

    def with_figures(self, *, load_amps: float | None = None, **fields: Any) -> PanelCircuit:
        """Return the circuit with a question's figures in place of the recorded ones; None leaves a
        field as it is recorded."""
        stated = {name: value for name, value in fields.items() if value is not None}
        circuit = self.circuit.model_copy(update=stated)
        return PanelCircuit(self.panel, circuit, frozenset(stated), load_amps)

    @property
    def text(self) -> Text:
        """`circuit 14 of Panel A (EV charger)`, in any language."""
        return TEXTS.text(
            "names.circuit",
            number=self.circuit.circuit_number,
            panel=panel_text(self.panel.name),
            description=isolated(self.circuit.description),
        )


class Service(Wiring):
    """What the utility delivers, and the conductors from its terminals to the service equipment.

    Either `available_fault_current_amps` at its terminals is known, or the utility's transformer.
    """

    service_voltage: Voltage
    phases: Phases
    service_amps: Amps
    """The rating of the service's disconnecting means."""
    panel_id: RecordId | None = None
    """The service equipment; None where the project has one panel that is."""
    available_fault_current_amps: Annotated[float, Field(gt=0, le=300_000)] | None = None
    source_xr_ratio: Annotated[float, Field(gt=0, le=200)] | None = None
    utility_transformer_kva: Annotated[float, Field(gt=0, le=50_000)] | None = None
    utility_transformer_impedance_percent: Annotated[float, Field(gt=0, le=20)] | None = None
    disconnects: Annotated[int, Field(ge=1, le=50)] = 1
    surge_protection: bool | None = None
    emergency_disconnect: bool | None = None
    ground_fault_protection: bool | None = None
    """Of equipment, at the disconnecting means (230.95)."""


class Building(Wire):
    """The building's figures for loads that have no circuit of their own."""

    occupancy: Occupancy
    floor_area_ft2: Annotated[float, Field(gt=0, le=10_000_000)] | None = None
    dwelling_units: Annotated[int, Field(ge=1, le=1_000)] = 1
    small_appliance_circuits: Annotated[int, Field(ge=0, le=100)] | None = None
    laundry_circuits: Annotated[int, Field(ge=0, le=100)] | None = None


class Feeder(Wiring):
    """Conductors from one panel or transformer to another; both are named by their ids."""

    id: RecordId
    name: Name
    source_id: RecordId
    target_id: RecordId
    breaker_amps: Amps | None = None


class Transformer(Wire):
    """A transformer of the project's own; a feeder runs to it, and another one from it."""

    id: RecordId
    name: Name
    kva: Annotated[float, Field(gt=0, le=50_000)]
    phases: Phases
    primary_voltage: Voltage
    secondary_voltage: Voltage
    impedance_percent: Annotated[float, Field(gt=0, le=20)] | None = None
    xr_ratio: Annotated[float, Field(gt=0, le=200)] | None = None
    primary_breaker_amps: Amps | None = None
    secondary_breaker_amps: Amps | None = None
    secondary_grounded: bool | None = None
    """Whether the separately derived system is bonded and grounded (250.30)."""
    gec_size: ConductorSize | None = None
    gec_material: ConductorMaterial = "copper"


class Motor(Wire):
    """A motor; its branch circuit is named by panel and number."""

    id: RecordId
    name: Name
    hp: Horsepower
    voltage: Voltage
    phases: Phases
    panel_id: RecordId
    circuit_number: Annotated[int, Field(ge=1, le=MAX_SPACES)]
    kind: Literal["squirrel_cage", "design_b", "wound_rotor", "synchronous", "single_phase"] = (
        "squirrel_cage"
    )
    device: Literal[
        "inverse_time_breaker", "instantaneous_breaker", "dual_element_fuse", "nontime_delay_fuse"
    ] = "inverse_time_breaker"
    nameplate_amps: Amps | None = None
    service_factor: Annotated[float, Field(ge=1, le=2)] | None = None
    temperature_rise_c: Annotated[float, Field(gt=0, le=200)] | None = None
    overload_amps: Amps | None = None
    disconnect_in_sight: bool | None = None


class Electrode(Wire):
    """A grounding electrode of 250.52."""

    kind: Literal["water_pipe", "structural_steel", "concrete_encased", "ring", "rod", "plate"]
    resistance_ohms: Annotated[float, Field(gt=0, le=10_000)] | None = None
    spacing_ft: Annotated[float, Field(gt=0, le=1_000)] | None = None


class Grounding(Wire):
    """The grounding electrode system and the bonds at the service."""

    electrodes: Annotated[tuple[Electrode, ...], Field(max_length=20)] = ()
    gec_size: ConductorSize | None = None
    gec_material: ConductorMaterial = "copper"
    main_bonding_jumper: bool | None = None
    main_bonding_jumper_size: ConductorSize | None = None
    water_pipe_bonded: bool | None = None
    gas_pipe_bonded: bool | None = None
    intersystem_bonding: bool | None = None


class Project(Wire):
    """A whole project, without who may see it."""

    id: RecordId
    name: Name
    edition: Edition = DEFAULT
    building: Building
    service: Service
    panels: Annotated[tuple[Panel, ...], Field(max_length=MAX_PANELS)] = ()
    feeders: Annotated[tuple[Feeder, ...], Field(max_length=200)] = ()
    transformers: Annotated[tuple[Transformer, ...], Field(max_length=50)] = ()
    motors: Annotated[tuple[Motor, ...], Field(max_length=500)] = ()
    grounding: Grounding = Grounding()

    @model_validator(mode="after")
    def _hangs_together(self) -> Project:
        if problems := [*_doubles(self), *_loose_ends(self), *_circles(self)]:
            raise ValueError(TEXTS.text("errors.listed", named=problems[:5]))
        return self

    def panel(self, panel_id: str) -> Panel | None:
        """A panel by its id."""
        return next((panel for panel in self.panels if panel.id == panel_id), None)


def _same_ids(kind: str, records: Iterable[Any], **values: object) -> Iterator[Text]:
    for id, count in Counter(each.id for each in records).items():
        if count > 1:
            yield TEXTS.text(f"errors.same_id.{kind}", count=count, id=id, **values)


def _doubles(project: Project) -> Iterator[Text]:
    """Ids and names that are used twice."""
    yield from _same_ids("nodes", (*project.panels, *project.transformers))
    yield from _same_ids("feeders", project.feeders)
    yield from _same_ids("motors", project.motors)
    names = Counter(panel.name.casefold() for panel in project.panels)
    for panel in project.panels:
        if names.pop(panel.name.casefold(), 1) > 1:
            yield TEXTS.text("errors.same_name", name=panel.name)
    by_id = {panel.id.casefold(): panel for panel in project.panels}
    for panel in project.panels:
        other = by_id.get(panel.name.casefold(), panel)
        if other is not panel:
            yield TEXTS.text("errors.name_is_id", id=panel.id, name=panel.name)


def _loose_ends(project: Project) -> Iterator[Text]:
    """References that lead nowhere, and panels with two supplies."""
    panels = {panel.id: panel for panel in project.panels}
    nodes = panels.keys() | {transformer.id for transformer in project.transformers}
    for feeder in project.feeders:
        for id in (feeder.source_id, feeder.target_id):
            if id not in nodes:
                yield TEXTS.text("errors.feeder_to_nothing", name=feeder.name, id=id)
    for target, count in Counter(feeder.target_id for feeder in project.feeders).items():
        if count > 1:
            yield TEXTS.text("errors.several_feeders", count=count, id=target)
    service_panel = project.service.panel_id
    if service_panel is not None and service_panel not in panels:
        yield TEXTS.text("errors.service_without_panel", id=service_panel)
    for motor in project.motors:
        panel = panels.get(motor.panel_id)
        if panel is None:
            yield TEXTS.text("errors.motor_without_panel", name=motor.name, id=motor.panel_id)
        elif all(motor.circuit_number != each.circuit_number for each in panel.circuits):
            number, place = motor.circuit_number, panel_text(panel.name)
            values = {"name": motor.name, "number": number, "panel": place}
            yield TEXTS.text("errors.motor_without_circuit", **values)


def _circles(project: Project) -> Iterator[Text]:
    """Panels and transformers that are supplied from themselves."""
    above = {feeder.target_id: feeder.source_id for feeder in project.feeders}
    for start in above:
        seen = {start}
        node = above[start]
        while node in above and node not in seen:
            seen.add(node)
            node = above[node]
        if node == start:
            yield TEXTS.text("errors.own_supply", id=start)
