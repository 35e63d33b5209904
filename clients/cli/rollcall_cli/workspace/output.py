"""A command's output, of which only the beginning and the end are kept."""

from __future__ import annotations

from rollcall_cli.workspace.limits import Limits

_LIVE_END = "\n… more output is not shown while it runs …\n"


class Output:
    """A buffer that keeps the first and the last characters of its text."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._head = ""
        self._tail: list[str] = []
        self._tail_chars = 0
        self._chars = 0

    @property
    def is_cut(self) -> bool:
        kept = self._limits.output_head_chars + self._limits.output_tail_chars
        return self._chars > kept

    def add(self, text: str) -> str:
        """Add text; return the part to show while the command runs."""
        live = self._live(text)
        self._chars += len(text)
        room = self._limits.output_head_chars - len(self._head)
        self._head += text[:room]
        if rest := text[room:]:
            self._tail.append(rest)
            self._tail_chars += len(rest)
        if self._tail_chars > 2 * self._limits.output_tail_chars:
            self._tail = [self._end()]
            self._tail_chars = len(self._tail[0])
        return live

    def text(self) -> str:
        """The kept text, with a note about how much is left out."""
        end = self._end()
        left_out = self._chars - len(self._head) - len(end)
        remark = f"\n… {left_out:,} characters left out …\n" if left_out else ""
        return f"{self._head}{remark}{end}"

    def _end(self) -> str:
        return "".join(self._tail)[-self._limits.output_tail_chars :]

    def _live(self, text: str) -> str:
        room = self._limits.live_chars - self._chars
        if room <= 0:
            return ""
        return text if len(text) <= room else text[:room] + _LIVE_END
