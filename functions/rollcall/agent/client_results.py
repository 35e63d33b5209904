"""What a client's own tools answered: checked, bounded, and as untrusted as any result."""

from __future__ import annotations

from typing import Any

from rollcall.core.context import Catalog
from rollcall.core.errors import InvalidArgument, NotFound, PermissionDenied
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.wire import ClientToolResult, RunRequest
from rollcall.store.approvals import canonical_json

CONTENT_CHARS = 200_000
"""The longest result of one client tool, as JSON text."""
CONTENTS_BYTES = 600_000
"""What the results of one step's client tools may have together, as JSON text."""


def contents_of(
    request: RunRequest, waiting: dict[str, Any], catalog: Catalog
) -> dict[str, dict[str, Any]]:
    """The results by call id, each `{content}` or `{error}`.

    Args:
        waiting: What the thread waits for.
    Raises:
        InvalidArgument: They do not answer each waiting call once, are not what the tool returns,
            or are too large.
        PermissionDenied: The calls were left to another client, and this one cannot run them all.
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
    tools = _tools(waiting)
    contents = {
        result.tool_call_id: _content(
            result, tools.get(result.tool_call_id), catalog, field=f"toolResults.{number}"
        )
        for number, result in enumerate(results)
    }
    if len(canonical_json(contents).encode()) > CONTENTS_BYTES:
        raise InvalidArgument(
            f"the results may have {CONTENTS_BYTES:,} bytes of JSON together", field="toolResults"
        )
    return contents


def takes_over(request: RunRequest, waiting: dict[str, Any]) -> bool:
    """Whether another client than the one the calls were left to answers them."""
    return bool(request.client_id != waiting["clientId"])


def _tools(waiting: dict[str, Any]) -> dict[str, str]:
    """The tools that the waiting calls are of, by call id; a thread from before they were noted
    has none."""
    names = waiting.get("tools") or ()
    return dict(zip(waiting["calls"], names, strict=False))


def _check_client(request: RunRequest, waiting: dict[str, Any]) -> None:
    """Another of the user's clients may take the calls over, if it can run every one of them."""
    if not takes_over(request, waiting):
        return
    can_run = request.client_tools or []
    missing = sorted({*_tools(waiting).values()} - {*can_run})
    if not can_run or missing:
        raise PermissionDenied(
            "these calls were left to another of your clients"
            + (f", and this one does not offer {', '.join(missing)}" if can_run else ""),
            field="clientTools" if can_run else "clientId",
            hint="to take them over, send the clientTools that this client can run",
        )


def _content(
    result: ClientToolResult, tool: str | None, catalog: Catalog, *, field: str
) -> dict[str, Any]:
    if result.error is not None:
        return {"error": redacted(result.error)}
    if len(canonical_json({"": result.content})) > CONTENT_CHARS:
        raise InvalidArgument(
            f"the result of one tool may have {CONTENT_CHARS:,} characters of JSON",
            field="toolResults",
        )
    if tool is not None:
        _check_shape(result, tool, catalog, field=f"{field}.content")
    return {"content": redacted_json(result.content)}


def _check_shape(result: ClientToolResult, tool: str, catalog: Catalog, *, field: str) -> None:
    """A tool that only a registry document tells of may return any JSON: no shape is known."""
    try:
        capability = catalog.find_capability(tool)
    except NotFound:
        return
    try:
        capability.check_result(result.content, field=field)
    except InvalidArgument as error:
        raise InvalidArgument(
            error.message,
            field=error.field,
            hint=f"this answers the call {result.tool_call_id} of {tool}; "
            "where the tool failed, send error with the reason instead of content",
        ) from error
