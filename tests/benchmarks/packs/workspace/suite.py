"""What is measured of the workspace pack."""

from __future__ import annotations

from tests.benchmarks.packs.workspace import first_character, hops

BENCHMARKS = {
    "first_character": first_character.measure,
    "hops": hops.measure,
    "intake": hops.measure_stream_reader,
}
