"""The text that a person decides by says what will happen, whatever a model puts into arguments."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from rollcall.agent.targets import Target, registered_target
from rollcall.core import readable
from rollcall.core.capability import SUMMARY_CHARS, Capability, Preview, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.hidden import MASK, Hidden
from rollcall.core.wire import Display
from rollcall.registry.capabilities import read_capability
from tests.support.for_every import for_every

UNSEEN = {
    "a turned line": "\u202e",
    "an embedding": "\u202b",
    "an isolate that is not ended": "\u2067",
    "an end of an isolate": "\u2069",
    "a mark": "\u200f",
    "no width": "\u200b",
    "a soft hyphen": "\u00ad",
    "a tag": "\U000e0041",
    "a variant": "\U000e0101",
    "a filler": "\u3164",
    "a joiner": "\u200d",
    "a variant of an emoji": "\ufe0f",
    "a bell": "\x07",
    "an escape": "\x1b",
    "an interlinear mark": "\ufff9",
}


def _show(ctx: ToolContext, *, to: str, text: str = "", code: str = "") -> Preview:
    return Preview(Display(type="confirmation", title=f"To {to}", text=f"{to}\n\n{text} {code}"))


@capability(
    name={"en": "Send"},
    category="c",
    effect="write",
    summary=lambda a: f"Send “{a.get('text', '')}” to {a['to']}",
    preview=_show,
)
def send(ctx: ToolContext, *, to: str, text: str = "", code: Annotated[str, Hidden()] = "") -> None:
    """Send a text."""


@capability(name={"en": "Wipe"}, category="c", effect="write")
def wipe(ctx: ToolContext, *, where: str, all: bool = False, tags: list[str] | None = None) -> None:
    """Wipe something."""


SEND, WIPE = Capability.of(send), Capability.of(wipe)


def make_target(properties: dict[str, Any] | None = None) -> Target:
    schema = {"type": "object", "properties": properties or {}}
    document = {
        "id": "transfer",
        "name": "Transfer",
        "description": "Move money.",
        "category": "c",
        "minRole": "user",
        "status": "active",
        "jsonSchema": schema,
        "source": "operator",
        "execution": {"type": "firebase_function", "target": "transfer"},
    }
    return registered_target(read_capability(document), lambda ctx, arguments: None)


def bare(text: str) -> str:
    """Without the isolates of our own."""
    return text.replace("\u2068", "").replace("\u2069", "")


@for_every("mark", UNSEEN.values(), ids=UNSEEN)
def test_a_summary_holds_no_unseen_character_of_an_argument(mark: str) -> None:
    summary = SEND.summarize({"to": f"bob{mark}", "text": f"{mark}hi{mark}"}, "en")
    assert summary == "Send “hi” to bob"
    assert mark not in bare(make_target().summary({f"to{mark}": f"bob{mark}"}, "en"))


@for_every("mark", UNSEEN.values(), ids=UNSEEN)
def test_a_preview_turns_and_hides_nothing(mark: str) -> None:
    preview = SEND.preview(ToolContext(User("ann")), {"to": "bob", "text": f"{mark}hi"})
    assert preview is not None and preview.display.text is not None
    text = preview.display.text
    assert text.startswith("bob\n\n")
    opened = sum(text.count(each) for each in "\u2066\u2067\u2068")
    assert opened == text.count("\u2069")
    if mark not in "\u2067\u200f":
        assert mark not in text


def test_a_previews_title_is_one_line() -> None:
    preview = SEND.preview(ToolContext(User("ann")), {"to": "bob\n\nApproved \u2028 before"})
    assert preview is not None
    assert preview.display.title == "To bob Approved before"


def test_scripts_and_emoji_that_need_joiners_keep_them() -> None:
    assert readable.value("\U0001f469\u200d\U0001f680 می\u200cخواهم") == (
        "\U0001f469\u200d\U0001f680 می\u200cخواهم"
    )
    assert readable.value("שלום, מה שלומך?") == "שלום, מה שלומך?"


def test_one_long_argument_leaves_room_for_the_others_and_is_seen_to_be_cut() -> None:
    summary = SEND.summarize({"text": "nice words " * 100, "to": "mallory"}, "en")
    assert summary.endswith("…” to mallory")
    assert len(summary) <= SUMMARY_CHARS
    assert readable.line("x" * 400, SUMMARY_CHARS) == "x" * (SUMMARY_CHARS - 1) + "…"


def test_a_line_break_begins_nothing_new() -> None:
    summary = SEND.summarize({"to": "bob\n\nApproved by admin\r\n\u2028ok", "text": "hi"}, "en")
    assert summary == "Send “hi” to bob Approved by admin ok"


def test_a_capability_without_a_summary_says_its_arguments() -> None:
    summary = bare(WIPE.summarize({"where": "disk", "all": True, "tags": ["a", "b"]}, "en"))
    assert summary == "Wipe (where: “disk”, all: true, tags: [“a”, “b”])"
    assert WIPE.summarize({}, "en") == "Wipe"


def test_a_summary_that_fails_still_says_the_arguments() -> None:
    assert bare(SEND.summarize({"text": "hi"}, "en")) == "Send (text: “hi”)"


def test_a_value_cannot_look_like_another_argument() -> None:
    summary = make_target().summary({"to": "bob”, amount: “1", "amount": 900}, "en")
    assert bare(summary) == 'Transfer (to: “bob", amount: "1”, amount: 900)'


def test_the_schema_says_which_arguments_come_first_and_what_is_left_out_is_counted() -> None:
    target = make_target({"amount": {}, "to": {}})
    padding = {f"note{n}": "x" * 100 for n in range(6)}
    summary = target.summary({**padding, "to": "bob", "amount": 900}, "en")
    assert bare(summary).startswith("Transfer (amount: 900, to: “bob”, note0: ")
    assert bare(summary).endswith("… +4)")


def test_names_that_only_an_unseen_character_tells_apart_are_both_there() -> None:
    summary = bare(make_target().summary({"to": "bob", "t\u200bo": "eve"}, "en"))
    assert summary == "Transfer (to: “bob”, to\ufffd: “eve”)"


def test_a_hidden_value_stays_hidden_in_a_part_that_was_cut() -> None:
    arguments = {"to": "bob", "text": "x" * 112 + " 4711-0815", "code": "4711-0815"}
    summary = SEND.summarize(arguments, "en")
    assert "4711" not in summary and MASK in summary


def test_a_line_that_is_cut_ends_its_isolates() -> None:
    cut = readable.line("\u2068" + "x" * 400, SUMMARY_CHARS)
    assert (cut.count("\u2068"), cut.count("\u2069")) == (1, 1)


@for_every(
    ("text", "shown"),
    [
        ("ls -la\n\tx", "ls -la\n\tx"),
        ("שלום עולם", "שלום עולם"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("a\u200bb\u200db\ufeff", "a⟨U+200B⟩b⟨U+200D⟩b⟨U+FEFF⟩"),
        ("a\x1b[2Kb\x07\x7f\x9b", "a⟨U+001B⟩[2Kb⟨U+0007⟩⟨U+007F⟩⟨U+009B⟩"),
        ("a\r\nb\rc", "a\nb⟨U+000D⟩c"),
        ("a\u2028b\u00a0c\u3000", "a⟨U+2028⟩b⟨U+00A0⟩c⟨U+3000⟩"),
        ("\u3164\u115f\U000e0041\U000e0100", "⟨U+3164⟩⟨U+115F⟩⟨U+E0041⟩⟨U+E0100⟩"),
        ("e\u0301 é 漢字 🎉", "e\u0301 é 漢字 🎉"),
        ("rm\ufe0f x\u180b\u2065", "rm⟨U+FE0F⟩ x⟨U+180B⟩⟨U+2065⟩"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
    ],
)
def test_every_character_of_a_marked_text_is_seen(text: str, shown: str) -> None:
    assert readable.marked(text) == shown


def test_more_marks_upon_a_letter_than_any_script_has_are_counted() -> None:
    assert readable.marked("a" + "\u0301" * 117) == "a" + "\u0301" * 6 + "⟨111 × U+0301⟩"
    assert readable.line("a" + "\u0301" * 117 + "b", 200) == "a" + "\u0301" * 6 + "b"
    bereshit = "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים"
    assert readable.marked(bereshit) == bereshit and readable.line(bereshit, 200) == bereshit


@pytest.mark.parametrize(
    ("summary", "arguments", "is_shown"),
    [
        ("Send \u2068“hi”\u2069 to \u2068Dan\u2069", {"to": "Dan", "text": "hi"}, True),
        ("Send \u2068“hi”\u2069 to Dan", {"to": "Dan"}, False),
        ("Send \u2068“hi…”\u2069", {"text": "hi there"}, False),
        ("Pay \u206820\u2069", {"amount": 20}, True),
        ("Pay 20", {"amount": 20, "note": None}, True),
        ("Pay 120", {"amount": 20}, False),
        ("Pay 20.5", {"amount": 20}, False),
        ("Delete \u2068a\u202eb\u2069", {"path": "a\u202eb"}, False),
        ("Delete", {"ids": ["a"]}, False),
        ("Delete", {}, True),
    ],
)
def test_a_summary_shows_an_argument_where_each_character_stands_by_itself(
    summary: str, arguments: dict[str, Any], is_shown: bool
) -> None:
    assert readable.shows_all(summary, arguments) is is_shown
