"""The questions of the tool-choice eval."""

from collections import Counter

from packs.messaging.agents import MESSAGING
from rollcall.core.text import language
from tests.evals.packs.messaging.cases import ANY, CASES, Case, read_cases
from tests.support.for_every import for_every

ALL = read_cases()
TOOLS = frozenset(MESSAGING.tools)


def test_there_are_enough_in_either_language_of_every_kind() -> None:
    spoken = Counter(case.language for case in ALL)
    assert len(ALL) >= 60
    assert min(spoken.values()) >= 0.45 * len(ALL)
    for kind in {case.kind for case in ALL}:
        assert {case.language for case in ALL if case.kind == kind} == {"en", "he"}


def test_no_question_and_no_id_is_there_twice() -> None:
    assert len({case.id for case in ALL}) == len(ALL)
    assert len({case.question.casefold() for case in ALL}) == len(ALL)


def test_the_file_ends_in_a_line_and_has_no_empty_one() -> None:
    text = CASES.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert all(line.strip() for line in text.splitlines())


@for_every("case", ALL, ids=lambda case: case.id)
def test_a_case_is_in_its_language_and_asks_for_tools_that_there_are(case: Case) -> None:
    assert case.id.startswith(f"{case.language}-{case.kind}-")
    assert language(case.question) == case.language
    assert case.must | case.one_of <= TOOLS
    assert case.must_not <= TOOLS or case.must_not == {ANY}
    assert not (case.must | case.one_of) & case.must_not


@for_every("case", ALL, ids=lambda case: case.id)
def test_what_is_no_question_for_the_conversations_needs_no_tool(case: Case) -> None:
    idle = case.kind in ("small_talk", "out_of_domain")
    assert (not case.must and case.must_not == {ANY}) == idle
    assert (len(case.must) >= 2) or case.kind != "multi"


def test_calls_are_judged_by_what_a_case_asks_for() -> None:
    case = Case("x", "en", "plain", "?", frozenset({"a"}), frozenset({"b", "c"}), frozenset({"d"}))
    assert case.mistakes(["a", "c", "other", "a"]) == []
    assert case.mistakes(["d"]) == ["without a", "without any of b, c", "with d"]
    silent = Case("y", "en", "small_talk", "?", frozenset(), frozenset(), frozenset({ANY}))
    assert silent.mistakes([]) == []
    assert silent.mistakes(["a"]) == ["with a"]
