"""An addition worked out for one user: what it would be, or why it cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from packs.electrical.calculations.circuit_load import CircuitOverrides
from packs.electrical.calculations.voltage_drop import BRANCH_LIMIT_PERCENT, circuit_run, drop
from packs.electrical.editing.arguments import fields_of
from packs.electrical.editing.proposing import Plan, plan
from packs.electrical.projects.access import Opened, open_project
from packs.electrical.projects.selection import PanelCircuit, find_panel
from packs.electrical.results import Basis, CodeReference, Words, panel_words, said
from packs.electrical.wording import percent
from rollcall.core.context import ToolContext
from rollcall.core.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from rollcall.core.texts import Text
from rollcall.core.wording import isolated, say


def plan_addition(ctx: ToolContext, given: Mapping[str, Any]) -> tuple[Opened, Plan]:
    """Read the project and complete the circuit that these arguments of add_circuit describe.

    Raises:
        InvalidArgument, NotFound: An argument is wrong, or names what is not there.
        PermissionDenied: The user is no member of the project.
        FailedPrecondition: The panel has no room, or cannot carry it.
    """
    opened = open_project(ctx, given["project_id"], role="member")
    panel = find_panel(opened.project, panel_id=given["panel_id"], panel_name=given["panel_name"])
    as_built = given["as_built"]
    if not as_built and not given["load_watts"] and given["load_type"] != "spare":
        raise InvalidArgument(
            "a circuit has a load above 0 W; only a spare has none", field="loadWatts"
        )
    if not as_built and given["load_type"] == "subpanel":
        raise InvalidArgument(
            "a subpanel's breaker belongs to its feeder and its panel, which are not made here; "
            "asBuilt records the breaker alone",
            field="loadType",
        )
    told = {name: value for name, value in given.items() if name != "as_built"}
    fields = fields_of(told)
    if any(circuit.id == fields.get("id") for circuit in panel.circuits):
        raise AlreadyExists(f"{panel.name} has a circuit {fields['id']!r} already")
    found = plan(opened.project, panel, fields, ctx.locale, as_built=as_built)
    if found.problems and not as_built:
        field, words = found.problems[0]
        raise FailedPrecondition(
            f"{found.circuit.description} cannot be added to {panel.name}: "
            f"{_plain(words.say('en'))}",
            field=field,
            hint="asBuilt records a circuit that is there already",
        )
    return opened, found


def notes(found: Plan, locale: str, *, as_built: bool) -> list[str]:
    """What should be known before a yes: the load of the panels on the way, and the cautions."""
    return [
        *said(locale, (each.words for each in found.carried)),
        *cautions(found, locale, as_built=as_built),
    ]


def cautions(found: Plan, locale: str, *, as_built: bool) -> list[str]:
    """What is against a rule where that may be, missing protection, what could not be decided."""
    return list(said(locale, _cautions(found, as_built=as_built)))


def references(found: Plan) -> list[CodeReference]:
    """The places in the code that the plan goes by."""
    edition = found.after.edition
    places = [CodeReference(edition=edition, article="408.36")]
    if found.case is not None:
        places = [
            CodeReference(edition=edition, table="310.16"),
            *(
                CodeReference(edition=edition, article=each)
                for each in (*found.case.need.articles, "240.4", "240.6(A)")
            ),
            CodeReference(edition=edition, table="250.122"),
        ]
    if found.carried:
        method = found.carried[0].after.calculation
        places += list(method.basis.citations)
    return [*places, *found.protection.references]


def _cautions(found: Plan, *, as_built: bool) -> Iterator[Words | Text]:
    if as_built:
        for _, words in found.problems:
            yield words
    yield from found.protection.undecided
    circuit = found.circuit
    for needed, there, kind in (
        (found.protection.gfci, circuit.gfci, "GFCI"),
        (found.protection.afci, circuit.afci, "AFCI"),
    ):
        if needed and not there:
            yield Words(
                en=f"{kind} protection is required here and would be missing",
                he=f"נדרשת כאן הגנת {isolated(kind)}, והיא תחסר",
            )
    if circuit.load_type == "motor":
        yield _MOTOR
    if too_much := _drop(found):
        yield too_much


def _drop(found: Plan) -> Words | None:
    """Whether the run loses more than is recommended, where its length is known."""
    circuit = found.circuit
    if circuit.length_ft is None or circuit.conductor_size is None or not circuit.load_watts:
        return None
    here = PanelCircuit(found.panel, circuit)
    run = circuit_run(found.after, here, CircuitOverrides(), Basis())
    try:
        lost = drop(run).percent
    except InvalidArgument:  # Table 9 has no such size
        return None
    if lost <= BRANCH_LIMIT_PERCENT:
        return None
    return Words(
        en=f"the voltage drop would be {percent(lost)}, above the recommended "
        f"{percent(BRANCH_LIMIT_PERCENT)}",
        he=f"מפל המתח יהיה {percent(lost)}, מעל {percent(BRANCH_LIMIT_PERCENT)} המומלצים",
    )


def _plain(text: str) -> str:
    """Without the marks of direction, for an error's message."""
    return text.replace("\u2068", "").replace("\u2069", "")


def done_text(found: Plan, locale: str, what: str) -> str:
    """`Added EV charger to Main Panel as circuit 14: 50 A, AWG 6`."""
    circuit = found.circuit
    return say(
        locale,
        en="Added {name} to {panel} as circuit {number}: {what}",
        he="{name} נוסף ל{panel} כמעגל {number}: {what}",
        name=isolated(circuit.description),
        panel=panel_words(found.panel.name).say(locale),
        number=str(circuit.circuit_number),
        what=what,
    )


_MOTOR = Words(
    en="the motor itself is not recorded: with its horsepower, 430.52 may allow a larger breaker",
    he=f"המנוע עצמו לא נרשם: לפי הספקו ייתכן ש-{isolated('430.52')} יתיר מפסק גדול יותר",
)
