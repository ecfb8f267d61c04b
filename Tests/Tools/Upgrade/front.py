"""The site of an upgrade: one PostgreSQL and two servers behind haproxy, with the configuration of deploy/ha, and clients that
remember each request that failed."""

import http.client
import random
import threading
import time

from cluster import Machine, answers, fill, make_folder, until, write
from single import SingleSite, start_server, stop_servers
from wire import ANSWER_SECONDS, Answer, Server

HTTP_PORT = 8080
HAPROXY = "/usr/sbin/haproxy"
PARTS = 6


class Failures:
    """Requests that were not served. Each is (when it ended, operation, connection, what happened)."""

    def __init__(self):
        self.all = []

    def judge(self, method, path, server, answer):
        if answer.is_unknown:
            what = "no answer" if answer.status is None else f"HTTP {answer.status}"
            what += f" {answer.body[:160].decode(errors='replace')}" if answer.body else ""
            self.all.append((time.monotonic(), operation(method, path), server.name, what))
        return answer


def operation(method, path):
    """The operation without names: 'PUT cardholders', 'POST pin-distribution/captcha'."""
    parts = path.partition("?")[0].strip("/").split("/")[1:]
    if parts[:1] == ["banks"]:
        parts = parts[2:3]
    return f"{method} {'/'.join(parts)}"


class FreshServer(Server):
    """haproxy, for clients that open a connection for each request."""

    def __init__(self, host, port, failures, name="new connections"):
        super().__init__(name, host, port)
        self.failures = failures

    def request(self, method, path, body=None, headers=None, seconds=ANSWER_SECONDS):
        answer = super().request(method, path, body, headers, seconds)
        return self.failures.judge(method, path, self, answer)


class KeptServer(Server):
    """haproxy, for clients that keep their connection: each thread has one."""

    def __init__(self, host, port, failures):
        super().__init__("kept connections", host, port)
        self.failures = failures
        self.own = threading.local()

    def request(self, method, path, body=None, headers=None, seconds=ANSWER_SECONDS):
        start = time.monotonic()
        connection = getattr(self.own, "connection", None)
        connection = connection or http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        self.own.connection = connection
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            answer = Answer(response.status, response.read(), time.monotonic() - start)
        except (OSError, http.client.HTTPException):
            connection.close()
            self.own.connection = None
            answer = Answer(None, b"", time.monotonic() - start)
        return self.failures.judge(method, path, self, answer)


class SlowServer(FreshServer):
    """haproxy, for a client that takes some seconds to send a body, as a long import does."""

    def __init__(self, host, port, failures, send_seconds):
        super().__init__(host, port, failures, "slow body")
        self.send_seconds = send_seconds

    def request(self, method, path, body=None, headers=None, seconds=ANSWER_SECONDS):
        if body is None:
            return super().request(method, path, body, headers, seconds)
        headers = {**(headers or {}), "Content-Length": str(len(body))}
        return super().request(method, path, self.parts(body), headers, seconds)

    def parts(self, body):
        size = -(-len(body) // PARTS)
        for start in range(0, len(body), size):
            yield body[start:start + size]
            time.sleep(self.send_seconds / PARTS)


class FrontSite(SingleSite):
    """One PostgreSQL, two servers, haproxy. `servers` are what clients see: haproxy, with new and with kept connections."""

    name = "one PostgreSQL, two servers, haproxy"

    def __init__(self, program, folder, failures):
        super().__init__(program, folder)
        # A network of its own on loopback, so that several can run beside each other with the ports of production.
        network = f"127.{random.randrange(64, 128)}.{random.randrange(256)}"
        self.places = {"app1": (f"{network}.21", HTTP_PORT), "app2": (f"{network}.22", HTTP_PORT)}
        self.proxy = Machine("haproxy", f"{network}.10", self.folder / "haproxy")
        self.failures = failures

    def start(self, settings=None, slow_seconds=6):
        """`settings` replaces texts of haproxy.cfg; a slow body takes `slow_seconds`."""
        super().start()
        make_folder(self.proxy.folder)
        values = {"address": self.proxy.address, **{name: host for name, (host, _) in self.places.items()}}
        write(self.proxy.folder / "haproxy.cfg", fill("haproxy.cfg", values, {"haproxy.cfg": settings or {}}))
        self.proxy.start("haproxy", [HAPROXY, "-db", "-f", self.proxy.folder / "haproxy.cfg"])
        until(
            lambda: answers(f"http://{self.proxy.address}:{HTTP_PORT}/health/ready"), 30,
            f"haproxy did not start: see {self.proxy.folder}/haproxy.log")
        place = (self.proxy.address, HTTP_PORT)
        self.servers = [FreshServer(*place, self.failures), KeptServer(*place, self.failures)]
        self.slow = SlowServer(*place, self.failures, send_seconds=slow_seconds)

    def replace(self, index, program, seconds=60):
        """Stops a server as an operator does, and starts a program in its place.

        Returns the exit status of the stopped one, and how many seconds it took to stop."""
        machine, start = self.machines[index], time.monotonic()
        process = machine.processes["server"]
        process.terminate()
        status = process.wait(seconds)
        stopped = time.monotonic() - start
        self.program = program
        start_server(self, index)
        until(
            lambda: answers(f"http://{machine.server.host}:{machine.server.port}/health/ready"), seconds,
            f"{machine.name} did not start: see {machine.log}")
        return status, stopped

    def stop(self):
        self.proxy.kill("haproxy")
        stop_servers(self)
