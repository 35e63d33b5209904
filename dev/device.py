"""Another of a user's devices: Firestore alone, over REST, under the security rules."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from dev.addresses import PROJECT, Addresses
from dev.callable import CallError, User

_ROOT = f"projects/{PROJECT}/databases/(default)/documents"
_PATIENCE_S = 30.0
_POLL_S = 0.15
_LAST = ("RUN_FINISHED", "RUN_ERROR")


class Device:
    """What an app does that never calls a function: it decides, and follows a run.

    Every method raises `CallError` where the rules refuse, or Firestore cannot be reached.
    """

    def __init__(self, at: Addresses, user: User) -> None:
        self._url = f"http://{at.firestore}/v1/"
        self._user = user

    def decide(self, approval_id: str, *, approved: bool, reason: str | None = None) -> None:
        """Write `decision` into an approval, at the server's time."""
        fields: dict[str, Any] = {
            "approved": {"booleanValue": approved},
            "by": {"stringValue": self._user.uid},
        }
        if reason:
            fields["reason"] = {"stringValue": reason}
        write = {
            "update": {
                "name": f"{_ROOT}/approvals/{approval_id}",
                "fields": {"decision": {"mapValue": {"fields": fields}}},
            },
            "updateMask": {"fieldPaths": ["decision"]},
            "updateTransforms": [
                {"fieldPath": "decision.at", "setToServerValue": "REQUEST_TIME"},
            ],
        }
        self._post(f"{_ROOT}:commit", {"writes": [write]})

    def events(self, thread_id: str, run_id: str) -> Iterator[dict[str, Any]]:
        """A run's events as they are stored, from its first, which may be still to come, to its
        last."""
        newest = -1
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            for document in self._newer(thread_id, run_id, newest):
                newest = int(document["n"]["integerValue"])
                for event in json.loads(document["events"]["stringValue"]):
                    yield event
                    if event["type"] in _LAST:
                        return
            time.sleep(_POLL_S)
        raise CallError("deadline-exceeded", f"the run {run_id} did not come to its end")

    def _newer(self, thread_id: str, run_id: str, newest: int) -> list[dict[str, Any]]:
        """The fields of the event documents behind number `newest`, in their order."""
        query = {
            "from": [{"collectionId": "events"}],
            "where": {
                "compositeFilter": {
                    "op": "AND",
                    "filters": [
                        _where("uid", "EQUAL", {"stringValue": self._user.uid}),
                        _where("n", "GREATER_THAN", {"integerValue": str(newest)}),
                    ],
                }
            },
            "orderBy": [{"field": {"fieldPath": "n"}}],
        }
        path = f"{_ROOT}/threads/{thread_id}/runs/{run_id}:runQuery"
        found = self._post(path, {"structuredQuery": query})
        return [each["document"]["fields"] for each in found if "document" in each]

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self._user.token()}"}
        try:
            # Emulators are on this computer, so no proxy of the environment's is asked.
            with httpx2.Client(timeout=_PATIENCE_S, trust_env=False) as client:
                response = client.post(self._url + path, json=body, headers=headers)
        except httpx2.HTTPError as error:
            raise CallError("unavailable", f"Firestore cannot be reached: {error}") from error
        answer = response.json()
        if response.is_success:
            return answer
        refusal = (answer[0] if isinstance(answer, list) else answer)["error"]
        code = str(refusal["status"]).lower().replace("_", "-")
        raise CallError(code, str(refusal["message"]).strip())


def _where(field: str, operator: str, value: dict[str, str]) -> dict[str, Any]:
    return {"fieldFilter": {"field": {"fieldPath": field}, "op": operator, "value": value}}
