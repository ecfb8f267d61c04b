"""Plays a scenario as an app, and writes down what is sent and what comes."""

import http.client
import json
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

WAIT_SECONDS = 30
# How long nothing must come where nothing should.
SILENCE_SECONDS = 2
# vpcd has two slots, and the card is in the first one.
READERS = ["Virtual PCD 00 00", "Virtual PCD 00 01"]


class ScenarioError(Exception):
    """A message that is waited for has not come, or a program does not do what it is asked."""


class ReadersLost(ScenarioError):
    """The AusweisApp sees no readers for a moment. That happens, and says nothing about the scenario."""


class App:
    """A connection to an AusweisApp, or to what speaks like one."""

    def __init__(self, port):
        self.port = port
        self.socket = None

    def connect(self):
        """The one before may still be about to end: then there is another status than 101 for a while."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                self.socket = connect(f"ws://localhost:{self.port}/eID-Kernel", proxy=None, compression=None)
                return
            except Exception as error:
                if time.monotonic() > until:
                    raise ScenarioError(f"cannot connect: {error}") from error
                time.sleep(0.1)

    def close(self):
        if self.socket:
            self.socket.close()

    def receive(self, seconds=WAIT_SECONDS):
        """The next message; None if there is none in time."""
        try:
            return json.loads(self.socket.recv(timeout=seconds))
        except TimeoutError:
            return None
        except ConnectionClosed as error:
            raise ScenarioError("the connection was closed") from error

    def ask(self, path, headers):
        """The status of an answer to another program's request, and the names in a status page."""
        connection = http.client.HTTPConnection("localhost", self.port, timeout=WAIT_SECONDS)
        try:
            connection.request("GET", path, headers=dict(headers))
            response = connection.getresponse()
            if response.status != 200:
                return str(response.status)
            text = response.read().decode()
            names = json.loads(text) if text.startswith("{") else [line.split(":")[0] for line in text.splitlines()]
            return f"200 {sorted(names)}"
        finally:
            connection.close()


class Player:
    """Plays one scenario.

    `card` is told to "insert" and "remove". `settle` waits until the readers of a new connection are there. `normal` makes a
    message comparable, and None of one that is left out.
    """

    def __init__(self, app, card, settle, normal, level):
        self.app, self.card, self.settle, self.normal, self.level = app, card, settle, normal, level
        self.lines = []
        # What happened to the card after which message: ("INSERT_CARD", 1, "insert").
        self.events = []
        self.counts = {}
        self.last = None

    def play(self, scenario):
        self.step("send", json.dumps({"cmd": "SET_API_LEVEL", "level": self.level}))
        self.step("wait", "API_LEVEL")
        for step in scenario.steps:
            self.step(step.kind, step.value)
        # The answer to this shows that there is nothing else.
        self.step("send", '{"cmd": "GET_API_LEVEL"}')
        self.step("wait", "API_LEVEL")

    def step(self, kind, value):
        if kind == "send":
            self.lines.append(f"> {value}")
            self.app.socket.send(value)
        elif kind == "wait":
            self.wait(value)
        elif kind == "card":
            self.lines.append(f"= {value}")
            self.events.append((self.last, self.counts.get(self.last, 0), value))
            self.card(value)
        elif kind == "reconnect":
            self.lines.append("= reconnect")
            self.app.close()
            self.app.connect()
            self.settle(self.app)
        elif kind == "silence":
            while (message := self.app.receive(SILENCE_SECONDS)) is not None:
                self.note(message)
            self.lines.append("= silence")
        elif kind == "request":
            path, headers = value
            self.lines.append(f"= GET {path} {'as an app' if headers else ''}: {self.app.ask(path, headers)}")

    def wait(self, name):
        until = time.monotonic() + WAIT_SECONDS
        while True:
            message = self.app.receive(max(until - time.monotonic(), 0))
            if message is None:
                self.lines.append(f"< nothing, instead of {name}")
                raise ScenarioError(f"{name} has not come")
            if self.note(message) == name:
                return

    def note(self, message):
        message = self.normal(message, self.level)
        if message is None:
            return None
        if message["msg"] == "READER" and message.get("name") in READERS and not message["attached"]:
            raise ReadersLost("the AusweisApp has lost its readers")
        self.lines.append("< " + json.dumps(message, sort_keys=True, ensure_ascii=False))
        self.last = message.get("msg")
        self.counts[self.last] = self.counts.get(self.last, 0) + 1
        return self.last
