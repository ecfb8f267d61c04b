"""A bank's connector that is killed again and again, and what must hold all the same:

  - each PIN that a cardholder has chosen comes to the bank's host, if the server still has it
  - a PIN is exported once, however often it is handed out, and the host gets one value of it
  - what the host got last of a cardholder is the PIN that works, if the server says that one does
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

from cluster import ClusterError, die_with_parent
from single import AUTHORITY, command

HERE = pathlib.Path(__file__).resolve().parent
ANSWER_SECONDS = 20
LIFE_SECONDS = (3, 20)
END_SECONDS = 120
# The server has erased the PIN, because it was shown, or the cardholder is gone.
GONE = {"no-defined-pin", "no-cardholder"}
WAITING = (
    "SELECT unique_id FROM card_companion.chosen_pin JOIN card_companion.cardholder USING (bank_id, unique_id) "
    "WHERE chosen_pin.pin_serial = cardholder.pin_serial AND state IN ('pending', 'sent')")


class BankConnector(threading.Thread):
    """Runs the connector, and kills it after some seconds, until the clients stop."""

    def __init__(self, site, record, seed):
        super().__init__(name="the connector", daemon=True)
        self.site, self.record, self.random = site, record, random.Random(seed)
        self.folder = pathlib.Path(site.folder) / "connector"
        self.folder.mkdir()
        self.process, self.kills, self.values = None, 0, 0
        self.settings = self.folder / "host.json"
        self.settings.write_text(json.dumps({
            "bank": str(site.bank_folder / "sandbox"), "authority": AUTHORITY, "folder": str(self.folder),
            "servers": [[server.name, server.host, server.port] for server in site.servers], **self.key()}))

    def key(self):
        """The label of the sandbox's key for PVVs, and how its cards begin."""
        keys = json.loads(command(self.site, ["key", "list", "--bank", "SANDBOX", "--json"]))
        key = next(key for key in keys if key["usage"] == "visa-pvv")
        rules = dict(rule.split("=", 1) for rule in key["rules"])
        return {"key": key["label"], "prefix": rules["pan-prefixes"].split(",")[0]}

    def run(self):
        try:
            while not self.record.stopping.is_set():
                self.begin()
                self.record.stopping.wait(self.random.uniform(*LIFE_SECONDS))
                self.process.kill()
                self.process.wait()
                self.kills += 1
        except Exception as error:
            self.record.violation(f"{self.name}: {type(error).__name__}: {error}")
            raise

    def begin(self):
        with open(self.folder / "connector.log", "ab") as log:
            self.process = subprocess.Popen(
                [*getattr(self.site, "command_prefix", []), self.site.program, "forward", "--bank", "SANDBOX",
                 "--answer-seconds", str(ANSWER_SECONDS), "--", sys.executable, "-B", HERE / "host.py", self.settings],
                stdout=log, stderr=log, preexec_fn=die_with_parent,
                env={**os.environ, **self.site.server_environment, "DATA_DIRECTORY": str(self.folder)})
        # Three exports a day are too few for this day.
        try:
            self.site.sql("DELETE FROM card_companion.pin_export_count")
        except (ClusterError, subprocess.TimeoutExpired):
            pass

    def check(self):
        """Everything that waits comes to the host now, and nothing came twice."""
        end, waiting = time.monotonic() + END_SECONDS, []
        while time.monotonic() < end:
            # It can end by itself as long as the database is away.
            if self.process.poll() is not None:
                self.begin()
            self.site.sql("DELETE FROM card_companion.pin_export_count")
            waiting = self.site.sql(WAITING)
            if not waiting:
                break
            time.sleep(1)
        if waiting:
            self.record.violation(f"{len(waiting)} chosen PINs did not come to the host, such as that of {waiting[0]}")
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(30) != 0:
            self.record.violation(f"the connector ended with {self.process.returncode}")
        self.check_values()

    def check_values(self):
        values, last = {}, {}
        notes = self.folder / "host.log"
        for line in notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []:
            unique_id, event, call, value = json.loads(line)
            if call is not None:
                last[unique_id] = event
            if call is None and value not in GONE:
                self.record.violation(f"the export for event {event} was refused: {value}")
            elif call is not None and (call != f"pvv-{event}" or values.setdefault(event, value) != value):
                self.record.violation(f"the host got another value for event {event}")
        works = self.site.sql(
            "SELECT unique_id, event_id FROM card_companion.chosen_pin JOIN card_companion.cardholder USING (bank_id, unique_id) "
            "WHERE chosen_pin.pin_serial = cardholder.pin_serial AND state = 'effective'")
        for unique_id, event in (row.split("|") for row in works):
            if last.get(unique_id) != event:
                self.record.violation(f"the host got another PIN of {unique_id} after the one that works")
        twice = self.site.sql(
            "SELECT count(*) FROM (SELECT data->>'idempotencyKey' FROM card_companion.event WHERE type = 'pin.exported' "
            "GROUP BY 1 HAVING count(*) > 1) AS twice")
        if twice != ["0"]:
            self.record.violation(f"{twice[0]} PINs were exported twice")
        if not values:
            self.record.violation("no PIN came to the host")
        self.values = len(values)
