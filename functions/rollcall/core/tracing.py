"""Tracing spans: what was done inside what, and how long it took.

None are made unless the operator wants them (`ROLLCALL_TRACES=otel`); until then a span is one
object that does nothing. OpenTelemetry's SDK and an exporter are none of our requirements: whoever
switches this on adds them (docs/deploy.md). A provider that is set up already, such as
`opentelemetry-instrument` does, is used as it is; otherwise one is, with the exporter that
`OTEL_TRACES_EXPORTER` names. A span tells which error it ended with, and not its text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from rollcall.core import logs

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer, TracerProvider


SWITCH = "ROLLCALL_TRACES"
EXPORTER = "OTEL_TRACES_EXPORTER"
DEFAULT_EXPORTER = "otlp_proto_http"
FLUSH_MS = 2_000
"""How long the end of a request waits for its spans to be sent: a process that has answered gets
no CPU time until it is asked again."""
_SCOPE = "rollcall"
_MISSING = (
    "ROLLCALL_TRACES=otel needs the extra [tracing] and the package of an exporter: write "
    "rollcall-firebase[tracing] and that into the functions' requirements.txt, or take "
    "ROLLCALL_TRACES away"
)

Attribute = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Attribute]
Kind = Literal["internal", "client"]
"""Work of this process, or a request to another service."""


class Span:
    """The span of a `with` block, to which more can be added as it gets known.

    This class is the span of a process that traces nothing.
    """

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""


SpanBlock = AbstractContextManager[Span]
"""A `with` block that makes a span."""
NOTHING: SpanBlock = nullcontext(Span())


def span(name: str, attributes: Attributes, *, kind: Kind = "internal") -> SpanBlock:
    """Open a span inside this thread's current one; an error that passes through marks it. Its
    attributes hold no message text."""
    begin = _begin()
    return NOTHING if begin is None else begin(name, attributes, kind)


def is_on() -> bool:
    """Tell whether spans are made, so that what only they need is not computed otherwise."""
    return _begin() is not None


def prepare() -> None:
    """Set tracing up now, so that the first span does not have to, and find a missing package.

    Raises:
        ValueError: The switch says nothing that is known.
        RuntimeError: What it asks for is not installed.
    """
    _begin()


@cache
def _begin() -> Callable[[str, Attributes, Kind], SpanBlock] | None:
    chosen = os.environ.get(SWITCH)
    if not chosen:
        return None
    if chosen != "otel":
        raise ValueError(f"{SWITCH} is otel or not set, not {chosen!r}")
    try:
        from opentelemetry import trace
    except ImportError as error:
        raise RuntimeError(_MISSING) from error
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):  # nobody has set one up
        provider = _provider()
        trace.set_tracer_provider(provider)
    return partial(_otel_span, provider, provider.get_tracer(_SCOPE))


class _OtelSpan(Span):
    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def set(self, attributes: Attributes) -> None:
        self._span.set_attributes(attributes)


@contextmanager
def _otel_span(
    provider: TracerProvider, tracer: Tracer, name: str, attributes: Attributes, kind: Kind
) -> Iterator[Span]:
    from opentelemetry import trace

    is_outermost = not trace.get_current_span().get_span_context().is_valid
    before = {name: logs.log_fields().get(name) for name in ("trace", "span", "sampled")}
    try:
        with tracer.start_as_current_span(
            name,
            context=_parent() if is_outermost else None,
            kind=trace.SpanKind.CLIENT if kind == "client" else trace.SpanKind.INTERNAL,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as made:
            here = made.get_span_context()
            logs.set_fields(  # of what is logged, and sent to other functions
                trace=f"{here.trace_id:032x}",
                span=f"{here.span_id:016x}",
                sampled=f"{int(here.trace_flags) & 1:02x}",
            )
            try:
                yield _OtelSpan(made)
            except GeneratorExit:  # which is no failure
                raise
            except BaseException as error:
                code = getattr(error, "code", None)  # our own go by it, others by their class
                kind_of_error = code if isinstance(code, str) else type(error).__name__
                made.set_attribute("error.type", kind_of_error)
                made.set_status(trace.StatusCode.ERROR)
                raise
    finally:
        logs.set_fields(**before)
        flush = getattr(provider, "force_flush", None)
        if is_outermost and flush is not None:
            flush(FLUSH_MS)


def _parent() -> Context | None:
    """The caller's span, from the headers of the request."""
    from opentelemetry import trace

    here = logs.log_fields()
    if "trace" not in here or "span" not in here:
        return None
    caller = trace.SpanContext(
        trace_id=int(here["trace"], 16),
        span_id=int(here["span"], 16),
        is_remote=True,
        trace_flags=trace.TraceFlags(int(here.get("sampled", "00"), 16)),
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(caller))


def _provider() -> TracerProvider:
    from importlib.metadata import entry_points

    try:
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider as SdkProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise RuntimeError(_MISSING) from error
    wanted = os.environ.get(EXPORTER) or DEFAULT_EXPORTER
    # By its name, under which its package makes itself known.
    known = {each.name: each for each in entry_points(group="opentelemetry_traces_exporter")}
    if wanted not in known:
        there = ", ".join(sorted(known)) or "none"
        raise RuntimeError(
            f"there is no exporter {wanted!r} for spans (installed: {there}); {_MISSING}"
        )
    name = os.environ.get("OTEL_SERVICE_NAME") or os.environ.get("K_SERVICE") or _SCOPE
    provider = SdkProvider(resource=Resource.create({SERVICE_NAME: name}))
    provider.add_span_processor(BatchSpanProcessor(known[wanted].load()()))
    return provider
