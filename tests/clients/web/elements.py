"""Somebody else's site with the elements in it, and a Firebase of its own on the emulators."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import BrowserContext, Route

from dev.paths import ROOT

EXAMPLES = ROOT / "clients/web/examples"
FIREBASE = """
import { initializeApp } from "firebase/app";
import { connectAuthEmulator, getAuth, signInAnonymously } from "firebase/auth";
import { connectFirestoreEmulator, getFirestore } from "firebase/firestore";
import { connectFunctionsEmulator, getFunctions } from "firebase/functions";
const app = initializeApp({ apiKey: "demo", projectId: "demo-rollcall", appId: "demo" });
export const auth = getAuth(app);
export const firestore = getFirestore(app);
export const functions = getFunctions(app, "us-central1");
const place = (at) => [at.split(":")[0], Number(at.split(":")[1])];
connectAuthEmulator(auth, "http://AUTH", { disableWarnings: true });
connectFirestoreEmulator(firestore, ...place("FIRESTORE"));
connectFunctionsEmulator(functions, ...place("FUNCTIONS"));
await signInAnonymously(auth);
"""
ELEMENT = """
import { useFirebase } from "./elements/rollcall.js";
import { auth, firestore, functions } from "./firebase.js";
useFirebase({ auth, firestore, functions });
"""


@contextmanager
def served_examples(folder: Path, functions: str) -> Iterator[str]:
    """The examples of the elements, put into an empty folder and served from there.

    Args:
        functions: `host:port` of those that its pages call.
    """
    shutil.copytree(EXAMPLES, folder / "examples")
    for place in ("elements", "dist/elements"):
        shutil.copytree(ROOT / "clients/web/dist/elements", folder / place)
    (folder / "examples/firebase.js").write_text(_firebase(functions))
    with _served(folder) as address:
        yield address


@contextmanager
def served_element(
    folder: Path, functions: str, element: str, mission: str, *, email: str, password: str
) -> Iterator[str]:
    """A page of somebody else's, in which a person signs in, with an element for a lesson alone."""
    shutil.copytree(ROOT / "clients/web/dist/elements", folder / "elements")
    sign_in = f'signInWithEmailAndPassword(auth, "{email}", "{password}")'
    firebase = _firebase(functions).replace("signInAnonymously(auth)", sign_in)
    firebase = firebase.replace("signInAnonymously", "signInWithEmailAndPassword")
    (folder / "firebase.js").write_text(firebase)
    body = f'<{element} mission="{mission}"></{element}><script type="module">{ELEMENT}</script>'
    page = f'<!doctype html><html lang="en"><title>x</title>{import_map()}{body}'
    (folder / "index.html").write_text(page)
    with _served(folder) as address:
        yield address


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def serve_sdk(context: BrowserContext) -> None:
    """Have a browser's pages get Firebase's SDK from here."""

    def serve(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(path=ROOT / "node_modules/firebase" / name, content_type="text/javascript")

    context.route("https://www.gstatic.com/firebasejs/**", serve)


def _firebase(functions: str) -> str:
    firebase = FIREBASE.replace("FUNCTIONS", functions)
    firebase = firebase.replace("AUTH", os.environ["FIREBASE_AUTH_EMULATOR_HOST"])
    return firebase.replace("FIRESTORE", os.environ["FIRESTORE_EMULATOR_HOST"])


def import_map() -> str:
    page = (EXAMPLES / "plain.html").read_text()
    return page[page.index('<script type="importmap">') : page.index("<style>")]
