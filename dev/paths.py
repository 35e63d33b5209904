"""Where things are in this repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ROOT / "functions"
CLIENT = ROOT / "clients" / "cli"
FIREBASE_JSON = ROOT / "firebase.json"
REQUIREMENTS = FUNCTIONS / "requirements.txt"
LOCK = ROOT / "dev" / "requirements.lock"
JAVA_LOCK = ROOT / "dev" / "requirements.java.lock"

# Everything below is made by `make setup` or while running, and ignored by git.
VENV = FUNCTIONS / "venv"  # firebase-tools looks nowhere else
PYTHON = VENV / "bin" / "python"
NODE_MODULES = ROOT / "node_modules"
