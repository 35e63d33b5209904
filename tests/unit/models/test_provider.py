"""Which models take which media as they are."""

from __future__ import annotations

from rollcall.models.provider import media_types, provider
from rollcall.models.structured import VIDEO
from rollcall.store.attachments import KINDS
from tests.support.for_every import for_every

OLLAMA = {"OPENAI_BASE_URL": "http://localhost:11434/v1"}


@for_every(
    ("model", "env", "image", "pdf"),
    [
        ("gemini:gemini-3.8-flash", {}, True, True),
        ("gemini:models/gemini-2.5-pro", {}, True, True),
        ("gemini:gemma-3-27b-it", {}, True, False),
        ("openai:gpt-5.5", {}, True, True),
        ("openai:gpt-4o", {"OPENAI_BASE_URL": "https://api.openai.com/v1"}, True, True),
        ("openai:gpt-4-turbo", {}, True, False),
        ("openai:gpt-4", {}, False, False),
        ("openai:gpt-3.5-turbo", {}, False, False),
        ("openai:o3-mini", {}, False, False),
        ("openai:o3", {}, True, True),
        ("openai:qwen2.5vl:7b", OLLAMA, True, False),
        ("openai:Qwen/Qwen3-VL-8B", OLLAMA, True, False),
        ("openai:llava", OLLAMA, True, False),
        ("openai:llama3.2-vision", OLLAMA, True, False),
        ("openai:openai/gpt-5.5", {"OPENAI_BASE_URL": "https://openrouter.ai/api/v1"}, True, False),
        ("openai:gpt-4o", {"OPENAI_BASE_URL": "https://a.openai.azure.com/openai/v1"}, True, False),
        ("openai:gpt-oss:20b", OLLAMA, False, False),
        ("openai:llama3.1", OLLAMA, False, False),
        ("prompted:openai:gemma3", OLLAMA, True, False),
        ("prompted:openai:phi4", OLLAMA, False, False),
        ("offline:planner", {}, False, False),
        ("someone:else", {}, False, False),
    ],
)
def test_a_model_takes_what_the_table_says(
    model: str, env: dict[str, str], image: bool, pdf: bool
) -> None:
    taken = media_types(model, env)
    assert ("image/png" in taken, "application/pdf" in taken) == (image, pdf)
    assert taken - {VIDEO} <= set(KINDS)  # a video is named by its address, and never attached


def test_gemini_is_not_sent_a_gif() -> None:
    assert "image/gif" not in media_types("gemini:gemini-3.8-flash", {})


@for_every(
    ("address", "name"),
    [
        ("", "OpenAI"),
        ("https://eu.api.openai.com/v1", "OpenAI"),
        ("https://api.deepseek.com/v1", "api.deepseek.com"),
        ("https://openai.com.example/v1", "openai.com.example"),
        ("http://127.0.0.1:11434/v1", "the model's server"),
        ("http://[::1]:11434/v1", "the model's server"),
        ("http://gpu-box:8000/v1", "the model's server"),
        ("http://[::1", "the model's server"),
    ],
)
def test_messages_name_the_server_that_is_called_and_no_address(address: str, name: str) -> None:
    assert provider("openai").called_name({"OPENAI_BASE_URL": address}) == name
