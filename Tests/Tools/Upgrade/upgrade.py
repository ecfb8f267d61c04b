#!/usr/bin/env python3
"""Upgrades two servers behind haproxy, one after the other, while clients use them, and goes back with one of them.

    make upgrade-test                          from the last release of CHANGELOG.md to this tree
    .venv/bin/python3 Tests/Tools/Upgrade/upgrade.py --old PROGRAM --new PROGRAM

The steps are those of docs/operations.md: two old servers serve; the new program migrates; one server after the other is
replaced; then one goes back to the old program, with the new schema. All operations are in use all the time, through haproxy
with the configuration of deploy/ha. The exit status is 1 if a request failed, a server did not stop as it should, or a promise
of the model (Tests/Tools/Chaos/workload.py) was broken.

It needs Python 3.9 or later with `cryptography` and `jwcrypto`, PostgreSQL and haproxy, and no root.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "deploy/ha"), str(ROOT / "Tests/Tools/Chaos")]

from chaos import Chaos  # noqa: E402
from cluster import ClusterError, become_reaper, kill_descendants  # noqa: E402
from front import Failures, FrontSite  # noqa: E402
from hooks import Hooks  # noqa: E402
from single import command  # noqa: E402
from workload import Importer  # noqa: E402

# Longer than haproxy needs to see that a server is there or gone, and than a long import takes.
STEP_SECONDS = 10
SHOWN_FAILURES = 20

# What an operator runs with the old program while the schema is already new.
OLD_COMMANDS = [
    ["bank", "list"], ["bank", "show", "SANDBOX"], ["key", "list", "--bank", "SANDBOX"],
    ["certificate", "list", "--bank", "SANDBOX"], ["issuer-key", "list", "--bank", "SANDBOX"],
    ["webhook", "show", "--bank", "SANDBOX"], ["vault", "status"], ["audit", "verify"]]


class Step:
    """What happened from the beginning of one step to that of the next one."""

    def __init__(self, name, upgrade):
        self.name, self.upgrade = name, upgrade
        self.start, self.requests = time.monotonic(), upgrade.record.requests

    def end(self):
        self.requests = self.upgrade.record.requests - self.requests
        self.failures = [failure for failure in self.upgrade.failures.all if failure[0] >= self.start]
        self.seconds = time.monotonic() - self.start
        times = [
            seconds for when, seconds, _ in list(self.upgrade.record.times)
            if self.start <= when <= self.start + self.seconds]
        self.slowest = max(times, default=0)


class Upgrade(Chaos):
    """The clients and the checks of the chaos, without faults."""

    def __init__(self, site, arguments):
        super().__init__(site, [], arguments)
        self.failures = site.failures
        self.steps = []

    def run(self):
        old, new = self.arguments.old, self.arguments.new
        self.hooks = Hooks()
        self.site.start(self.haproxy_settings(), self.arguments.slow_seconds)
        self.start_clients()
        self.step("the old servers serve", lambda: None)
        self.step("the new program migrates", lambda: self.migrate(new))
        self.step("the first server is replaced by the new one", lambda: self.replace(0, new))
        self.step("the second server is replaced by the new one", lambda: self.replace(1, new))
        self.step("the first server goes back to the old one", lambda: self.replace(0, old))
        self.step("the first server is the new one again", lambda: self.replace(0, new))
        self.finish()
        return self.report()

    def haproxy_settings(self):
        return dict(text.split("=>", 1) for text in self.arguments.haproxy)

    def start_clients(self):
        command(self.site, ["webhook", "set", "--bank", "SANDBOX", self.hooks.url, "--allow-private"])
        super().start_clients()
        slow = types.SimpleNamespace(servers=[self.site.slow])
        self.slow_importer = Importer(
            slow, self.bank, self.record, f"{self.arguments.seed}-slow", lines=300, prefix="import-slow")
        self.slow_importer.start()
        self.probes.append(self.slow_importer)

    # MARK: - Steps

    def step(self, name, action):
        """Does something, and lets the clients go on for a while."""
        print(f"  {time.strftime('%H:%M:%S')} {name}", flush=True)
        step = Step(name, self)
        action()
        time.sleep(self.arguments.step_seconds)
        step.end()
        self.steps.append(step)

    def migrate(self, program):
        self.site.program = program
        applied = command(self.site, ["migrate"], DATABASE_URL=self.site.url("migrate")).strip()
        print(f"    {applied.replace(chr(10), ', ')}", flush=True)
        self.site.program = self.arguments.old
        for words in OLD_COMMANDS:
            command(self.site, words)

    def replace(self, index, program):
        status, seconds = self.site.replace(index, program)
        print(f"    stopped in {seconds:.1f} s with status {status}", flush=True)
        if status != 0:
            self.record.violation(f"{self.site.machines[index].name} ended with status {status}")

    # MARK: - The end

    def finish(self):
        step = Step("everything is compared", self)
        super().finish()
        self.check_hooks()
        step.end()
        self.steps.append(step)

    def check_hooks(self):
        """Each event of the feed was sent to the webhook."""
        expected = {event["id"] for event in self.record.events}
        # If a server stops while it sends an event, another one sends it when the lease has ended.
        self.wait(lambda: expected <= self.hooks.ids, 90)
        missing = expected - self.hooks.ids
        if missing:
            self.record.violation(f"{len(missing)} of {len(expected)} events were not sent to the webhook")

    def report(self):
        width = max(len(step.name) for step in self.steps)
        print(f"\n{'step':{width}}  seconds  requests  failed  slowest answer")
        for step in self.steps:
            print(
                f"{step.name:{width}}  {step.seconds:7.1f}  {step.requests:8}  {len(step.failures):6}"
                f"  {step.slowest:12.1f} s")
        failed = sum(len(step.failures) for step in self.steps)
        print(
            f"\nrequests {self.record.requests}, failed {failed}, served once {len(self.record.served)}, "
            f"events {len(self.record.events)}, sent to the webhook {len(self.hooks.ids)}, "
            f"imported lines {len(self.record.imported)}, violations {len(self.record.violations)}")
        for text in self.record.violations:
            print(f"  {text}")
        for step in self.steps:
            for when, operation, connection, what in step.failures[:SHOWN_FAILURES]:
                print(f"  failed: {operation}, {connection}: {what}, {when - step.start:.1f} s after: {step.name}")
        return 1 if failed or self.record.violations else 0


def versions(arguments):
    for name in ("old", "new"):
        program = str(pathlib.Path(getattr(arguments, name)).resolve())
        setattr(arguments, name, program)
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"{name}: {version} ({program})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="card-companion of the last release")
    parser.add_argument("--new", required=True, help="card-companion of this tree")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="of everything that is random")
    parser.add_argument("--workers", type=int, default=4, help="clients at once (default: 4)")
    parser.add_argument(
        "--step-seconds", type=float, default=STEP_SECONDS, help=f"how long a step lasts (default: {STEP_SECONDS})")
    parser.add_argument("--slow-seconds", type=float, default=6, help="how long the slow imports take (default: 6)")
    parser.add_argument(
        "--haproxy", action="append", default=[], metavar="OLD=>NEW", help="replaces a text of deploy/ha/haproxy.cfg, to try it")
    parser.add_argument("--logs", help="a folder for the logs of all programs")
    arguments = parser.parse_args()
    become_reaper()
    # Clients send up to four requests of one cardholder at once, and replay those of others. One server must take them all.
    os.environ["CARDHOLDER_REQUESTS"] = "32"
    versions(arguments)
    folder = tempfile.mkdtemp(prefix="card-companion-upgrade-")
    site = FrontSite(arguments.old, folder, Failures())
    print(f"{site.name}; seed {arguments.seed}, {folder}", flush=True)
    try:
        return Upgrade(site, arguments).run()
    except ClusterError as error:
        print(f"upgrade: {error}", file=sys.stderr)
        return 1
    finally:
        kill_descendants()
        if arguments.logs:
            for log in pathlib.Path(folder).glob("*/*.log"):
                pathlib.Path(arguments.logs).mkdir(parents=True, exist_ok=True)
                shutil.copy(log, pathlib.Path(arguments.logs) / f"{log.parent.name}-{log.name}")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
