"""`smoke`: all checks, a line each."""

from __future__ import annotations

import os
from argparse import Namespace

from rollcall.commands.app import require_app
from rollcall.commands.doctor.findings import Finding
from rollcall.commands.place import Place
from rollcall.commands.printing import announce, print_json, say
from rollcall.commands.smoke.checks import Smoke
from rollcall.commands.smoke.site import Site, deployed_site, emulated_site
from rollcall.core.problem import FAILED, Problem

_WORDS = {"ok": "ok", "skip": "skipped", "warn": "failed", "fail": "failed"}


def run(place: Place, options: Namespace) -> int:
    """Prove that the project works; 1 where a check failed."""
    app = require_app(place.app)
    if options.region:
        os.environ["ROLLCALL_REGION"] = options.region
    announce(place, options, writes=True)
    findings = []
    smoke = Smoke(_site(place, options), app, agent=options.agent, model=options.model)
    for finding in smoke.findings():
        findings.append(finding.about(place.project))
        if not options.json:
            _say(findings[-1])
    if options.json:
        checks = [{**each.plain(), "level": _WORDS[each.level]} for each in findings]
        print_json({"project": place.project, "checks": checks})
    return FAILED if any(_WORDS[each.level] == "failed" for each in findings) else 0


def _site(place: Place, options: Namespace) -> Site:
    """
    Raises:
        Problem: The emulators do not run, or there are no credentials for a real project.
    """
    from google.auth.exceptions import DefaultCredentialsError

    if place.emulator is not None:
        return emulated_site(require_app(place.app), place.project)
    try:
        return deployed_site(place.project, api_key=options.api_key)
    except DefaultCredentialsError as error:
        raise Problem(
            f"There are no credentials for the project {place.project}. Sign in with\n"
            "`gcloud auth application-default login`, or name a service account's key in "
            "GOOGLE_APPLICATION_CREDENTIALS."
        ) from error


def _say(finding: Finding) -> None:
    say(f"{_WORDS[finding.level]:<8} {finding.topic:<9} {finding.text}")
    if finding.mend:
        say(f"{'':<18} -> {finding.mend}")
