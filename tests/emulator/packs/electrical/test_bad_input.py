"""Bad input for the electrical pack's functions: none is answered with INTERNAL."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from tests.support.bad_input import own_functions, read_rows, wrong_answers
from tests.support.user_data import update_times


def test_every_row_of_the_corpus_gets_its_code_and_field(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = own_functions(db, monkeypatch.setenv)
    before = update_times(db)
    assert wrong_answers(functions, read_rows("packs/electrical/bad_requests.jsonl")) == []
    assert update_times(db) == before
