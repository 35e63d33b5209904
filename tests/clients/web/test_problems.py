"""What an error or a limit means for the user, in their language, with what to do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

CASES: list[tuple[dict[str, Any], str, bool]] = [
    ({"code": "unavailable"}, "The service cannot be reached", True),
    ({"code": "resource-exhausted", "retryAfterS": 30}, "Too many questions at once", True),
    ({"code": "resource-exhausted"}, "is used up", True),
    ({"code": "permission-denied"}, "You may not do this", False),
    ({"code": "failed-precondition"}, "cannot answer as it is set up", True),
    ({"code": "unauthenticated"}, "You are signed out", False),
    ({"code": "no-such-code"}, "on our side", True),
]


@pytest.mark.parametrize(("error", "title", "may_retry"), CASES)
def test_web_problem_is_told_with_what_to_do_in_both_languages(
    components: Page, error: dict[str, Any], title: str, may_retry: bool
) -> None:
    for language in ("en", "he"):
        components.evaluate("components.reset()")
        components.evaluate("(locale) => { components.locale.value = locale; }", language)
        components.evaluate("(error) => components.show('problem', error)", error)
        note = components.locator(".problem")
        expect(note.locator("strong")).not_to_be_empty()
        expect(note.locator("p")).not_to_be_empty()
        expect(note.get_by_role("button")).to_have_count(int(may_retry))
        expect(note.get_by_role("link")).to_have_count(int(title == "is used up"))
        if language == "he":
            for part in ("strong", "p"):
                expect(note.locator(part)).to_have_text(re.compile("[\u05d0-\u05ea]{2}"))
        else:
            expect(note).to_contain_text(title)


def test_web_message_that_is_shown_no_more_is_in_the_box_to_be_sent_again(components: Page) -> None:
    message = [{"type": "text", "text": "When?"}, {"type": "image", "fileId": "f", "name": "a.png"}]
    components.evaluate(
        "(about) => components.show('composer', about)", {"code": "aborted", "message": message}
    )
    box = components.get_by_label("Message", exact=True)
    expect(box).to_have_value("When?")
    expect(components.locator(".attachment")).to_contain_text("a.png")
    expect(components.locator(".toast")).to_contain_text("Another answer is still under way here")
    components.get_by_role("button", name="Send", exact=True).click()
    expect(box).to_have_value("")
    assert components.evaluate("components.decisions") == [message]
