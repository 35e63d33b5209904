"""Spans: none by default; otherwise nested over threads, generators and requests."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextvars import copy_context
from pathlib import Path

import pytest

from rollcall.core import tracing
from rollcall.core.errors import NotFound
from rollcall.core.logs import in_request, isolated_context, log_fields, traceparent
from rollcall.core.tracing import NOTHING, span
from tests.support.forked_python import FEWEST, run_python
from tests.support.spans import Spans, record_spans

FUNCTIONS = Path(__file__).parents[3] / "functions"
SERVED = {"FUNCTION_TARGET": "list_capabilities", "GCLOUD_PROJECT": "demo-test"}
"""The environment of a process that serves one function."""
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = {"traceparent": f"00-{TRACE}-{SPAN}-01"}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    with record_spans(monkeypatch) as found:
        yield found


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Lets a test set the switch anew."""
    tracing._begin.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    tracing._begin.cache_clear()


def test_without_the_switch_every_span_is_the_same_nothing(switch: pytest.MonkeyPatch) -> None:
    switch.delenv(tracing.SWITCH, raising=False)
    with span("a", {"b": 1}) as made:
        made.set({"c": 2})
        assert span("d", {}) is NOTHING


def test_without_the_switch_nothing_of_opentelemetry_is_imported() -> None:
    code = (
        "import sys, main\n"
        "from rollcall.core.tracing import span\n"
        "with span('a', {}): pass\n"
        "print([m for m in sys.modules if m.startswith('opentelemetry')])"
    )
    done = run_python(code, folder=FUNCTIONS, environment=SERVED, preloaded=FEWEST)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_a_switch_that_says_something_else_is_refused(switch: pytest.MonkeyPatch) -> None:
    switch.setenv(tracing.SWITCH, "yes")
    with pytest.raises(ValueError, match="ROLLCALL_TRACES is otel or not set, not 'yes'"):
        tracing.prepare()


@pytest.mark.parametrize("missing", ["opentelemetry", "opentelemetry.sdk.trace"])
def test_what_is_not_installed_is_named_when_the_process_starts(missing: str) -> None:
    code = f"import sys\nsys.modules[{missing!r}] = None\nimport main"
    wanted = {**SERVED, "ROLLCALL_TRACES": "otel"}
    done = run_python(code, folder=FUNCTIONS, environment=wanted)
    assert done.returncode == 1
    assert "that into the functions' requirements.txt" in done.stderr.splitlines()[-1]


def test_an_exporter_that_is_not_installed_is_named_with_those_that_are() -> None:
    wanted = {**SERVED, "ROLLCALL_TRACES": "otel", "OTEL_TRACES_EXPORTER": "pigeon"}
    done = run_python("import main", folder=FUNCTIONS, environment=wanted)
    assert "no exporter 'pigeon' for spans (installed: console)" in done.stderr.splitlines()[-1]


def test_with_an_exporter_spans_of_a_request_are_sent_before_it_ends() -> None:
    code = (
        "import main, os\n"
        "from rollcall.core.tracing import span\n"
        "with span('outer', {}):\n"
        "    with span('inner', {}): pass\n"
        "os._exit(0)  # as a process that gets no CPU time any more"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FUNCTIONS,
        env={
            **SERVED,
            "ROLLCALL_TRACES": "otel",
            "OTEL_TRACES_EXPORTER": "console",
            "K_SERVICE": "list-capabilities",
            "PYTHONUNBUFFERED": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"name": "outer"' in done.stdout
    assert '"name": "inner"' in done.stdout
    assert '"service.name": "list-capabilities"' in done.stdout


def test_spans_lie_in_one_another_over_threads(spans: Spans) -> None:
    def inside() -> None:
        with span("inside", {}):
            pass

    with span("outer", {"a": 1}) as made:
        thread = threading.Thread(target=copy_context().run, args=(inside,))
        thread.start()
        thread.join()
        made.set({"b": ["x"]})
    assert spans.tree() == {"outer": {"inside": {}}}
    assert dict(spans.named("outer").attributes or {}) == {"a": 1, "b": ("x",)}


def run(name: str) -> Generator[int, None, None]:
    with span(f"run {name}", {}):
        for step in range(2):
            with span(f"step of {name}", {}):
                yield step


def test_runs_that_one_thread_drives_by_turns_keep_their_spans_apart(spans: Spans) -> None:
    one, other = isolated_context(run("a")), isolated_context(run("b"))
    with span("driver", {}):
        for _ in zip(one, other, strict=True):
            pass
    assert spans.tree() == {
        "driver": {"run a": {"step of a": {}}, "run b": {"step of b": {}}},
    }


def test_a_run_closed_from_another_thread_ends_its_spans(
    spans: Spans, caplog: pytest.LogCaptureFixture
) -> None:
    left = isolated_context(run("a"))
    next(left)
    closing = threading.Thread(target=left.close)
    closing.start()
    closing.join()
    assert spans.tree() == {"run a": {"step of a": {}}}
    assert spans.named("run a").status.is_unset  # who leaves has not failed
    assert caplog.text == ""


def test_an_error_is_told_by_its_code_or_class_and_not_in_words(spans: Spans) -> None:
    for error in (NotFound("the secret plan"), ValueError("the secret plan")):
        with pytest.raises(type(error)), span(f"a {type(error).__name__}", {}):
            raise error
    for name, kind in (("a NotFound", "not-found"), ("a ValueError", "ValueError")):
        ended = spans.named(name)
        assert ended.attributes is not None
        assert ended.attributes["error.type"] == kind
        assert ended.status.status_code.name == "ERROR"
        assert "secret" not in ended.to_json()


def test_the_requests_trace_is_the_parent_and_logs_and_calls_belong_to_the_span(
    spans: Spans,
) -> None:
    def work() -> tuple[str | None, str, str]:
        with span("outer", {}):
            inside = log_fields()["span"]
            header = traceparent()
        return header, inside, log_fields()["span"]

    header, inside, after = in_request("run_agent", work, PARENT.get)
    made = spans.named("outer")
    assert made.parent is not None
    assert made.parent.is_remote
    assert made.parent.span_id == int(SPAN, 16)
    assert f"{made.context.trace_id:032x}" == TRACE  # type: ignore[union-attr]
    assert f"{made.context.span_id:016x}" == inside  # type: ignore[union-attr]
    assert (header, after) == (f"00-{TRACE}-{inside}-01", SPAN)


def test_what_the_caller_does_not_sample_is_not_recorded_and_passed_on_as_that(
    spans: Spans,
) -> None:
    def work() -> str | None:
        with span("outer", {}):
            return traceparent()

    header = in_request("run_agent", work, {"traceparent": f"00-{TRACE}-{SPAN}-00"}.get)
    assert spans.all() == []
    assert header is not None
    assert header.startswith(f"00-{TRACE}-")
    assert header.endswith("-00")
