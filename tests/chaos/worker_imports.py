"""Imports of the server that forks workers, so that no worker has to import anything."""

import google.genai  # noqa: F401
import openai  # noqa: F401

from rollcall.agent import continuation, loop, run  # noqa: F401
from rollcall.models import offline  # noqa: F401
from tests.chaos import deployment, money, providers, worker

deployment.install()
worker.WORK["provider"] = providers.work
worker.WORK |= {"spend": money.spend, "timed": money.timed}
