"""Callables that call a model once: pydantic, Firestore, a provider's SDK, and no history.

`ask_gemini_and_store` adds the fewest round trips to Firestore that a stored dialogue needs: one
read of five documents, one write before the call and one after it.
"""

import os
from typing import Any

import firebase_admin
from firebase_functions import https_fn
from google.cloud import firestore
from pydantic import BaseModel, Field

if os.environ.get("GEMINI_API_KEY"):
    from google import genai
    from google.genai import types

    gemini = genai.Client(http_options=types.HttpOptions(api_version="v1beta"))
else:
    from openai import OpenAI

    openai = OpenAI(max_retries=0)

firebase_admin.initialize_app()
db = firestore.Client(project=os.environ["GCLOUD_PROJECT"])


class Arguments(BaseModel):
    """The arguments."""

    message: str = Field(min_length=1)


@https_fn.on_call()
def ask_openai(request: https_fn.CallableRequest[Any]) -> Any:
    """What OpenAI's model answers."""
    arguments = Arguments.model_validate({"message": request.data["message"]})
    items: Any = [{"role": "user", "content": arguments.message}]
    stream = openai.responses.create(model="gpt-test", input=items, stream=True, store=False)
    events = [event.delta for event in stream if event.type == "response.output_text.delta"]
    return {"uid": request.auth.uid, "message": "".join(events)}


@https_fn.on_call()
def ask_gemini(request: https_fn.CallableRequest[Any]) -> Any:
    """What Gemini answers."""
    return {"uid": request.auth.uid, "message": _gemini(request)}


@https_fn.on_call()
def ask_gemini_and_store(request: https_fn.CallableRequest[Any]) -> Any:
    """What Gemini answers, noted in Firestore."""
    thread = db.collection("benchThreads").document()
    list(db.get_all([thread, *(thread.collection("runs").document(str(n)) for n in range(4))]))
    _write(thread, {"message": request.data["message"]})
    text = _gemini(request)
    _write(thread, {"answer": text})
    return {"uid": request.auth.uid, "message": text}


def _gemini(request: https_fn.CallableRequest[Any]) -> str:
    arguments = Arguments.model_validate({"message": request.data["message"]})
    stream = gemini.models.generate_content_stream(
        model="gemini-test",
        contents=arguments.message,
        config=types.GenerateContentConfig(store=False),
    )
    return "".join(chunk.text or "" for chunk in stream)


def _write(thread: Any, said: dict[str, str]) -> None:
    batch = db.batch()
    for number in range(5):
        batch.set(thread.collection("messages").document(), {"n": number, **said})
    batch.commit()
