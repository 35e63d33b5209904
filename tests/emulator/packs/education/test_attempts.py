"""Pupils answer published material, and see its keys only afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.attempts import (
    answer_block,
    finish_attempt,
    get_activity,
    start_attempt,
    try_answer,
)
from packs.education.blocks import choices, item
from packs.education.contents import block_id
from packs.education.publishing import publish_content
from rollcall.core.capability import plain
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.shapes import Role
from tests.support.indexes import indexed_times, stored_times
from tests.support.packs.education.classroom import add_content, context, write

PUPIL = "math4-1"


def pupil(db: Client, uid: str = PUPIL, *, writes: bool = True) -> Any:
    return context(db, uid, role=Role.STUDENT, writes=writes)


def start(db: Client, uid: str = PUPIL) -> str:
    return str(write(pupil(db, uid), start_attempt, content_id="fractions")["attemptId"])


def answer(db: Client, attempt: str, number: int, value: Any, uid: str = PUPIL) -> Any:
    id = block_id("fractions", number)
    return write(pupil(db, uid), answer_block, attempt_id=attempt, block_id=id, answer=value)


def test_a_pupil_sees_questions_without_key_feedback_and_source(school: Client) -> None:
    found = plain(get_activity(pupil(school), content_id="fractions"))
    assert [each["kind"] for each in found["blocks"]] == [
        "choice", "numeric", "order", "table", "open",
    ]  # fmt: skip
    text = str(found)
    for secret in ("secret", "hint", "check", "1/2+1/4", "quarters", "correct"):
        assert secret not in text
    assert found["blocks"][3]["rows"] == [["א", "ב"], ["1", "2"]]


def test_what_is_to_be_ordered_is_mixed_for_each_pupil(school: Client) -> None:
    orders = []
    for number in range(1, 7):
        found = plain(get_activity(pupil(school, f"math4-{number}"), content_id="fractions"))
        orders.append([option["id"] for option in found["blocks"][2]["options"]])
    assert all(sorted(each) == list("abcdef") for each in orders)
    assert orders.count(list("abcdef")) <= 1 and len(set(map(tuple, orders))) > 1


@pytest.mark.parametrize(
    ("uid", "content"),
    [(PUPIL, "draft"), (PUPIL, "none"), ("other-1", "fractions"), ("ben", "fractions")],
)
def test_drafts_and_others_courses_stay_closed(school: Client, uid: str, content: str) -> None:
    for call in (get_activity, start_attempt):
        with pytest.raises(PermissionDenied, match="you have no content"):
            call(pupil(school, uid), content_id=content)


def test_an_attempt_is_one_and_goes_on(school: Client) -> None:
    first = start(school)
    answer(school, first, 2, 1)
    assert start(school) == first
    assert len(list(school.collection("attempts").stream())) == 1
    found = get_activity(pupil(school), content_id="fractions").attempt
    assert found is not None and (found.answered, found.questions) == (1, 4)


def test_an_attempt_is_opened_again_with_what_was_said_to_its_answers(school: Client) -> None:
    attempt = start(school)
    said = [answer(school, attempt, 1, "b"), answer(school, attempt, 2, 1.0)]
    found = plain(get_activity(pupil(school), content_id="fractions"))
    assert found["answers"] == said and not found["isPreview"]
    assert [each["given"] for each in said] == ["b", 1.0]
    write(pupil(school), finish_attempt, attempt_id=attempt)
    closed = plain(get_activity(pupil(school), content_id="fractions"))["answers"]
    assert [each["triesLeft"] for each in closed] == [0, 0] and "hint" not in closed[0]
    assert closed[0]["feedback"] == ["secret feedback"]
    other = plain(get_activity(pupil(school, "math4-2"), content_id="fractions"))
    assert other["answers"] == [] and "attempt" not in other


def test_a_teacher_tries_answers_as_a_pupil_gives_them_and_nothing_is_kept(school: Client) -> None:
    for uid, content in (("ada", "draft"), ("ada", "fractions"), ("dov", "fractions")):
        teacher, id = context(school, uid), block_id(content, 1)
        found = plain(get_activity(teacher, content_id=content))
        assert found["isPreview"] and found["answers"] == []
        wrong = plain(try_answer(teacher, block_id=id, answer="b"))
        assert wrong["correct"] is False and ("hint" in wrong) is (wrong["triesLeft"] > 0)
        assert plain(try_answer(teacher, block_id=id, answer="a"))["points"] == 10
    tries = [plain(try_answer(teacher, block_id=id, answer="b", tries=n)) for n in (1, 2, 3)]
    assert [each["triesLeft"] for each in tries] == [1, 0, 0] and "hint" in tries[0]
    assert not list(school.collection("attempts").stream())


@pytest.mark.parametrize(
    ("uid", "content"),
    [("ben", "fractions"), ("dov", "draft"), (PUPIL, "fractions"), ("ben", "none")],
)
def test_who_does_not_teach_it_tries_nothing(school: Client, uid: str, content: str) -> None:
    with pytest.raises(PermissionDenied, match="you have no block"):
        try_answer(context(school, uid), block_id=block_id(content, 1), answer="a")


def test_answers_are_checked_and_feedback_comes_afterwards(school: Client) -> None:
    attempt = start(school)
    wrong = answer(school, attempt, 1, "b")
    assert (wrong["correct"], wrong["points"], wrong["triesLeft"]) == (False, 0, 1)
    assert wrong["feedback"] == [] and wrong["hint"] == "a hint"
    right = answer(school, attempt, 1, "a")
    assert (right["correct"], right["points"], right["triesLeft"]) == (True, 10, 0)
    assert right["feedback"] == ["secret feedback"] and "hint" not in right
    opened = answer(school, attempt, 5, "כי כך")
    assert "correct" not in opened and "secret sample" not in str(opened)
    done = write(pupil(school), finish_attempt, attempt_id=attempt)
    assert (done["status"], done["points"], done["maxPoints"], done["toJudge"]) == (
        "finished", 10, 25, 1,
    )  # fmt: skip


def test_a_key_is_read_that_has_fields_of_an_earlier_version(school: Client) -> None:
    key = school.document(f"contents/fractions/keys/{block_id('fractions', 2)}")
    key.update({"optionFeedback": {}, "units": [], "tolerance": "0"})
    assert answer(school, start(school), 2, "1")["correct"] is True


def test_times_of_an_attempt_have_no_index_of_their_own(school: Client) -> None:
    write(pupil(school), finish_attempt, attempt_id=start(school))
    own = {("attempts", "startedAt"), ("attempts", "finishedAt"), ("contents", "createdAt")}
    assert own <= set(stored_times(school))
    assert {each for each in indexed_times(school) if each[0] in ("attempts", "contents")} == set()


def test_what_tells_the_solution_comes_after_the_last_wrong_try(school: Client) -> None:
    attempt = start(school)
    answer(school, attempt, 1, "b")
    last = answer(school, attempt, 1, "b")
    assert (last["correct"], last["triesLeft"]) == (False, 0) and "hint" not in last
    assert last["feedback"] == ["secret feedback"]


def test_a_match_and_a_cloze_are_answered_with_objects(school: Client) -> None:
    two, other = choices(["1/2", "1/4"]), choices(["0.5", "0.25"])
    pairs = {"a": "a", "b": "b"}
    match = item("match", "?", options=two, targets=other, points=4, key={"pairs": pairs})
    gaps = {"gaps": {"1": ["חצי"], "2": ["רבע"]}, "feedback": "secret"}
    cloze = item("cloze", "{{1}} ועוד {{2}}", points=4, key=gaps)
    items = [match, cloze]
    add_content(school, "parts", "ada", items, status="published", courseId="math4", maxTries=2)
    id = write(pupil(school), start_attempt, content_id="parts")["attemptId"]

    def give(number: int, value: Any) -> Any:
        given = {"attempt_id": id, "block_id": block_id("parts", number), "answer": value}
        return write(pupil(school), answer_block, **given)

    assert give(1, pairs)["correct"] is True
    half = give(2, {"1": "חצי", "2": "שליש"})
    assert (half["parts"], half["points"], half["feedback"]) == ({"1": True, "2": False}, 2, [])
    assert give(2, {"1": "חצי", "2": "רבע"})["feedback"] == ["secret"]


def test_a_question_is_answered_as_often_as_the_teacher_allows(school: Client) -> None:
    attempt = start(school)
    answer(school, attempt, 2, "3")
    answer(school, attempt, 2, "4")
    with pytest.raises(FailedPrecondition, match="no further answers"):
        answer(school, attempt, 2, "1")
    answer(school, attempt, 1, "a")
    with pytest.raises(FailedPrecondition, match="no further answers"):
        answer(school, attempt, 1, "b")


def test_two_answers_at_once_count_as_one_try_each_or_fail(school: Client) -> None:
    from google.api_core.exceptions import FailedPrecondition as Refused

    attempt = start(school)
    id = block_id("fractions", 2)
    first, second = pupil(school), pupil(school)
    for ctx in (first, second):
        answer_block(ctx, attempt_id=attempt, block_id=id, answer=3)
    first.batch.commit()
    with pytest.raises(Refused):
        second.batch.commit()


def test_an_attempt_is_its_pupils_and_ends(school: Client) -> None:
    attempt = start(school)
    for uid in ("math4-2", "ada", "ben"):
        with pytest.raises(PermissionDenied):
            answer(school, attempt, 1, "a", uid)
        with pytest.raises(PermissionDenied):
            finish_attempt(pupil(school, uid), attempt_id=attempt)
    write(pupil(school), finish_attempt, attempt_id=attempt)
    with pytest.raises(FailedPrecondition, match="finished"):
        answer(school, attempt, 1, "a")


def test_a_teacher_does_not_answer_the_own_material(school: Client) -> None:
    with pytest.raises(FailedPrecondition, match="only pupils"):
        start_attempt(context(school, "ada", writes=True), content_id="fractions")
    with pytest.raises(FailedPrecondition, match="only pupils"):
        start_attempt(context(school, "ada", writes=True), content_id="draft")


@pytest.mark.parametrize("value", [7, ["a", "b"], "z", {"a": "b"}, True])
def test_an_answer_of_another_shape_is_refused(school: Client, value: Any) -> None:
    attempt = start(school)
    with pytest.raises(InvalidArgument) as refused:
        answer(school, attempt, 1, value)
    assert refused.value.field == "answer"


def test_another_contents_block_is_none_of_the_attempts(school: Client) -> None:
    attempt = start(school)
    for id in ("draft-001", "fractions-099", "none-001", "fractions"):
        with pytest.raises(PermissionDenied):
            answer_block(pupil(school), attempt_id=attempt, block_id=id, answer="a")
    with pytest.raises(InvalidArgument, match="is not answered"):
        answer(school, attempt, 4, "a")


def test_who_left_the_course_answers_no_more(school: Client) -> None:
    attempt = start(school)
    school.document(f"courses/math4/students/{PUPIL}").delete()
    with pytest.raises(PermissionDenied):
        answer(school, attempt, 1, "a")


def test_a_new_version_is_begun_anew(school: Client) -> None:
    first = start(school)
    published = write(context(school, writes=True), publish_content, content_id="fractions")
    assert published["version"] == 2
    with pytest.raises(FailedPrecondition, match="published again"):
        answer(school, first, 1, "a")
    assert start(school) != first
