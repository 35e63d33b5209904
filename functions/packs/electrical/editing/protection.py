"""Ground-fault and arc-fault protection that a new circuit needs, by the rules of an inspection."""

from __future__ import annotations

from dataclasses import dataclass

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import Problem, Rule, Unknown
from packs.electrical.inspection.rules import gfci
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import CodeReference, Words
from rollcall.core.wording import isolated

_ARC_FAULT = "210.12"


@dataclass(frozen=True, slots=True)
class Protection:
    """What a circuit needs.

    Attributes:
        undecided: What would have to be known to tell, in words.
    """

    gfci: bool
    afci: bool
    references: tuple[CodeReference, ...]
    undecided: tuple[Words, ...]


def protection_of(project: Project, panel: Panel, circuit: Circuit, locale: str) -> Protection:
    """What a circuit without any such protection would need, as the project stands with it."""
    if circuit.is_spare:
        return Protection(False, False, (), ())
    bare = circuit.model_copy(update={"gfci": False, "afci": False})
    facts, found = Facts(project), PanelCircuit(panel, bare)
    gfci = afci = False
    references, undecided = [], []
    for rule in _rules(project):
        try:
            finding = rule.check(facts, found)
        except Unknown as unknown:
            undecided.append(_undecided(rule, unknown))
            continue
        if isinstance(finding, Problem):
            references.append(rule.reference(project.edition, locale))
            if rule.id.startswith(_ARC_FAULT):
                afci = True
            else:
                gfci = True
    return Protection(gfci, afci, tuple(references), tuple(dict.fromkeys(undecided)))


def _rules(project: Project) -> list[Rule]:
    return [rule for rule in gfci.RULES if rule.is_in(project.edition)]


def _undecided(rule: Rule, unknown: Unknown) -> Words:
    kind = "AFCI" if rule.id.startswith(_ARC_FAULT) else "GFCI"
    if unknown.field == "area":
        return Words(
            en=f"{kind} protection could not be decided: the area is not given",
            he=f"לא ניתן לקבוע אם נדרשת הגנת {isolated(kind)}: לא צוין האזור",
        )
    return Words(
        en=f"{kind} protection may be needed ({rule.article}): the record does not say "
        f"{unknown.field}",
        he=f"ייתכן שנדרשת הגנת {isolated(kind)} ({isolated(rule.article)}): חסר הנתון "
        f"{isolated(unknown.field)}",
    )
