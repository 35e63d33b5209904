from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import sys
from typing import Any

import pytest
from rich.console import Console

from dev.paths import CLIENT
from rollcall.core.wire import StopReason
from rollcall_cli import approvals, diffs, identity
from rollcall_cli.approvals import ApprovalCard, Decision
from rollcall_cli.diffs import ShortenedBlock
from rollcall_cli.layout import Order
from rollcall_cli.screen import Screen
from rollcall_cli.wording import texts
from tests.support.terminal import Terminal

ARGUMENTS = {"conversationId": "c1", "content": "late"}
INTERRUPT: dict[str, Any] = {
    "id": "a1",
    "toolCallId": "call1",
    "message": "Send “late” to c1",
    "expiresAt": "2026-11-22T07:16:00+00:00",
    "metadata": {
        "tool": "send_message",
        "arguments": ARGUMENTS,
        "decider": {"uid": "noa"},
        "complete": True,
        "display": {"type": "confirmation", "title": "Send to Maya", "text": "To: Maya\n\nlate"},
    },
}


def _rendered(order: Order = Order.READER, **metadata: Any) -> str:
    interrupt = {**INTERRUPT, "metadata": {**INTERRUPT["metadata"], **metadata}}
    console = Console(file=io.StringIO(), width=60)
    console.print(ApprovalCard(interrupt, order, "noa"))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def _ask(*said: str) -> Decision | str:
    lines = iter(said)
    screen = Screen(console=Console(file=io.StringIO()), env={})
    return approvals.ask(screen, INTERRUPT, lambda prompt, begin: next(lines))


def test_card_says_what_would_happen_in_detail_who_decides_and_until_when() -> None:
    lines = [line.removeprefix("  ┃ ").strip() for line in _rendered().splitlines()]
    assert lines[:6] == ["Send “late” to c1", "", "Send to Maya", "To: Maya", "", "late"]
    assert lines[-1].startswith("decides: you · until ")


def test_card_shows_rows_where_there_is_no_text() -> None:
    display = {"type": "table", "columns": ["priority"], "rows": [{"priority": "urgent"}]}
    assert "priority: urgent" in _rendered(display=display)
    assert _rendered(display=None).count("┃") == 3


def test_a_card_shows_the_arguments_where_message_and_display_leave_some_out() -> None:
    text = _rendered(complete=False, arguments={"to": "c1\u202e", "content": "one\ntwo", "n": 3})
    lines = [line.removeprefix("  ┃ ").rstrip() for line in text.splitlines()]
    assert [line.replace("\u2068", "").replace("\u2069", "") for line in lines[7:-2]] == [
        "to: c1<U+202E>",
        "content: one",
        "  two",
        "n: 3",
    ]


def test_what_a_card_leaves_out_is_opened_before_a_yes_counts() -> None:
    many = {"content": "\n".join(f"line {n}" for n in range(100))}
    interrupt = {**INTERRUPT, "metadata": {**INTERRUPT["metadata"], "arguments": many}}
    interrupt["metadata"]["complete"] = False
    assert isinstance(approvals.arguments_to_show(interrupt, Order.READER), ShortenedBlock)
    console = Console(file=io.StringIO(), width=60)
    screen, lines = Screen(console=console, env={}), iter(["y", "w", "y"])
    asked = approvals.ask(screen, interrupt, lambda *_: next(lines), shortened=True)
    assert asked == Decision(True)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert said.index("[w] shows it first") < said.index("line 99")


def test_card_names_the_role_that_decides_for_another() -> None:
    decider = {"role": "teacher"}
    assert "somebody else, of the role teacher" in _rendered(decider=decider)
    assert not approvals.is_mine({"metadata": {"decider": decider}}, "noa")
    assert approvals.is_mine(INTERRUPT, "noa")


def test_hebrew_in_a_card_stands_on_the_right_behind_the_bar() -> None:
    display = {"type": "confirmation", "title": "שליחה אל Maya"}
    line = _rendered(Order.OURS, display=display).splitlines()[2]
    assert line.startswith("  ┃   ")
    assert line.endswith("Maya לא החילש")


@pytest.mark.parametrize(
    ("said", "payload"),
    [
        (["y"], {"approved": True}),
        (["", "כן"], {"approved": True}),
        (["no", "x" * 501, "not now"], {"approved": False, "reason": "not now"}),
        (["n", ""], {"approved": False}),
        (
            ["e", "oops", '{"content": "later"}'],
            {"approved": True, "editedArguments": {"content": "later"}},
        ),
        (["e", "", "y"], {"approved": True}),
    ],
)
def test_what_a_person_types_becomes_an_entry_of_resume(
    said: list[str], payload: dict[str, Any]
) -> None:
    answer = _ask(*said)
    assert isinstance(answer, Decision)
    entry = answer.entry(INTERRUPT)
    assert entry == {"interruptId": "a1", "status": "resolved", "payload": payload}


@pytest.mark.parametrize(
    ("said", "place"), [("2", 2), ("3", 0), ("0", 0), ("-1", 0), ("²", 0), ("", 0), ("9" * 5000, 0)]
)
def test_place_in_a_list_is_a_number_of_it(said: str, place: int) -> None:
    assert approvals.chosen_number(["a", "b"], said) == place


def test_answers_are_told_before_a_prompt_that_fits_into_narrow_terminals() -> None:
    out, prompts = io.StringIO(), []

    def read(prompt: str, begin: str) -> str:
        prompts.append(prompt)
        return "y"

    approvals.ask(Screen(console=Console(file=out, width=40), env={}), INTERRUPT, read)
    assert "[e]dit" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 40
    assert [len(prompt) <= 20 for prompt in prompts] == [True]


def test_anything_else_is_a_new_message() -> None:
    assert _ask("What are my priorities?") == "What are my priorities?"


def test_arguments_to_change_are_given_to_begin_with() -> None:
    begins = []

    def read(prompt: str, begin: str) -> str:
        begins.append(begin)
        return {"": "e"}.get(begin, json.dumps({"content": "x"}))

    screen = Screen(console=Console(file=io.StringIO()), env={})
    approvals.ask(screen, INTERRUPT, read)
    assert [json.loads(begin) for begin in begins if begin] == [ARGUMENTS]


_READS = (
    "from rollcall_cli import approvals; approvals.edit_lines();"
    " print(repr(approvals.from_keyboard('❯ ', '')))"
)


def test_lines_that_are_pasted_are_one() -> None:
    readline = pytest.importorskip("readline")
    if "libedit" in (readline.__doc__ or ""):
        pytest.skip("libedit does not tell what is pasted")
    env = {**os.environ, "PYTHONPATH": str(CLIENT), "LANG": "C.UTF-8"}
    with Terminal([sys.executable, "-c", _READS], env=env) as terminal:
        terminal.wait_for("❯")
        terminal.press("\x1b[200~y\r/new\rשלום\x1b[201~")
        terminal.press("\r")
        assert terminal.wait_for("'y\\n/new\\nשלום'")


def test_what_was_typed_before_the_question_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        os.write(master, b"y\n")
        assert select.select([slave], [], [], 10)[0]
        approvals.discard_typeahead()
        assert not select.select([slave], [], [], 0)[0]
    os.close(master)


def _in_hebrew(**more: Any) -> dict[str, Any]:
    return {**INTERRUPT, "message": "לשלוח „מאוחר“ אל מאיה", **more}


def test_what_stands_around_a_hebrew_approval_is_hebrew() -> None:
    out = io.StringIO()
    console = Console(file=out, width=60)
    display = {"type": "confirmation", "title": "שליחה אל מאיה", "text": "אל: מאיה"}
    about = {**INTERRUPT["metadata"], "display": display}
    console.print(ApprovalCard(_in_hebrew(metadata=about), Order.READER, "noa"))
    prompts, said = [], iter(["למה", "לא", ""])

    def read(prompt: str, begin: str) -> str:
        prompts.append(prompt)
        return next(said)

    assert approvals.ask(Screen(console=console, env={}), _in_hebrew(), read) == Decision(False)
    own = out.getvalue().replace("send_message", "")
    for name, value in ARGUMENTS.items():  # what is approved is told as it stands
        own = own.replace(name, "").replace(value, "")
    assert re.search(r"ההחלטה: שלך · עד \d\d\.11, \d\d:\d\d", own)
    assert re.findall("[A-Za-z]{2,}", own) == ["Enter"]
    assert set(prompts) == {"  ❯ "}


def test_patterns_and_edits_of_a_hebrew_approval_are_asked_for_in_hebrew() -> None:
    out, prompts = io.StringIO(), []
    said = iter(["תמיד", "9", "", "עריכה", "oops", "", "תמיד", "1"])

    def read(prompt: str, begin: str) -> str:
        prompts.append(prompt)
        return next(said)

    about = {**INTERRUPT["metadata"], "remember": ["docs/*"], "arguments": {"n": 1}}
    screen = Screen(console=Console(file=out, width=60), env={})
    answer = approvals.ask(screen, _in_hebrew(metadata=about), read)
    assert answer == Decision(True, remember="docs/*")
    own = out.getvalue().replace("docs/*", "").replace('{"name": "value"}', "")
    assert set(re.findall("[A-Za-z]{2,}", own)) == {"JSON"}
    assert set(prompts) == {"  ❯ "}


def test_what_stands_around_a_long_hebrew_call_is_hebrew() -> None:
    many = {"n": "\n".join("1" for _ in range(100))}
    about = {**INTERRUPT["metadata"], "arguments": many, "complete": False}
    out = io.StringIO()
    shown = approvals.arguments_to_show(_in_hebrew(metadata=about), Order.READER)
    Console(file=out, width=60).print(shown)
    Console(file=out, width=60).print(
        diffs.command("1\n" * 99, order=Order.READER, say=texts("he"))
    )
    assert "שורות: „למה“ מציג הכול" in out.getvalue()
    assert "100 שורות: כדאי לקרוא מהראשונה" in out.getvalue()
    assert re.findall("[A-Za-z]{2,}", out.getvalue()) == []


def test_a_call_is_put_in_order_once_where_the_terminal_does_not_do_it() -> None:
    about = {**INTERRUPT["metadata"], "complete": False, "arguments": {"to": "דנה\n" * 99}}
    interrupt, order = _in_hebrew(metadata=about), Order.OURS
    command = diffs.command("echo דנה\n" * 20, order=order, say=texts("he"))
    out, said = io.StringIO(), iter(["w", "no", ""] * 2)
    console = Console(file=out, width=60)
    screen = Screen(console=console, env={})
    screen.order = order
    console.print(
        ApprovalCard(interrupt, order, "noa"), ApprovalCard(interrupt, order, "noa", command)
    )
    approvals.ask(screen, interrupt, lambda *_: next(said), whole=lambda: command)
    approvals.ask(screen, interrupt, lambda *_: next(said))
    text = out.getvalue()
    assert text.count("$ echo הנד") == 2 and "to: הנד" in text
    assert "דנה" not in text and "\u2068" not in text
    assert re.search("  \\S*לוכה גיצמ “המל„ :תורוש 40 דועו …\n", text)
    assert text.count("הנושארהמ אורקל יאדכ :תורוש 21\n") == 2


def test_a_hebrew_approval_names_the_role_that_decides() -> None:
    about = {**INTERRUPT["metadata"], "decider": {"role": "teacher"}}
    out = io.StringIO()
    Console(file=out, width=60).print(ApprovalCard(_in_hebrew(metadata=about), Order.READER, "noa"))
    assert "אדם אחר, בתפקיד teacher ומעלה" in out.getvalue()


def test_both_languages_have_the_same_texts_with_the_same_places() -> None:
    english, hebrew = (
        json.loads((CLIENT / f"rollcall_cli/texts/{locale}.json").read_text(encoding="utf-8"))
        for locale in ("en", "he")
    )
    places = [
        {key: set(re.findall(r"{\w+}", text)) for key, text in each.items()}
        for each in (english, hebrew)
    ]
    assert places[0] == places[1]


def test_every_text_is_used() -> None:
    code = "".join(file.read_text() for file in (CLIENT / "rollcall_cli").glob("*.py"))
    families = ("error.", "help.", "stop.", "call.", "outcome.", "export.", "steps.", "sign_in.")
    unused = {
        key
        for key in texts("en")
        if not re.search(rf"[\"']{re.escape(key)}[\"']", code)
        and not (key.startswith(families) and f'"{key.partition(".")[0]}' in code)
    }
    assert unused == set()
    reasons = {key.removeprefix("stop.") for key in texts("en") if key.startswith("stop.")}
    assert reasons == set(StopReason)


def test_every_text_of_an_error_is_used_and_every_error_has_one() -> None:
    code = "".join(file.read_text() for file in (CLIENT / "rollcall_cli").glob("*.py"))
    used = {f"error.{key}" for key in re.findall(r'(?:error_text|Problem)\(\s*"([\w.]+)"', code)}
    services = {key for key in texts("en") if key.startswith("error.sign_in.")}
    assert {f"error.sign_in.{word}" for word in identity.ERROR_CODES} == services
    assert {key for key in texts("en") if key.startswith("error.")} == used | services
