"""Where a text or a name stands in others, and the lines around it."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORD = re.compile(r"[\w$]+")


def places_of(old: str, text: str) -> list[int]:
    """Where a text stands; a name only where it stands by itself, and names no file."""
    if not WORD.fullmatch(old):
        return [match.start() for match in re.finditer(re.escape(old), text)]
    pattern = rf"(?<![\w$]){re.escape(old)}(?![\w$])"
    found = [match.start() for match in re.finditer(pattern, text)]
    return [at for at in found if not _is_module(text, at, len(old))]


def _is_module(text: str, at: int, size: int) -> bool:
    """Whether a name is that of a file that is imported: `from basket.receipt import receipt`."""
    start = text.rfind("\n", 0, at) + 1
    before, after = text[start:at], text[at + size : _line_end(text, at)]
    if re.match(r"\s*from\s+[\w.]*$", before) and re.match(r"[\w.]*\s+import\b", after):
        return True
    return bool(re.search(r"\b(?:from|import|require)\b\s*\(?\s*['\"][^'\"]*$", before))


def names_file(old: str, lines: Iterable[str]) -> bool:
    """Whether a name is also that of a file that is imported somewhere."""
    alone = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
    return bool(WORD.fullmatch(old)) and any(
        _is_module(line, at.start(), len(old)) for line in lines for at in alone.finditer(line)
    )


def longer_names(old: str, lines: Iterable[str]) -> list[str]:
    """The longer names in some lines that hold a name."""
    if not WORD.fullmatch(old):
        return []
    pattern = re.compile(rf"[\w$]*{re.escape(old)}[\w$]*")
    names = (name for line in lines for name in pattern.findall(line))
    return list(dict.fromkeys(name for name in names if name != old))


def passage_of(content: str, old: str, new: str) -> tuple[str, str] | None:
    """The lines from the first place to the last, and what takes their place; as many lines more
    as it takes for them to be there once. None where there is no place."""
    at = places_of(old, content)
    if not at:
        return None
    start = content.rfind("\n", 0, at[0]) + 1
    end = _line_end(content, at[-1] + len(old))
    while not is_once(content[start:end], content) and (start > 0 or end < len(content)):
        start = content.rfind("\n", 0, max(start - 1, 0)) + 1
        end = _line_end(content, end + 1)
    kept, cursor = [], start
    for place_ in at:
        kept += [content[cursor:place_], new]
        cursor = place_ + len(old)
    return content[start:end], "".join((*kept, content[cursor:end]))


def is_once(text: str, content: str) -> bool:
    """Whether a text is in a content exactly once, places that overlap counted too."""
    first = content.find(text)
    return first >= 0 and content.find(text, first + 1) < 0


def _line_end(content: str, at: int) -> int:
    end = content.find("\n", min(at, len(content)))
    return len(content) if end < 0 else end
