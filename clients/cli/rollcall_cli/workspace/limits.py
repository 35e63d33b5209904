"""Limits of the tools, and the permissions by which a user lifts refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Permission = Literal["secrets", "hard-links", "startup-files"]
"""A refusal that the user can lift.

secrets: files that are known to hold keys and passwords.
hard-links: files that have another name, maybe outside the workspace.
startup-files: writing files that run by themselves when a shell or an editor starts.
"""

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes in bytes, times in seconds. A server takes 200,000 characters of JSON per result."""

    file_bytes: int = 10 * MIB
    """The largest file that is read or edited, and the largest content that is written."""
    content_chars: int = 50_000
    """The most text in one result, counted as JSON text."""

    entries: int = 1000
    """Entries that one `list_directory` returns."""
    scanned: int = 50_000
    """Directory entries that one listing or search visits."""
    walk_s: float = 10.0
    """Time of one listing or search."""
    searched_file_bytes: int = 2 * MIB
    """Larger files are not searched."""
    searched_bytes: int = 256 * MIB
    """What one search reads in total."""

    output_head_chars: int = 10_000
    output_tail_chars: int = 20_000
    """The beginning and the end of a command's output that are kept."""
    live_chars: int = 1_000_000
    """How much of a command's output goes to `on_output` while it runs."""
    stop_grace_s: float = 1.0
    """Time between asking a command to end and killing it."""
    command_file_bytes: int = 4096 * MIB
    """The largest file that a command can write."""
    command_memory_bytes: int = 8192 * MIB
    """The most memory of one process of a command."""
