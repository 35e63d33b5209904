"""What every function is deployed with, read from the environment (`functions/.env`)."""

from __future__ import annotations

import os
from typing import Any


def function_options() -> dict[str, Any]:
    """Options of firebase-functions that all of our functions share.

    `ROLLCALL_SECRETS` names secrets in Secret Manager, separated by commas, such as
    "GEMINI_API_KEY"; each becomes an environment variable of that name in every function.
    """
    names = [name.strip() for name in os.environ.get("ROLLCALL_SECRETS", "").split(",")]
    secrets = [name for name in names if name]
    return {"secrets": secrets} if secrets else {}
