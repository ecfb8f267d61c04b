#!/usr/bin/env python3
"""Attacks a server, and says whether others are still answered in time.

    python3 Tests/Tools/Attacks/attack.py --program .build/release/card-companion-sandbox      starts a server of its own
    python3 Tests/Tools/Attacks/attack.py --url http://127.0.0.1:8080 --sandbox .data/sandbox      attacks a running server

Two attacks, one after the other:

  slow connections   many connections that send one byte each five seconds. Others open new connections meanwhile.
  hot row            many connections that ask for one cardholder at once: fetches with a wrong code, forged confirmations,
                     keypads. Another cardholder fetches a PIN meanwhile.

The server must be on this machine: the attacker uses 127.0.0.1, and the others 127.0.0.2. The exit status is 0 if all others
were answered within the limit. It needs Python 3.9 or later, and nothing else.
"""

import argparse
import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ATTACKER, HONEST = "127.0.0.1", "127.0.0.2"
START_SECONDS = 120


class Server:
    def __init__(self, url, sandbox):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        folder = pathlib.Path(sandbox)
        description = json.loads((folder / "sandbox.json").read_text())
        self.bank = description["bankId"]
        self.codes = description["authenticationCodes"]
        self.key = bytes.fromhex((folder / "hmac.hex").read_text())

    def connect(self, source, seconds):
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds, source_address=(source, 0))

    def post(self, source, path, members, seconds):
        """One request on a new connection. Returns the HTTP status and the code of the answer."""
        connection = self.connect(source, seconds)
        try:
            connection.request("POST", path, json.dumps(members), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()).get("errorCode")
        finally:
            connection.close()

    def fetch(self, cardholder, code, age):
        """The members of a fetch whose timestamp is `age` seconds old: each can be used once."""
        timestamp = str(int(time.time()) - age)
        text = (self.bank + cardholder + timestamp).encode()
        return {
            "bankId": self.bank, "uniqueId": cardholder, "authCode": code, "timestamp": timestamp,
            "hashMac": hmac.new(self.key, text, hashlib.sha256).hexdigest(), "rsaPublicKey": PUBLIC_KEY,
        }


def der(tag, content):
    length = len(content)
    size = [length] if length < 128 else [0x82, length >> 8, length & 255]
    return bytes([tag, *size]) + content


def public_key():
    """An RSA public key. Nobody has the private one: the attack does not open what it fetches."""
    modulus = secrets.randbits(2048) | 1 << 2047 | 1
    numbers = der(2, b"\0" + modulus.to_bytes(256, "big")) + der(2, (65537).to_bytes(3, "big"))
    algorithm = der(0x30, bytes.fromhex("06092a864886f70d0101010500"))
    return base64.b64encode(der(0x30, algorithm + der(3, b"\0" + der(0x30, numbers)))).decode()


PUBLIC_KEY = public_key()


class Others:
    """Asks again and again while an attack runs, and measures."""

    def __init__(self, ask, limit):
        self.ask, self.limit = ask, limit
        self.times, self.failures = [], []

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                self.ask()
                self.times.append(time.monotonic() - start)
            except Exception as error:
                self.failures.append(f"{type(error).__name__}: {error}")
            time.sleep(0.2)

    def report(self, attack):
        slowest = max(self.times, default=float("inf"))
        held = not self.failures and slowest <= self.limit
        print(
            f"{'ok  ' if held else 'FAIL'} {attack}: others were answered {len(self.times)} times, "
            f"the slowest after {slowest:.2f} s (limit {self.limit} s); not answered {len(self.failures)} times")
        for failure in self.failures[:3]:
            print(f"     {failure}")
        return held


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def slow_connections(server, count, seconds, limit):
    def drip(end):
        sockets = {}
        closed = 0
        while time.monotonic() < end:
            for number in range(count):
                try:
                    if number not in sockets:
                        sockets[number] = socket.create_connection((server.host, server.port), 1, (ATTACKER, 0))
                        sockets[number].setblocking(False)
                        sockets[number].send(b"P")
                    else:
                        sockets[number].send(b"O")
                        if sockets[number].recv(1) == b"":
                            raise ConnectionResetError
                except BlockingIOError:
                    pass
                except OSError:
                    # The server has closed it: the attacker opens another one in the next round.
                    closed += 1
                    if number in sockets:
                        sockets.pop(number).close()
                if time.monotonic() > end:
                    break
            time.sleep(max(0, min(5, end - time.monotonic())))
        for open_socket in sockets.values():
            open_socket.close()
        print(f"     slow connections: {count} at a time; the server closed or refused {closed}")

    def ask():
        connection = server.connect(HONEST, limit * 5)
        try:
            connection.request("GET", "/health/ready")
            expect(connection.getresponse().status == 200, "the server is not ready")
        finally:
            connection.close()

    return run("slow connections", [drip], ask, seconds, limit)


def hot_row(server, count, seconds, limit):
    victim, other = "alice", "bob"
    statuses = {}
    lock = threading.Lock()
    ages = iter(range(100, 1_000_000_000))

    def attack(number):
        def once():
            if number % 3 == 0:
                return "/v1/pin-distribution/captcha", server.fetch(victim, "00000000", next(ages) % 250)
            if number % 3 == 1:
                return "/v1/pin-definition/keypad-coordinates", {
                    "bankId": server.bank, "uniqueId": victim, "keypadSize": 10}
            return "/v1/pin-distribution/notify", {
                "bankId": server.bank, "uniqueId": victim, "sessionId": "unknown", "status": 0, "hash": "0" * 64}

        def flood(end):
            while time.monotonic() < end:
                try:
                    with lock:
                        path, members = once()
                    status, code = server.post(ATTACKER, path, members, limit * 5)
                except (OSError, http.client.HTTPException, ValueError):
                    status, code = "none", None
                with lock:
                    statuses[(status, code)] = statuses.get((status, code), 0) + 1

        return flood

    honest_age = iter(range(0, 1_000_000_000))

    def ask():
        status, code = server.post(
            HONEST, "/v1/pin-distribution/captcha",
            server.fetch(other, server.codes[other], next(honest_age) % 250), limit * 5)
        expect(status == 200, f"HTTP {status}")

    held = run("hot row", [attack(number) for number in range(count)], ask, seconds, limit)
    counts = ", ".join(
        f"{status}{'' if code is None else f' with code {code}'}: {number}"
        for (status, code), number in sorted(statuses.items(), key=lambda item: -item[1]))
    print(f"     hot row: the attacker was answered {counts}")
    return held


def run(name, attackers, ask, seconds, limit):
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=attacker, args=(end,), daemon=True) for attacker in attackers]
    for thread in threads:
        thread.start()
    others = Others(ask, limit)
    others.run(seconds)
    for thread in threads:
        thread.join(timeout=limit * 10)
    return others.report(name)


def start(program, folder):
    """Starts a server with a sandbox. Returns its process and its URL."""
    log = open(os.path.join(folder, "log"), "wb")
    process = subprocess.Popen(
        [program, "serve", "--http-port", "0", "--data-directory", os.path.join(folder, "data")],
        stdout=log, stderr=log)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        text = pathlib.Path(log.name).read_text(errors="replace")
        match = re.search(r"Listening url=(http://\S+)", text)
        if match:
            return process, match.group(1)
        time.sleep(0.2)
    process.kill()
    sys.exit(f"the server did not start:\n{pathlib.Path(log.name).read_text(errors='replace')}")


def attack(server, arguments):
    held = [
        slow_connections(server, arguments.connections, arguments.seconds, arguments.limit),
        hot_row(server, arguments.askers, arguments.seconds, arguments.limit),
    ]
    return all(held)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="card-companion-sandbox, to start a server of its own")
    parser.add_argument("--url", help="a running server")
    parser.add_argument("--sandbox", help="the running server's folder 'sandbox'")
    parser.add_argument("--seconds", type=float, default=60, help="how long each attack takes (default: 60)")
    parser.add_argument("--limit", type=float, default=2, help="in how many seconds others must be answered (default: 2)")
    parser.add_argument("--connections", type=int, default=1060, help="slow connections (default: 1060)")
    parser.add_argument("--askers", type=int, default=48, help="connections that ask for one cardholder (default: 48)")
    arguments = parser.parse_args()
    if arguments.url and arguments.sandbox:
        return 0 if attack(Server(arguments.url, arguments.sandbox), arguments) else 1
    if not arguments.program:
        parser.error("use --program, or --url and --sandbox")
    with tempfile.TemporaryDirectory(prefix="card-companion-attack-") as folder:
        # The private database's user must be able to enter it.
        os.chmod(folder, 0o755)
        process, url = start(arguments.program, folder)
        try:
            held = attack(Server(url, os.path.join(folder, "data", "sandbox")), arguments)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
        return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
