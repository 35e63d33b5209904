"""The transcript of a video: from captions, or from a model that watches it."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from packs.education.transcripts import read_captions, transcribe_youtube, video_id, webvtt
from rollcall.core.context import ToolContext
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from rollcall.models.gemini import body_of
from rollcall.models.structured import StructuredText
from rollcall.testing import ScriptedModel, context, says

URL = "https://youtu.be/abc_DEF-123"
VTT = """\ufeffWEBVTT - x

NOTE a comment

1
00:01.000 --> 00:04.000 align:start
<v דן>שלום &amp; ברוכים</v> הבאים

00:04.000 --> 01:00:06.500
שלום & ברוכים הבאים
היום: שברים
"""
SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<i>שלום</i>\r\n\r\n"
    "2\r\n00:00:03,0 --> 00:00:04,0\r\nעולם\r\n"
)


def teacher(*, model: Any = None, files: dict[str, bytes] | None = None) -> ToolContext:
    return context(
        role="teacher", locale="he", text_model=model, files={} if files is None else files
    )


@pytest.mark.parametrize(
    "url",
    [
        URL, "https://www.youtube.com/watch?v=abc_DEF-123&t=5", "youtube.com/shorts/abc_DEF-123",
        "https://m.youtube.com/embed/abc_DEF-123?x=1",
    ],
)  # fmt: skip
def test_a_videos_id_is_found_in_its_address(url: str) -> None:
    assert video_id(url) == "abc_DEF-123"


@pytest.mark.parametrize(
    "url", ["x", "https://evil.example/watch?v=abc_DEF-123", "https://youtube.com/watch?v=short",
            "https://youtube.com.evil/watch?v=abc_DEF-123", "ftp://youtu.be/abc_DEF-123", "http://[",
            "https://youtube.com/playlist/abc_DEF-123"],
)  # fmt: skip
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match="not a YouTube video"):
        video_id(url)


def test_what_is_no_video_and_no_captions_is_told_in_hebrew_too() -> None:
    with pytest.raises(InvalidArgument) as address:
        video_id("https://example.com/a")
    assert address.value.say("he") == "\u2068'https://example.com/a'\u2069 אינו סרטון ביוטיוב"
    with pytest.raises(InvalidArgument) as captions:
        read_captions("Hello.")
    assert captions.value.message.startswith("the text has no captions")
    assert captions.value.say("he").startswith("אלה אינן כתוביות: אין בהן שורה כמו")


def test_webvtt_and_srt_are_read_without_tags_and_repeats() -> None:
    lines = [(each.start_s, each.end_s, each.text) for each in read_captions(VTT)]
    assert lines == [(1, 4, "שלום & ברוכים הבאים"), (4, 3606.5, "היום: שברים")]
    assert [each.text for each in read_captions(SRT)] == ["שלום", "עולם"]
    assert read_captions(webvtt(read_captions(VTT))) == read_captions(VTT)
    with pytest.raises(InvalidArgument, match="no captions"):
        read_captions("שלום\n\nעולם")


def test_captions_become_a_text_and_a_kept_file_and_name_the_video() -> None:
    files: dict[str, bytes] = {}
    ctx = teacher(files=files)
    made = transcribe_youtube(ctx, video_url=URL, captions=VTT)
    assert made.text == "שלום & ברוכים הבאים\nהיום: שברים"
    assert (made.origin, made.lines, made.is_whole) == ("captions", 2, True)
    assert files["transcript-abc_DEF-123-he.vtt"].startswith(b"WEBVTT")
    assert ctx.citations[0].url == "https://www.youtube.com/watch?v=abc_DEF-123"


def test_without_captions_and_a_model_that_watches_both_ways_are_named() -> None:
    for model in (None, StructuredText(ScriptedModel([]))):
        with pytest.raises(FailedPrecondition, match=r"WebVTT.*Gemini"):
            transcribe_youtube(teacher(model=model), video_url=URL)
    with pytest.raises(FailedPrecondition):
        transcribe_youtube(teacher(), video_url=URL, captions=VTT, translate_to="en")


def gemini(reply: str) -> ScriptedModel:
    """A scripted model under Gemini's name."""
    return ScriptedModel([says(reply)], id="gemini:gemini-3.8-flash")


def test_a_model_that_watches_is_sent_the_address_as_gemini_takes_it() -> None:
    lines = [{"start_s": 0, "end_s": 2.5, "text": "שלום"}]
    model = gemini(json.dumps({"lines": lines}))
    made = transcribe_youtube(teacher(model=StructuredText(model)), video_url=URL)
    assert (made.origin, made.text, made.seconds) == ("model", "שלום", 2.5)
    body = json.loads(body_of(model.requests[0], "gemini-3.8-flash"))
    parts = body["contents"][0]["parts"]
    assert parts[0] == {"fileData": {"fileUri": "https://www.youtube.com/watch?v=abc_DEF-123"}}


@pytest.mark.parametrize("reply", ['{"lines": []}', '{"lines": [{"text": "x"}]}', '{"lines": 1}'])
def test_a_reply_without_lines_is_told_and_never_an_internal_error(reply: str) -> None:
    model = StructuredText(gemini(reply))
    with pytest.raises(AgentError) as told:
        transcribe_youtube(teacher(model=model), video_url=URL)
    assert told.value.code == "failed-precondition"


def test_captions_of_brackets_alone_are_read_soon() -> None:
    head, brackets = "WEBVTT\n\n00:01.000 --> 00:02.000\n", "<" * 200_000
    start = process_time()
    assert read_captions(f"{head}{brackets}<i>שלום</i>")[0].text.startswith("<<<")
    assert process_time() - start < 5
