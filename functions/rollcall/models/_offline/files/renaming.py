"""Two paths of which one is to become the other: no tool renames files, but a command does."""

from __future__ import annotations

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.declining import NeedsCommand
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.paths import folder_of, name_of, paths_in

_RENAMES = compiled(
    r"^(?:rename|change the (?:file\s?)?name|call|move|mv)\b|"
    r"^(?:(?:שנ[הי]|תשנ[הי]|לשנות)\s+(?:את\s+)?ה?שם|(?:העב(?:ר|ירי)|תעבירי?|להעביר))(?![א-ת])"
)


def renaming_file(clause: Clause) -> NeedsCommand | None:
    """Read "rename notes.md to ideas.md": both are paths, so it is no text that is replaced."""
    if clause.rest is not None or not _RENAMES.match(clause.text):
        return None
    paths = paths_in(clause.text, clause.of)
    if len(paths) != 2:
        return None
    old, new = paths
    if "/" in old and "/" not in new and "." in name_of(new):
        new = f"{folder_of(old)}/{new}"  # a file's new name, where it lies
    return NeedsCommand(clause.said, f"mv {old} {new}")
