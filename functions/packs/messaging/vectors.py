"""Embeddings of messages, `messageVectors/{message}`, where an embedder is configured."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import SCHEMA_VERSION, VECTORS
from packs.messaging.firestore import BRANCHES, chunks, fetch, side_by_side
from packs.messaging.ranking import Hit
from rollcall.core.context import Embedder
from rollcall.core.embedding import AT_ONCE, embed_documents
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot

_log = logging.getLogger(__name__)


def write_vectors(
    db: Client, embedder: Embedder, conversation_id: str, messages: Sequence[ChatMessage]
) -> set[str]:
    """Embed messages and store the vectors; return the ids of those that now have one.

    If the embedder fails, messages have no vectors, but word search still finds them.
    """
    from google.cloud.firestore_v1.vector import Vector

    done: set[str] = set()
    for chunk in chunks((item for item in messages if not item.encrypted), AT_ONCE):
        found = embed_documents(
            embedder, [item.text for item in chunk], [f"message {item.id}" for item in chunk]
        )
        embedded = [
            (item, values) for item, values in zip(chunk, found, strict=True) if values is not None
        ]
        if not embedded:
            break
        batch = db.batch()
        for item, values in embedded:
            document = {
                "schemaVersion": SCHEMA_VERSION,
                "conversationId": conversation_id,
                "embedding": Vector(values),
                "embedder": embedder.id,
                "timestamp": item.sent_at,
            }
            batch.set(db.collection(VECTORS).document(item.id), document)
        batch.commit()
        done.update(item.id for item, _ in embedded)
    return done


def nearest(
    db: Client, embedder: Embedder, conversation_ids: list[str], question: str, *, limit: int
) -> list[Hit]:
    """Return the messages nearest in meaning, best first; none if the embedder fails."""
    from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
    from google.cloud.firestore_v1.vector import Vector

    try:
        wanted = embedder.embed([question], task="query")[0]
    except Exception as error:
        _log.warning("the embedder did not answer (%s)", type(error).__name__)
        return []

    def near(ids: list[str]) -> list[DocumentSnapshot[Any]]:
        query = db.collection(VECTORS).where(filter=where("conversationId", "in", ids))
        return fetch(
            query.find_nearest(
                vector_field="embedding",
                query_vector=Vector(wanted),
                distance_measure=DistanceMeasure.COSINE,
                limit=limit,
                distance_result_field="distance",
            )
        )

    hits: list[Hit] = []
    for found in side_by_side(near, list(chunks(conversation_ids, BRANCHES))):
        for snapshot in found:
            data = snapshot.to_dict() or {}
            # Vectors of different models cannot be compared.
            if data.get("embedder") == embedder.id:
                closeness = max(0.0, 1.0 - float(data["distance"]))
                hits.append(Hit(snapshot.id, data["conversationId"], min(1.0, closeness)))
    return sorted(hits, key=lambda hit: -hit.score)[:limit]
