"""A figure of a table together with its standing in the edition that was asked for."""

from __future__ import annotations

from typing import NamedTuple

from packs.electrical.nec import stored
from packs.electrical.nec.editions import Edition
from packs.electrical.results import Words
from rollcall.core.wording import isolated


class Standing(NamedTuple):
    """Whether a figure was checked for an edition; `note` says what is known where it was not."""

    verified: bool
    note: Words | None = None


class Figure(NamedTuple):
    """A value whose edition matters. Not verified: use it only with its note."""

    value: float
    verified: bool
    note: Words | None = None


VERIFIED = Standing(True)


def standing(name: str, edition: Edition) -> Standing:
    """The standing of a whole table, `name` as its file in `data/`, in an edition."""
    verified = tuple(stored.load(name)["verified"])
    return VERIFIED if edition in verified else _not_checked(name, verified, edition)


def row_standing(name: str, row: stored.Row, edition: Edition) -> Standing:
    """The standing of one row of a table in an edition."""
    if edition in row.verified:
        return VERIFIED
    return Standing(False, row.note) if row.note else _not_checked(name, row.verified, edition)


def _not_checked(name: str, verified: tuple[int, ...], edition: Edition) -> Standing:
    table = stored.load(name)
    if "unverified" in table:
        return Standing(False, stored.words(table["unverified"]))
    return Standing(False, _unchecked(table["table"], verified, edition))


def _unchecked(table: str, verified: tuple[int, ...], edition: Edition) -> Words:
    years = ", ".join(str(year) for year in verified)
    return Words(
        en=f"Table {table} was not checked against the {edition} edition; the figures are those "
        f"of {years}.",
        he=f"טבלה {isolated(table)} לא נבדקה מול מהדורת {edition}; הערכים הם של {isolated(years)}.",
    )
