"""Grounding and bonding: the electrodes and their conductor, the bonds at the service, the systems
of transformers, and the equipment grounding conductors (Article 250)."""

from __future__ import annotations

from operator import not_

from msgspec.structs import replace

from packs.electrical.inspection.facts import Facts, in_table
from packs.electrical.inspection.rule import (
    PASSED,
    FieldCheck,
    Finding,
    Problem,
    Rule,
    Unknown,
    at_least,
    at_most,
    conductor_text,
    known,
    size_label,
    wiring_text,
)
from packs.electrical.nec.conductors import Material, Size, rank
from packs.electrical.nec.grounding import (
    bonding_jumper,
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
    grounding_electrode_conductor,
)
from packs.electrical.projects.records import (
    Electrode,
    Feeder,
    Panel,
    PanelCircuit,
    Project,
    Transformer,
    Wiring,
)
from packs.electrical.wording import amps, feet

MAX_OHMS = 25.0
MIN_SPACING_FT = 6.0
GROUNDED_UP_TO_V = 150
MADE_ELECTRODES = ("rod", "plate")
METAL_RACEWAYS = frozenset({"emt", "imc", "rmc"})
"""Raceways that are equipment grounding conductors themselves (250.118)."""


def size_at_least(size: Size, material: Material, least: Size) -> Finding:
    """Check a conductor against the smallest size that is required."""
    if rank(size) >= rank(least):
        return PASSED
    values = {"conductor": conductor_text(size, material), "least": size_label(least)}
    return Problem(size, least, values=values)


# The grounding electrode system


def electrodes_of(project: Project) -> tuple[Electrode, ...]:
    """Return the electrodes of the service; raises Unknown if none is recorded."""
    return known(project.grounding.electrodes or None, "grounding.electrodes")


def single_rod(facts: Facts, project: Project) -> Finding:
    """A rod or plate that is the only electrode has 25 Ω at most."""
    electrodes = electrodes_of(project)
    if len(electrodes) > 1 or electrodes[0].kind not in MADE_ELECTRODES:
        return PASSED
    ohms = known(electrodes[0].resistance_ohms, "grounding.electrodes.resistanceOhms")
    return at_most(ohms, MAX_OHMS, "Ω", spacing=feet(MIN_SPACING_FT))


def rod_spacing(facts: Facts, project: Project) -> Finding:
    """Rods and plates are 6 ft apart."""
    rods = [each for each in electrodes_of(project) if each.kind in MADE_ELECTRODES]
    if len(rods) < 2:
        return None
    spacings = [rod.spacing_ft for rod in rods if rod.spacing_ft is not None]
    least = known(min(spacings, default=None), "grounding.electrodes.spacingFt")
    return at_least(least, MIN_SPACING_FT, "ft")


def water_pipe_supplemented(facts: Facts, project: Project) -> Finding:
    """A water pipe is not the only electrode."""
    kinds = {electrode.kind for electrode in electrodes_of(project)}
    if "water_pipe" not in kinds:
        return None
    return PASSED if len(kinds) > 1 else Problem()


def electrode_conductor(facts: Facts, project: Project) -> Finding:
    """The grounding electrode conductor has the size of 250.66 for each electrode."""
    grounding, service = project.grounding, project.service
    electrodes = electrodes_of(project)
    size = known(grounding.gec_size, "grounding.gecSize")
    largest = known(service.conductor_size, "service.conductorSize")
    sizes = [
        _electrode_conductor(
            service, largest, grounding.gec_material, "grounding.gecMaterial", each.kind
        )
        for each in electrodes
    ]
    return size_at_least(size, grounding.gec_material, max(sizes, key=rank))


def _electrode_conductor(
    supply: Wiring, size: Size, material: Material, field: str, electrode: str | None = None
) -> Size:
    """Return the size of a grounding electrode conductor of a material for supply conductors of a
    size."""
    return in_table(
        lambda: grounding_electrode_conductor(
            size,
            supply.conductor_material,
            material,
            sets=supply.conductor_sets,
            electrode=electrode,
        ),
        field,
    )


def main_bonding_jumper(facts: Facts, project: Project) -> Finding:
    """Neutral and equipment grounds are bonded at the service."""
    jumper = project.grounding.main_bonding_jumper
    panel = facts.service_panel
    bonded = panel.neutral_bonded if panel else None
    if jumper is False or bonded is False:
        return Problem()
    if jumper or bonded:
        return PASSED
    raise Unknown("grounding.mainBondingJumper")


def main_bonding_jumper_size(facts: Facts, project: Project) -> Finding:
    """The main bonding jumper has the size of Table 250.102(C)(1)."""
    grounding, service = project.grounding, project.service
    if grounding.main_bonding_jumper is False:
        return None
    size = known(grounding.main_bonding_jumper_size, "grounding.mainBondingJumperSize")
    largest = known(service.conductor_size, "service.conductorSize")
    least = in_table(
        lambda: bonding_jumper(
            largest, service.conductor_material, "copper", sets=service.conductor_sets
        ),
        "grounding.mainBondingJumperMaterial",
    )
    if rank(size) >= rank(least):
        return PASSED
    return Problem(size, least, values={"size": size_label(size), "least": size_label(least)})


def is_after_service(facts: Facts, panel: Panel) -> bool:
    return not facts.is_service(panel) and facts.source_transformer(panel) is None


# The systems of transformers


def must_be_grounded(facts: Facts, transformer: Transformer) -> bool:
    """Return whether 250.20(B) requires grounding of the system: if it can be at most 150 V to
    ground, or if its neutral is used.

    Raises:
        Unknown: Whether the neutral is used is not recorded.
    """
    line = transformer.secondary_voltage
    if line / (3**0.5 if transformer.phases == 3 else 2) <= GROUNDED_UP_TO_V:
        return True
    feeders = facts.feeders_from.get(transformer.id, [])
    wires = [panel.wires for feeder in feeders if (panel := facts.target_panel(feeder))]
    if 4 in wires:
        return True
    if None in wires:
        raise Unknown("wires")
    return False


def transformer_electrode_conductor(facts: Facts, transformer: Transformer) -> Finding:
    """The grounding electrode conductor of a transformer has the size of Table 250.66."""
    if transformer.secondary_grounded is False or not must_be_grounded(facts, transformer):
        return None
    size = known(transformer.gec_size, "gecSize")
    feeders = known(facts.feeders_from.get(transformer.id), "feeders")
    sizes = [
        _electrode_conductor(
            feeder,
            known(feeder.conductor_size, "conductorSize"),
            transformer.gec_material,
            "gecMaterial",
        )
        for feeder in feeders
    ]
    return size_at_least(size, transformer.gec_material, max(sizes, key=rank))


# Equipment grounding conductors


def device_of(facts: Facts, record: PanelCircuit | Feeder) -> tuple[Wiring, float] | None:
    """Return the conductors of a circuit or feeder and the rating of their device, A; None for the
    secondary conductors of a transformer without one, which have a supply-side bonding jumper
    (250.30) and not a conductor of 250.122."""
    if isinstance(record, PanelCircuit):
        return record.circuit, record.circuit.breaker_amps
    if facts.is_open_secondary(record):
        return None
    return record, known(facts.source_device(record), "breakerAmps")


def egc_size(facts: Facts, record: PanelCircuit | Feeder) -> Finding:
    """An equipment grounding conductor has the size of Table 250.122."""
    protected = device_of(facts, record)
    if protected is None:
        return None
    wiring, device = protected
    if wiring.egc_size is None and wiring.conduit_type in METAL_RACEWAYS:
        return PASSED
    size = known(wiring.egc_size, "egcSize")
    finding = size_at_least(size, wiring.egc_material, _least_egc(facts, wiring, device))
    if not isinstance(finding, Problem):
        return finding
    values = {**finding.values, "device": amps(device)}
    return replace(finding, values=values, texts="equipment-grounding")


def _least_egc(facts: Facts, wiring: Wiring, device: float) -> Size:
    """Return the size of Table 250.122, or that of the circuit's own conductors if it is smaller
    (250.122(A)) and they are not in parallel (250.122(F))."""
    least = facts.once(
        ("egc", device, wiring.egc_material),
        lambda: in_table(
            lambda: equipment_grounding_conductor(device, wiring.egc_material, facts.edition),
            "egcMaterial",
        ),
    )
    own = wiring.conductor_size
    is_limit = wiring.conductor_material == wiring.egc_material and wiring.conductor_sets == 1
    return own if own is not None and is_limit and rank(own) < rank(least) else least


def egc_enlarged(facts: Facts, record: PanelCircuit | Feeder) -> Finding:
    """Where conductors are larger than needed, the equipment grounding conductor is enlarged with
    them (250.122(B)).

    The needed size is the smallest whose ampacity is not below the device, even where 240.4(B)
    allows a smaller one.
    """
    if isinstance(record, PanelCircuit) and facts.has_own_protection(record):
        return None
    protected = device_of(facts, record)
    if protected is None:
        return None
    wiring, device = protected
    if wiring.egc_size is None and wiring.conduit_type in METAL_RACEWAYS:
        return None
    size = known(wiring.egc_size, "egcSize")
    own = known(wiring.conductor_size, "conductorSize")
    least = _least_egc(facts, wiring, device)
    if rank(size) < rank(least):
        return None  # another rule reports that it is too small
    needed = known(facts.smallest_size(wiring, device, rounds_up=False), "conductorSize")
    if rank(own) <= rank(needed):
        return None  # nothing was enlarged
    enlarged = in_table(
        lambda: enlarged_grounding_conductor(least, needed=needed, installed=own), "egcSize"
    )
    required = enlarged if wiring.conductor_sets > 1 else min(enlarged, own, key=rank)
    if rank(size) >= rank(required):
        return PASSED
    values = {
        "wires": wiring_text(wiring),
        "needed": size_label(needed),
        "conductor": conductor_text(size, wiring.egc_material),
        "least": size_label(required),
    }
    return Problem(size, required, values=values, texts="equipment-grounding-enlarged")


RULES = (
    Rule("250.28-jumper", "project", "grounding", "critical", "250.28", main_bonding_jumper),
    Rule("250.28-size", "project", "grounding", "critical", "250.28(D)",
         main_bonding_jumper_size, table="250.102(C)(1)"),
    Rule("250.30-grounded", "transformer", "grounding", "critical", "250.30(A)",
         FieldCheck("secondary_grounded", applies=must_be_grounded)),
    Rule("250.30-gec", "transformer", "grounding", "critical", "250.30(A)(5)",
         transformer_electrode_conductor, table="250.66"),
    Rule("250.53-rod", "project", "grounding", "critical", "250.53(A)(2)", single_rod),
    Rule("250.53-spacing", "project", "grounding", "warning", "250.53(A)(3)", rod_spacing),
    Rule("250.53-water", "project", "grounding", "critical", "250.53(D)(2)",
         water_pipe_supplemented),
    Rule("250.66-gec", "project", "grounding", "critical", "250.66", electrode_conductor,
         table="250.66"),
    Rule("250.94-intersystem", "project", "grounding", "warning", "250.94",
         FieldCheck("grounding.intersystem_bonding")),
    Rule("250.104-water", "project", "grounding", "critical", "250.104(A)",
         FieldCheck("grounding.water_pipe_bonded")),
    Rule("250.104-gas", "project", "grounding", "warning", "250.104(B)",
         FieldCheck("grounding.gas_pipe_bonded")),
    Rule("250.122-circuit", "circuit", "grounding", "critical", "250.122(A)", egc_size,
         table="250.122"),
    Rule("250.122-feeder", "feeder", "grounding", "critical", "250.122(A)", egc_size,
         table="250.122"),
    Rule("250.122-b-circuit", "circuit", "grounding", "warning", "250.122(B)",
         egc_enlarged),
    Rule("250.122-b-feeder", "feeder", "grounding", "warning", "250.122(B)",
         egc_enlarged),
    Rule("250.142-neutral", "panel", "grounding", "critical", "250.142(B)",
         FieldCheck("neutral_bonded", not_, applies=is_after_service)),
)  # fmt: skip
