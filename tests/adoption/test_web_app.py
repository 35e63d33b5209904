"""The web app that `init --web` adds, from the wheel alone, in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.adoption.apps import Library, RunningApp, make_tree, run_app, tree
from tests.support import chromium

QUESTION = "What does a meeting of 6 people for 2 hours cost?"
OWN = "<!doctype html><title>Shop</title><h1>Our shop</h1>"
SHOP = {
    "firebase.json": json.dumps(
        {
            "hosting": [
                {
                    "site": "shop",
                    "public": "public",
                    "trailingSlash": False,
                    "rewrites": [{"source": "**", "destination": "/index.html"}],
                    "headers": [
                        {"source": "**", "headers": [{"key": "X-Frame-Options", "value": "DENY"}]}
                    ],
                },
                {"site": "admin", "public": "admin"},
            ],
        },
        indent=2,
    ),
    ".firebaserc": json.dumps({"projects": {"default": "demo-shop"}}),
    "public/index.html": OWN,
    "admin/index.html": OWN.replace("shop", "office"),
}


@pytest.fixture
def context() -> Iterator[BrowserContext]:
    """A browser; what a page says against its own policy fails the test."""
    broken: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text and "cleardot.gif" not in message.text:
            broken.append(message.text)

    with sync_playwright() as playwright:
        path = chromium.find(playwright)
        if path is None:
            pytest.skip(chromium.MISSING)
        browser = playwright.chromium.launch(
            executable_path=path, args=chromium.OPTIONS, chromium_sandbox=False
        )
        context = browser.new_context(locale="en-GB")
        context.set_default_timeout(60_000)
        context.on("console", note)
        yield context
        browser.close()
    assert broken == []


@contextmanager
def _app(root: Path, venv: Path) -> Iterator[tuple[RunningApp, str]]:
    """The app on the emulators, and the address of its web app that `dev` names."""
    (root / "functions" / "venv").symlink_to(venv)
    with run_app(root, "functions") as app:
        app.wait(lambda: "The web app:" in app.log(), "the address of the web app")
        found = re.search(r"^The web app: (http://\S+/)$", app.log(), re.MULTILINE)
        assert found, app.log()
        yield app, found[1]


def _ask(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Try it without an account").click()
    page.get_by_label("Message", exact=True).fill(QUESTION)
    page.get_by_role("button", name="Send", exact=True).click()
    answer = page.get_by_role("article", name="Answer")
    expect(answer).to_have_attribute("aria-busy", "false", timeout=120_000)
    expect(answer).to_contain_text("720")


def test_in_an_empty_folder_it_is_the_site(
    outside: Path, library: Library, functions_venv: Path, context: BrowserContext
) -> None:
    root = outside / "web"
    root.mkdir()
    done = library.init("--yes", "--web", cwd=root)
    assert done.returncode == 0, done.stdout
    assert "The web app is at / of the site." in done.stdout
    with _app(root, functions_venv) as (app, address):
        page = context.new_page()
        _ask(page, address)
        expect(page.get_by_text("Meeting cost")).to_be_visible()
        assert len(app.documents("threads")) == 1
        page.reload()
        expect(page.get_by_role("article", name="Answer")).to_contain_text("720")
    before = tree(root)
    assert {"rollcall-web/elements/rollcall.js", "rollcall-web/elements/rollcall.d.ts"} <= set(
        before
    )
    done = library.init("--yes", cwd=root)
    assert (done.returncode, tree(root)) == (0, before), done.stdout


def test_beside_an_apps_own_sites_it_is_a_folder_of_one_of_them(
    outside: Path, library: Library, functions_venv: Path, context: BrowserContext
) -> None:
    root = make_tree(outside / "shop", SHOP)
    before = tree(root)
    done = library.init("--yes", "--web", cwd=root)
    assert (done.returncode, tree(root)) == (1, before), done.stdout
    assert "--web=public/rollcall or --web=admin/rollcall" in done.stdout
    done = library.init("--yes", "--prefix", "rc", "--web=admin/rollcall", cwd=root)
    assert done.returncode == 0, done.stdout
    with _app(root, functions_venv) as (app, address):
        assert address.endswith("/rollcall/")
        page = context.new_page()
        _ask(page, address)
        assert len(app.documents("rc_threads")) == 1
        page.goto(address.removesuffix("rollcall/"))
        expect(page.get_by_role("heading", name="Our office")).to_be_visible()
    after = tree(root)
    assert all(after[name] == before[name] for name in before if name != "firebase.json")
