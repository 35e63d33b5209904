"""Which models take images and documents as they are: one table, by the model's id.

What a model does not take reaches it as text, or as a line that says what it cannot see; see
`rollcall.agent.attached_files`. A model that is not known here is given text alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

_PHOTOS = frozenset({"image/png", "image/jpeg", "image/webp"})
_ALL = _PHOTOS | {"image/gif", "application/pdf"}
_NOTHING = frozenset[str]()

_SERVER = "server"
"""Of the OpenAI protocol, and not OpenAI itself."""

_TAKEN: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("gemini", r"(models/)?gemini-", _PHOTOS | {"application/pdf"}),
    ("gemini", r"(models/)?gemma-", _PHOTOS),
    ("openai", r"(gpt-3|gpt-4(-\d{4})?$|gpt-4-(?!turbo)|o1-(mini|preview)|o3-mini)", _NOTHING),
    ("openai", r"gpt-4-turbo", _PHOTOS | {"image/gif"}),
    ("openai", r"", _ALL),
    (
        _SERVER,
        r".*(vision|llava|moondream|minicpm-v|pixtral|gemma-?[34]|llama-?4|[-.\d]vl\b)",
        frozenset({"image/png", "image/jpeg"}),
    ),
)
"""Provider, how its models' names begin, and the media types they take; the first row counts."""


def taken_by(model_id: str, env: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The media types that a model takes as they are; none for one that is not known."""
    provider, _, name = model_id.partition(":")
    if provider == "prompted":
        return taken_by(name, env)
    if provider == "openai" and not _is_openai(env.get("OPENAI_BASE_URL", "").strip()):
        provider = _SERVER
    for its_provider, pattern, types in _TAKEN:
        if its_provider == provider and re.match(pattern, name, re.IGNORECASE):
            return types
    return _NOTHING


def _is_openai(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    return not base_url or host == "openai.com" or host.endswith(".openai.com")
