"""The programs of the comparison: the AusweisApp with pcscd and the virtual card, and eid-simulator."""

import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import time

from differences import normal_of_run
from player import App, READERS, ScenarioError

START_SECONDS = 60
CARD_SECONDS = 30
RUN_SECONDS = 60
CARD_PORT = 35963


class Program:
    """A program that runs until it is stopped. What it says is in a file of its name in `folder`."""

    def __init__(self, command, folder, environment=None, **streams):
        self.name = pathlib.Path(command[0]).name
        self.log = folder / f"{self.name}.log"
        with open(self.log, "ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log} | streams
            self.process = subprocess.Popen(command, env=os.environ | (environment or {}), **streams)

    def require(self):
        if self.process.poll() is not None:
            text = self.log.read_text(errors="replace")[-2000:]
            raise ScenarioError(f"{self.name} has ended with {self.process.returncode}:\n{text}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def make_world():
    """Within the namespaces: a network with this machine only, and a folder /run that goes with them. pcscd has its socket
    there, in a place that cannot be chosen."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)


def wait_for_port(port, program):
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        program.require()
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise ScenarioError(f"{program.name} does not listen on port {port}")


class Card:
    """The virtual card, which lies on the reader or does not."""

    def __init__(self, program, members, folder):
        with open(folder / "card.log", "ab") as log:
            log.write(f"# {json.dumps(members)}\n".encode())
            log.flush()
            self.program = Program(
                [str(program), "--trace", "--card", json.dumps(members)], folder, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log)

    def __call__(self, command):
        self.program.process.stdin.write(f"{command}\n".encode())
        self.program.process.stdin.flush()
        ready, _, _ = select.select([self.program.process.stdout], [], [], CARD_SECONDS)
        answer = self.program.process.stdout.readline().decode().strip() if ready else "nothing"
        if answer != "done":
            raise ScenarioError(f"the card was told to {command}, and says: {answer}")

    def stop(self):
        self.program.process.stdin.close()
        self.program.stop()
        self.program.process.stdout.close()


class AusweisApp:
    """The real program, headless, with the readers of pcscd. Nothing else may run in its network namespace."""

    PORT = 24727

    def __init__(self, folder, card_program):
        self.folder, self.card_program = folder, card_program
        self.programs = []

    def start(self):
        os.mkdir("/run/pcscd")
        home = pathlib.Path("/run/home")
        home.mkdir(mode=0o700)
        pcscd = self.begin([find("pcscd"), "--foreground"])
        wait_for_port(CARD_PORT, pcscd)
        app = self.begin(
            [find("AusweisApp2", "AusweisApp"), "--ui", "webservice", "--ui", "websocket", "--no-proxy",
             "--no-logfile", "--port", str(self.PORT)],
            {"QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": str(home),
             "TMPDIR": str(home), "XDG_RUNTIME_DIR": str(home), "XDG_CONFIG_HOME": str(home / "config")})
        wait_for_port(self.PORT, app)
        self.wait_for_readers()

    def begin(self, command, environment=None):
        program = Program(command, self.folder, environment)
        self.programs.append(program)
        return program

    def wait_for_readers(self):
        app = App(self.PORT)
        app.connect()
        self.wait(app, lambda readers: set(READERS) <= set(readers))
        app.close()

    @staticmethod
    def wait(app, condition):
        """Asks for the readers until they are as they should be, and forgets what else is said."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            app.socket.send('{"cmd": "GET_READER_LIST"}')
            while (message := app.receive(5)) and message["msg"] != "READER_LIST":
                pass
            if message and condition({reader["name"]: reader for reader in message.get("reader", message.get("readers"))}):
                return
            time.sleep(0.1)
        raise ScenarioError("the readers are not as they should be")

    def play(self, scenario, play):
        """Plays with a card of its own, which is on the reader at the beginning if the scenario says so."""
        for program in self.programs:
            program.require()
        app = App(self.PORT)
        card = Card(self.card_program, scenario.card, self.folder)
        try:
            self.prepare(app, card, scenario)
            return play(app, card, lambda app: self.wait(app, lambda readers: set(READERS) <= set(readers)))
        finally:
            card.stop()
            app.close()

    def run(self, run, eid):
        """Runs the program `eid`, with a card on the reader that the AusweisApp knows already."""
        app = App(self.PORT)
        card = Card(self.card_program, run.card, self.folder)
        try:
            self.prepare(app, card, run)
            app.close()
            return run_eid(eid, run, self.PORT)
        finally:
            card.stop()
            app.close()

    def prepare(self, app, card, scenario):
        """Connects, waits until the card before is gone, and puts this one on the reader."""
        app.connect()
        self.wait(app, lambda readers: set(READERS) <= set(readers) and readers[READERS[0]]["card"] is None)
        if scenario.is_inserted:
            card("insert")
            self.wait_for_card(app)

    @staticmethod
    def wait_for_card(app):
        """READER comes when the card has been looked at."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            message = app.receive(1)
            if message and message["msg"] == "READER" and message["name"] == READERS[0]:
                return
        raise ScenarioError("the AusweisApp has not found the card")

    def stop(self):
        for program in reversed(self.programs):
            program.stop()


class Simulator:
    """eid-simulator with a scenario."""

    PORT = 24728

    def __init__(self, folder, program):
        self.folder, self.program = folder, program

    def play(self, scenario, events, levels, play):
        simulator = self.start(scenario, events, levels)
        app = App(self.PORT)
        try:
            app.connect()
            return play(app, lambda command: None, lambda app: None)
        finally:
            app.close()
            simulator.stop()

    def run(self, run, levels, eid):
        """Runs the program `eid`, with a card on the reader."""
        simulator = self.start(run, [], levels)
        try:
            return run_eid(eid, run, self.PORT)
        finally:
            simulator.stop()

    def start(self, scenario, events, levels):
        path = self.folder / "scenario.json"
        path.write_text(json.dumps({
            "levels": levels,
            "cards": {"card": scenario.card},
            "readers": [{"name": READERS[0], "card": "card" if scenario.is_inserted else None}, {"name": READERS[1]}],
            "service": {"failsAtOnce": scenario.is_service_away},
            "events": [{"after": name, "count": count, "do": [self.action(command)]} for name, count, command in events],
        }))
        simulator = Program([str(self.program), "--port", str(self.PORT), "--scenario", str(path)], self.folder)
        try:
            wait_for_port(self.PORT, simulator)
        except ScenarioError:
            simulator.stop()
            raise
        return simulator

    @staticmethod
    def action(command):
        card = {"card": "card"} if command == "insert" else {}
        return {"action": command, "reader": READERS[0]} | card


def run_eid(program, run, port):
    """What `eid` writes to standard output, and its exit status."""
    command = [str(program), *run.arguments, "--port", str(port), "--json"]
    try:
        result = subprocess.run(
            command, input="".join(line + "\n" for line in run.lines), capture_output=True, text=True, timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        return ["! it does not end"]
    screens = [normal_of_run(json.loads(line)) for line in result.stdout.splitlines()]
    return [json.dumps(screen) for screen in screens if screen] + [f"exit status {result.returncode}"]


def find(*names):
    """A program that may only be on an administrator's PATH."""
    for name in names:
        path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if path:
            return path
    raise ScenarioError(f"{names[0]} is not installed")
