"""A deployment with a prefix, and clients that are told it: under rules that know it too."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from typing import cast

import httpx2
import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from dev.paths import ROOT
from rollcall.commands.rules import compose_rules, fragments
from rollcall.registry.sync import sync
from rollcall_cli.deployment import Deployment
from rollcall_cli.firestore import Firestore
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.store import Store
from tests.support.catalogs import catalog
from tests.support.functions_process import functions_process
from tests.support.knowledge import base64_text
from tests.support.local_functions import token

PROJECT = "demo-prefix"


class Ann:
    """A signed-in user of the project."""

    uid = "ann"

    def token(self) -> str:
        issuer = f"https://securetoken.google.com/{PROJECT}"
        return token(self.uid, aud=PROJECT, iss=issuer)


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    """A project whose functions, rules and registry have the prefix `rc`."""
    firestore = os.environ["FIRESTORE_EMULATOR_HOST"]
    rules = compose_rules(fragments({"packs": ROOT / "functions/packs"}), "rc")
    loaded = httpx2.put(
        f"http://{firestore}/emulator/v1/projects/{PROJECT}:securityRules",
        json={"rules": {"files": [{"name": "firestore.rules", "content": rules}]}},
        timeout=60,
        trust_env=False,
    )
    loaded.raise_for_status()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ROLLCALL_PREFIX", "rc")
        db = Client(project=PROJECT, credentials=AnonymousCredentials())
        sync(db, catalog.capabilities(), catalog.agents().values())
    environment = {
        "ROLLCALL_PREFIX": "rc",
        "ROLLCALL_MODEL": "offline:planner",
        "GCLOUD_PROJECT": PROJECT,
        "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:1",
    }
    with functions_process(environment) as functions:
        yield Deployment.emulators(
            auth="127.0.0.1:1",
            firestore=firestore,
            functions=functions,
            project=PROJECT,
            prefix="rc",
        )


def functions(deployment: Deployment, *, prefix: str) -> Functions:
    url = deployment.functions_url.replace(
        PROJECT, "demo-rollcall"
    )  # as `functions_process` has it
    return Functions(url, token=Ann().token, prefix=prefix)


def ask(deployment: Deployment, run_id: str) -> str:
    """Ask the planner something; the thread of its answer."""
    data = {"agent": "electrical", "message": "What is the area of 12 AWG copper?", "runId": run_id}
    stream = functions(deployment, prefix=deployment.prefix).stream("run_agent", data)
    while True:
        try:
            next(stream)
        except StopIteration as end:
            return str(end.value["threadId"])


def test_the_terminal_client_asks_and_reads_under_the_prefix(deployment: Deployment) -> None:
    thread = ask(deployment, "r1")
    stored = Store(deployment, cast(User, Ann()))
    assert thread in [each.id for each in stored.threads(limit=5)]
    assert stored.log(thread)[0]["role"] == "user"
    assert stored.result(thread, "r1") is not None
    assert [event["type"] for event in stored.events(thread, "r1")][-1] == "RUN_FINISHED"
    stored.rename(thread, "Copper")
    assert stored.thread(thread).title == "Copper"


def test_the_javascript_client_reads_under_the_prefix(deployment: Deployment) -> None:
    thread = ask(deployment, "r2")
    script = "tests/clients/packs/electrical/prefixed.mjs"
    told = subprocess.run(
        ["node", script, PROJECT, "rc", thread, "r2"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    found = json.loads(told.stdout)
    assert thread in found["threads"]
    assert found["roles"][0] == "user"
    assert (found["first"], found["last"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert found["title"] == "Copper"


def test_the_queue_has_the_prefix_too(deployment: Deployment) -> None:
    content = b"Copper corrodes less than aluminium.\n" * 20
    about = {"name": "copper.txt", "contentType": "text/plain", "bytes": len(content)}
    data = {**about, "sha256": hashlib.sha256(content).hexdigest(), "content": base64_text(content)}
    uploaded = functions(deployment, prefix="rc").call("begin_upload", data)
    path = deployment.path("documents", uploaded["document"]["documentId"])
    stored = Firestore(deployment, cast(User, Ann()))
    deadline = time.monotonic() + 30
    while (found := stored.get(path) or {}).get("status") != "ready":
        assert time.monotonic() < deadline, found
        time.sleep(0.1)


def test_a_capability_is_called_by_its_own_name(deployment: Deployment) -> None:
    listed = functions(deployment, prefix="rc").call("list_capabilities", {})
    assert "calculate_voltage_drop" in {each["id"] for each in listed["capabilities"]}
    with pytest.raises(CallError) as refused:
        functions(deployment, prefix="").call(
            "calculate_voltage_drop", {"arguments": {"amps": "many"}}
        )
    assert refused.value.code == "invalid-argument"


def test_without_the_prefix_nothing_is_there(deployment: Deployment) -> None:
    with pytest.raises(CallError, match="there is no function"):
        functions(deployment, prefix="").call("list_capabilities", {})
    plain = Deployment.emulators(
        auth="127.0.0.1:1",
        firestore=os.environ["FIRESTORE_EMULATOR_HOST"],
        functions="127.0.0.1:1",
        project=PROJECT,
    )
    with pytest.raises(CallError) as refused:
        Store(plain, cast(User, Ann())).threads(limit=5)
    assert refused.value.code == "permission-denied"
