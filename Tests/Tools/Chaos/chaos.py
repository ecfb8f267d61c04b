#!/usr/bin/env python3
"""Lets clients use the servers while one fault after the other happens, and checks that no promise is broken.

    make chaos                                      CHAOS_MINUTES=10 CHAOS_SEED=7, as root
    .venv/bin/python3 Tests/Tools/Chaos/chaos.py --short      about a minute: one PostgreSQL and two servers, no root needed

It prints a table of faults, with the longest outage of each. The exit status is 1 if a promise was broken or an outage was
longer than its limit. What must hold:

  - no IdTransaction and no hashMac is served twice; of several at once, one is served
  - each wrong code that was answered as such is counted
  - no acknowledged PIN, definition, confirmation, event or line of an import is lost
  - after its erasure a PIN is not delivered
  - each delivered PIN is the one that was acknowledged last
  - the audit trail verifies, with examples/verify_audit.py too, and each cardholder's row is as its last entry says
  - after a fault, service is back within its limit; if no standby has to take over, within five seconds of the fault's end
  - a server that is not itself at fault answers within three seconds, if only with 503
  - each chosen PIN that is still there comes to the issuer's host, and none twice, although the connector is killed again and again
  - servers hold no more descriptors at the end than at the beginning

It needs Python 3.9 or later with `cryptography` and `jwcrypto`.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "deploy/ha"))

from cluster import ClusterError, become_reaper, die_with_parent, kill_descendants  # noqa: E402
from cluster_site import ClusterSite  # noqa: E402
from connector import BankConnector  # noqa: E402
from faults import RECOVERED, cluster_faults, single_faults  # noqa: E402
from footprint import Footprint  # noqa: E402
from mutations import apply_mutation  # noqa: E402
from single import AUTHORITY, SingleSite, command  # noqa: E402
from wire import Bank  # noqa: E402
from workload import FETCH, Importer, NO_PIN, Probe, Reader, Record, SERVED, Worker, check_replay  # noqa: E402

WHOLE_SECONDS = 180
RECOVER_SECONDS = 60
NAMESPACES = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]


class Outcome:
    """How one fault ended."""

    def __init__(self, fault, outage, recovery, requests, slowest):
        self.fault, self.outage, self.recovery, self.requests, self.slowest = fault, outage, recovery, requests, slowest


class Chaos:
    def __init__(self, site, arguments):
        self.site, self.arguments = site, arguments
        self.random = random.Random(arguments.seed)
        self.record = Record()
        self.outcomes = []

    def run(self):
        self.site.start()
        if self.arguments.mutate:
            apply_mutation(self.site, self.arguments.mutate)
        self.start_clients()
        time.sleep(3)
        self.before = Footprint(self.site)
        for fault in self.order():
            start = time.monotonic()
            self.one(fault)
            time.sleep(max(0, start + self.arguments.every - time.monotonic()))
        self.after = Footprint(self.site)
        for complaint in self.after.left_behind(self.before):
            self.record.violation(complaint)
        try:
            self.finish()
        except ClusterError as error:
            self.record.violation(f"the comparison has not come to its end: {error}")
        return self.report()

    def order(self):
        """The faults, one after the other."""
        # What is struck must not depend on how the order came about.
        arguments, chosen = self.arguments, random.Random(f"{self.arguments.seed} struck")
        faults = single_faults(self.site, chosen) if arguments.short else cluster_faults(self.site, chosen, self.bank)
        if arguments.faults:
            known = {fault.key: fault for fault in faults}
            unknown = [key for key in arguments.faults.split() if key not in known]
            if unknown:
                raise ClusterError(f"there is no fault '{unknown[0]}'. There are: {' '.join(known)}")
            yield from (known[key] for key in arguments.faults.split())
            return
        if arguments.only:
            faults = [fault for fault in faults if fault.key in arguments.only]
        end, deck = time.monotonic() + arguments.minutes * 60, []
        # The short run has each fault at least once.
        while time.monotonic() < end or (arguments.short and deck):
            deck = deck or self.random.sample(faults, len(faults))
            yield deck.pop()

    def start_clients(self):
        self.bank = Bank(self.site.bank_folder / "sandbox", AUTHORITY)
        self.bank.fetch_keys(self.site.servers[0])
        seed = self.arguments.seed
        self.workers = [
            Worker(f"w{number}", self.site, self.bank, self.record, f"{seed}-{number}", holders=3)
            for number in range(self.arguments.workers)]
        self.importer = Importer(self.site, self.bank, self.record, f"{seed}-import")
        self.reader = Reader(self.site, self.bank, self.record, f"{seed}-reader")
        self.probes = [Probe(server, self.bank, self.record) for server in self.site.servers]
        self.connector = BankConnector(self.site, self.record, f"{seed}-connector")
        for client in [*self.workers, self.importer, self.reader, *self.probes, self.connector]:
            client.start()

    # MARK: - One fault

    def one(self, fault):
        """Injects a fault, waits until service is back, heals it, and waits until everything is whole again."""
        start, requests = time.monotonic(), self.record.requests
        print(f"  {time.strftime('%H:%M:%S')} {fault.name}", flush=True)
        fault.choose()
        at_fault = fault.inject()
        others = [probe for probe in self.probes if probe.server.name not in at_fault]
        time.sleep(fault.hold)
        if not fault.lasts:
            self.wait(lambda: all(probe.has_served_since(time.monotonic() - 2) for probe in others), fault.limit + 20)
        ended = time.monotonic()
        measured_from = ended if fault.lasts else start
        fault.heal()
        if not self.wait(self.site.is_whole, WHOLE_SECONDS):
            self.record.violation(f"not whole again {WHOLE_SECONDS} s after: {fault.name}")
        healed = time.monotonic()
        if not self.wait(lambda: all(probe.has_served_since(healed) for probe in self.probes), RECOVER_SECONDS):
            self.record.violation(f"a server does not serve {RECOVER_SECONDS} s after the end of: {fault.name}")
        end = time.monotonic()
        outage = max((probe.longest_gap(measured_from, end) for probe in others), default=0)
        slowest = max((
            seconds for when, seconds, server in list(self.record.times)
            if start <= when <= end and server not in at_fault), default=0)
        recovery = max((probe.first_success_after(ended) - ended for probe in others if probe.has_served_since(ended)), default=0)
        self.outcomes.append(Outcome(fault, outage, recovery, self.record.requests - requests, slowest))
        if outage > fault.limit:
            self.record.violation(f"{fault.name}: no service for {outage:.1f} s (limit {fault.limit} s)")
        if fault.recovers and recovery > RECOVERED:
            self.record.violation(f"{fault.name}: no service until {recovery:.1f} s after its end (limit {RECOVERED} s)")
        if slowest > self.arguments.answer_limit:
            self.record.violation(
                f"{fault.name}: an answer came only after {slowest:.1f} s (limit {self.arguments.answer_limit:g} s)")
        time.sleep(1)

    @staticmethod
    def wait(condition, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.3)
        return False

    # MARK: - The end

    def finish(self):
        """Stops the clients, and compares what they were told with what there is."""
        print("  the clients stop, and everything is compared", flush=True)
        self.record.stopping.set()
        for client in [*self.workers, self.importer, self.reader, *self.probes, self.connector]:
            client.join(timeout=300)
            if client.is_alive():
                self.record.violation(f"{client.name} did not end")
        self.connector.check()
        self.check_events()
        self.check_replays()
        self.check_pins()
        self.check_imports()
        self.check_database()
        self.check_audit()

    def check_events(self):
        """Each acknowledged confirmation, definition and lock is in the feed once, in the order of its cardholder."""
        self.wait(lambda: self.reader.page() is False, 60)
        seen = {}
        for event in self.record.events:
            seen.setdefault(event["uniqueId"], []).append(event)
        for unique_id, expected in self.record.expected_events.items():
            got = []
            for event in seen.get(unique_id, []):
                if event["type"] == "pin.delivered":
                    got.append(("pin.delivered", event["data"]["sessionId"]))
                elif event["type"] == "pin.defined":
                    pin, header = self.bank.open(event["data"]["pin"])
                    if (header["sub"], header["jti"]) != (unique_id, event["id"]):
                        self.record.violation(f"the PIN of event {event['id']} is for {header}")
                    got.append(("pin.defined", pin))
            wanted = [event for event in expected if event[0] != "authentication.locked"]
            if got[:len(wanted)] != wanted:
                self.record.violation(f"events of {unique_id}: {len(got)} in the feed, {len(wanted)} acknowledged")
            locks = sum(event["type"] == "authentication.locked" for event in seen.get(unique_id, []))
            if locks < sum(event[0] == "authentication.locked" for event in expected):
                self.record.violation(f"a lock of {unique_id} is not in the feed")
        # Events that were handed out once must still be there, at the same place. Only sessions that end meanwhile have new ones.
        again = Reader(self.site, self.bank, Record(), 0)
        self.wait(lambda: again.page() is False, 120)
        handed_out = [event["id"] for event in self.record.events]
        events = again.record.events
        later = [event for event in events[len(handed_out):] if event["type"] != "pin.delivery-unconfirmed"]
        if later or [event["id"] for event in events[:len(handed_out)]] != handed_out:
            self.record.violation(
                f"the feed has {len(events)} events, or another order; the reader saw {len(handed_out)}")

    def check_replays(self):
        """Nothing that was served is served again, by any server."""
        sample = self.random.sample(self.record.served, min(400, len(self.record.served)))
        for number, served in enumerate(sample):
            server = self.site.servers[number % len(self.site.servers)]
            check_replay(self.record, server.post, served)

    def check_pins(self):
        """Each cardholder has the PIN that was acknowledged last, or none if it was erased."""
        for worker in self.workers:
            for holder in [*worker.holders, *worker.retired]:
                if holder.code is None:
                    continue
                answer = self.site.servers[0].post(FETCH, worker.fetch_members(holder))
                if answer.code == 307 and worker.may_be_locked(holder):
                    continue
                if holder.pin is None:
                    worker.expect(answer.code == NO_PIN, holder, "a PIN after its erasure", answer)
                elif worker.expect(answer.code == SERVED, holder, "the acknowledged PIN is lost", answer):
                    pin, _ = worker.keys.open(answer.members["pin"])
                    worker.expect(pin == holder.pin, holder, "another PIN than the acknowledged one", answer)

    def check_imports(self):
        there = set(self.site.sql(
            "SELECT unique_id FROM card_companion.cardholder WHERE unique_id LIKE 'import-%'"))
        lost = [unique_id for unique_id in self.record.imported if unique_id not in there]
        if lost:
            self.record.violation(f"{len(lost)} acknowledged lines of imports are lost, such as {lost[0]}")

    def check_database(self):
        twice = self.site.sql(
            "SELECT count(*) FROM (SELECT data->>'sessionId' FROM card_companion.event WHERE type = 'pin.delivered' "
            "GROUP BY 1 HAVING count(*) > 1) AS twice")
        if twice != ["0"]:
            self.record.violation(f"{twice[0]} sessions were confirmed twice")
        if not self.wait(self.site.replicas_agree, 30):
            self.record.violation("the standbys do not have what the primary has")

    def check_audit(self):
        """The audit trail verifies, also without the program, and each cardholder's row is as its last entry says."""
        folder = pathlib.Path(self.site.folder)
        trail, keys = folder / "audit.ndjson", folder / "keys.json"
        try:
            command(self.site, ["audit", "verify", "--cardholders"])
            trail.write_text(command(self.site, ["audit", "export"]), encoding="utf-8")
            keys.write_text(command(self.site, ["audit", "keys", "--json"]), encoding="utf-8")
        except ClusterError as error:
            self.record.violation(f"the audit trail: {error}")
            return
        example = pathlib.Path(__file__).resolve().parents[3] / "examples/verify_audit.py"
        checked = subprocess.run([sys.executable, "-B", example, trail, keys], capture_output=True, text=True)
        if checked.returncode != 0:
            self.record.violation(f"examples/verify_audit.py: {checked.stdout.strip()} {checked.stderr.strip()}")

    def report(self):
        width = max((len(outcome.fault.name) for outcome in self.outcomes), default=10)
        print(f"\n{'fault':{width}}  requests  outage  limit  after its end  slowest answer")
        for outcome in self.outcomes:
            print(
                f"{outcome.fault.name:{width}}  {outcome.requests:8}  {outcome.outage:4.1f} s  {outcome.fault.limit:3} s"
                f"  {outcome.recovery:11.1f} s  {outcome.slowest:12.1f} s")
        print(f"\nThe same faults again: {self.repetition()}")
        print(f"\nbefore: {self.before}\nafter:  {self.after}")
        longest = max((outcome.outage for outcome in self.outcomes), default=0)
        print(
            f"\nfaults {len(self.outcomes)}, requests {self.record.requests} ({self.record.unanswered} without an answer), "
            f"served once {len(self.record.served)}, events {len(self.record.events)}, "
            f"imported lines {len(self.record.imported)}, PINs that came to the host {self.connector.values} "
            f"({self.connector.kills} kills), longest outage {longest:.1f} s, "
            f"violations {len(self.record.violations)}")
        for text in self.record.violations:
            print(f"  {text}")
        return 1 if self.record.violations else 0

    def repetition(self):
        keys = " ".join(outcome.fault.key for outcome in self.outcomes)
        if self.arguments.short:
            return f'.venv/bin/python3 Tests/Tools/Chaos/chaos.py --short --seed {self.arguments.seed} --faults "{keys}"'
        return f'make chaos CHAOS_SEED={self.arguments.seed} CHAOS_FAULTS="{keys}"'


def inside(arguments):
    """Runs the whole site. Process 1 of the namespace takes the dead, and ends all when it ends."""
    with folder(arguments) as path:
        program = str(pathlib.Path(arguments.program).resolve())
        site = SingleSite(program, path) if arguments.short else ClusterSite(program, path, arguments.minutes)
        print(f"{site.name}; seed {arguments.seed}, {arguments.minutes:g} minutes, {path}", flush=True)
        chaos = Chaos(site, arguments)
        try:
            return chaos.run()
        except ClusterError as error:
            print(f"chaos: {error}", file=sys.stderr)
            arguments.keep = True
            return 1
        finally:
            kill_descendants()


class folder:
    """A temporary folder; kept if a file of logs is wanted."""

    def __init__(self, arguments):
        self.arguments = arguments

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="card-companion-chaos-")
        return self.path

    def __exit__(self, *_):
        if self.arguments.logs:
            logs = pathlib.Path(self.arguments.logs)
            for log in pathlib.Path(self.path).glob("*/*.log"):
                logs.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, logs / f"{log.parent.name}-{log.name}")
        for mounted in pathlib.Path(self.path).iterdir():
            if os.path.ismount(mounted):
                subprocess.run(["umount", "--lazy", str(mounted)])
        shutil.rmtree(self.path, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/card-companion", help="card-companion")
    parser.add_argument("--short", action="store_true", help="one PostgreSQL and two servers; about a minute")
    parser.add_argument("--minutes", type=float, help="for how long faults happen (default: 15; --short: 0.5, and each fault at least once)")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="of everything that is random")
    parser.add_argument("--every", type=float, default=0, help="seconds from one fault to the next (default: as soon as all is whole)")
    parser.add_argument("--workers", type=int, default=4, help="clients at once (default: 4)")
    parser.add_argument("--only", action="append", help="only faults with this key, such as disk-300 or flood+network")
    parser.add_argument("--faults", help="these, in this order: keys, with spaces between; a+b for two at once")
    parser.add_argument("--mutate", help="breaks one rule of the database: see mutations.py")
    parser.add_argument("--logs", help="a folder for the logs of all programs")
    parser.add_argument(
        "--answer-limit", type=float, default=3,
        help="seconds in which a server that is not itself at fault must answer, if only 503 (default: 3)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.minutes = arguments.minutes or (0.5 if arguments.short else 15)
    if arguments.short or arguments.inside:
        become_reaper()
        return inside(arguments)
    if os.geteuid() != 0:
        print("chaos: it needs root, for namespaces and small disks of its own: sudo make chaos, or --short", file=sys.stderr)
        return 2
    return subprocess.run(
        [*NAMESPACES, sys.executable, "-B", *sys.argv, "--seed", str(arguments.seed), "--inside"],
        preexec_fn=die_with_parent).returncode


if __name__ == "__main__":
    sys.exit(main())
