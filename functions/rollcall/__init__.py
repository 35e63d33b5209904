"""Rollcall: an agent backend for Firebase.

An app's `main.py` ends in two lines:

    from rollcall import bind
    bind(globals())
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any


def bind(
    namespace: dict[str, Any],
    *,
    packs: Collection[str] | None = None,
    without: Collection[str] = (),
) -> None:
    """Add the Cloud Functions of the app's packages and of the engine to `main.py`'s globals.

    The app's own functions stay as they are: a process that serves one of them loads nothing of
    the engine.

    Args:
        namespace: `globals()` of `main.py`. Call this at its end.
        packs: Names of the packages that declare capabilities, agents and triggers, as a literal
            list, since commands read it from the source. By default `packs` and `capabilities`
            beside `main.py`, if they exist.
        without: Groups of the engine's functions to leave out: "agui" (runs over plain HTTP),
            "files" (uploads and documents), "ratings", "usage"; "engine" leaves out all, for a
            second codebase of a project.
    Raises:
        LookupError: A package or a group does not exist.
        ValueError: Two functions have one name.
    """
    target = os.environ.get("FUNCTION_TARGET")
    if target is not None and hasattr(namespace.get(target), "__firebase_endpoint__"):
        return  # it is a Cloud Function of the app's own

    import gc

    # Python collects garbage after so many new objects, by default 700. Imports make many objects
    # and no garbage; collecting again and again takes 5 to 10 % of a cold start.
    gc.set_threshold(50_000)

    from rollcall.catalog import Catalog, add_functions

    catalog = Catalog(
        os.path.dirname(os.path.abspath(namespace["__file__"])),  # noqa: PTH100, PTH120
        packs,
        without=without,
    )
    add_functions(catalog, namespace, target)
