"""Scheduler for the emulators, which have none: runs scheduled functions when they are due."""

from __future__ import annotations

import contextlib
import http.client
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

_MINUTE_S = 60
_TIMEOUT_S = 600
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_INTERVAL = re.compile(r"every (?:(\d+) )?(minute|min|hour)s?(?: synchronized)?")
_AT = re.compile(r"(?:every )?([a-z, ]+?) (\d{1,2}):(\d{2})")
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
"""The ranges of crontab's fields: minute, hour, day, month, weekday (0 and 7 are Sunday)."""

Functions = Iterable[Mapping[str, Any]]
"""Functions as the emulator describes them."""


def run_clock(
    address: str,
    project: str,
    functions: Callable[[], Functions],
    say: Callable[[str], None],
    is_over: threading.Event,
) -> None:
    """Start the due functions at each whole minute until `is_over` is set, without waiting for
    them.

    Args:
        address: The functions emulator's `host:port`.
        functions: Returns the emulator's current functions.
        say: Takes a message about each failure.
    """
    while not is_over.wait(_MINUTE_S - time.time() % _MINUTE_S):
        run_due(address, project, functions(), say, datetime.now(UTC))


def run_due(
    address: str, project: str, functions: Functions, say: Callable[[str], None], now: datetime
) -> list[str]:
    """Start the functions that are due in this minute side by side, and return their names."""
    due = [function for function in scheduled(functions) if is_due(function, now)]
    for function in due:
        arguments, name = (address, project, function, say), str(function["name"])
        threading.Thread(target=run_function, args=arguments, name=name, daemon=True).start()
    return [str(function["name"]) for function in due]


def scheduled(functions: Functions) -> list[Mapping[str, Any]]:
    """Return the functions that have a schedule."""
    return [function for function in functions if function.get("schedule")]


def run_function(
    address: str, project: str, function: Mapping[str, Any], say: Callable[[str], None]
) -> bool:
    """Run a scheduled function now, and return whether it succeeded."""
    connection = http.client.HTTPConnection(address, timeout=_TIMEOUT_S)
    # The "-0" is how the emulator numbers the generations of a trigger.
    path = f"/functions/projects/{project}/triggers/{function['region']}-{function['name']}-0"
    try:
        connection.request("POST", path, b"{}", {"Content-Type": "application/json"})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        say(f"{function['name']} was not run by the clock: {error}")
        return False
    finally:
        connection.close()
    if status >= 400:
        say(f"{function['name']}, run by the clock, failed (HTTP {status}): see its log")
    return status < 400


def is_due(function: Mapping[str, Any], now: datetime) -> bool:
    """Tell whether a scheduled function runs in this minute. It runs in every minute if its
    schedule has an unknown form."""
    schedule = function["schedule"]
    if zone := schedule.get("timeZone"):
        with contextlib.suppress(KeyError, ValueError):  # an unknown zone counts as UTC
            now = now.astimezone(ZoneInfo(zone))
    found = matches(str(schedule["schedule"]), now)
    return True if found is None else found


def matches(schedule: str, now: datetime) -> bool | None:
    """Tell whether a schedule names this minute: "every 5 minutes", "every day 03:00",
    "every monday, friday 09:00", or crontab's "*/5 * * * *". None if it has another form."""
    text = " ".join(schedule.lower().split())
    if found := _INTERVAL.fullmatch(text):
        interval = int(found[1] or 1) * (60 if found[2] == "hour" else 1)  # in minutes
        return interval > 0 and int(now.timestamp()) // 60 % interval == 0
    if found := _AT.fullmatch(text):
        names = [name.strip() for name in found[1].split(",")]
        if not all(name == "day" or name in _DAYS for name in names):
            return None
        is_day = "day" in names or _DAYS[now.weekday()] in names
        return is_day and (now.hour, now.minute) == (int(found[2]), int(found[3]))
    fields = text.split(" ")
    if len(fields) != len(_RANGES):
        return None
    sets = [_numbers(field, *bounds) for field, bounds in zip(fields, _RANGES, strict=True)]
    minutes, hours, days, months, weekdays = sets
    if minutes is None or hours is None or days is None or months is None or weekdays is None:
        return None
    is_day, is_weekday = now.day in days, bool({now.isoweekday() % 7, now.isoweekday()} & weekdays)
    # If both are restricted, one of them is enough.
    either = fields[2] != "*" and fields[4] != "*"
    on_day = is_day or is_weekday if either else is_day and is_weekday
    return now.minute in minutes and now.hour in hours and now.month in months and on_day


def _numbers(field: str, least: int, most: int) -> frozenset[int] | None:
    """Return the numbers of a field such as "*/5", "1-5" or "0,30"; None for another form."""
    found: set[int] = set()
    for part in field.split(","):
        read = re.fullmatch(r"(?:\*|(\d+)(?:-(\d+))?)(?:/(\d+))?", part)
        if read is None or read[3] == "0":
            return None
        first = int(read[1]) if read[1] else least
        last = int(read[2]) if read[2] else most if read[1] is None or read[3] else first
        found.update(range(first, last + 1, int(read[3] or 1)))
    return frozenset(found)
