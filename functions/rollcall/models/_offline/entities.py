"""Things that earlier results named: an id, what it identifies, and what people call it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import words
from rollcall.models._offline.lexicon import name_features, spaced

_NAME_FIELDS = (
    "name",
    "title",
    "label",
    "subject",
    "fileName",
    "displayName",
    "task",
    "text",
    "description",
)
_NAME_CHARS = 80
_DEPTH = 6
_MOST = 400


class Entity(Struct, frozen=True):
    """One thing with an id. `kind` reads like "conversation"; "" where the result did not say.

    `people` are those who take part in it, where a result lists them.
    """

    kind: str
    id: str
    name: str
    people: tuple[str, ...] = ()


def entities(output: Json) -> list[Entity]:
    """Return the things a tool's output names, each once, in order."""
    found: dict[tuple[str, str], Entity] = {}
    for entity in _walk(output, "", 0):
        had = found.get((entity.kind, entity.id))
        if had is None or (entity.name and not had.name):
            found[entity.kind, entity.id] = entity
        if len(found) >= _MOST:
            break
    return list(found.values())


def _walk(value: Json, kind: str, depth: int) -> Iterator[Entity]:
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, kind, depth + 1)
    elif isinstance(value, dict):
        yield from _of_item(value, kind)
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _walk(inner, _singular(spaced(key)), depth + 1)


def _of_item(item: dict[str, Json], kind: str) -> Iterator[Entity]:
    for key, value in item.items():
        if not isinstance(value, str | int) or isinstance(value, bool):
            continue
        if key == "id":
            name = next((item[f] for f in _NAME_FIELDS if isinstance(item.get(f), str)), "")
            yield Entity(kind, str(value), name[:_NAME_CHARS], _people(item))
        elif key.endswith(("Id", "_id")):
            stem = key[:-2].rstrip("_")
            name = next(
                (
                    item[f]
                    for f in (f"{stem}Name", f"{stem}_name", f"{stem}Title")
                    if isinstance(item.get(f), str)
                ),
                "",
            )
            yield Entity(spaced(stem), str(value), name)


def _people(item: dict[str, Json]) -> tuple[str, ...]:
    lists = (v for k, v in item.items() if k.endswith(("Names", "members", "participants")))
    named = next((value for value in lists if isinstance(value, list)), [])
    return tuple(name for name in named if isinstance(name, str))


def _singular(label: str) -> str:
    if label.endswith("ies"):
        return label[:-3] + "y"
    return label[:-1] if label.endswith("s") and not label.endswith("ss") else label


def of_kind(found: list[Entity], kind: str) -> list[Entity]:
    """Return the things that an id parameter for `kind` may take."""
    wanted = set(name_features(kind))
    return [e for e in found if e.kind and wanted <= set(name_features(e.kind))]


def named_in(text: str, found: list[Entity]) -> list[Entity]:
    """Return the things whose id or name stands in a text; the whole name beats part of it."""
    said = words(text)
    padded = f" {' '.join(said)} "
    whole = [
        e
        for e in found
        if (e.name and f" {' '.join(words(e.name))} " in padded) or _has_id(text, e)
    ]
    return whole or _partly_named(set(said), found)


def _has_id(text: str, entity: Entity) -> bool:
    return len(entity.id) >= 3 and any(
        token.strip(".,;:!?()\"'") == entity.id for token in text.split()
    )


def _partly_named(said: set[str], found: list[Entity]) -> list[Entity]:
    """Return the things with a word of their own in the text: "launch" of "Launch room"."""
    named = {e: {w for w in words(e.name) if len(w) > 3} - {*words(e.kind)} for e in found}
    shared = {
        word
        for entity, own in named.items()
        for word in own
        if any(word in other for e, other in named.items() if e.id != entity.id)
    }
    return [entity for entity, own in named.items() if (own - shared) & said]
