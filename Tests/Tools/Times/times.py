#!/usr/bin/env python3
"""Says which tests need the processor most, and how many programs each starts.

It runs the built tests one after the other, and shares out what the whole machine has worked from the start of each test to its
end: also the servers', PostgreSQL's and the browser's part. So nothing else may run on the machine. What tests share (a server, a
bank) is counted for the first one that needs it. Programs are counted by the kernel's process events, which only root can read.
"""

import argparse
import collections
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

CONNECTOR = 11  # NETLINK_CONNECTOR
CN_PROC = 1
EXEC_EVENT = 2
ROWS = 30


class Programs(threading.Thread):
    """Counts the programs that are started on this machine."""

    def __init__(self):
        super().__init__(daemon=True)
        self.count = 0
        self.socket = None
        try:
            events = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, CONNECTOR)
            events.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
            events.bind((0, CN_PROC))
            listen = struct.pack("=IIIIHHI", CN_PROC, 1, 0, 0, 4, 0, 1)
            events.send(struct.pack("=IHHII", 16 + len(listen), 3, 0, 0, os.getpid()) + listen)
            self.socket = events
        except OSError:
            print("The programs are not counted: only root can read the kernel's process events.", file=sys.stderr)

    def run(self):
        while self.socket:
            message = self.socket.recv(4096)
            # After the headers of netlink (16 bytes) and of the connector (20).
            if len(message) >= 40 and struct.unpack_from("=I", message, 36)[0] == EXEC_EVENT:
                self.count += 1


def machine_seconds():
    """What all processors have worked since the start of the machine."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


class Measured:
    """What each test has cost."""

    def __init__(self, programs):
        self.programs = programs
        self.names = {}
        self.started = {}
        self.tests = []
        self.failed = 0

    def read(self, line):
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                self.names[payload["id"]] = payload.get("displayName") or payload["name"]
            return
        test = payload.get("testID")
        if payload["kind"] == "issueRecorded" and not payload["issue"]["isKnown"]:
            self.failed += 1
        if test not in self.names:
            return
        now = (machine_seconds(), self.programs.count, payload["instant"]["absolute"])
        if payload["kind"] == "testStarted":
            self.started[test] = now
        elif payload["kind"] == "testEnded" and test in self.started:
            cost = [after - before for before, after in zip(self.started.pop(test), now)]
            self.tests.append((cost, test))


def suite(test):
    """CardCompanionTests.KeyTests/wrong()/KeyTests.swift:1:6 is of CardCompanionTests.KeyTests."""
    return test.split("/")[0]


def table(title, rows):
    print(f"\n{title}\n{'CPU s':>8} {'wall s':>8} {'programs':>9}")
    for (cpu, programs, wall), name in sorted(rows, reverse=True)[:ROWS]:
        print(f"{cpu:8.2f} {wall:8.2f} {programs:9d}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", help="only tests whose name matches this regular expression")
    arguments = parser.parse_args()
    programs = Programs()
    programs.start()
    measured = Measured(programs)
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "events")
        os.mkfifo(pipe)
        more = ["--filter", arguments.filter] if arguments.filter else []
        command = ["Tests/run", "--no-parallel", "--event-stream-output-path", pipe, "--event-stream-version", "0"] + more
        with open(os.path.join(folder, "output"), "w+", encoding="utf-8", errors="replace") as output:
            tests = subprocess.Popen(command, stdout=output, stderr=output)
            # Open for writing too, so that the end of the tests ends the reading only when they have ended.
            keeper = os.open(pipe, os.O_RDWR)
            threading.Thread(target=lambda: (tests.wait(), os.close(keeper)), daemon=True).start()
            with open(pipe, encoding="utf-8") as events:
                for line in events:
                    measured.read(line)
                    if sys.stderr.isatty():
                        print(f"\r{len(measured.tests)} of {len(measured.names)} tests", end="", file=sys.stderr)
            status = tests.wait()
            output.seek(0)
            text = output.read()
    if not measured.tests:
        sys.exit(f"no test was run:\n{text[-2000:]}")
    suites = collections.defaultdict(lambda: [0, 0, 0])
    for cost, test in measured.tests:
        suites[suite(test)] = [sum(pair) for pair in zip(suites[suite(test)], cost)]
    table(f"The {ROWS} tests with the most work", [(c, f"{suite(t)}: {measured.names[t]}") for c, t in measured.tests])
    table(f"The {ROWS} suites with the most work", [(cost, name) for name, cost in suites.items()])
    total = [sum(column) for column in zip(*(cost for cost, _ in measured.tests))]
    print(f"\n{len(measured.tests)} tests: {total[0]:.0f} s of CPU, {total[2]:.0f} s, {total[1]} programs started")
    if status != 0:
        failures = re.findall(r"^✘ .*", text, re.MULTILINE)
        sys.exit("\n".join(["Tests have failed:"] + failures[:20]))


if __name__ == "__main__":
    main()
