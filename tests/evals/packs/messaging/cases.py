"""The questions of `questions.jsonl`, each with the tools that it does and does not need.

A line is `{"id", "language", "kind", "question", "must", "oneOf"?, "mustNot"}`: every tool of
`must` is called, and one of `oneOf` where that is given; none of `mustNot` is, `["*"]` standing
for all. Other tools are neither asked for nor forbidden.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

CASES = Path(__file__).parent / "questions.jsonl"
ANY = "*"
WITHOUT_SOURCES = frozenset({"get_user_conversations"})
"""Tools whose results name no message to cite."""

Kind = Literal["plain", "topic", "chained", "multi", "typo", "small_talk", "out_of_domain"]


@dataclass(frozen=True, slots=True)
class Case:
    """One question and the tools it needs."""

    id: str
    language: Literal["en", "he"]
    kind: Kind
    question: str
    must: frozenset[str]
    one_of: frozenset[str]
    must_not: frozenset[str]

    @property
    def wants_sources(self) -> bool:
        """Whether an answer has to cite messages."""
        return bool(self.must - WITHOUT_SOURCES)

    def mistakes(self, called: list[str]) -> list[str]:
        """What is wrong with these calls, in words; nothing where they are right."""
        found = [f"without {tool}" for tool in sorted(self.must - set(called))]
        if self.one_of and not self.one_of & set(called):
            found.append(f"without any of {', '.join(sorted(self.one_of))}")
        unwanted = set(called) if ANY in self.must_not else self.must_not & set(called)
        return found + [f"with {tool}" for tool in sorted(unwanted)]


def read_cases(path: Path = CASES) -> list[Case]:
    """Read the cases of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_case(json.loads(line)) for line in lines if line.strip()]


def _case(line: dict[str, object]) -> Case:
    def names(key: str) -> frozenset[str]:
        value = line.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ValueError(f"{line.get('id')}: {key} must be a list of texts")
        return frozenset(value)

    return Case(must=names("must"), one_of=names("oneOf"), must_not=names("mustNot"), **line)  # type: ignore[arg-type]
