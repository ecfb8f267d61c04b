#!/usr/bin/env python3
"""Stops servers by SIGTERM again and again, while clients use them, and checks that each ends in time with status 0.

    make stops                                      STOPS=300

Of ten stops five are plain, four happen while the database answers nothing, and one while a client never sends the rest of its request.
"""

import argparse
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "deploy/ha"))

from cluster import ClusterError, answers, become_reaper, kill_descendants, until  # noqa: E402
from single import AUTHORITY, SingleSite, start_server  # noqa: E402
from wire import Bank  # noqa: E402
from workload import Flood  # noqa: E402

DRAIN_SECONDS = 1
# What docs/operations.md says: the requests under way have twenty seconds, and twenty more. The rest is for a busy machine.
LIMIT_SECONDS = DRAIN_SECONDS + 20 + 20 + 10
CLIENTS = 16


class Nothing:
    """No obstacle. Requests are under way when the client has sent some."""

    def __init__(self, flood, server):
        self.flood, self.server = flood, server
        self.enough = flood.sent[server.name] + CLIENTS

    def is_felt(self):
        return self.flood.sent[self.server.name] >= self.enough

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class HeldTable:
    """While it is there, the database answers no request that needs a cardholder."""

    def __init__(self, site):
        self.site = site
        self.session = subprocess.Popen(
            ["psql", "-XAtq", "-h", site.database.address, "-p", str(site.port), "-U", "postgres", "-d", "cards"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.session.stdin.write("BEGIN; LOCK TABLE card_companion.cardholder IN ACCESS EXCLUSIVE MODE; SELECT 'held';\n")
        self.session.stdin.flush()
        if self.session.stdout.readline().strip() != "held":
            raise ClusterError("the table could not be locked")

    def is_felt(self):
        return self.site.sql("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted") == ["t"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.communicate("ROLLBACK;\n")


class HalfRequest(Nothing):
    """A client that never sends the rest of its request."""

    def __init__(self, flood, server):
        super().__init__(flood, server)
        self.connection = socket.create_connection((server.host, server.port))
        self.connection.sendall(
            f"POST /v1/pin-definition/keypad-coordinates HTTP/1.1\r\nHost: {AUTHORITY}\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{".encode())

    def __exit__(self, *_):
        self.connection.close()


class Stops:
    def __init__(self, site, flood, count):
        self.site, self.flood, self.count = site, flood, count
        self.times = {"plain": [], "database answers nothing": [], "half a request": []}
        self.violations = []

    def run(self):
        for number in range(self.count):
            self.one(number)
            if number % 10 == 9:
                print(f"  {time.strftime('%H:%M:%S')} {number + 1} stops, {len(self.violations)} violations", flush=True)

    def one(self, number):
        index = (number // 10 + number) % len(self.site.servers)
        server, process = self.site.servers[index], self.site.machines[index].processes["server"]
        kind, obstacle = self.obstacle(number, server)
        with obstacle:
            until(obstacle.is_felt, 60, f"no requests were under way before stop {number} ({kind})")
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            try:
                status = process.wait(LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.violations.append(f"stop {number} ({kind}): {server.name} did not end within {LIMIT_SECONDS} s")
                process.kill()
                status = process.wait()
            self.times[kind].append(time.monotonic() - start)
        if status != 0 and not (self.violations and f"stop {number} " in self.violations[-1]):
            self.violations.append(f"stop {number} ({kind}): {server.name} ended with status {status}")
        start_server(self.site, index)
        until(lambda: answers(f"http://{server.host}:{server.port}/health/ready"), 60, f"{server.name} did not start again")

    def obstacle(self, number, server):
        if number % 10 == 9:
            return "half a request", HalfRequest(self.flood, server)
        if number % 10 in (1, 3, 5, 7):
            return "database answers nothing", HeldTable(self.site)
        return "plain", Nothing(self.flood, server)

    def report(self):
        print(f"\n{'stops':26}  count   shortest     median    longest")
        for kind, times in self.times.items():
            if times:
                print(
                    f"{kind:26}  {len(times):5}  {min(times):7.1f} s  {statistics.median(times):7.1f} s  {max(times):7.1f} s")
        print(f"\nstops {sum(map(len, self.times.values()))}, limit {LIMIT_SECONDS} s, violations {len(self.violations)}")
        for text in self.violations:
            print(f"  {text}")
        return 1 if self.violations else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/card-companion", help="card-companion")
    parser.add_argument("--count", type=int, default=300, help="how many stops (default: 300)")
    arguments = parser.parse_args()
    become_reaper()
    with tempfile.TemporaryDirectory(prefix="card-companion-stops-", ignore_cleanup_errors=True) as folder:
        site = SingleSite(
            str(pathlib.Path(arguments.program).resolve()), folder, {"HTTP_DRAIN_SECONDS": str(DRAIN_SECONDS)})
        flood = None
        try:
            site.start()
            bank = Bank(site.bank_folder / "sandbox", AUTHORITY)
            bank.fetch_keys(site.servers[0])
            flood = Flood(site, bank, clients=CLIENTS)
            flood.start()
            stops = Stops(site, flood, arguments.count)
            stops.run()
            return stops.report()
        finally:
            if flood:
                flood.stop()
            kill_descendants()


if __name__ == "__main__":
    sys.exit(main())
