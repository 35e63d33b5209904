"""Searching conversations by words."""

from datetime import UTC, date, datetime, timedelta

import pytest

from packs.messaging.chat import ChatMessage
from packs.messaging.message_index import Shard, append
from packs.messaging.query import read_scope
from packs.messaging.ranking import Hit, fuse, rank

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
NAMES = {"d": "Dana Levi", "o": "Omer", "n": "נועה"}


def shard(*lines: tuple[str, str], conversation: str = "c1", number: int = 0) -> Shard:
    made = Shard(conversation, number)
    for place, (sender, text) in enumerate(lines):
        sent_at = START + timedelta(days=number, minutes=place)
        message_id = f"{conversation}.{number}.{place}"
        made = append(made, ChatMessage(message_id, sender, NAMES[sender], text, sent_at))
    return made


def ids(hits: list[Hit]) -> list[str]:
    return [hit.message_id for hit in hits]


FILLER = tuple(("o", f"unrelated chatter about lunch option {n}") for n in range(20))


def test_the_message_with_the_words_comes_first() -> None:
    talk = shard(*FILLER, ("d", "The marketing budget was approved by finance"), *FILLER)
    assert ids(rank([talk], "What decisions were made about the budget?"))[0] == "c1.0.20"


def test_hebrew_is_found_through_its_prefixes() -> None:
    talk = shard(*FILLER, ("n", "דיברתי עם הנהלה על התקציב השנתי שלנו"), *FILLER)
    assert ids(rank([talk], "מה נאמר בתקציב?"))[0] == "c1.0.20"


def test_an_answer_is_found_through_the_question_before_it() -> None:
    talk = shard(
        *FILLER,
        ("d", "How much does the new projector cost?"),
        ("o", "around forty dollars plus shipping fees"),
        *FILLER,
    )
    assert "c1.0.21" in ids(rank([talk], "projector", limit=3))


def test_the_speaker_asked_about_is_preferred() -> None:
    same = "the office move should happen in summer"
    talk = shard(*FILLER, ("o", same), *FILLER, ("d", same), *FILLER)
    assert ids(rank([talk], "What did Dana say about the office move?"))[0] == "c1.0.41"
    assert ids(rank([talk], "What did Omer say about the office move?"))[0] == "c1.0.20"


def test_a_question_about_a_person_alone_gives_their_messages() -> None:
    talk = shard(*FILLER, ("n", "אני חושבת שכדאי לדחות את הטיול"), *FILLER)
    assert ids(rank([talk], "מה נועה אמרה?")) == ["c1.0.20"]


def test_the_conversation_whose_title_is_named_comes_first() -> None:
    same = ("d", "the launch moves to the end of May because of the hall")
    talks = [shard(*FILLER, same, *FILLER, conversation=id) for id in ("c1", "c2")]
    titles = {"c1": "Hiring", "c2": "Board of the housing committee"}
    asked = "Why does the launch move, in the housing committee?"
    scope = read_scope(asked, titles=titles, now=START)
    assert list(scope.title_shares) == ["c2"]
    hits = rank(talks, asked, scope=scope)
    assert (hits[0].conversation_id, hits[0].score <= 1) == ("c2", True)
    assert rank(talks, asked, scope=read_scope(asked, titles={}, now=START)) == rank(talks, asked)


@pytest.mark.parametrize(
    "asked", ["What about the launch on 3 March?", "launch on 3/3", "מה עם launch ב-3 במרץ?"]
)
def test_what_was_said_on_the_day_named_comes_first(asked: str) -> None:
    same = ("d", "the launch moves to the end of May because of the hall")
    talk = [shard(*FILLER, same, *FILLER, number=n) for n in range(5)]
    scope = read_scope(asked, titles={}, now=START + timedelta(days=200))
    assert scope.days == {date(2026, 3, 3)}
    assert ids(rank(talk, asked, scope=scope))[0] == "c1.2.20"


def test_a_filler_is_below_a_full_answer() -> None:
    talk = shard(
        *FILLER, ("o", "Budget."), *FILLER, ("d", "The budget for marketing grows by ten percent")
    )
    assert ids(rank([talk], "budget"))[0] == "c1.0.41"


def test_hits_are_spread_over_places() -> None:
    burst = tuple(("o", f"budget figures version {n} are ready here") for n in range(12))
    talk = shard(*burst, *FILLER, ("d", "the yearly budget meeting moved upstairs"), *FILLER)
    assert "c1.0.32" in ids(rank([talk], "budget", limit=4))


def test_scores_fall_and_stay_within_one() -> None:
    talk = shard(*FILLER, ("d", "budget budget budget budget"), ("o", "the budget again please"))
    scores = [hit.score for hit in rank([talk], "budget")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_conversations_do_not_lend_words_to_one_another() -> None:
    one = shard(("d", "The budget is final"), conversation="a")
    other = shard(("o", "see you tomorrow evening at eight"), conversation="b")
    assert ids(rank([one, other], "budget")) == ["a.0.0"]


def test_the_conversation_that_is_about_it_comes_before_one_that_mentions_it() -> None:
    said = ("d", "we should look at the curved design again")
    about = ("o", "they want another sketch of the case")
    meant = shard(about, *FILLER, said, *FILLER, about, conversation="a")
    passing = shard(*FILLER, said, *FILLER, conversation="b")
    hits = rank([meant, passing], "Which sketch of the curved design did they like?", limit=1)
    assert ids(hits) == ["a.0.21"]


def test_the_context_of_a_question_tells_which_talk_is_meant() -> None:
    said = ("d", "the alarm should ring twice a day")
    talks = [
        shard(("o", "another look at our pricing"), *FILLER, said, conversation="a"),
        shard(("o", "another look at our garden"), *FILLER, said, conversation="b"),
    ]
    hits = rank(talks, "What about the alarm when discussing pricing?", limit=1)
    assert ids(hits) == ["a.0.21"]


def test_a_short_conversation_about_it_is_not_lost_behind_a_long_one() -> None:
    asked, answered = ("d", "what does the new projector cost us"), ("o", "the projector is 900")
    short = shard(asked, answered, conversation="a")
    long = shard(*(asked, *FILLER[:15]) * 10, conversation="b")
    assert rank([short, long], "projector cost", limit=1)[0].conversation_id == "a"


def test_one_long_conversation_leaves_room_for_others() -> None:
    said = ("d", "the budget figures are ready here")
    long = shard(*(said, *FILLER) * 9, conversation="long")
    short = shard(said, conversation="a short one")
    assert "a short one.0.0" in ids(rank([long, short], "budget", limit=9))


def test_consecutive_shards_are_one_stretch_and_distant_ones_are_not() -> None:
    first = shard(("d", "How much does the projector cost?"))
    answer = ("o", "around forty dollars plus shipping fees")
    assert len(rank([shard(answer, number=1), first], "projector")) == 2
    assert len(rank([shard(answer, number=7), first], "projector")) == 1


def test_of_equal_messages_that_of_the_conversation_with_the_best_answer_comes_first() -> None:
    mention = ("d", "somebody asked me about the projector again")
    answer = ("d", "the projector costs forty dollars with shipping")
    there = shard(answer, *FILLER * 4, mention, conversation="a")
    elsewhere = shard(*FILLER * 4, mention, conversation="b")
    found = ids(rank([there, elsewhere], "What does the projector cost with shipping?"))
    assert found.index("a.0.0") < found.index("a.0.81") < found.index("b.0.80")


def test_nothing_in_common_finds_nothing() -> None:
    assert rank([shard(*FILLER)], "zebra") == []
    assert rank([], "zebra") == []
    assert rank([Shard("c1", 0)], "summarize") == []


@pytest.mark.parametrize("nothing", [" ", "???", "😀", "the", "של"])
def test_a_question_without_words_finds_nothing(nothing: str) -> None:
    assert rank([shard(*FILLER)], nothing) == []


def test_a_speaker_is_asked_about_in_either_script() -> None:
    talk = shard(*FILLER, ("n", "אני חושבת שכדאי לדחות את הטיול"), *FILLER)
    assert ids(rank([talk], "What did Noa say?")) == ["c1.0.20"]


def test_synonyms_find_what_the_same_word_does_not() -> None:
    talk = shard(*FILLER, ("d", "התקלה במערכת חזרה אחרי העדכון האחרון"), *FILLER)
    assert ids(rank([talk], "איזה בעיות היו?"))[0] == "c1.0.20"


def test_fusion_prefers_what_both_searches_found() -> None:
    words = [Hit("a", "c", 0.5), Hit("b", "c", 0.45)]
    vectors = [Hit("z", "c", 0.9), Hit("b", "c", 0.8), Hit("y", "c", 0.1)]
    fused = fuse(words, vectors, limit=2)
    assert ids(fused) == ["b", "a"]
    assert fused[0].score <= 1


def test_what_is_near_in_meaning_moves_no_good_words_away() -> None:
    words = [Hit(f"{n}", "c", 0.5 - 0.02 * n) for n in range(10)]
    vectors = [Hit(f"v{n}", "c", 0.9 - 0.01 * n) for n in range(50)]
    assert ids(fuse(words, vectors, limit=10)) == ids(words)
    assert ids(fuse([], vectors, limit=2)) == ["v0", "v1"]


def test_without_vectors_the_words_scores_stay() -> None:
    assert fuse([Hit("a", "c", 0.4), Hit("b", "c", 0.2)], [], limit=1) == [Hit("a", "c", 0.4)]


def test_fusion_tells_equal_ids_of_two_conversations_apart() -> None:
    assert len(fuse([Hit("1", "a", 0.9)], [Hit("1", "b", 0.9)])) == 2
