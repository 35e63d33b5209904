"""Hidden fields are dropped from results and masked in arguments, at any depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, Protocol

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field, model_serializer
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from rollcall.core.capability import plain
from rollcall.core.context import ToolContext
from rollcall.core.hidden import (
    MASK,
    Hidden,
    mask_hidden,
    mask_values,
    without_hidden,
)
from rollcall.core.schema import arguments_model, type_hints
from tests.support.for_every import for_every

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForCheckers

Pin = Annotated[str, Hidden()]


class Card(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    owner: str
    card_number: Annotated[str, Field(max_length=40), Hidden()]


class Debit(Card):
    limit: int = 5


class Twice(BaseModel):
    n: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def doubled(self) -> Annotated[int, Hidden()]:
        return self.n * 2


class Flat(BaseModel):
    pin: Pin

    @model_serializer
    def as_text(self) -> str:
        return f"pin={self.pin}"


class Cards(RootModel[list[Card]]):
    """A list as a model."""


@dataclass
class Account:
    name: str
    pin: Pin
    card: Card | None = None


class Badge(Struct):
    name: str
    pin: Pin
    card: Card | None = None


@dataclass
class Loose:
    name: str
    price: OnlyForCheckers
    pin: Annotated[OnlyForCheckers, Hidden()]


@pydantic_dataclass
class Strict:
    name: str
    pin: Annotated[str, Hidden(), Field(serialization_alias="thePin")]


class Row(TypedDict):
    name: str
    pin: NotRequired[Pin]


class Named(Protocol):
    name: str


class Pair(NamedTuple):
    name: str
    pin: Pin


CARD = Card(owner="ann", card_number="4111")
SHOWN = {"owner": "ann"}


def mapping() -> dict[str, Card]: ...
def anything() -> Any: ...
def vague() -> dict[str, Any]: ...
def rows() -> list[Row]: ...
def a_row() -> Row: ...
def pairs() -> list[Pair]: ...
def fixed() -> tuple[str, Pin, Card]: ...
def texts() -> list[Pin]: ...
def union() -> Card | Account | str | None: ...
def optional_pin() -> Pin | None: ...
def number_or_pin() -> int | Pin: ...
def hidden_or_open() -> Annotated[Card, Hidden()] | Row: ...
def by_protocol() -> Named | None: ...
def everything() -> Annotated[dict[str, str], Hidden()]: ...


@for_every(
    ("function", "value", "shown"),
    [
        (anything, CARD, SHOWN),
        (anything, Debit(owner="ann", card_number="4111"), {"owner": "ann", "limit": 5}),
        (anything, [CARD, {"deep": (CARD, [CARD])}], [SHOWN, {"deep": [SHOWN, [SHOWN]]}]),
        (mapping, {"a": CARD}, {"a": SHOWN}),
        (vague, {"a": CARD, "none": None, 1: [CARD]}, {"a": SHOWN, "none": None, "1": [SHOWN]}),
        (anything, Account("ann", "1234", CARD), {"name": "ann", "card": SHOWN}),
        (anything, Badge("ann", "1234", CARD), {"name": "ann", "card": SHOWN}),
        (vague, {"a": [Badge("ann", "1234")]}, {"a": [{"name": "ann", "card": None}]}),
        (anything, Loose("ann", 5, 1234), {"name": "ann", "price": 5}),  # type: ignore[arg-type]
        (anything, Strict("ann", "1234"), {"name": "ann"}),
        (anything, Twice(n=2), {"n": 2}),
        (anything, Flat(pin="1234"), None),
        (anything, Cards([CARD]), [SHOWN]),
        (rows, [{"name": "ann", "pin": "1234"}, {"name": "bo"}], [{"name": "ann"}, {"name": "bo"}]),
        (a_row, {"name": "ann", "pin": "1234"}, {"name": "ann"}),
        (pairs, [Pair("ann", "1234")], [["ann", None]]),
        (fixed, ("x", "1234", CARD), ["x", None, SHOWN]),
        (texts, ["1234", "5678"], []),
        (union, CARD, SHOWN),
        (union, Account("ann", "1234", CARD), {"name": "ann", "card": SHOWN}),
        (union, "text", "text"),
        (optional_pin, "1234", None),
        (number_or_pin, 5, 5),
        (number_or_pin, "1234", None),
        (hidden_or_open, CARD, None),
        (by_protocol, Account("ann", "1234", CARD), {"name": "ann", "card": SHOWN}),
        (everything, {"a": "b"}, None),
    ],
)
def test_a_result_is_shown_without_what_is_hidden(
    function: Callable[..., Any], value: Any, shown: Any
) -> None:
    assert without_hidden(plain(value), value, type_hints(function)["return"]) == shown


class Node(BaseModel):
    name: str
    next: Node | None = None


class Chain(BaseModel):
    nodes: dict[str, list[tuple[Node, Chain | None]]]
    pin: Pin = "1234"


def test_a_type_that_holds_itself_is_looked_through_once() -> None:
    def open_chain() -> dict[str, Node]: ...
    def closed_chain() -> list[Chain]: ...

    plain_nodes = {"a": {"name": "x", "next": {"name": "y"}}}
    assert without_hidden(plain_nodes, plain_nodes, type_hints(open_chain)["return"]) is plain_nodes
    chains = [{"nodes": {}, "pin": "1234"}]
    assert without_hidden(chains, chains, type_hints(closed_chain)["return"]) == [{"nodes": {}}]


def test_a_value_hides_what_its_class_hides_where_the_type_says_nothing() -> None:
    value = {"a": [CARD]}
    assert without_hidden(plain(value), value, Any) == {"a": [SHOWN]}


def test_a_result_that_hides_nothing_is_equal() -> None:
    value = {"a": [1, {"b": None, "c": [True, 2.5, "x"]}], "d": {}}
    assert without_hidden(plain(value), value, type_hints(vague)["return"]) == value


def test_without_the_value_the_types_alone_decide() -> None:
    data = {"a": {"owner": "ann", "cardNumber": "4111"}}
    assert without_hidden(data, iter(()), type_hints(mapping)["return"]) == {"a": SHOWN}


def pay(
    ctx: ToolContext,
    *,
    amount: float,
    pin: Pin,
    card: Card | None = None,
    rows: list[Row] | dict[str, Card] = [],  # noqa: B006  # only its type is read
    backup_pin: Annotated[str, Hidden(), Field(max_length=9)] | None = None,
) -> str:
    """Pay.

    Args:
        pin: The card's PIN.
    """
    return "paid"


ARGUMENTS = arguments_model(pay, type_hints(pay))


def test_hidden_arguments_are_masked_at_any_depth() -> None:
    given = {
        "amount": 5,
        "pin": "1234",
        "backupPin": "5678",
        "card": {"owner": "ann", "cardNumber": "4111"},
        "rows": [{"name": "ann", "pin": "9999"}],
    }
    assert mask_hidden(ARGUMENTS, given) == {
        "amount": 5,
        "pin": MASK,
        "backupPin": MASK,
        "card": {"owner": "ann", "cardNumber": MASK},
        "rows": [{"name": "ann", "pin": MASK}],
    }
    assert given["pin"] == "1234"


def test_arguments_of_every_member_of_a_union_are_masked() -> None:
    given = {"rows": {"a": {"owner": "x", "cardNumber": "4111"}}, "pin": "1", "backupPin": None}
    assert mask_hidden(ARGUMENTS, given) == {
        "rows": {"a": {"owner": "x", "cardNumber": MASK}},
        "pin": MASK,
        "backupPin": None,
    }


def test_python_names_are_masked_like_wire_names() -> None:
    assert mask_hidden(ARGUMENTS, {"backup_pin": "5678"}) == {"backup_pin": MASK}


def test_what_was_made_from_hidden_arguments_loses_them() -> None:
    given = {"amount": 5, "pin": "1234", "card": {"owner": "ann", "cardNumber": "4111"}}
    display = {"title": "Pay 5 with 4111", "rows": [{"pin": "1234", "n": 1234, "ok": True}]}
    assert mask_values(display, ARGUMENTS, given) == {
        "title": f"Pay 5 with {MASK}",
        "rows": [{"pin": MASK, "n": MASK, "ok": True}],
    }


def test_a_mark_changes_nothing_of_the_schema() -> None:
    properties = ARGUMENTS.model_json_schema()["properties"]
    assert properties["pin"] == {"title": "Pin", "type": "string"}
