"""Parsing a question."""

import pytest

from packs.messaging.query import query_terms, read_query

TEAM = [("d", "Dana Levi"), ("pm", "Project Manager"), ("m", "Marketing"), ("n", "נועה")]


def heaviest(question: str) -> set[str]:
    weights = query_terms(question)
    return {term for term, weight in weights.items() if weight == max(weights.values())}


def test_words_of_asking_weigh_little() -> None:
    assert heaviest("What did the group discuss about the battery?") == {"batteri"}
    assert heaviest("Summarize the discussion about buttons") == {"button"}
    assert heaviest("על מה דיברו לגבי הסוללות?") == heaviest("סוללה")


def test_the_context_weighs_less_than_what_is_asked() -> None:
    weights = query_terms("Why did they drop the alarm when discussing market research?")
    assert weights["alarm"] == 1.0
    assert 0 < weights["market"] < 1.0


def test_the_context_is_known_as_such() -> None:
    query = read_query("Why did they drop the alarm when discussing market research?")
    assert query.context == {"market", "research"}
    assert not read_query("Why did they drop the alarm?").context


def test_a_question_of_context_alone_keeps_its_weight() -> None:
    assert query_terms("When discussing pricing")["price"] == 1.0


@pytest.mark.parametrize(
    ("question", "speakers"),
    [
        ("What did Dana say about lunch?", {"d"}),
        ("what did dana say about lunch?", {"d"}),
        ("What did the project manager think?", {"pm"}),
        ("What are the new project requirements, Marketing?", {"m"}),
        ("What is the market range of the project? X", set()),
        ("מה אמרו לנועה על הטיול?", {"n"}),
        ("What did Noa say about lunch?", {"n"}),
        ("מה אמרה דנה על הטיול?", {"d"}),
        ("מה סיפרו לדנה?", {"d"}),
        ("מה נאמר בדיון על הטיול?", set()),
    ],
)
def test_speakers_are_known_by_name(question: str, speakers: set[str]) -> None:
    assert read_query(question, names=TEAM).speakers == speakers


@pytest.mark.parametrize("question", ["Dana", "דנה", "What did Noa say?", "מה אמרה דנה?"])
def test_a_question_about_a_person_alone_has_no_topic(question: str) -> None:
    assert not read_query(question, names=TEAM).has_topic


def test_a_question_about_everything_has_no_topic() -> None:
    assert not read_query("Summarize the conversation").has_topic
    assert not read_query("סכמי את השיחה").has_topic
    assert read_query("Summarize the budget conversation").has_topic
