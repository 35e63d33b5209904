"""Tracing spans: nested operations and their durations.

Spans are made only with `ROLLCALL_TRACES=otel`; without it a span is one shared object that does
nothing. OpenTelemetry's SDK and an exporter are not among our requirements: operators who switch
tracing on add them (docs/deploy.md). An existing tracer provider, such as that of
`opentelemetry-instrument`, is used unchanged; otherwise one is set up with the exporter that
`OTEL_TRACES_EXPORTER` names. A span has the kind of the error that ended it, but not its text.
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
"""How long the end of a request waits for its spans to be sent: after its answer a process gets no
CPU time until the next request."""
_SCOPE = "rollcall"
_MISSING = (
    "ROLLCALL_TRACES=otel needs the extra [tracing] and the package of an exporter: write "
    "rollcall-firebase[tracing] and that into the functions' requirements.txt, or take "
    "ROLLCALL_TRACES away"
)

Attribute = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Attribute]
Kind = Literal["internal", "client"]
"""Whether a span is work of this process or a request to another service."""


class Span:
    """The span of a `with` block, which takes more attributes later.

    This class is the span used when tracing is off.
    """

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""


SpanBlock = AbstractContextManager[Span]
"""A `with` block that makes a span."""
NOTHING: SpanBlock = nullcontext(Span())


def span(name: str, attributes: Attributes, *, kind: Kind = "internal") -> SpanBlock:
    """Open a span inside this thread's current one; an error that leaves the block marks it. Its
    attributes must hold no message text."""
    begin = _begin()
    return NOTHING if begin is None else begin(name, attributes, kind)


def is_on() -> bool:
    """Tell whether tracing is on, so that values that only spans need are not computed
    otherwise."""
    return _begin() is not None


def prepare() -> None:
    """Set tracing up before the first span, and detect a missing package.

    Raises:
        ValueError: `ROLLCALL_TRACES` has an unknown value.
        RuntimeError: A package that it needs is not installed.
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
    """Open an OpenTelemetry span; the outermost one of a process is sent when it ends."""
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
            logs.set_fields(  # for logs, and for requests to other functions
                trace=f"{here.trace_id:032x}",
                span=f"{here.span_id:016x}",
                sampled=f"{int(here.trace_flags) & 1:02x}",
            )
            try:
                yield _OtelSpan(made)
            except GeneratorExit:  # not a failure
                raise
            except BaseException as error:
                code = getattr(error, "code", None)  # only our own errors have a text here
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
    """Return the context of the caller's span, from the request's headers; None without one."""
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
    # Exporters by the names that their packages register.
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
