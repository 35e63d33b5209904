"""What every test of the web app has: one browser for a file, and pages of their own.

A browser's client keeps an event loop running in its thread, so it is closed before other files run
in the same process.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from tests.clients.web.app_site import app_site, hosting
from tests.clients.web.elements import serve_sdk, served_examples
from tests.clients.web.scripted_model import ScriptedModel
from tests.support import chromium
from tests.support.functions_process import functions_process
from tests.support.https_server import Authority
from tests.support.live_voice import FakeLive
from tests.support.sample import load_sample

if TYPE_CHECKING:
    from tests.clients.web.school import Enter, Person

ROOT = Path(__file__).parents[3]

_not_run: list[str] = []
expect.set_options(timeout=60_000)  # a busy machine makes no claim false


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@contextmanager
def launched(*options: str) -> Iterator[Browser]:
    """A browser with options beside the usual.

    Fails without one where ROLLCALL_REQUIRE_BROWSER is set; otherwise the tests are skipped.
    """
    with sync_playwright() as playwright:
        path = chromium.find(playwright)
        if path is None:
            if os.environ.get("ROLLCALL_REQUIRE_BROWSER") == "1":
                pytest.fail(chromium.MISSING)
            _not_run[:] = [chromium.MISSING]
            pytest.skip(chromium.MISSING)
        browser = playwright.chromium.launch(
            executable_path=path, args=[*chromium.OPTIONS, *options], chromium_sandbox=False
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def sample() -> None:
    """The sample data is loaded and the registry published, and the sample's user may ask faster
    than people do."""
    load_sample()


@dataclass(frozen=True)
class Served:
    """The functions at `host:port` with a scripted model, the app's site that calls them, and the
    voice model's server."""

    address: str
    app: str
    live: FakeLive
    authority: Authority


@pytest.fixture(scope="session")
def served(sample: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The functions in a process of their own, one for all files of a worker."""
    authority = Authority(tmp_path_factory.mktemp("tls"))
    with ScriptedModel() as model, FakeLive(authority) as live:
        environment = {
            **model.env(),
            "ROLLCALL_MODEL": "openai:gpt-5.5",
            "ROLLCALL_ALLOW_UNPRICED": "true",
            "GEMINI_API_KEY": "planted-key",
            "GEMINI_LIVE_MODEL": "gemini-3.8-live",
            "GOOGLE_GEMINI_BASE_URL": live.address,
            "SSL_CERT_FILE": str(authority.file),
        }
        with functions_process(environment) as address, app_site(address) as app:
            yield Served(address, app, live, authority)


@pytest.fixture(scope="session")
def model() -> Iterator[ScriptedModel]:
    """The model of `functions`."""
    with ScriptedModel() as model:
        yield model


@pytest.fixture(scope="session")
def functions(sample: None, model: ScriptedModel) -> Iterator[str]:
    """Functions with the scripted model and nothing of Google's, at `host:port`."""
    models = {"ROLLCALL_MODEL": "openai:gpt-5.5", "ROLLCALL_ALLOW_UNPRICED": "true"}
    with functions_process({**models, **model.env()}) as address:
        yield address


@pytest.fixture(scope="session")
def app(functions: str) -> Iterator[str]:
    """The app's site that calls `functions`."""
    with app_site(functions) as site:
        yield site


@pytest.fixture(scope="module")
def enter(browser: Browser, served: Served) -> Enter:
    """A page in which somebody of a school is signed in."""
    from tests.clients.web.school import signed_in

    return partial(signed_in, browser, served.app)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, served: Served) -> Iterator[str]:
    """Somebody else's site that shows the examples of the elements."""
    with served_examples(tmp_path_factory.mktemp("site"), served.address) as address:
        yield address


@pytest.fixture
def host(browser: Browser) -> Iterator[Page]:
    """A page for somebody else's site."""
    with watched(browser) as context:
        serve_sdk(context)
        yield context.new_page()


@pytest.fixture(scope="module")
def guest() -> Person:
    """Somebody who has signed in without an account."""
    from tests.clients.web.school import anonymous

    return anonymous()


@pytest.fixture
def stranger(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows nobody yet; its pages call the functions emulator."""
    with watched(browser) as context:
        yield context


@pytest.fixture
def context(browser: Browser, guest: Person, app: str) -> Iterator[BrowserContext]:
    """A browser in which somebody without an account is signed in; its pages call `functions`."""
    from tests.clients.web.school import storage_state

    with watched(browser, app, storage_state=storage_state(guest, app)) as context:
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """The app, before the first message."""
    page = context.new_page()
    page.goto("/")
    page.get_by_role("heading", name="What can I help you with?").wait_for()
    return page


@contextmanager
def watched(browser: Browser, site: str | None = None, **options: Any) -> Iterator[BrowserContext]:
    """A browser of its own, for the app at a site; by default that of Hosting. What a page says
    that is wrong fails the test."""
    context = browser.new_context(
        base_url=site or hosting(),
        locale="en-GB",
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
        **options,
    )
    context.set_default_timeout(60_000)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.on("console", lambda message: _note_violation(message, errors))
    yield context
    context.close()
    assert errors == []


def _note_violation(message: Any, errors: list[str]) -> None:
    """Keep what the browser says where the page breaks its own content security policy."""
    if "images/cleardot.gif" in message.text:
        return  # by which Firestore's SDK tells a lost network from a lost server
    if "Content Security Policy" in message.text or "Trusted" in message.text:
        errors.append(message.text)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in _not_run:
        terminalreporter.line(line, yellow=True)


@pytest.fixture(scope="session")
def components_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app's components as a page of their own, built once for all processes of a run."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    folder = place / "components"
    with (place / "components.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            build = place / "components.new"
            subprocess.run(
                ["node", Path(__file__).parent / "components" / "build.mjs", build],
                check=True,
                timeout=600,
            )
            build.rename(folder)
    return folder


@pytest.fixture
def components(components_page: Page) -> Page:
    """The page of components, with nothing shown."""
    components_page.set_viewport_size({"width": 1280, "height": 720})
    components_page.evaluate("components.reset()")
    return components_page


@pytest.fixture(scope="module")
def components_page(browser: Browser, components_folder: Path) -> Iterator[Page]:
    """A page of components, served with the policy that the app is served with."""
    headers = json.loads((ROOT / "firebase.json").read_text())["hosting"]["headers"]
    policy = next(
        each["value"]
        for rule in headers
        for each in rule["headers"]
        if each["key"] == "Content-Security-Policy"
    )
    context = browser.new_context(reduced_motion="reduce", permissions=["clipboard-write"])
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.on("console", lambda message: _note_violation(message, errors))

    def serve(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if name:
            route.fulfill(path=components_folder / name)
            return
        body = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Components</title>'
            '<link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script>'
            '<body><div id="app"></div>'
        )
        route.fulfill(
            body=body, content_type="text/html", headers={"Content-Security-Policy": policy}
        )

    context.route("https://components.test/**", serve)
    context.route(lambda url: "components.test" not in url, lambda route: route.abort())
    page = context.new_page()
    page.goto("https://components.test/")
    page.wait_for_function("window.components")
    yield page
    context.close()
    assert errors == []
