"""What every test of the terminal client has: the sample data and its user."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rollcall_cli.deployment import Deployment
from rollcall_cli.identity import User, sign_in
from rollcall_cli.session import DEMO_EMAIL, DEMO_PASSWORD
from tests.support.cutting_proxy import CuttingProxy, cutting_proxy
from tests.support.fake_providers import FakeProviders
from tests.support.functions_process import functions_process
from tests.support.sample import load_sample


@pytest.fixture(scope="session")
def seeded() -> None:
    """The sample data is loaded, and its user may ask faster than people do."""
    load_sample()


@pytest.fixture(scope="module")
def proxy(providers: FakeProviders) -> Iterator[CuttingProxy]:
    """What stands between the client and functions whose models are a module's `providers`."""
    models = {"ROLLCALL_MODEL": "openai:gpt-5.5", **providers.env()}
    with functions_process(models) as address, cutting_proxy(address) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def deployment(proxy: CuttingProxy) -> Deployment:
    return Deployment.emulators(
        auth=os.environ["FIREBASE_AUTH_EMULATOR_HOST"],
        firestore=os.environ["FIRESTORE_EMULATOR_HOST"],
        functions=proxy.address,
    )


@pytest.fixture(scope="module")
def user(deployment: Deployment) -> User:
    return sign_in(deployment, email=DEMO_EMAIL, password=DEMO_PASSWORD)
