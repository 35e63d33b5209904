"""Regular expressions compiled when first used.

Reading chat takes hundreds of them, and compiling them all would slow the start
of every function that merely lives in the same package.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property


class Pattern:
    """A regular expression like `re.Pattern`, compiled on first use."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match anywhere."""
        return self._compiled.search(text)

    def match(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Return the match that begins at a place."""
        return self._compiled.match(text, at)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches."""
        return self._compiled.finditer(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with matches replaced."""
        return self._compiled.sub(replacement, text)

    def split(self, text: str) -> list[str]:
        """Return what lies between matches."""
        return [part for part in self._compiled.split(text) if part is not None]
