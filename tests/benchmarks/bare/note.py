"""A callable that reads one document: pydantic and Firestore."""

import os
from typing import Any

import firebase_admin
from firebase_functions import https_fn
from google.cloud import firestore
from pydantic import BaseModel, Field

firebase_admin.initialize_app()
db = firestore.Client(project=os.environ["GCLOUD_PROJECT"])


class Arguments(BaseModel):
    """The arguments."""

    id: str = Field(min_length=1)


@https_fn.on_call()
def bench_note(request: https_fn.CallableRequest[Any]) -> Any:
    """The text of a note."""
    arguments = Arguments.model_validate(request.data["arguments"])
    return {
        "uid": request.auth.uid,
        **db.collection("benchNotes").document(arguments.id).get().to_dict(),
    }
