"""What a client's own tools answered: checked, bounded, and as untrusted as any result."""

from __future__ import annotations

from typing import Any

from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.wire import ClientToolResult, RunRequest
from rollcall.store.approvals import canonical

CONTENT_CHARS = 200_000
"""The longest result of one client tool, as JSON text."""
CONTENTS_BYTES = 600_000
"""What the results of one step's client tools may have together, as JSON text."""


def contents_of(request: RunRequest, waiting: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The results by call id, each `{content}` or `{error}`.

    Args:
        waiting: What the thread waits for.
    Raises:
        InvalidArgument: They do not answer each waiting call once, or are too large.
        PermissionDenied: The calls were left to another client, and this one offers no tools.
    """
    _check_client(request, waiting)
    results = request.tool_results or []
    by_call = {result.tool_call_id: result for result in results}
    for number, result in enumerate(results):
        if result.tool_call_id not in waiting["calls"]:
            raise InvalidArgument(
                f"no call {result.tool_call_id!r} waits; waiting: {', '.join(waiting['calls'])}",
                field=f"toolResults.{number}.toolCallId",
            )
    missing = [call for call in waiting["calls"] if call not in by_call]
    if missing or len(by_call) < len(results):
        raise InvalidArgument(
            f"toolResults must answer each waiting call once; missing: {', '.join(missing)}",
            field="toolResults",
        )
    contents = {call: _content(result) for call, result in by_call.items()}
    if len(canonical(contents).encode()) > CONTENTS_BYTES:
        raise InvalidArgument(
            f"the results may have {CONTENTS_BYTES:,} bytes of JSON together", field="toolResults"
        )
    return contents


def _check_client(request: RunRequest, waiting: dict[str, Any]) -> None:
    """Another of the user's clients may take the calls over, if it offers tools itself."""
    if request.client_id != waiting["clientId"] and not request.client_tools:
        raise PermissionDenied(
            "these calls were left to another of your clients",
            field="clientId",
            hint="to take them over, send the clientTools that this client can run",
        )


def _content(result: ClientToolResult) -> dict[str, Any]:
    if result.error is not None:
        return {"error": redacted(result.error)}
    if len(canonical({"": result.content})) > CONTENT_CHARS:
        raise InvalidArgument(
            f"the result of one tool may have {CONTENT_CHARS:,} characters of JSON",
            field="toolResults",
        )
    return {"content": redacted_json(result.content)}
