"""What the server that forks workers imports: everything, so that no worker has to."""

import google.genai  # noqa: F401
import openai  # noqa: F401

from rollcall.agent import continuation, loop, run  # noqa: F401
from rollcall.models import offline  # noqa: F401
from tests.chaos import money, providers, stage, worker

stage.install()
worker.WORK["provider"] = providers.work
worker.WORK |= {"spend": money.spend, "timed": money.timed}
