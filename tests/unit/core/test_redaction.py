"""What redaction removes from texts, and what it leaves."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import re
from base64 import b64decode, b64encode
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rollcall.core.messages import (
    Media,
    ModelMessage,
    Text,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
    redacted_message,
)
from rollcall.core.redaction import (
    _OTHERS,
    _PREFIXED,
    HIDDEN,
    RedactingFilter,
    _may_hold,
    json_redactor,
    redact_logs,
    redacted,
    redacted_json,
)
from tests.support.for_every import for_every
from tests.support.full_form import amount

SEED = Path(__file__).parents[3] / "seed"
# Written in two pieces each: a whole one would look like a leak to whoever scans this repository.
CREDENTIALS = [
    "sk-" + "proj-abcdEFGH1234",
    "sk-" + "ant-api03-abcdefghijkl",
    "sk-" + "4f3a9c2b7d1e8f6a5b4c3d2e",
    "AIza" + "SyD-1234567890abcdefghijklmnopqrstuv",
    "ya29" + ".a0AfH6SMBx-abcdefghijkl",
    "GOCSPX" + "-abcdefghijklmnop1234",
    "ghp" + "_abcdefghijklmnopqrstuvwxyz0123456789",
    "github" + "_pat_11ABCDEFG0abcdefghijkl",
    "glpat" + "-abcdefghijklmnop1234",
    "xoxb" + "-1234567890-abcdefghij",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "sk_" + "live_abcdefgh12345678",
    "whsec" + "_abcdefghijklmnop1234",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_x",
    "eyJ" + "hbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.",
]
PEM = (
    "-----BEGIN RSA " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n"
    "MIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----"
)
ORDINARY = [
    "Rina, please send the actuals by Thursday; see task-1234567890 and risk-2026-report.",
    "שלום, אפשר לשלוח לי את המספרים עד יום חמישי? הטוקן של המערכת לא עובד.",
    str(UUID(int=2**100 + 12345)),
    hashlib.sha256(b"x").hexdigest(),
    "m-7f3a9c2b7d1e8f6a5b4c3d2e1f0a9b8c",
    "https://example.org/a?page=2&sort=key#top",
    "the bearer of this letter, Bearer authentication, bearer-token schemes",
    "git commit 4f3a9c2b7d1e8f6a5b4c3d2e1f0a9b8c7d6e5f40",
    "ann@example.org, 10:30, ratio 3:2@noon, http://localhost:8080/x",
    "Authorization: Bearer $TOKEN, ?key={KEY}, ?key=<your key>, redis://user:${PASSWORD}@host",
    "sk-loading-indicator-container, sk-learn, pk-1",
    "AIza is how Google's keys begin, ghp_ those of GitHub",
    "a" * 500,
]


@for_every("secret", CREDENTIALS, ids=lambda text: text[:6])
@for_every("around", ["{}", "my key is {}, keep it", '{{"k":"{}"}}', "x={}\n", "({})"])
def test_a_credential_is_taken_out_and_what_is_around_it_stays(secret: str, around: str) -> None:
    assert redacted(around.format(secret)) == around.format(HIDDEN)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abcdef0123456789abcdef", f"Authorization: Bearer {HIDDEN}"),
        ('"authorization": "Basic YW5uOnNlY3JldA=="', f'"authorization": "Basic {HIDDEN}"'),
        ("postgres://ann:hunter2@db/x", f"postgres://ann:{HIDDEN}@db/x"),
        ("https://:pw@example.org", f"https://:{HIDDEN}@example.org"),
        ("https://a.org/x?key=abcdef123&q=1", f"https://a.org/x?key={HIDDEN}&q=1"),
        ("https://a.org/x?q=1&access_token=abcdef", f"https://a.org/x?q=1&access_token={HIDDEN}"),
        (f"before\n{PEM}\nafter", f"before\n{HIDDEN}\nafter"),
        (json.dumps({"k": PEM}), json.dumps({"k": HIDDEN})),
        (PEM[: PEM.index("\n-----END")].replace("Proc-Type: 4,ENCRYPTED\n\n", ""), HIDDEN),
    ],
)
def test_what_carries_a_credential_stays_readable(text: str, left: str) -> None:
    assert redacted(text) == left


@for_every("text", ORDINARY, ids=lambda text: text[:16])
def test_ordinary_text_stays(text: str) -> None:
    assert redacted(text) == text


def test_every_text_of_the_sample_data_stays() -> None:
    for path in sorted(SEED.glob("*.json")):
        value = json.loads(path.read_text(encoding="utf-8"))
        assert redacted_json(value) == value


def test_long_base64_stays() -> None:
    image = b64encode(
        b"".join(hashlib.sha256(bytes([n % 256, n // 256])).digest() for n in range(30_000))
    ).decode()
    assert redacted(image) == image


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("OPENAI_API_KEY", ""),
        ("ROLLCALL_STATEMENT_SECRET", ""),
        ("BILLING_TOKEN", ""),
        ("DATABASE_URL", "GEMINI_API_KEY, DATABASE_URL,"),
    ],
)
def test_secrets_of_the_environment_are_known_by_value(
    name: str, listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = 'plain words "and" /slashes'
    monkeypatch.setenv("ROLLCALL_SECRETS", listed)
    monkeypatch.setenv(name, value)
    assert redacted(f"<{value}>") == f"<{HIDDEN}>"
    assert redacted(json.dumps({"v": value})) == json.dumps({"v": HIDDEN})
    assert redacted("?q=plain%20words%20%22and%22%20%2Fslashes") == f"?q={HIDDEN}"


def test_short_values_of_the_environment_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "none")
    assert redacted("none of them") == "none of them"


PIECES = [
    *CREDENTIALS,
    *(half for text in (*CREDENTIALS, PEM) for half in (text[:9], text[9:])),
    *(
        "authorization: bearer",
        "Bearer ",
        "abc123def456ghi789",
        "://ann:",
        "pw@host",
        "?key=",
        "\n",
    ),
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map("".join), max_size=5))
def test_texts_that_are_looked_through_together_lose_what_each_alone_would(
    texts: list[str],
) -> None:
    value = {"said": texts, "more": [{"text": text} for text in texts]}
    alone = list(map(redacted, texts))
    assert redacted_json(value) == {"said": alone, "more": [{"text": text} for text in alone]}


@pytest.mark.long
@for_every("form", [*(rf"\b(?:{each})" for each in _PREFIXED), *_OTHERS])
@settings(max_examples=amount(3, full=6), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_form_is_without_its_sign(form: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(re.compile(form)))
    assert re.search(form, text) and _may_hold(text)


@for_every("text", [*CREDENTIALS, PEM, "Authorization: Basic YW5uOnB3", "redis://ann:pw@host"])
def test_signs_are_found_in_any_case_and_place(text: str) -> None:
    for each in (text, text.replace("uthoriz", "UTHORıZ"), f"task-1 {text}", f'"{text}'):
        assert _may_hold(each) and redacted(each) != each


def test_what_holds_no_credential_is_returned_as_it_is() -> None:
    value = {"said": ORDINARY, "n": 1}
    assert redacted_json(value) is value


def test_json_is_redacted_inside_and_keys_are_kept() -> None:
    secret = CREDENTIALS[0]
    value = {secret: [secret, {"a": (f"x {secret}", 1, None, True)}]}
    expected = {secret: [HIDDEN, {"a": [f"x {HIDDEN}", 1, None, True]}]}
    assert redacted_json(value) == expected
    assert json_redactor()(value) == expected


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redacted(redacted(text)) == redacted(text)


@pytest.mark.long
@for_every(
    "piece",
    [
        "eyJ-",
        "eyJaaaaaaaa.",
        "sk-",
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "?key=",
        "bearer ",
        "Authorization: ",
        "SG.",
        "A" * 16 + "\n",
        "-",
    ],
)
def test_hostile_texts_come_to_an_end(piece: str) -> None:
    chars = amount(100_000, full=400_000)
    redacted(piece * (chars // len(piece)))  # in quadratic time this would take minutes


class TestMessages:
    def test_a_users_text_and_text_documents_are_redacted(self) -> None:
        name = f"{CREDENTIALS[0]}.pem"
        document = Media("document", "text/plain", b64encode(PEM.encode()).decode(), name)
        image = Media("image", "image/png", b64encode(b"\x89PNG").decode())
        message = redacted_message(UserMessage((Text(CREDENTIALS[0]), document, image)))
        assert isinstance(message, UserMessage)
        text, kept, picture = message.parts
        assert text == Text(HIDDEN)
        assert isinstance(kept, Media)
        assert (b64decode(kept.data).decode(), kept.name) == (HIDDEN, f"{HIDDEN}.pem")
        assert picture is image

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1255"])
    @pytest.mark.parametrize("media_type", ["text/csv", "application/json"])
    def test_documents_are_redacted_in_every_type_and_encoding(
        self, media_type: str, encoding: str
    ) -> None:
        text = f'{{"מפתח": "{CREDENTIALS[0]}"}}'
        document = Media("document", media_type, b64encode(text.encode(encoding)).decode(), "a")
        (kept,) = redacted_message(UserMessage((document,))).parts
        assert isinstance(kept, Media)
        assert b64decode(kept.data).decode() == f'{{"מפתח": "{HIDDEN}"}}'

    def test_files_that_need_no_redaction_stay_as_they_were_sent(self) -> None:
        files = (
            Media("document", "text/plain", b64encode("שלום".encode("cp1255")).decode()),
            Media("document", "application/pdf", b64encode(b"%PDF-1.7 \xff").decode()),
            Media("document", "text/plain", "no base64"),
            Media("document", "text/plain", file_id="f1"),
        )
        assert redacted_message(UserMessage(files)).parts == files

    def test_a_reply_that_held_a_credential_loses_its_providers_parts(self) -> None:
        call = ToolCall("c", "t", {"key": CREDENTIALS[0]}, json.dumps({"key": CREDENTIALS[0]}))
        reply = ModelMessage("", (call,), "gemini", ({"functionCall": {"name": "t"}},))
        assert redacted_message(reply) == ModelMessage(
            "", (ToolCall("c", "t", {"key": HIDDEN}, '{"key": "[hidden]"}'),), "gemini", ()
        )
        hidden_in_parts = ModelMessage("ok", (), "gemini", ({"text": CREDENTIALS[0]},))
        assert redacted_message(hidden_in_parts) == ModelMessage("ok", (), "gemini", ())

    def test_other_replies_are_left_alone(self) -> None:
        reply = ModelMessage("ok", (), "gemini", ({"text": "ok", "thoughtSignature": "c2ln"},))
        assert redacted_message(reply) is reply

    def test_results_are_redacted(self) -> None:
        message = ToolMessage((ToolResult("c", "t", json.dumps({"output": CREDENTIALS[0]})),))
        assert redacted_message(message) == ToolMessage(
            (ToolResult("c", "t", json.dumps({"output": HIDDEN})),)
        )


class TestLogs:
    def logged(self, *args: object, **options: object) -> str:
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        handler.addFilter(RedactingFilter())
        logger = logging.Logger("test")
        logger.addHandler(handler)
        logger.error(*args, **options)  # type: ignore[arg-type]
        return stream.getvalue()

    def test_message_and_arguments_are_redacted(self) -> None:
        assert self.logged("a %s", CREDENTIALS[0]) == f"a {HIDDEN}\n"
        assert self.logged("100% of " + CREDENTIALS[1]) == f"100% of {HIDDEN}\n"

    def test_an_exceptions_text_and_its_causes_are_redacted(self) -> None:
        try:
            try:
                raise ValueError(CREDENTIALS[0])
            except ValueError as error:
                raise RuntimeError("outer") from error
        except RuntimeError:
            text = self.logged("failed", exc_info=True)
        assert CREDENTIALS[0] not in text.replace('"sk-" + "', "")
        assert f"ValueError: {HIDDEN}" in text
        assert "RuntimeError: outer" in text

    def test_a_log_call_with_wrong_arguments_is_still_a_line(self) -> None:
        assert "do not fit" in self.logged("%d", "x")

    def test_every_handler_gets_the_filter_once(self) -> None:
        handler = logging.StreamHandler(io.StringIO())
        logger = logging.getLogger("rollcall.test_redaction")
        logger.addHandler(handler)
        handlers = [*logging.getLogger().handlers, handler]
        before = [list(each.filters) for each in handlers]
        try:
            redact_logs()
            redact_logs()
            for each in handlers:
                assert sum(isinstance(f, RedactingFilter) for f in each.filters) == 1
        finally:
            logger.removeHandler(handler)
            for each, filters in zip(handlers, before, strict=True):
                each.filters[:] = filters
