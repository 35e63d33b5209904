"""Finds panels and circuits by id, by name and number, or by description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated

from pydantic import Field

from packs.electrical.projects.records import Panel, PanelCircuit, Project, RecordId
from packs.electrical.projects.topology import service_panel
from packs.electrical.wording import TEXTS, invalid, panel_text
from rollcall.core.errors import InvalidArgument, NotFound
from rollcall.core.text import terms, tokens
from rollcall.core.texts import Text, isolated

_MIN_LETTERS = 4
MAX_NAMED = 10
"""Most candidates that an error lists."""

PanelName = Annotated[str, Field(min_length=1, max_length=80)]
CircuitNumber = Annotated[int, Field(ge=1, le=999)]
CircuitWords = Annotated[str, Field(min_length=1, max_length=200)]
PanelId = RecordId
CircuitId = RecordId


def find_panel(
    project: Project, *, panel_id: str | None = None, panel_name: str | None = None
) -> Panel:
    """Return the named panel or, if none is named, the project's only one.

    Raises:
        InvalidArgument: None is named and there are several, the name fits several, or it is that
            of another panel than the id.
        NotFound: There is no such panel.
    """
    known = project.panels
    if panel_id is not None:
        wanted = panel_id.casefold()
        exact = [panel for panel in known if panel.id == panel_id]
        named = exact or [  # a name in place of an id is clear enough
            panel for panel in known if wanted in {panel.id.casefold(), panel.name.casefold()}
        ]
        if not named:
            raise _no_panel(panel_id, known, field="panelId")
        name = (panel_name or "").casefold()
        others = [each for each in known if each.name.casefold() == name and each != named[0]]
        if others:
            differ = TEXTS.text(
                "errors.panels_differ", id=panel_id, panels=_names([*named, *others])
            )
            raise InvalidArgument(differ, field="panelName")
        return named[0]
    if panel_name is None:
        if len(known) == 1:
            return known[0]
        raise invalid("panelName", "which_panel", panels=_panels(known))
    return panel_named(project, panel_name)


def panel_named(project: Project, name: str) -> Panel:
    """Return the panel with this name: exactly or by id, else by words of its name or id, else by
    words of its feeder's name: SR, which the "Server room feeder" feeds, is the server room panel.
    "Main panel", in either language, is the service equipment.

    Raises:
        InvalidArgument: It fits several.
        NotFound: It fits none.
    """
    known = project.panels
    wanted = " ".join(name.casefold().split())
    exact = [panel for panel in known if wanted in {panel.name.casefold(), panel.id.casefold()}]
    words = set(terms(name)) - set(terms(_words("panel")))
    matches = exact
    if words and not matches:
        matches = [
            panel
            for panel in known
            if words <= set(terms(f"{panel.name} {panel.id}"))
            or words <= {panel.id.casefold(), *panel.name.casefold().split()}
        ]
    if words and not matches:
        fed = {feeder.target_id for feeder in project.feeders if words <= set(terms(feeder.name))}
        matches = [panel for panel in known if panel.id in fed]
    if words and not matches and words <= set(terms(_words("main"))):
        return service_panel(project)
    if not matches:
        raise _no_panel(name, known, field="panelName")
    if len(matches) > 1:
        several = TEXTS.text("errors.panel_could_be", name=name[:80], panels=_names(matches))
        raise InvalidArgument(several, field="panelName")
    return matches[0]


def find_circuit(
    project: Project,
    *,
    circuit_id: str | None = None,
    circuit_number: int | None = None,
    panel_name: str | None = None,
    circuit_description: str | None = None,
) -> PanelCircuit:
    """Return the one circuit of an id, number or description. The number may be any of its
    positions; a panel narrows the search.

    Raises:
        InvalidArgument: Nothing is named, or it fits several: the message lists them; or what is
            named fits different circuits.
        NotFound: There is no such circuit or panel.
    """
    everywhere = panel_name is None
    panels = project.panels if panel_name is None else (panel_named(project, panel_name),)
    circuits = [PanelCircuit(panel, circuit) for panel in panels for circuit in panel.circuits]
    place = TEXTS.text("errors.in_project") if everywhere else panel_text(panels[0].name)
    if circuit_id is not None:
        matches = [each for each in circuits if each.circuit.id == circuit_id]
        named = TEXTS.text("errors.by_id", id=circuit_id)
        found = _only(matches, named, place, "circuitId", circuits)
        if circuit_number is not None and circuit_number not in found.circuit.positions:
            other = TEXTS.text("errors.by_number", number=circuit_number)
            raise _circuits_differ(named, found, other, "circuitNumber")
        return _as_described(found, named, circuit_description, circuits)
    if circuit_number is not None:
        matches = [each for each in circuits if circuit_number in each.circuit.positions]
        if circuit_description is not None and len(matches) > 1:
            matches = described(circuit_description, matches) or matches
        named = TEXTS.text("errors.by_number", number=circuit_number)
        found = _only(matches, named, place, "circuitNumber", circuits)
        return _as_described(found, named, circuit_description, circuits)
    if circuit_description is not None:
        matches = described(circuit_description, circuits)
        named = TEXTS.text("errors.by_description", description=circuit_description[:80])
        return _only(matches, named, place, "circuitDescription", circuits)
    raise invalid("circuitNumber", "which_circuit")


def _as_described(
    found: PanelCircuit, named: Text, description: str | None, circuits: Sequence[PanelCircuit]
) -> PanelCircuit:
    """Return a circuit that was found otherwise, unless its description names others alone.

    Raises:
        InvalidArgument: It does.
    """
    if description and described(description, circuits) and not described(description, [found]):
        other = TEXTS.text("errors.by_description", description=description[:80])
        raise _circuits_differ(named, found, other, "circuitDescription")
    return found


def _circuits_differ(named: Text, found: PanelCircuit, other: Text, field: str) -> InvalidArgument:
    text = TEXTS.text("errors.circuits_differ", named=named, circuit=found.text, other=other)
    return InvalidArgument(text, field=field)


def described(text: str, circuits: Sequence[PanelCircuit]) -> list[PanelCircuit]:
    """Return the circuits that match a description best, in either language; several if tied.

    A word counts if it is in the circuit's description or panel name, or names its kind of load or
    its area. It counts half if one of their words begins with it or the other way round.
    """
    wanted = set(terms(text))
    scored = []
    for each in circuits:
        words = set(_words_of(each))
        exact = wanted & words
        partial = [one for one in wanted - exact if any(_begins(one, other) for other in words)]
        scored.append((len(exact) + len(partial) / 2, each))
    best = max((score for score, _ in scored), default=0)
    if best < 1 or best * 2 < len(wanted):  # at least half of the words match
        return []
    matches = [each for score, each in scored if score == best]
    whole = [each for each in matches if _is_whole(each.circuit.description, text)]
    return whole if len(whole) == 1 else matches


def _begins(one: str, other: str) -> bool:
    """Whether the longer of two words begins with the shorter one."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _MIN_LETTERS and long.startswith(short)


def _is_whole(description: str, text: str) -> bool:
    """Whether a text names all of a description, with single letters ("UPS A")."""
    marks = {token for token in tokens(description) if len(token) == 1}
    return set(terms(description)) <= set(terms(text)) and marks <= set(tokens(text))


def _words_of(branch: PanelCircuit) -> Iterator[str]:
    """The words by which people may name a circuit."""
    circuit = branch.circuit
    yield from terms(f"{circuit.description} {branch.panel.name}")
    for kind in (circuit.load_type, circuit.area):
        yield from terms(_words(f"kinds.{kind or ''}"))
    said = set(terms(circuit.description))
    for group in _synonyms():
        if said & group:
            yield from group


def _words(key: str) -> str:
    """Return the words of every language under a key; none where it has none."""
    return " ".join(TEXTS.every(f"projects.words.{key}"))


@cache
def _synonyms() -> tuple[frozenset[str], ...]:
    """Words of circuits' descriptions that mean the same; `_` joins a word of two."""
    return tuple(
        frozenset(terms(_words(f"synonyms.{group}").replace("_", " ")))
        for group in TEXTS.data("en", "projects.words.synonyms")
    )


def _only(
    matches: Sequence[PanelCircuit],
    named: Text,
    place: Text,
    field: str,
    known: Sequence[PanelCircuit],
) -> PanelCircuit:
    if len(matches) == 1:
        return matches[0]
    if not matches:
        key = "errors.no_circuit" if known else "errors.no_circuit_at_all"
        no_circuit = TEXTS.text(key, place=place, named=named, circuits=_circuits(known))
        raise NotFound(no_circuit, field=field)
    fitting = TEXTS.text("errors.circuit_could_be", named=named, circuits=_circuits(matches))
    raise InvalidArgument(fitting, field=field)


def _no_panel(named: str, known: Sequence[Panel], *, field: str) -> NotFound:
    text = TEXTS.text("errors.no_panel", name=named[:80], panels=_panels(known))
    return NotFound(text, field=field)


def _panels(panels: Sequence[Panel]) -> Text:
    if not panels:
        return TEXTS.text("errors.no_panels")
    return TEXTS.text("errors.has_panels", panels=_names(panels))


def _names(panels: Sequence[Panel]) -> Text:
    names = ", ".join(panel.name for panel in panels[:MAX_NAMED])
    return _listed(isolated(names), len(panels))


def _circuits(matches: Sequence[PanelCircuit]) -> Text:
    return _listed([each.text for each in matches[:MAX_NAMED]], len(matches))


def _listed(named: str | list[Text], count: int) -> Text:
    """List the first candidates, and the number of the others."""
    key = "errors.listed_and_more" if count > MAX_NAMED else "errors.listed"
    return TEXTS.text(key, named=named, more=count - MAX_NAMED)
