"""A client for Firestore over REST, as a user under the security rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollcall_cli import http
from rollcall_cli.deployment import Deployment
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.wording import error_text

Filter = tuple[str, str, Any]
"""A field, an operator such as "EQUAL", and a value."""


class Firestore:
    """Firestore as one user. Paths count from the root of the documents, as in "threads/t1".

    Every method raises `CallError` if the rules refuse, and `ConnectionLost` if Firestore cannot be
    reached.
    """

    def __init__(self, deployment: Deployment, user: User) -> None:
        self.user = user
        self._deployment = deployment
        self._root = deployment.documents

    def get(self, path: str) -> dict[str, Any] | None:
        """The fields of a document; None if there is none."""
        try:
            found = self._send("GET", f"{self._root}/{path}")
        except CallError as error:
            if error.code == "not-found":
                return None
            raise
        return _fields(found)

    def query(
        self,
        path: str,
        where: Sequence[Filter] = (),
        *,
        order_by: str,
        descending: bool = False,
        limit: int | None = None,
    ) -> list[tuple[str, dict[str, Any]]]:
        """The user's documents of a collection, with their ids, in order."""
        parent, _, collection = path.rpartition("/")
        query: dict[str, Any] = {
            "from": [{"collectionId": collection}],
            "where": _all_of([("uid", "EQUAL", self.user.uid), *where]),
            "orderBy": [_order(order_by, descending)],
        }
        if limit is not None:
            query["limit"] = limit
        parent_path = f"{self._root}/{parent}" if parent else self._root
        found = self._send("POST", f"{parent_path}:runQuery", {"structuredQuery": query})
        documents = [each["document"] for each in found if "document" in each]
        return [(_id(each), _fields(each)) for each in documents]

    def update(
        self,
        path: str,
        fields: Mapping[str, Any],
        *,
        mask: Sequence[str] | None = None,
        server_times: Sequence[str] = (),
    ) -> None:
        """Update fields of a document. `mask` has the paths of nested fields; the fields in
        `server_times` are set to the server's time."""
        write: dict[str, Any] = {
            "update": {
                "name": f"{self._root}/{path}",
                "fields": {name: _encode(value) for name, value in fields.items()},
            },
            "updateMask": {"fieldPaths": list(mask or fields)},
            "currentDocument": {"exists": True},
        }
        if server_times:
            write["updateTransforms"] = [
                {"fieldPath": each, "setToServerValue": "REQUEST_TIME"} for each in server_times
            ]
        self._send("POST", f"{self._root}:commit", {"writes": [write]})

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {**http.JSON, "Authorization": f"Bearer {self.user.token()}"}
        content = None if body is None else http.body_of(body)
        url = self._deployment.firestore_url + path
        with http.open_client("Firestore", url, is_local=self._deployment.is_local) as client:
            reply = client.request(method, url, content=content, headers=headers)
        try:
            answer = reply.json()
        except ValueError:
            told = error_text("no_json", what="Firestore", status=reply.status_code)
            raise CallError("unavailable", told) from None
        if reply.is_success:
            return answer
        refusal = (answer[0] if isinstance(answer, list) else answer)["error"]
        raise CallError(http.code_of(str(refusal["status"])), str(refusal["message"]).strip())


def _id(document: dict[str, Any]) -> str:
    return str(document["name"]).rpartition("/")[2]


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    return {name: _decode(value) for name, value in document.get("fields", {}).items()}


def _decode(value: dict[str, Any]) -> Any:
    """Decode a value; timestamps stay RFC 3339 strings."""
    kind, held = next(iter(value.items()))
    match kind:
        case "nullValue":
            return None
        case "integerValue":
            return int(held)
        case "mapValue":
            return _fields(held)
        case "arrayValue":
            return [_decode(each) for each in held.get("values", [])]
    return held


def _encode(value: Any) -> dict[str, Any]:
    match value:
        case None:
            return {"nullValue": None}
        case bool():
            return {"booleanValue": value}
        case int():
            return {"integerValue": str(value)}
        case str():
            return {"stringValue": value}
        case Mapping():
            return {"mapValue": {"fields": {key: _encode(each) for key, each in value.items()}}}
    raise TypeError(f"nothing here writes {type(value).__name__} to Firestore")


def _all_of(filters: Sequence[Filter]) -> dict[str, Any]:
    each = [
        {"fieldFilter": {"field": {"fieldPath": field}, "op": operator, "value": _encode(value)}}
        for field, operator, value in filters
    ]
    return {"compositeFilter": {"op": "AND", "filters": each}}


def _order(field: str, descending: bool) -> dict[str, Any]:
    return {
        "field": {"fieldPath": field},
        "direction": "DESCENDING" if descending else "ASCENDING",
    }
