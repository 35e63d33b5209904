"""The capability `generate_podcast_script`: two hosts, timed turns, each statement cited."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from packs.education.blocks import Item, Source, item
from packs.education.generation.drafts import (
    Brief,
    DocumentId,
    GeneratedContent,
    PassageText,
    Topic,
    find_standards_for,
    makes_draft,
    read_brief,
    store_content,
)
from packs.education.generation.model import (
    GeneratedItems,
    Generator,
    ask_model,
    passage_with_quote,
)
from packs.education.generation.wording import TEXTS
from packs.education.school import AS_GRADE, Grade
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Wire
from rollcall.core.text import sentences

WORDS_PER_S = 2.2
"""The speed at which a script is read aloud."""
_MAX_SENTENCES = 14
_WORDS = range(5, 45)
_STATES = 12
"""Least words of a turn that states something; a shorter one greets, asks or agrees."""


class Turn(Wire):
    """The words of one host, with their times.

    Attributes:
        source: The passage that says it; None for a question or a greeting.
        verified: False for a statement that no passage has.
    """

    host: str
    text: str
    start_s: int = 0
    end_s: int = 0
    source: Source | None = None
    verified: bool = True


class PodcastScript(GeneratedContent):
    """What generate_podcast_script returns. The turns stand for `blocks`, which are empty."""

    hosts: list[str]
    turns: list[Turn]
    seconds: int


class Line(BaseModel):
    host: int = Field(ge=1, le=2)
    text: str = Field(min_length=1, max_length=1_500)
    passage: int | None = None
    quote: str | None = None


class Lines(BaseModel):
    turns: list[Line] = Field(min_length=2, max_length=60)


@makes_draft("generate_interactive_activity", "list_documents")
def generate_podcast_script(
    ctx: ToolContext,
    *,
    topic: Topic,
    target_audience: Annotated[str, Field(max_length=300)] | None = None,
    grade: Annotated[Grade | None, AS_GRADE] = None,
    passage: PassageText | None = None,
    document_id: DocumentId | None = None,
) -> PodcastScript:
    """Write the script of a podcast with two hosts about a topic, from the teacher's material.

    Each statement names the passage that says it. Without a model and without material there is
    nothing to say, and it says so.

    Args:
        topic: What it is about.
        target_audience: Who is to listen.
        grade: The grade, such as "ד" or "4".
        passage: A text to make it of, where the teacher gave one.
        document_id: One of the teacher's documents to make it of.
    """
    brief = read_brief(
        ctx,
        topic,
        grade=grade,
        subject=None,
        passage=passage,
        document_id=document_id,
        of_questions=False,
        instructions=target_audience,
    )
    return make_podcast(ctx, brief)


def make_podcast(ctx: ToolContext, brief: Brief) -> PodcastScript:
    """Make and store a script.

    Raises:
        FailedPrecondition: There is neither a model nor a passage about the topic.
    """
    hosts = list(TEXTS.data(brief.locale, "podcast.hosts"))
    spoken = _by_model(ctx, brief, hosts)
    generator: Generator = "model" if spoken else "offline"
    spoken = spoken or _from_passages(brief, hosts)
    if not spoken:
        raise FailedPrecondition(
            TEXTS.text("errors.nothing_to_tell"),
            field="topic",
            hint="passage, documentId, or upload_knowledge",
        )
    turns: list[Turn] = []
    now = 0
    for each in spoken:
        end = now + max(2, round(len(each.text.split()) / WORDS_PER_S))
        turns.append(each.model_copy(update={"start_s": now, "end_s": end}))
        now = end
    unverified = sum(not turn.verified for turn in turns)
    standards = find_standards_for(ctx, brief)
    made = GeneratedItems([_block(turn) for turn in turns], generator, unverified=unverified)
    stored = store_content(ctx, brief, made, "podcast", standards=standards)
    return PodcastScript.read(
        dict(stored), blocks=[], block_ids=[], hosts=hosts, turns=turns, seconds=now
    )


def _by_model(ctx: ToolContext, brief: Brief, hosts: list[str]) -> list[Turn]:
    """Return the model's turns, without times; none where there is no model or it failed."""
    answer = ask_model(
        ctx.text_model,
        "podcast",
        request={
            "topic": brief.topic,
            "language": brief.locale,
            "listeners": brief.instructions,
            "grade": brief.grade,
            "hosts": hosts,
        },
        passages=brief.passages,
        shape=Lines,
        locale=brief.locale,
    )
    found: list[Turn] = []
    for line in answer.turns if answer else ():
        passage = passage_with_quote(brief.passages, line.passage, line.quote)
        says = len(line.text.split()) >= _STATES and not line.text.rstrip().endswith("?")
        source = passage.source(line.quote) if passage else None
        verified = passage is not None or not says
        host = hosts[line.host - 1]
        found.append(Turn(host=host, text=line.text, source=source, verified=verified))
    return found


def _from_passages(brief: Brief, hosts: list[str]) -> list[Turn]:
    """Return turns made of passages, without times: one host asks, the other reads sentences."""
    quotes = [
        (passage, sentence)
        for passage in brief.passages
        for sentence in sentences(passage.text)
        if len(sentence.split()) in _WORDS and not sentence.endswith("?")
    ][:_MAX_SENTENCES]
    if not quotes:
        return []
    questions = TEXTS.data(brief.locale, "podcast.asks")
    opening = TEXTS.say(brief.locale, "podcast.opening", topic=brief.topic, host=hosts[0])
    found = [Turn(host=hosts[0], text=opening)]
    for n, (passage, sentence) in enumerate(quotes):
        if n % 2 == 0:
            found.append(Turn(host=hosts[0], text=questions[n // 2 % len(questions)]))
        found.append(Turn(host=hosts[1], text=sentence, source=passage.source(sentence)))
    return [*found, Turn(host=hosts[0], text=TEXTS.say(brief.locale, "podcast.closing"))]


def _block(turn: Turn) -> Item:
    clock = f"{turn.start_s // 60:02}:{turn.start_s % 60:02}"
    basis = "cited" if turn.source else None if turn.verified else "unverified"
    return item("text", f"[{clock}] {turn.host}: {turn.text}", source=turn.source, basis=basis)
