"""How much the tools read, return and run at most, and what a user may allow beyond that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Permission = Literal["secrets", "hard-links", "startup-files"]
"""What is refused unless the user allows it.

secrets: reading, searching and writing files that are known to hold keys and passwords.
hard-links: files that have another name somewhere, maybe outside the workspace.
startup-files: writing files that run by themselves when a shell or an editor starts.
"""

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes in bytes, times in seconds. A server takes 200,000 characters of JSON per result."""

    file_bytes: int = 10 * MIB
    """The largest file that is read or edited, and the largest content that is written."""
    content_chars: int = 50_000
    """The most text that one result holds, counted as JSON text."""

    entries: int = 1000
    """Entries that one `list_directory` returns."""
    scanned: int = 50_000
    """Directory entries that one listing or search looks at."""
    walk_s: float = 10.0
    """Time of one listing or search."""
    searched_file_bytes: int = 2 * MIB
    """Larger files are not searched."""
    searched_bytes: int = 256 * MIB
    """What one search reads in all."""

    output_head_chars: int = 10_000
    output_tail_chars: int = 20_000
    """Of a command's output its beginning and its end are kept."""
    live_chars: int = 1_000_000
    """What of a command's output is handed to `on_output` while it runs."""
    stop_grace_s: float = 1.0
    """Between asking a command to end and ending it."""
    command_file_bytes: int = 4096 * MIB
    """The largest file that a command can write."""
    command_memory_bytes: int = 8192 * MIB
    """The most memory of one process of a command."""
