"""The capability `transcribe_youtube`: the transcript of a video, with times.

It comes from captions that the teacher attached (WebVTT or SRT), or from a model that watches the
video. Nothing is fetched from YouTube here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import Field, ValidationError

from packs.education.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.shapes import Citation, FileRef, Wire
from rollcall.store.files import FileStore

MAX_CHARS = 12_000
"""Most characters of text in the result, as many as a passage may have; the file has all."""
MAX_CAPTION_BYTES = 2_000_000
_HOSTS = frozenset(("youtube.com", "m.youtube.com", "music.youtube.com", "youtube-nocookie.com"))
_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_TIMES = re.compile(
    r"^\s*(?P<start>(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})\s*-->\s*"
    r"(?P<end>(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})"
)
_TAGS = re.compile(r"<[^<>\n]*>|\{\\[^{}\n]*\}")

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,4})?$")]
Url = Annotated[str, Field(min_length=1, max_length=300)]


class TranscriptLine(Wire):
    """What is said between two times of a video."""

    start_s: Annotated[float, Field(ge=0, le=360_000)]
    end_s: Annotated[float, Field(ge=0, le=360_000)]
    text: Annotated[str, Field(max_length=2_000)]


class _Lines(Wire):
    lines: list[TranscriptLine]


class Transcript(Wire):
    """What transcribe_youtube returns; the file in `files` is the whole transcript as WebVTT.

    Attributes:
        origin: Whether it comes from attached captions or from a model that watched the video.
        text: The words without times, at most 12,000 characters; `is_whole` is False if cut.
    """

    answer: str
    video_url: str
    language: str
    origin: Literal["captions", "model"]
    lines: int
    seconds: float
    text: str
    is_whole: bool
    files: list[FileRef]


@capability(related=["generate_interactive_activity"], min_role="teacher")
def transcribe_youtube(
    ctx: ToolContext,
    *,
    video_url: Url,
    language: Language = "he",
    translate_to: Language | None = None,
    captions: Annotated[str, Field(max_length=400_000)] | None = None,
    file_id: Annotated[str, Field(min_length=1, max_length=64)] | None = None,
) -> Transcript:
    """Write down what is said in a YouTube video, to make material of it.

    Args:
        video_url: The video's address on YouTube.
        language: The language spoken in it, such as "he".
        translate_to: A language to translate it into.
        captions: The text of a captions file, WebVTT or SRT, where the teacher sent one.
        file_id: The same as an attached file.
    """
    url = f"https://www.youtube.com/watch?v={video_id(video_url)}"
    if captions is not None and file_id is not None:
        raise InvalidArgument(TEXTS.text("errors.captions_or_file"), field="fileId")
    origin: Literal["captions", "model"] = "captions"
    if file_id is not None:
        captions = _captions_file(ctx, file_id)
    if captions is not None:
        lines = read_captions(captions)
    else:
        lines, origin = _transcribe(ctx, url, language), "model"
    if translate_to is not None and translate_to != language:
        lines = _translate(ctx, lines, translate_to)
        language = translate_to
    text = "\n".join(line.text for line in lines)
    name = f"transcript-{url[-11:]}-{language}.vtt"
    file = ctx.keep_file(name, "text/vtt", webvtt(lines).encode())
    ctx.cite(Citation(type="document", title=f"YouTube {url[-11:]}", url=url))
    seconds = max(line.end_s for line in lines)
    return Transcript(
        answer=TEXTS.say(
            ctx.locale,
            f"transcript.{origin}",
            count=len(lines),
            minutes=max(0.1, round(seconds / 60, 1)),
        ),
        video_url=url,
        language=language,
        origin=origin,
        lines=len(lines),
        seconds=seconds,
        text=text[:MAX_CHARS],
        is_whole=len(text) <= MAX_CHARS,
        files=[file],
    )


def video_id(url: str) -> str:
    """Return the id in a video's address.

    Raises:
        InvalidArgument: It is not the address of a YouTube video.
    """
    try:
        parts = urlsplit(url if "//" in url else f"https://{url}")
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        parts, host = urlsplit(""), ""
    found = ""
    if host == "youtu.be":
        found = parts.path.strip("/")
    elif host in _HOSTS:
        kind, _, rest = parts.path.strip("/").partition("/")
        is_watch = kind == "watch"
        found = parse_qs(parts.query).get("v", [""])[0] if is_watch else rest.partition("/")[0]
        if not is_watch and kind not in ("shorts", "embed", "live", "v"):
            found = ""
    if parts.scheme not in ("http", "https") or not _VIDEO_ID.fullmatch(found):
        raise InvalidArgument(
            TEXTS.text("errors.not_a_video", url=url[:100]),
            field="videoUrl",
            hint="https://www.youtube.com/watch?v=…",
        )
    return found


def read_captions(text: str) -> list[TranscriptLine]:
    """Return the lines of WebVTT or SRT captions. Rows that repeat the line before are left out, as
    in roll-up captions.

    Raises:
        InvalidArgument: The text has no line with times.
    """
    lines: list[TranscriptLine] = []
    for block in re.split(r"\n\s*\n", text.lstrip("\ufeff").replace("\r\n", "\n")):
        rows = block.split("\n")
        at = next((n for n, row in enumerate(rows) if _TIMES.match(row)), None)
        if at is None:
            continue
        times = _TIMES.match(rows[at])
        assert times is not None
        words = [" ".join(html.unescape(_TAGS.sub("", row)).split()) for row in rows[at + 1 :]]
        before = lines[-1].text.split("\n") if lines else []
        spoken_text = "\n".join(row for row in words if row and row not in before)
        if spoken_text:
            start, end = _seconds(times["start"]), _seconds(times["end"])
            lines.append(
                TranscriptLine(start_s=start, end_s=max(start, end), text=spoken_text[:2_000])
            )
    if not lines:
        raise InvalidArgument(
            TEXTS.text("errors.not_captions"),
            field="captions",
            hint="WebVTT or SRT",
        )
    return lines


def webvtt(lines: Sequence[TranscriptLine]) -> str:
    """Format lines as WebVTT."""
    cues = [
        f"{_clock(line.start_s)} --> {_clock(line.end_s)}\n{html.escape(line.text, quote=False)}"
        for line in lines
    ]
    return "\n\n".join(["WEBVTT", *cues]) + "\n"


def _seconds(clock: str) -> float:
    total = 0.0
    for part in clock.replace(",", ".").split(":"):
        total = 60 * total + float(part)
    return min(total, 360_000.0)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours:02d}:{minutes:02d}:{rest:06.3f}"


def _captions_file(ctx: ToolContext, file_id: str) -> str:
    store = FileStore(ctx.db)
    file = store.find_own(ctx.user.uid, file_id)
    if file.bytes > MAX_CAPTION_BYTES:
        raise InvalidArgument(
            TEXTS.text("errors.captions_too_large", bytes=file.bytes, most=MAX_CAPTION_BYTES),
            field="fileId",
        )
    try:
        return b"".join(store.open(file)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument(TEXTS.text("errors.not_text"), field="fileId") from error


def _transcribe(ctx: ToolContext, url: str, language: str) -> list[TranscriptLine]:
    model = ctx.video_model
    if model is None:
        raise FailedPrecondition(
            TEXTS.say(ctx.locale, "transcript.no_way"),
            field="captions",
            hint="captions or fileId (WebVTT, SRT), or a Gemini key",
        )
    request = {"text": f"language: {language}", "video_url": url}
    return _model_lines(ctx, model.generate, "transcript.write_down", **request)


def _translate(
    ctx: ToolContext, lines: list[TranscriptLine], language: str
) -> list[TranscriptLine]:
    if ctx.text_model is None:
        raise FailedPrecondition(
            TEXTS.say(ctx.locale, "transcript.no_translation"), field="translateTo"
        )
    source = "\n".join(
        f"{line.start_s} {line.end_s} {' '.join(line.text.split())}" for line in lines
    )
    text = f"language: {language}\n\n{source}"
    return _model_lines(ctx, ctx.text_model.generate, "transcript.translate", text=text)


def _model_lines(
    ctx: ToolContext, generate: Callable[..., dict[str, Any]], task: str, **request: Any
) -> list[TranscriptLine]:
    """Return the lines of a model's reply.

    Args:
        task: The text key of its instructions.

    Raises:
        FailedPrecondition: The reply has no lines.
    """
    schema = _Lines.model_json_schema(by_alias=False)
    reply = generate(instructions=TEXTS.data(ctx.locale, task), schema=schema, **request)
    try:
        lines = _Lines.model_validate(reply).lines
    except ValidationError:
        lines = []
    lines = [line for line in lines if line.text.strip()]
    if not lines:
        raise FailedPrecondition(TEXTS.say(ctx.locale, "transcript.nothing"), field="videoUrl")
    return lines
