"""Redaction of keys and tokens in everything that is stored, logged or sent to a model.

Two things are removed: the values of the secrets in this process's environment, and texts in the
unmistakable form of a credential. Each pattern begins with such a form, so ordinary text, ids,
hashes and base64 stay unchanged; all patterns take linear time.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote

HIDDEN = "[hidden]"
MIN_SECRET_CHARS = 8
"""Shorter values in the environment are ignored: ordinary words might contain them."""

_ENDINGS = ("_API_KEY", "_SECRET", "_TOKEN")

_PREFIXED = (
    r"sk-(?:proj|ant|live|test|svcacct|admin|or)-[\w-]{8,}",  # OpenAI, Anthropic, OpenRouter
    r"sk-(?=[\w-]{0,200}\d)[\w-]{12,}",
    r"gsk_[A-Za-z0-9]{20,}",  # Groq
    r"AIza[\w-]{16,}",  # Google: API keys, access and refresh tokens, client secrets
    r"ya29\.[\w.-]{16,}",
    r"1//0[\w-]{24,}",
    r"GOCSPX-[\w-]{16,}",
    r"gh[pousr]_[A-Za-z0-9]{16,}",  # GitHub, GitLab
    r"github_pat_\w{16,}",
    r"glpat-[\w-]{16,}",
    r"xox[abeoprs]-[\w-]{10,}",  # Slack
    r"xapp-\d-[\w-]{10,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}\b",  # Amazon
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{8,}",  # Stripe
    r"whsec_[A-Za-z0-9]{16,}",
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"npm_[A-Za-z0-9]{36}",
    r"SG\.[\w-]{16,80}\.[\w-]{16,}",  # SendGrid
)
_PARAMETERS = (
    r"(?:api[_-]?)?key|(?:access|auth|id|refresh|session)?[_-]?token|client_secret|secret|password"
    r"|sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)"
)
_OTHERS = (
    # A JSON web token; an emulator's has no signature. It must begin where a word does: otherwise a
    # text would be searched from each of its hyphens to its end.
    r"(?<![\w-])eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]*+",
    r"(?i:(?P<bearer>\bbearer[ \t]{1,4})(?=[\w.~+/=-]{0,200}\d)[\w.~+/=-]{16,}+)",
    r"(?i:(?P<header>\bauthorization\W{1,6}(?:basic|bearer|token)[ \t]{1,4})"
    r"(?![$<{%])[^\s\"',]{6,}+)",
    r"(?P<user>://[^\s/@:\"'<>]{0,100}:)(?![$<{%])[^\s/@\"'<>]{1,200}(?=@)",
    rf"(?i:(?P<parameter>[?&](?:{_PARAMETERS})=)(?![$<{{%])[^&#\s\"'<>\\]{{6,}}+)",
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}+-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[A-Za-z0-9+/=]{16,}+|\s|\\[nr])*+)",
)
_FORMS = "|".join((rf"\b(?:{'|'.join(_PREFIXED)})", *_OTHERS))
_SIGNS = (
    *("sk-", "gsk_", "AIza", "ya29.", "1//0", "GOCSPX-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *("github_pat_", "glpat-", "xox", "xapp-", "AKIA", "ASIA", "sk_live_", "sk_test_", "rk_live_"),
    *("rk_test_", "whsec_", "hf_", "npm_", "SG.", "eyJ"),
)
"""Beginnings of words that are credentials."""
# A value that begins with one of $ < { % is a template's placeholder for a credential.
_KEPT = ("bearer", "header", "user", "parameter")


def redacted(text: str) -> str:
    """Return a text with credentials replaced; the rest is unchanged."""
    return _redactor()(text)


def redacted_json(value: Any) -> Any:
    """Return plain JSON with redacted texts and unchanged keys; the same object if nothing needs
    redaction."""
    return json_redactor()(value)


def json_redactor() -> Callable[[Any], Any]:
    """Return a function like `redacted_json` for many values: it reads the environment only once,
    which costs more than redacting a short value."""
    clean = _redactor()
    return lambda value: value if _is_clean(value, clean) else map_texts(value, clean)


class RedactingFilter(logging.Filter):
    """Redacts every record of a handler: its message, its exception and its stack."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact the record in place. Always returns True."""
        try:
            message = record.getMessage()
        except Exception:  # an argument's __str__ may raise anything; log the record all the same
            message = f"{record.msg!r} % {len(record.args or ())} arguments that do not fit"
        clean = _redactor()
        record.msg, record.args = clean(message), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text, record.exc_info = clean(record.exc_text), None
        if record.stack_info:
            record.stack_info = clean(record.stack_info)
        return True


def redact_logs() -> None:
    """Add the redacting filter to every handler; a logger's own filters see only its own
    records."""
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    handlers = {handler for logger in loggers for handler in logger.handlers}
    for handler in handlers:
        if not any(isinstance(each, RedactingFilter) for each in handler.filters):
            handler.addFilter(RedactingFilter())


def _redactor() -> Callable[[str], str]:
    """Return `redacted` with the environment as it is now."""
    also = {name.strip() for name in os.environ.get("ROLLCALL_SECRETS", "").split(",")}
    named = [name for name in os.environ if name.endswith(_ENDINGS) or name in also]
    secrets = (os.environ.get(name, "").strip() for name in named)
    values, known = _known(frozenset(each for each in secrets if len(each) >= MIN_SECRET_CHARS))

    def clean(text: str) -> str:
        for value in values:
            if value in text:
                text = known.sub(HIDDEN, text)
                break
        return _forms().sub(_hide, text) if _may_hold(text) else text

    return clean


def _may_hold(text: str) -> bool:
    """Tell whether a text may contain one of the forms. Most texts do not, and this check takes a
    sixth of the time of the patterns."""
    for sign in _SIGNS:
        place = text.find(sign)
        while place >= 0:
            if place == 0 or not (text[place - 1].isalnum() or text[place - 1] == "_"):
                return True
            place = text.find(sign, place + 1)
    if ("://" in text and "@" in text) or ("=" in text and ("?" in text or "&" in text)):
        return True
    small = text.lower()  # enough: no other capital becomes a letter of the words below
    return "bearer" in small or ("author" in small and "zat" in small) or "-----BEGIN " in text


@cache
def _forms() -> re.Pattern[str]:
    """Return the compiled forms. Compiling takes as long as importing a small module, so it is done
    at first use."""
    return re.compile(_FORMS)


@lru_cache(maxsize=4)
def _known(secrets: frozenset[str]) -> tuple[list[str], re.Pattern[str]]:
    """Return the secrets, plain and as escaped in JSON and in URLs, longest first; and a pattern
    for any of them."""
    written = {
        form
        for secret in secrets
        for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""))
    }
    ordered = sorted(written, key=lambda form: (-len(form), form))
    return ordered, re.compile("|".join(map(re.escape, ordered)))


def _hide(found: re.Match[str]) -> str:
    return next((found[name] for name in _KEPT if found[name]), "") + HIDDEN


def _is_clean(value: Any, clean: Callable[[str], str]) -> bool:
    """Tell whether no text needs redaction. All are checked as one, joined by line breaks: these
    are in no credential's form by themselves, and end a word as a text's end does."""
    texts, stack = list[str](), [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, tuple):
            return False  # it becomes a list
    text = "\n".join(texts)
    return clean(text) == text


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return plain JSON with its texts changed and its keys as they are."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: map_texts(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [map_texts(item, change) for item in value]
    return value
