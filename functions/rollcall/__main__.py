"""The operator's command: `python -m rollcall sync` publishes what code declares."""

from __future__ import annotations

import argparse


def main() -> None:
    """Read the command line and run one subcommand."""
    parser = argparse.ArgumentParser(prog="rollcall", description=__doc__)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("sync", help="publish capabilities and agents to Firestore").set_defaults(
        run=_sync
    )
    parser.parse_args().run()


def _sync() -> None:
    from google.auth.exceptions import DefaultCredentialsError

    from rollcall.catalog import agents, capabilities
    from rollcall.registry.sync import sync
    from rollcall.store.client import database, project_id

    try:
        db = database()
    except DefaultCredentialsError:
        raise SystemExit(
            f"There are no credentials for the project {project_id()}, so its registry was not "
            "published.\nSign in with `gcloud auth application-default login` and repeat this, or "
            "wait for\nthe scheduled function sync_registry. For the emulator, set "
            "FIRESTORE_EMULATOR_HOST."
        ) from None
    report = sync(db, capabilities(), agents().values())
    for path in report.written:
        print(f"written    {path}")
    for path in report.withdrawn:
        print(f"withdrawn  {path}")
    print(f"{len(report.unchanged)} unchanged")


if __name__ == "__main__":
    main()
