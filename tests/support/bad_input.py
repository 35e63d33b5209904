"""Bad input for functions: rows of a corpus, and generated junk.

A row of a corpus has a request, the code it gets and the field that the refusal names.
`{"$repeat": [text, n]}` and `{"$nest": n}` stand for long values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from google.cloud.firestore import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.catalogs import catalog
from tests.support.local_functions import (
    Functions,
    LocalPlatform,
    callables,
    token,
    use_emulator_tokens,
)
from tests.support.registries import publish

CORPORA = Path(__file__).parents[1] / "corpus"
STATUS = {
    "invalid-argument": 400,
    "failed-precondition": 400,
    "unauthenticated": 401,
    "permission-denied": 403,
    "not-found": 404,
    "resource-exhausted": 429,
}
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=40)
    | st.sampled_from(["", " ", "..", "a/b", "\ud800", "\0", "__x__", "x" * 40_000, "עברית"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=6,
)
FEW_EXAMPLES = settings(suppress_health_check=list(HealthCheck), phases=[Phase.generate])
MANY_EXAMPLES = settings(FEW_EXAMPLES, max_examples=2 * FEW_EXAMPLES.max_examples)


def read_rows(name: str) -> list[dict[str, Any]]:
    """The rows of a corpus, such as "bad_requests.jsonl" or that of a pack."""
    lines = (CORPORA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def own_functions(db: Client, setenv: Callable[[str, str], None]) -> Functions:
    """The functions of this repository, with what its packs declare in the registry."""
    use_emulator_tokens(setenv)
    setenv("ROLLCALL_MODEL", "offline:planner")
    publish(db, catalog.capabilities(), catalog.agents().values())()
    return Functions(callables(LocalPlatform(db)))


def wrong_answers(functions: Functions, rows: Sequence[dict[str, Any]]) -> list[Any]:
    """Call each row's function; return the rows whose answer is wrong, with that answer."""
    wrong = []
    for row in rows:
        headers = dict(row.get("headers", {}))
        if "token" in row:
            headers["Authorization"] = f"Bearer {token(**row['token'])}"
        response = functions.post(
            row["function"],
            expand(row["data"]),
            headers=headers,
            raw=expand(row.get("raw", "")).encode(),
            method=row.get("method", "POST"),
        )
        error = (response.json or {}).get("error", {})
        details = error.get("details", {})
        seen = (response.status_code, details.get("code"), details.get("field"))
        field = row["field"] if row["field"] is not None else details.get("field")
        if seen != (STATUS[row["code"]], row["code"], field) or not error.get("message"):
            wrong.append((row["name"], seen, error.get("message")))
    return wrong


def check_arguments(functions: Functions, name: str, keys: Sequence[str]) -> None:
    """Check that a capability answers no arguments with some of these keys with INTERNAL."""

    @FEW_EXAMPLES
    @given(st.dictionaries(st.sampled_from([*keys, "uid", ""]), JUNK, max_size=3))
    def vary(arguments: dict[str, Any]) -> None:
        response = functions.post(name, {"arguments": arguments})
        assert response.status_code < 500, (arguments, response.get_data(as_text=True))

    vary()


def expand(value: Any) -> Any:
    """Expand a row's abbreviations."""
    if isinstance(value, dict):
        if "$repeat" in value:
            text, times = value["$repeat"]
            return text * times
        if "$nest" in value:
            inner: Any = {}
            for _ in range(value["$nest"]):
                inner = {"a": inner}
            return inner
        return {key: expand(item) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item) for item in value]
    return value


def count_threads(db: Client) -> int:
    count: int = db.collection("threads").count().get()[0][0].value
    return count
