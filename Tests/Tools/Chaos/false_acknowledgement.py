#!/usr/bin/env python3
"""Shows whether a server acknowledges a write that a failover loses.

    .venv/bin/python3 Tests/Tools/Chaos/false_acknowledgement.py --program .build/release/card-companion

The synchronous standby is frozen, so a commit waits for it. Then somebody cancels the waiting statement
(pg_cancel_backend). PostgreSQL answers as after any commit, with the warning "canceling wait for synchronous replication":
the write is on one machine only. The server must not answer with success, because its outcome is unknown. The primary then
dies, and the standby takes over. The exit status is 1 if a write that was acknowledged is lost.
"""

import argparse
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "deploy/ha"))

from cluster import (  # noqa: E402
    POSTGRES_USER, DatabaseMachine, become_reaper, kill_descendants, make_folder, postgres_binaries, run_as, until)
from single import AUTHORITY, HOST, SingleSite, free_port  # noqa: E402
from wire import Bank  # noqa: E402

WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


class Standby(DatabaseMachine):
    """A synchronous standby of a small site's database."""

    def __init__(self, site):
        super().__init__("standby", HOST, site.folder / "standby")
        self.site, self.port = site, free_port()
        make_folder(self.folder, POSTGRES_USER)
        subprocess.run(
            [*run_as(POSTGRES_USER), postgres_binaries() / "pg_basebackup", "-h", HOST, "-p", str(site.port), "-U", "postgres",
             "-D", self.folder / "postgresql", "-R", "-X", "stream", "-c", "fast", "-d", f"application_name={self.name}"],
            check=True, cwd="/")
        self.start_postgres()
        site.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{self.name}'")
        site.sql("SELECT pg_reload_conf()")
        until(
            lambda: site.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"], 30,
            f"the standby does not stream: see {self.folder}/postgres.log")

    def start_postgres(self):
        self.start(
            "postgres",
            [postgres_binaries() / "postgres", "-D", self.folder / "postgresql", "-h", HOST, "-p", self.port, "-k", ""],
            POSTGRES_USER)


def lost_write(site):
    """Returns the HTTP status of the write, and whether the new primary has it."""
    standby = Standby(site)
    bank = Bank(site.bank_folder / "sandbox", AUTHORITY)
    server = site.servers[0]
    # The first call also spends a nonce and learns the bank: nothing but the write itself waits later.
    warm = bank.cardholder(server, "PUT", "before", {"status": "ACTIVE"})
    print(f"before: HTTP {warm.status}")
    standby.signal_postgres(signal.SIGSTOP)
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(bank.cardholder(server, "PUT", "victim", {"status": "ACTIVE"}, seconds=60)))
    thread.start()
    cancelled = 0
    while thread.is_alive():
        # A signed call commits twice: its nonce, then the change.
        for pid in site.sql(WAITING):
            site.sql(f"SELECT pg_cancel_backend({pid})")
            cancelled += 1
        time.sleep(0.2)
    print(f"cancelled {cancelled} waiting statements; the server answered HTTP {answers[0].status}")
    # Both die, and with the frozen standby what had reached its machine's memory only.
    site.database.signal_postgres(signal.SIGKILL)
    standby.signal_postgres(signal.SIGKILL)
    standby.processes["postgres"].wait()
    standby.start_postgres()
    site.port = standby.port
    until(site.is_whole, 30, "the standby does not answer")
    site.sql("SELECT pg_promote()")
    found = site.sql("SELECT count(*) FROM card_companion.cardholder WHERE unique_id = 'victim'") == ["1"]
    print(f"the new primary {'has' if found else 'does not have'} the cardholder")
    return answers[0].status, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/card-companion", help="card-companion")
    arguments = parser.parse_args()
    become_reaper()
    with tempfile.TemporaryDirectory(prefix="card-companion-chaos-", ignore_cleanup_errors=True) as folder:
        site = SingleSite(str(pathlib.Path(arguments.program).resolve()), folder)
        try:
            site.start()
            status, found = lost_write(site)
        finally:
            kill_descendants()
    if status in (200, 201) and not found:
        print("FAIL an acknowledged write is lost")
        return 1
    print("ok   nothing that was acknowledged is lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
