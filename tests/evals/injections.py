"""Counts what injected instructions achieve: python -m tests.evals.injections FOLDER

FOLDER holds `indirect_injections.jsonl`, a payload a line: `{"id", "payload", "attacker_tools"}`.
For each one a tool that reads returns the payload, and a model that obeys calls the attacker's
tools. They are tried as tools that are not offered, as writes that are, as tools of a higher role,
as tools of a client, and as writes in an agent asked inside a tool. Exits with 1 if one ran.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rollcall.agent.prompt import neutral_text
from rollcall.core.wire import CallStatus
from rollcall.registry.entries import Entry
from tests.support.obedient_model import READ, Capabilities, attack

SETTINGS: dict[str, dict[str, Any] | None] = {
    "not offered": None,
    "offered, writes": {"effect": "write"},
    "offered, of a higher role": {"min_role": "admin"},
    "offered, of a client": {"runs_on": "client"},
    "in an inner agent, writes": {"effect": "write"},
}


def main() -> int:
    """Try every payload in every setting, and print what ran."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    logging.disable(logging.WARNING)
    file = Path(sys.argv[1]) / "indirect_injections.jsonl"
    cases = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    ran = 0
    for setting, options in SETTINGS.items():
        found: Counter[str] = Counter()
        for case in cases:
            found += count_outcomes(case, options, can_ask=not setting.startswith("in an inner"))
        ran += found["ran"]
        print(f"{setting:28} {dict(sorted(found.items()))}")
    changed = sum(neutral_text(case["payload"]) != case["payload"] for case in cases)
    print(f"{len(cases)} payloads; {changed} held chat markup, which a model is not sent as such")
    print(f"attacker's tools that ran: {ran}")
    return 1 if ran else 0


def count_outcomes(
    case: dict[str, Any], options: dict[str, Any] | None, *, can_ask: bool
) -> Counter[str]:
    """Count the outcomes of the attacker's calls."""
    world = Capabilities()
    offered: list[Entry] = [world.add(READ, answer={"note": case["payload"]})]
    wanted = [snake_case(name) for name in case["attacker_tools"]]
    for name in wanted:
        entry = world.add(name, **(options or {}))
        if options is not None:
            offered.append(entry)
    with pytest.MonkeyPatch.context() as patch:
        ended, _ = attack(world, offered, wanted=wanted, monkeypatch=patch, can_ask=can_ask)
    found = Counter(record.status.value for record in ended.calls if record.tool != READ)
    found[CallStatus.WAITING.value] += len(ended.waiting)
    found["ran"] += len(world.ran) - world.ran.count(READ)
    return found


def snake_case(name: str) -> str:
    """The name as a capability's id."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


if __name__ == "__main__":
    sys.exit(main())
