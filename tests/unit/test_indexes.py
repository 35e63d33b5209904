"""firestore.indexes.json, and the rules by which tests/support/indexes.py reads it.

Expected verdicts are those of https://firebase.google.com/docs/firestore/query-data/indexing and
https://firebase.google.com/docs/firestore/vector-search.
"""

from __future__ import annotations

import json
from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client, FieldFilter, Or
from google.cloud.firestore_v1.base_query import BaseQuery
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector

from tests.support.for_every import for_every
from tests.support.indexes import COMMITTED, Indexes, shape_of

NONE = Indexes.read('{"indexes": [], "fieldOverrides": []}')


def cities(collection: str = "cities") -> Any:
    return Client(project="demo", credentials=AnonymousCredentials()).collection(collection)


def where(query: Any, *tests: tuple[str, str, Any]) -> Any:
    for field, op, value in tests:
        query = query.where(filter=FieldFilter(field, op, value))
    return query


def indexed(*entries: str, collection: str = "cities", scope: str = "COLLECTION") -> Indexes:
    """One composite index; an entry reads "state ASCENDING" or "tags CONTAINS"."""
    fields = []
    for field, mode in (entry.split() for entry in entries):
        if mode.isdigit():
            how: dict[str, Any] = {"vectorConfig": {"dimension": int(mode), "flat": {}}}
        else:
            how = {"arrayConfig" if mode == "CONTAINS" else "order": mode}
        fields.append({"fieldPath": field, **how})
    index = {"collectionGroup": collection, "queryScope": scope, "fields": fields}
    return Indexes.read(json.dumps({"indexes": [index], "fieldOverrides": []}))


def both(first: Indexes, second: Indexes) -> Indexes:
    place = ("cities", False)
    return Indexes({place: first.composites[place] + second.composites[place]}, {})


def problem(indexes: Indexes, query: BaseQuery) -> str | None:
    return indexes.problem(shape_of(query._to_protobuf()))


IN_STATE = where(cities(), ("state", "==", "CA"))
NEAR = {"vector_field": "embedding", "distance_measure": DistanceMeasure.COSINE, "limit": 5}


@for_every(
    "query",
    [
        cities().limit(1),
        IN_STATE,
        where(IN_STATE, ("capital", "==", True), ("tags", "array_contains", "port")),
        where(cities(), ("state", "in", ["CA", "NY"]), ("capital", "==", True)),
        where(cities(), ("tags", "array_contains_any", ["port", "capital"])),
        where(cities(), ("population", ">", 1_000)),
        where(cities(), ("population", ">", 1_000)).order_by("population", direction="DESCENDING"),
        where(cities(), ("population", "not-in", [1, 2])),
        cities().order_by("population"),
        IN_STATE.order_by("state"),
        IN_STATE.order_by("__name__"),
        IN_STATE.order_by("__name__").start_after({"__name__": "a"}),
        where(cities(), ("mayor", "==", None), ("state", "==", "CA")),
    ],
)
def test_automatic_indexes_serve(query: BaseQuery) -> None:
    assert problem(NONE, query) is None


@for_every(
    ("query", "index"),
    [
        (IN_STATE.order_by("population"), ["state ASCENDING", "population ASCENDING"]),
        (
            IN_STATE.order_by("population", direction="DESCENDING"),
            ["state ASCENDING", "population DESCENDING"],
        ),
        (
            where(IN_STATE, ("population", ">", 1_000)),
            ["state ASCENDING", "population ASCENDING"],
        ),
        (
            where(IN_STATE, ("population", "!=", 1_000)),
            ["state ASCENDING", "population ASCENDING"],
        ),
        (
            where(cities(), ("state", "in", ["CA", "NY"])).order_by("population"),
            ["state ASCENDING", "population ASCENDING"],
        ),
        (
            where(cities(), ("tags", "array_contains", "port")).order_by("population"),
            ["tags CONTAINS", "population ASCENDING"],
        ),
        (
            cities().order_by("state").order_by("population", direction="DESCENDING"),
            ["state ASCENDING", "population DESCENDING"],
        ),
        (
            where(cities(), ("a", ">", 1), ("b", "<", 2)),
            ["a ASCENDING", "b ASCENDING"],
        ),
        (
            cities().order_by("population").order_by("__name__", direction="DESCENDING"),
            ["population ASCENDING", "__name__ DESCENDING"],
        ),
        (
            where(cities(), ("state", "in", ["CA", "NY"])).find_nearest(
                query_vector=Vector([0.1, 0.2]), **NEAR
            ),
            ["state ASCENDING", "embedding 2"],
        ),
        (cities().find_nearest(query_vector=Vector([0.1, 0.2]), **NEAR), ["embedding 2"]),
    ],
)
def test_a_composite_index_is_needed_and_named(query: BaseQuery, index: list[str]) -> None:
    """The problem names the very index; with it, and with no other, the query works."""
    needed = indexed(*index)
    reason = problem(NONE, query)
    assert reason and reason.startswith("a composite index: ")
    added = json.loads(reason.removeprefix("a composite index: "))
    assert Indexes.read(json.dumps({"indexes": [added], "fieldOverrides": []})) == needed
    assert problem(needed, query) is None
    assert problem(indexed(*index, collection="towns"), query)
    assert problem(indexed(*index, scope="COLLECTION_GROUP"), query)
    assert problem(indexed(*index, "other ASCENDING"), query)
    assert problem(indexed("other ASCENDING", *index), query)


def test_filters_may_stand_in_any_order_before_the_sort() -> None:
    query = where(IN_STATE, ("tags", "array_contains", "port")).order_by("population")
    last = "population ASCENDING"
    assert problem(indexed("tags CONTAINS", "state DESCENDING", last), query) is None
    assert problem(indexed(last, "tags CONTAINS", "state ASCENDING"), query)
    assert problem(indexed("tags ASCENDING", "state ASCENDING", last), query)


def test_indexes_with_the_same_sort_share_the_filters_out() -> None:
    query = where(IN_STATE, ("tags", "array_contains", "port")).order_by("population")
    by_state = indexed("state ASCENDING", "population ASCENDING")
    by_tag = indexed("tags CONTAINS", "population ASCENDING")
    assert problem(both(by_state, by_tag), query) is None
    assert problem(by_state, query) and problem(by_tag, query)
    backwards = indexed("tags CONTAINS", "population DESCENDING")
    assert problem(both(by_state, backwards), query)


def test_every_branch_of_an_or_needs_its_index() -> None:
    either = Or([FieldFilter("state", "==", "CA"), FieldFilter("country", "==", "IT")])
    query = cities().where(filter=either)
    assert problem(NONE, query) is None
    by_state = indexed("state ASCENDING", "population ASCENDING")
    by_country = indexed("country ASCENDING", "population ASCENDING")
    assert problem(by_state, query.order_by("population"))
    assert problem(both(by_state, by_country), query.order_by("population")) is None


def test_more_than_30_branches_are_refused() -> None:
    ten = [str(number) for number in range(10)]
    query = where(cities(), ("state", "in", ten), ("size", "in", ["s", "m", "l"]))
    assert problem(NONE, query) is None
    assert "40 branches" in (
        problem(NONE, where(cities(), ("state", "in", ten), ("size", "in", [1, 2, 3, 4]))) or ""
    )


def test_a_vector_index_has_the_dimension_asked_for() -> None:
    query = cities().find_nearest(query_vector=Vector([0.1, 0.2, 0.3]), **NEAR)
    assert problem(indexed("embedding 3"), query) is None
    assert problem(indexed("embedding 2"), query)
    assert problem(indexed("state ASCENDING", "embedding 3"), query)


def test_an_override_takes_the_automatic_indexes_away() -> None:
    override: dict[str, Any] = {"collectionGroup": "cities", "fieldPath": "state", "indexes": []}

    def overridden() -> Indexes:
        return Indexes.read(json.dumps({"indexes": [], "fieldOverrides": [override]}))

    assert problem(overridden(), IN_STATE)
    assert problem(overridden(), cities().order_by("state"))
    assert problem(overridden(), where(cities(), ("country", "==", "US"))) is None
    override["indexes"] = [{"queryScope": "COLLECTION", "order": "ASCENDING"}]
    assert problem(overridden(), IN_STATE) is None
    assert problem(overridden(), cities().order_by("state", direction="DESCENDING"))


def test_a_collection_group_has_no_automatic_indexes() -> None:
    group = Client(project="demo", credentials=AnonymousCredentials()).collection_group("cities")
    query = where(group, ("state", "==", "CA"))
    index = {"queryScope": "COLLECTION_GROUP", "order": "ASCENDING"}
    override = {"collectionGroup": "cities", "fieldPath": "state", "indexes": [index]}
    allowed = Indexes.read(json.dumps({"indexes": [], "fieldOverrides": [override]}))
    assert problem(NONE, query)
    assert problem(allowed, query) is None
    assert problem(allowed, IN_STATE)


def as_me(collection: str, owner: tuple[str, str, str]) -> Any:
    return where(cities(collection), owner)


MINE = ("uid", "==", "ana")


@for_every(
    "query",
    [
        as_me("threads", MINE).order_by("updatedAt", direction="DESCENDING"),
        where(as_me("threads", MINE), ("status", "==", "active")).order_by(
            "updatedAt", direction="DESCENDING"
        ),
        as_me("messages", MINE).order_by("n"),
        as_me("messages", MINE).order_by("n", direction="DESCENDING"),
        where(as_me("messages", MINE), ("n", "<", 50)).order_by("n", direction="DESCENDING"),
        as_me("runs", MINE).order_by("createdAt", direction="DESCENDING"),
        as_me("events", MINE).order_by("n"),
        as_me("documents", MINE).order_by("updatedAt", direction="DESCENDING"),
        as_me("documents", ("tenant", "==", "north")).order_by("updatedAt", direction="DESCENDING"),
    ],
)
def test_lists_that_the_rules_allow_to_apps_have_indexes(query: BaseQuery) -> None:
    """Rules make an app's list carry its user's id, so its sort needs a composite index."""
    assert problem(Indexes.committed(), query) is None


def test_no_index_is_listed_twice() -> None:
    data = json.loads(COMMITTED.read_text(encoding="utf-8"))
    written = [json.dumps(index, sort_keys=True) for index in data["indexes"]]
    assert len(written) == len(set(written))


def test_what_expires_is_events_spend_receipts_samples_and_old_usage() -> None:
    data = json.loads(COMMITTED.read_text(encoding="utf-8"))
    expiring = [
        (item["collectionGroup"], item["fieldPath"])
        for item in data["fieldOverrides"]
        if item.get("ttl")
    ]
    groups = {"events", "budgets", "erasures", "healthSamples", "registry"}
    assert {group for group, field in expiring} == groups
