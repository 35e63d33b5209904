"""Vectors of documents by an embedder that may refuse one of them, or fail."""

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
"""Texts of one call."""
MOST_FAILURES = 16
"""After so many failed calls running the embedder is taken to be down: one text that it refuses
among `AT_ONCE` makes eight calls fail at most, and others between them succeed."""

log = logging.getLogger("rollcall")


def embed_documents(
    embedder: Embedder, texts: Sequence[str], names: Sequence[str]
) -> list[list[float] | None]:
    """Return the vector of each text; None where the embedder refused it or is down.

    A call that fails is halved until the text is alone that the embedder refuses: it is logged and
    left out, and the others go on.

    Args:
        names: What each text is called in the log.
    """
    vectors: list[list[float] | None] = [None] * len(texts)
    # The part that comes next is the last of the list.
    parts = [range(n, min(n + AT_ONCE, len(texts))) for n in range(0, len(texts), AT_ONCE)][::-1]
    failures = 0
    while parts:
        part = parts.pop()
        try:
            found = embedder.embed([texts[place] for place in part], task="document")
        except (DeadlineExceeded, PermissionDenied, Unauthenticated) as error:
            log.warning("%s embeds no documents (%s)", embedder.id, type(error).__name__)
            break
        except ResourceExhausted as error:
            log.warning("%s embeds no more: %s", embedder.id, error.message)
            break
        except Exception as error:  # an SDK's, a network's: words still find these documents
            failures += 1
            if failures == MOST_FAILURES:
                log.warning("%s embeds no documents (%s)", embedder.id, error)
                break
            if len(part) == 1:
                log.warning("%s did not embed %s (%s)", embedder.id, names[part[0]], error)
            else:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
        else:
            if [len(vector) for vector in found] != [embedder.dimensions] * len(part):
                log.warning("%s sent no vectors of the length it promises", embedder.id)
                break
            failures = 0
            for place, vector in zip(part, found, strict=True):
                vectors[place] = vector
    return vectors
