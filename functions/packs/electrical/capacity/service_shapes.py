"""What results about services are made of."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.calculations.loads.service import Conductors
from packs.electrical.capacity.service import Upgrade
from packs.electrical.capacity.service_words import managed, management_references
from packs.electrical.projects.records import LoadType, Project
from packs.electrical.results import CodeReference
from rollcall.core.shapes import Wire


class ProposedLoad(Wire):
    """A load that somebody thinks of adding."""

    description: Annotated[
        str, Field(min_length=1, max_length=200, description='What it is: "EV charger".')
    ]
    watts: Annotated[float, Field(ge=0, le=2_000_000, description="Its load, W.")]
    load_type: Annotated[
        LoadType | None, Field(description="Its kind; by the description if left out.")
    ] = None
    continuous: Annotated[
        bool | None, Field(description="Whether it runs for three hours or more.")
    ] = None


class ServiceConductor(Wire):
    """Conductors for the recommended service; `sets` run in parallel."""

    material: Literal["copper", "aluminum"]
    size: str
    sets: int
    ampacity_amps: float
    article: str


class LoadManagement(Wire):
    """Whether load management would spare the upgrade; `limit_amps` is what it leaves."""

    avoids_upgrade: bool
    limit_amps: float | None
    applies_to: Literal["ev_charger", "all_proposed"]
    text: str


def conductor_shown(conductors: Conductors, project: Project) -> ServiceConductor:
    """Conductors as a result carries them."""
    share = "310.15(B)(7)" if project.edition == 2017 else "310.12"
    return ServiceConductor(
        material=conductors.material,
        size=conductors.size,
        sets=conductors.sets,
        ampacity_amps=conductors.ampacity_amps,
        article=share if conductors.by_dwelling_share else "230.42",
    )


def management_shown(found: Upgrade, locale: str) -> LoadManagement | None:
    """What load management would do; None where nothing needs it."""
    management = found.management
    if management is None:
        return None
    amps = management.amps
    return LoadManagement(
        avoids_upgrade=amps is not None,
        limit_amps=None if amps is None else math.floor(amps),
        applies_to="ev_charger" if management.charger else "all_proposed",
        text=managed(amps, charger=management.charger).say(locale),
    )


def service_references(project: Project, found: Upgrade) -> list[CodeReference]:
    """Where the size, the conductors and load management stand in the code."""
    edition = project.edition
    references = [
        CodeReference(
            edition=edition, article="230.42", title="Service conductors: minimum size and ampacity"
        )
    ]
    if found.premises.occupancy == "dwelling" and found.premises.dwelling_units == 1:
        title = "Rating of service disconnecting means"
        references.append(CodeReference(edition=edition, article="230.79(C)", title=title))
    if any(each.by_dwelling_share for each in found.conductors):
        article = "310.15(B)(7)" if edition == 2017 else "310.12"
        title = "Conductors of dwelling services and feeders"
        references.append(CodeReference(edition=edition, article=article, title=title))
    if found.management is not None:
        references += management_references(edition, charger=found.management.charger)
    return references
