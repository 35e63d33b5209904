"""Questions made of a passage's own words."""

from __future__ import annotations

from packs.education.answers import check_answer
from packs.education.generation.passages import Passage, text_items
from tests.support.packs.education.material import INJECTED, PAGE, RAIN, WATER


def test_a_page_gives_all_four_kinds_each_citing_it() -> None:
    made = text_items([PAGE], count=8, seed="a", locale="he")
    assert made[0].block.kind == "text" and made[0].block.stem == WATER
    questions = made[1:]
    assert {each.block.kind for each in questions} == {"cloze", "match", "order", "open"}
    for each in made:
        assert each.block.basis == "cited"
        assert each.block.source is not None
        assert (each.block.source.title, each.block.source.page) == ("מדע לכיתה ה", 41)


def test_every_word_of_a_key_stands_in_the_passage() -> None:
    for seed in "abcdef":
        for each in text_items([PAGE], count=12, seed=seed, locale="he")[1:]:
            block, key = each.block, each.key
            if block.kind == "cloze":
                [gap] = key.gaps["1"]
                assert block.stem.replace("{{1}}", gap) in WATER
                assert sum(option.text == gap for option in block.options) == 1
                assert check_answer(block, key, {"1": gap}).correct
            elif block.kind == "order":
                texts = {option.id: option.text for option in block.options}
                places = [WATER.index(texts[id]) for id in key.correct]
                assert places == sorted(places)
            elif block.kind == "match":
                targets = {target.id: target.text for target in block.targets}
                for option in block.options:
                    assert WATER.index(targets[key.pairs[option.id]]) > WATER.index(option.text)
            else:
                assert key.sample and all(part in WATER for part in key.sample.split(". "))


def test_open_questions_are_about_what_a_passage_speaks_of_without_glued_letters() -> None:
    made = text_items([PAGE], count=40, seed="a", locale="he")
    asked = [each.block.stem for each in made if each.block.kind == "open"]
    assert [stem.split("״")[1] for stem in asked] == [
        "מים",
        "עננים",
        "תנועה",
        "טיפות",
    ]
    english = text_items([Passage("x", RAIN)], count=40, seed="a", locale="en")
    first = next(each for each in english if each.block.kind == "open")
    assert "“water”" in first.block.stem


def test_a_passage_with_little_in_it_gives_little() -> None:
    assert text_items([Passage("x", "קצר.")], count=5, seed="a", locale="he") == []
    assert text_items([Passage("x", "\x00 {{1}} " * 900)], count=5, seed="a", locale="he") == []


def test_an_injection_is_a_text_like_any_other() -> None:
    made = text_items([INJECTED, PAGE], count=6, seed="a", locale="en")
    assert len([each for each in made if each.block.is_question]) == 6
