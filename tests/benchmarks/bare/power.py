"""A callable that reads nothing: its arguments checked by pydantic, and some arithmetic."""

from typing import Any

import firebase_admin
from firebase_functions import https_fn
from pydantic import BaseModel, Field

firebase_admin.initialize_app()


class Arguments(BaseModel):
    """The arguments."""

    volts: float = Field(gt=0)
    amps: float = Field(gt=0)


@https_fn.on_call()
def bench_power(request: https_fn.CallableRequest[Any]) -> Any:
    """The power of a load, W."""
    arguments = Arguments.model_validate(request.data["arguments"])
    return {"uid": request.auth.uid, "watts": arguments.volts * arguments.amps}
