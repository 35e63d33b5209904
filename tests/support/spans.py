"""Spans in memory: what would be sent where `ROLLCALL_TRACES=otel` is set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from rollcall.core import tracing

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@cache
def _exporter() -> InMemorySpanExporter:
    """The process's own provider can be set once, so all tests share this one."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


class Spans:
    """The spans that have ended, and how they lie in one another."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    def all(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def named(self, name: str) -> ReadableSpan:
        [found] = [span for span in self.all() if span.name == name]
        return found

    def tree(self) -> dict[str, Any]:
        """Names inside of names; of several of one name, the last."""
        return self._below(None)

    def _below(self, parent: int | None) -> dict[str, Any]:
        known = {span.context.span_id for span in self.all() if span.context}
        children = [
            span
            for span in sorted(self.all(), key=lambda span: span.start_time or 0)
            if (span.parent.span_id if span.parent else None) == parent
            or (parent is None and span.parent and span.parent.span_id not in known)
        ]
        return {each.name: self._below(each.context.span_id) for each in children if each.context}


@contextmanager
def record_spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    """Record spans inside the block."""
    exporter = _exporter()
    exporter.clear()
    monkeypatch.setenv(tracing.SWITCH, "otel")
    tracing._begin.cache_clear()
    try:
        yield Spans(exporter)
    finally:
        monkeypatch.delenv(tracing.SWITCH)
        tracing._begin.cache_clear()
