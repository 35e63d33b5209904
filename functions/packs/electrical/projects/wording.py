"""Projects in words: what a service, a panel and a role are called in each language."""

from __future__ import annotations

from packs.electrical.projects.records import Project, ProjectRole
from packs.electrical.results import Words, number
from rollcall.core.wording import isolated, say

ROLES: dict[ProjectRole, Words] = {
    "owner": Words("owner", "בעלים"),
    "member": Words("member", "חבר"),
    "viewer": Words("viewer", "צופה"),
}
KINDS = {
    "panels": Words("panels", "לוחות"),
    "circuits": Words("circuits", "מעגלים"),
    "feeders": Words("feeders", "קווי הזנה"),
    "transformers": Words("transformers", "שנאים"),
    "motors": Words("motors", "מנועים"),
}
"""By the keys of `transfer.counts`."""

_ONE = {
    "panels": Words("1 panel", "לוח אחד"),
    "circuits": Words("1 circuit", "מעגל אחד"),
    "feeders": Words("1 feeder", "קו הזנה אחד"),
    "transformers": Words("1 transformer", "שנאי אחד"),
    "motors": Words("1 motor", "מנוע אחד"),
}


def service_in_words(locale: str, project: Project) -> str:
    """`200 A, 240 V, single-phase`."""
    service = project.service
    phases = say(
        locale,
        en="three-phase" if service.phases == 3 else "single-phase",
        he="תלת-פאזי" if service.phases == 3 else "חד-פאזי",
    )
    amps, volts = number(service.service_amps), number(service.service_voltage)
    return f"{isolated(f'{amps} A')}, {isolated(f'{volts} V')}, {phases}"


def counts_in_words(locale: str, counts: dict[str, int]) -> str:
    """`2 panels, 31 circuits, 1 feeder`, without what there is none of."""
    return ", ".join(_counted(locale, kind, count) for kind, count in counts.items() if count)


def _counted(locale: str, kind: str, count: int) -> str:
    return _ONE[kind].say(locale) if count == 1 else f"{number(count)} {KINDS[kind].say(locale)}"
