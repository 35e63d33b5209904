"""The cases of the offline planner: well-formed, enough, and judged correctly."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.evals.planner.cases import PACKS, Case, Reply, fits, read_cases, verdict
from tests.support.catalogs import catalog

CASES = read_cases()
ELSEWHERE = {"en-knowledge-1", "he-knowledge-1"}
"""Cases for another pack's agent than their tool's."""


def test_there_are_as_many_in_both_languages() -> None:
    languages = Counter(case.language for case in CASES)
    assert languages["en"] >= 12 and abs(languages["en"] - languages["he"]) <= 1
    assert len({case.id for case in CASES}) == len(CASES)


def test_most_cannot_be_got_right_by_declining() -> None:
    idle = [case for case in CASES if all("calls" not in each for each in case.right)]
    assert len(idle) < 0.5 * len(CASES)


def test_agents_tools_and_arguments_exist() -> None:
    properties = {each.id: each.json_schema["properties"] for each in catalog.capabilities()}
    written = {case.id for case in read_cases(*PACKS.glob("*/planner.jsonl"))}
    assert written - {case.id for case in CASES} <= ELSEWHERE
    for case in CASES:
        for each in (each for right in case.right for each in right.get("calls", ())):
            names = {name for key in each["arguments"] for name in key.removesuffix("?").split("|")}
            assert names <= properties[each["tool"]].keys(), case.id


def test_arguments_fit_by_value_word_and_choice() -> None:
    wanted = {
        "panelName|panelId": {"any": ["Main Panel", "main"]},
        "additionalLoadWatts": 7200,
        "note?": {"has": ["charger"]},
    }
    given = {"panelId": "main", "additionalLoadWatts": 7200.0, "method": "exact", "limit": 50}
    assert fits(wanted, given, ignored={"method": "exact"})
    assert fits(wanted, {**given, "note": "EV Charger"}, ignored={"method": "exact"})
    assert not fits(wanted, {**given, "note": "sauna"}, ignored={"method": "exact"})
    assert not fits(wanted, given, ignored={})
    assert not fits(wanted, {**given, "additionalLoadWatts": 4000}, ignored={"method": "exact"})


def test_a_call_with_another_value_is_wrong_and_a_question_is_not() -> None:
    right = {"calls": [{"tool": "drop", "arguments": {"lengthM": 25}}]}
    assert judge([right], Reply((("drop", {"lengthM": 25}),), "3 %.")) == "right"
    assert judge([right], Reply((("drop", {"lengthM": 52}),), "3 %.")) == "wrong"
    assert judge([right], Reply((), "How far?", asks=True)) == "asked"
    assert judge([right], Reply((), "I cannot tell from this.")) == "declined"


def test_each_wanted_call_is_made_once_with_lookups_beside() -> None:
    two = {"calls": [{"tool": "drop", "arguments": {"id": each}} for each in ("a", "b")]}
    both = (("list_projects", {}), ("drop", {"id": "b"}), ("drop", {"id": "a"}))
    assert judge([two], Reply(both, "Both.")) == "right"
    assert judge([two], Reply(both[:2], "One.")) == "wrong"
    assert judge([two], Reply((*both, ("drop", {"id": "c"})), "Three.")) == "wrong"


def test_a_refused_call_told_nothing() -> None:
    reply = Reply((("remove", {}),), "Which circuit?", failed=frozenset({0}), asks=True)
    assert judge([{"asks": True}], reply) == "right"
    assert judge([{"declines": True}], reply) == "asked"


def test_a_list_of_something_else_is_beside_the_question() -> None:
    listed = Reply((("list_projects", {}),), "- House\n- Office")
    assert judge([{"declines": True}], listed) == "wrong"
    refused = Reply((("list_projects", {}),), "I cannot tell that from your projects.")
    assert judge([{"declines": True}], refused) == "right"
    assert judge([{"declines": True}], Reply((), "As the code says [1].", cites=True)) == "wrong"


def judge(right: list[dict[str, Any]], reply: Reply) -> str:
    case = Case("c", "en", "plain", "agent", "message", tuple(right), {}, ())
    return verdict(case, reply, {})
