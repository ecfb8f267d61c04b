#!/usr/bin/env python3
"""Checks card-companion.js and the sandbox's page in a real Chromium, against a real server with its sandbox.

    python3 drive.py --program .build/testing/release/card-companion-sandbox     starts a server of its own in a temporary folder
    python3 drive.py --url http://127.0.0.1:8080 --sandbox .data/sandbox             uses one that is running

It prints one JSON object, {"group: check": "ok" or what is wrong}. The exit status is 0 if every check ran, whatever
its result, and 2 if they could not run. Progress goes to standard error. It needs Debian's packages chromium,
chromium-driver and node-typescript, and the Python packages of Tests/requirements.txt.
"""

import argparse
import contextlib
import json
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "examples"))

from bank import Bank  # noqa: E402

import checks  # noqa: E402
from chromium import ChromiumFailed, chromium_page  # noqa: E402
from origin import Origin  # noqa: E402
from sandbox import ServerFailed, sandbox_server  # noqa: E402

START_SECONDS = 120  # of server and browser; also their end
CHECK_SECONDS = 600  # far more than any needs on a busy machine
TOO_LATE = f"did not end within {CHECK_SECONDS} seconds"


class TooLate(Exception):
    pass


def main():
    arguments = parsed_arguments()
    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped by SIGTERM"))
    try:
        with contextlib.ExitStack() as stack:
            signal.alarm(START_SECONDS)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="card-companion-web-"))
            url, sandbox = stack.enter_context(sandbox_server(arguments, folder))
            origin = stack.enter_context(Origin(ROOT, url))
            page = stack.enter_context(chromium_page(f"{origin.url}/page/index.html", folder, CHECK_SECONDS))
            scene = checks.Scene(ROOT, origin, page, Bank(url, sandbox), Path(sandbox))
            results = run_all(checks.named(arguments.only), scene)
            signal.alarm(START_SECONDS)
    except (ChromiumFailed, ServerFailed, TooLate) as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)
    signal.alarm(0)
    print(json.dumps(results, indent=2))


def run_all(named, scene):
    """After a check that does not end, nobody knows what the browser does: the others are not run."""
    results = {}
    for name, check in named:
        if TOO_LATE in results.values():
            results[name] = "was not run, because an earlier check did not end"
        else:
            results[name] = run(name, check, scene)
    return results


def run(name, check, scene):
    started = time.monotonic()
    signal.alarm(CHECK_SECONDS)
    try:
        check(scene)
        verdict = "ok"
    except AssertionError as failure:
        verdict = str(failure) or traceback.format_exc(limit=-1)
    except TooLate:
        verdict = TOO_LATE
    except Exception:  # a fault of the check, the browser or the server: it is the check's result, the others still run
        verdict = traceback.format_exc(limit=-4)
    print(f"{time.monotonic() - started:6.2f} s  {name}: {verdict}", file=sys.stderr)
    return verdict


def on_alarm(*_):
    raise TooLate(f"server and browser did not start, or did not stop, within {START_SECONDS} seconds")


def parsed_arguments():
    parser = argparse.ArgumentParser(description="Checks card-companion.js and the sandbox's page in a real Chromium.")
    parser.add_argument("--program", help="path of card-companion-sandbox: starts a server of its own")
    parser.add_argument("--url", help="base URL of a running server")
    parser.add_argument("--sandbox", help="the running server's sandbox folder")
    parser.add_argument("--only", default="", help="runs only the checks whose name contains this text")
    arguments = parser.parse_args()
    if bool(arguments.program) == bool(arguments.url and arguments.sandbox):
        parser.error("give either --program, or --url and --sandbox")
    return arguments


if __name__ == "__main__":
    main()
