"""Embeds documents with an embedder that may refuse some of them, or fail."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from rollcall.core.context import Embedder
from rollcall.core.errors import (
    DeadlineExceeded,
    PermissionDenied,
    ResourceExhausted,
    Unauthenticated,
)

AT_ONCE = 100
"""How many texts one call embeds."""
MAX_FAILURES = 16
"""After this many failed calls in a row the embedder counts as down. One refused text among
`AT_ONCE` makes at most eight calls fail, and others between them succeed."""

log = logging.getLogger("rollcall")


def embed_documents(
    embedder: Embedder, texts: Sequence[str], names: Sequence[str]
) -> list[list[float] | None]:
    """Return the vector of each text; None if the embedder refused it or is down.

    A failed call is split in half until the refused text is alone: it is logged and left out, and
    the others go on.

    Args:
        names: The name of each text in the log.
    """
    vectors: list[list[float] | None] = [None] * len(texts)
    # A stack: the last part is next.
    parts = [range(n, min(n + AT_ONCE, len(texts))) for n in range(0, len(texts), AT_ONCE)][::-1]
    failures = 0
    while parts:
        part = parts.pop()
        try:
            some = embedder.embed([texts[place] for place in part], task="document")
        except (DeadlineExceeded, PermissionDenied, Unauthenticated) as error:
            log.warning("%s embeds no documents (%s)", embedder.id, type(error).__name__)
            break
        except ResourceExhausted as error:
            log.warning("%s embeds no more: %s", embedder.id, error.message)
            break
        except Exception as error:  # of an SDK or a network; search by words still works
            failures += 1
            if failures == MAX_FAILURES:
                log.warning("%s embeds no documents (%s)", embedder.id, error)
                break
            if len(part) == 1:
                log.warning("%s did not embed %s (%s)", embedder.id, names[part[0]], error)
            else:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
        else:
            if [len(vector) for vector in some] != [embedder.dimensions] * len(part):
                log.warning("%s sent vectors of another length than it declares", embedder.id)
                break
            failures = 0
            for place, vector in zip(part, some, strict=True):
                vectors[place] = vector
    return vectors
