"""Which index a Firestore query needs, and whether firestore.indexes.json has it.

The emulator asks for no index, production does. The rules, as Firestore documents them:

- A field has automatic indexes, unless an override takes them away. They serve any number of `==`,
  `in` and `array-contains` filters together, and a sort or range on one field alone.
- Filters together with a sort or range on another field, or sorts on several, need composite
  indexes. Each ends in the sorted fields, in their order and directions; before these it has
  fields that are filtered by equality, and several indexes may share them out.
- A vector search needs an index of its filtered fields that ends in the vector.
- `in` and OR stand for one query each value, at most 30 in all.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from google.cloud.firestore import Client
from google.cloud.firestore_v1.types import StructuredQuery

from rollcall.core.options import collection_id

COMMITTED = Path(__file__).parents[2] / "firestore.indexes.json"
MAX_BRANCHES = 30

_Field = StructuredQuery.FieldFilter.Operator
_Unary = StructuredQuery.UnaryFilter.Operator
_EQUALITIES = {_Field.EQUAL, _Unary.IS_NULL, _Unary.IS_NAN}
_ONE_OF = {_Field.IN: _Field.EQUAL, _Field.ARRAY_CONTAINS_ANY: _Field.ARRAY_CONTAINS}
_ID = "__name__"

Test = tuple[str, Any]
"""A field and the operator that it is filtered by."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A query without its values, as far as indexes care.

    Attributes:
        branches: Each way a document can fit: filters that hold together.
        orders: Sorted fields with "ASCENDING" or "DESCENDING", ranges among them.
        vector: The vector field searched, with its dimension.
    """

    collection: str
    is_group: bool
    branches: tuple[tuple[Test, ...], ...]
    orders: tuple[tuple[str, str], ...]
    vector: tuple[str, int] | None


def shape_of(query: StructuredQuery) -> Shape:
    """Read a query as it is sent to Firestore; of a collection under the deployment's prefix by its
    name, under which its indexes are committed."""
    source = query.from_[0]
    branches = tuple(tuple(branch) for branch in _branches(query.where))
    vector = None
    if "find_nearest" in query:
        wanted = query.find_nearest.query_vector.map_value.fields["value"].array_value.values
        vector = (query.find_nearest.vector_field.field_path, len(wanted))
    collection = source.collection_id.removeprefix(collection_id(""))
    return Shape(collection, source.all_descendants, branches, _orders(query, branches), vector)


def _branches(where: StructuredQuery.Filter) -> list[list[Test]]:
    """The filters as alternatives, each a list of what holds together."""
    kind = where._pb.WhichOneof("filter_type")
    if kind is None:
        return [[]]
    if kind == "unary_filter":
        return [[(where.unary_filter.field.field_path, where.unary_filter.op)]]
    if kind == "field_filter":
        return _of_field(where.field_filter)
    parts = [_branches(part) for part in where.composite_filter.filters]
    if where.composite_filter.op == StructuredQuery.CompositeFilter.Operator.OR:
        return list(itertools.chain.from_iterable(parts))
    return [list(itertools.chain(*choice)) for choice in itertools.product(*parts)]


def _of_field(test: StructuredQuery.FieldFilter) -> list[list[Test]]:
    field = test.field.field_path
    if test.op in _ONE_OF:
        return [[(field, _ONE_OF[test.op])] for _ in test.value.array_value.values]
    return [[(field, test.op)]]


def _orders(
    query: StructuredQuery, branches: tuple[tuple[Test, ...], ...]
) -> tuple[tuple[str, str], ...]:
    """The sorted fields, with those that a range sorts by itself and without the rest.

    The document's id ends every index by itself, in the direction of the field before it.
    """
    orders = [(order.field.field_path, order.direction.name) for order in query.order_by]
    last = orders[-1][1] if orders else "ASCENDING"
    ranged = {field for branch in branches for field, op in branch if _is_range(op)}
    orders += [(field, last) for field in sorted(ranged - dict(orders).keys() - {_ID})]
    equal = [{field for field, op in branch if op in _EQUALITIES} for branch in branches]
    always = set.intersection(*equal) if equal else set()
    orders = [(field, direction) for field, direction in orders if field not in always]
    if len(orders) > 1 and orders[-1] == (_ID, orders[-2][1]):
        orders.pop()
    return tuple(orders)


def _is_range(op: Any) -> bool:
    return op not in _EQUALITIES and op != _Field.ARRAY_CONTAINS


Entry = tuple[str, str]
"""A field of an index with its mode: a direction, "CONTAINS" or "VECTOR:<dimension>"."""


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes of one database.

    Attributes:
        composites: By collection and whether they span a collection group.
        overrides: By collection and field: the (mode, is_group) that this field's own indexes
            have in place of the automatic ones.
    """

    composites: dict[tuple[str, bool], list[tuple[Entry, ...]]]
    overrides: dict[tuple[str, str], set[tuple[str, bool]]]

    @staticmethod
    def read(text: str) -> Indexes:
        """Read firestore.indexes.json."""
        data = json.loads(text)
        composites: dict[tuple[str, bool], list[tuple[Entry, ...]]] = {}
        for index in data["indexes"]:
            place = (index["collectionGroup"], index["queryScope"] == "COLLECTION_GROUP")
            composites.setdefault(place, []).append(tuple(map(_entry, index["fields"])))
        overrides = {
            (item["collectionGroup"], item["fieldPath"]): {
                (_mode(index), index["queryScope"] == "COLLECTION_GROUP")
                for index in item["indexes"]
            }
            for item in data["fieldOverrides"]
        }
        return Indexes(composites, overrides)

    @staticmethod
    def committed() -> Indexes:
        return Indexes.read(COMMITTED.read_text(encoding="utf-8"))

    def problem(self, shape: Shape) -> str | None:
        """Why production would refuse a query of this shape; None where it would not."""
        if len(shape.branches) > MAX_BRANCHES:
            return f"{len(shape.branches)} branches of `in` and OR; at most {MAX_BRANCHES} work"
        for branch in dict.fromkeys(frozenset(branch) for branch in shape.branches):
            missing = self._missing(shape, branch)
            if missing:
                return missing
        return None

    def _missing(self, shape: Shape, branch: frozenset[Test]) -> str | None:
        filters = [(field, op) for field, op in branch if field != _ID and not _is_range(op)]
        tested = [(f, "CONTAINS" if op == _Field.ARRAY_CONTAINS else "") for f, op in filters]
        if sum(mode == "CONTAINS" for _, mode in tested) > 1:
            return "two array-contains filters, which Firestore refuses"
        if shape.vector:
            return self._missing_vector(shape, tested)
        orders = [order for order in shape.orders if order[0] != _ID or len(shape.orders) > 1]
        if len(orders) > 1 or (orders and tested):
            return self._missing_composite(shape, tested, orders)
        for field, mode in [*tested, *orders]:
            if not self._has_own(shape, field, mode or "ASCENDING"):
                return f"an index of the field {field!r} ({mode or 'ASCENDING'}) by itself"
        return None

    def _has_own(self, shape: Shape, field: str, mode: str) -> bool:
        own = self.overrides.get((shape.collection, field))
        if own is None:
            return not shape.is_group
        return (mode, shape.is_group) in own

    def _missing_composite(
        self, shape: Shape, tested: list[Entry], orders: list[tuple[str, str]]
    ) -> str | None:
        """Indexes that end in `orders` have to have every tested field before, between them."""
        served: set[Entry] = set()
        found = False
        for fields in self.composites.get((shape.collection, shape.is_group), []):
            split = len(fields) - len(orders)
            if split < 0 or list(fields[split:]) != orders:
                continue
            before = {(f, "CONTAINS" if mode == "CONTAINS" else "") for f, mode in fields[:split]}
            if before <= set(tested):
                served |= before
                found = True
        if found and served == set(tested):
            return None
        return _to_add(shape, tested, orders)

    def _missing_vector(self, shape: Shape, tested: list[Entry]) -> str | None:
        assert shape.vector
        last = (shape.vector[0], f"VECTOR:{shape.vector[1]}")
        for fields in self.composites.get((shape.collection, shape.is_group), []):
            before = {(f, "CONTAINS" if mode == "CONTAINS" else "") for f, mode in fields[:-1]}
            if fields[-1] == last and before == set(tested):
                return None
        return _to_add(shape, tested, [last])


def _entry(field: dict[str, Any]) -> Entry:
    return field["fieldPath"], _mode(field)


def _mode(field: dict[str, Any]) -> str:
    if "vectorConfig" in field:
        return f"VECTOR:{field['vectorConfig']['dimension']}"
    mode: str = field.get("order") or field["arrayConfig"]
    return mode


def _to_add(shape: Shape, tested: list[Entry], orders: list[tuple[str, str]]) -> str:
    """The index that would do, as firestore.indexes.json writes it."""
    entries = [(field, mode or "ASCENDING") for field, mode in sorted(tested)] + orders
    fields = [{"fieldPath": field, **_written(mode)} for field, mode in entries]
    scope = "COLLECTION_GROUP" if shape.is_group else "COLLECTION"
    index = {"collectionGroup": shape.collection, "queryScope": scope, "fields": fields}
    return f"a composite index: {json.dumps(index)}"


def _written(mode: str) -> dict[str, Any]:
    if mode == "CONTAINS":
        return {"arrayConfig": mode}
    if mode.startswith("VECTOR:"):
        return {"vectorConfig": {"dimension": int(mode.removeprefix("VECTOR:")), "flat": {}}}
    return {"order": mode}


def indexed_times(db: Client) -> set[tuple[str, str]]:
    """Groups of collections and fields of what is stored that hold a time and have a single-field
    index: its values rise, and Firestore takes 500 writes a second on such an index."""
    overrides = Indexes.committed().overrides
    return {
        (group, field)
        for group, field in stored_times(db)
        if not any(overrides.get((group, path)) == set() for path in (field, field.split(".")[0]))
    }


def stored_times(db: Client, reference: Any = None) -> Iterator[tuple[str, str]]:
    """The group and field of every time in the documents below a reference."""
    for collection in (reference or db).collections():
        for document in collection.list_documents():  # those without fields of their own, too
            fields = document.get().to_dict() or {}
            yield from ((collection.id, field) for field in _times(fields))
            yield from stored_times(db, document)


def _times(document: Mapping[str, Any], place: str = "") -> Iterator[str]:
    for name, value in document.items():
        if isinstance(value, datetime):
            yield place + name
        elif isinstance(value, dict):
            yield from _times(value, f"{place}{name}.")
