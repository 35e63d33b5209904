"""Optional packages: checks for the distribution's extras, and errors that name the missing one."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from rollcall.core.errors import FailedPrecondition

DISTRIBUTION = "rollcall-firebase"


def is_installed(package: str) -> bool:
    """Tell whether a package such as "google.genai" can be imported, without importing it."""
    if sys.modules.get(package) is not None:
        return True
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False


def require_extra(package: str, extra: str, *, purpose: str) -> None:
    """Raise an error that names the extra if a package is missing.

    Args:
        extra: The extra that installs it, such as "gemini".
        purpose: What needs it, for the message, such as "the model gemini:x".
    Raises:
        FailedPrecondition: It is not installed.
    """
    if not is_installed(package):
        raise FailedPrecondition(
            f"{purpose} needs the extra [{extra}], which is not installed",
            hint=f"write {DISTRIBUTION}[{extra}] into the functions' requirements.txt and install "
            f"it, here with: pip install '{DISTRIBUTION}[{extra}]'",
        )
