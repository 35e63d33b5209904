"""The TypeScript of the wire's shapes agrees with the code."""

from __future__ import annotations

from dev import wire_types


def test_the_types_are_current() -> None:
    assert wire_types.FILE.read_text(encoding="utf-8") == wire_types.render(), "run `make format`"


def test_a_result_has_its_fields_and_a_request_may_lack_what_has_a_default() -> None:
    text = wire_types.render()
    result = text.split("export interface RunResult {")[1].split("}")[0]
    assert "  quickReplies: string[];\n" in result
    assert "  stopReason?: StopReason;\n" in result
    request = text.split("export interface RunRequest {")[1].split("}")[0]
    assert '  whenBusy?: "reject" | "supersede";\n' in request
    assert "  message?: string | (TextPart | MediaPart)[];\n" in request


def test_null_stays_where_it_is_a_value() -> None:
    rating = wire_types.render().split("export interface RateRequest {")[1].split("}")[0]
    assert '  rating: "up" | "down" | null;\n' in rating
