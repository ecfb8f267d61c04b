"""Faults. Each is injected, held until service is back, and healed."""

import os
import signal
import time

from single import start_server


class Fault:
    """One fault.

    `limit` is how long service may be away, in seconds, through any server that is not itself at fault. `inject` returns the
    names of the servers that are at fault. `hold` is how long the fault lasts at least. With `lasts`, service cannot be back
    before the fault is healed, and the limit counts from then on."""

    def __init__(self, name, limit, inject, heal=lambda: None, hold=6, lasts=False):
        self.name, self.limit, self.inject, self.heal = name, limit, inject, heal
        self.hold, self.lasts = hold, lasts


KILLED, FROZEN, HOST_DEAD, UNTOUCHED = 15, 45, 40, 15


def server_faults(site, random):
    """Faults of a server, for any site."""
    chosen = {}

    def choose():
        chosen["index"] = random.randrange(len(site.servers))
        return chosen["index"], site.machines[chosen["index"]], site.servers[chosen["index"]].name

    def kill():
        _, machine, name = choose()
        machine.kill("server")
        return [name]

    def freeze():
        _, machine, name = choose()
        machine.kill("server", signal.SIGSTOP)
        return [name]

    return [
        Fault("kill -9 of a server", UNTOUCHED, kill, lambda: start_server(site, chosen["index"])),
        Fault(
            "a server is frozen", UNTOUCHED, freeze,
            lambda: site.machines[chosen["index"]].kill("server", signal.SIGCONT), hold=8),
    ]


def single_faults(site, random):
    """Faults of the small site."""

    def kill():
        site.database.signal_postgres(signal.SIGKILL)
        site.database.processes["postgres"].wait()
        return []

    def restart():
        # What Patroni or systemd does.
        time.sleep(1)
        site.start_postgres()

    def kill_and_restart():
        kill()
        restart()
        return []

    def freeze():
        site.database.signal_postgres(signal.SIGSTOP)
        # Longer than an answer may take.
        time.sleep(5)
        site.database.signal_postgres(signal.SIGCONT)
        return []

    def freeze_long():
        site.database.signal_postgres(signal.SIGSTOP)
        time.sleep(12)
        site.database.signal_postgres(signal.SIGCONT)
        return []

    return [
        *server_faults(site, random),
        Fault("kill -9 of PostgreSQL", KILLED, kill_and_restart, hold=2),
        Fault("PostgreSQL is frozen for 5 s", FROZEN, freeze, hold=2),
        Fault("PostgreSQL is frozen for 12 s", FROZEN, freeze_long, hold=2),
    ]


def cluster_faults(site, random):
    """Faults of three PostgreSQL under Patroni, three etcd members and the servers."""
    at = {}

    def primary():
        at["machine"] = site.cluster.primary()
        return at["machine"]

    def replica():
        first = site.cluster.primary()
        at["machine"] = random.choice([machine for machine in site.cluster.machines if machine is not first])
        return at["machine"]

    def synchronous():
        """The standby that commits wait for."""
        first = site.cluster.primary()
        rows = first.state().get("replication", [])
        name = next((row["application_name"] for row in rows if row.get("sync_state") == "sync"), None)
        at["machine"] = next((machine for machine in site.cluster.machines if machine.name == name), replica())
        return at["machine"]

    def any_machine():
        at["machine"] = random.choice(site.cluster.machines)
        return at["machine"]

    def on(choose, act):
        def inject():
            act(choose())
            return []
        return inject

    def heal(act):
        return lambda: act(at["machine"])

    def kill_postgres(machine):
        machine.signal_postgres(signal.SIGKILL)

    def stop_postgres(machine):
        machine.signal_postgres(signal.SIGSTOP)

    def go_on_postgres(machine):
        machine.signal_postgres(signal.SIGCONT)

    def kill_machine(machine):
        for name in ("patroni", "etcd"):
            machine.kill(name)
        machine.signal_postgres(signal.SIGKILL)

    def start_machine(machine):
        machine.start_etcd()
        machine.start_patroni()

    def hang_patroni(machine):
        """The watchdog restarts the machine, ttl minus its safety margin after Patroni's last sign of life."""
        machine.kill("patroni", signal.SIGSTOP)
        time.sleep(15)
        kill_machine(machine)

    def cut(machine):
        site.link(machine.name, "down")

    def join(machine):
        site.link(machine.name, "up")

    def cut_server():
        index = random.randrange(len(site.servers))
        at["server"] = site.servers[index].name
        site.link(at["server"], "down")
        return [at["server"]]

    def fill_disk(machine):
        fill(machine.folder)

    def empty_disk(machine):
        (machine.folder / "filler").unlink(missing_ok=True)
        if not machine.is_running("etcd"):
            machine.start_etcd()
        if not machine.is_running("patroni"):
            machine.start_patroni()

    def fill_log():
        machine = site.machines[0]
        fill(machine.log.parent)
        return []

    def empty_log():
        (site.machines[0].log.parent / "filler").unlink(missing_ok=True)

    def step(seconds):
        def inject():
            index = random.randrange(len(site.machines))
            at["clock"] = site.machines[index]
            at["clock"].clock.write_text(str(seconds))
            return [site.servers[index].name]
        return inject

    def step_back():
        at["clock"].clock.write_text("0")

    def slow(machine):
        (machine.shims / "delay").write_text("300")

    def fast(machine):
        (machine.shims / "delay").write_text("0")

    return [
        *server_faults(site, random),
        Fault("kill -9 of the primary's PostgreSQL", KILLED, on(primary, kill_postgres)),
        Fault("kill -9 of a replica's PostgreSQL", KILLED, on(replica, kill_postgres)),
        Fault("the primary's PostgreSQL is frozen", FROZEN, on(primary, stop_postgres), heal(go_on_postgres), hold=25),
        Fault("the synchronous standby is frozen", FROZEN, on(synchronous, stop_postgres), heal(go_on_postgres), hold=25),
        Fault("the primary's machine dies", HOST_DEAD, on(primary, kill_machine), heal(start_machine), hold=20),
        Fault("the synchronous standby's machine dies", HOST_DEAD, on(synchronous, kill_machine), heal(start_machine), hold=20),
        Fault("the primary's Patroni hangs", HOST_DEAD, on(primary, hang_patroni), heal(start_machine), hold=20),
        Fault("kill -9 of an etcd member", KILLED, on(any_machine, lambda machine: machine.kill("etcd")),
              heal(lambda machine: machine.start_etcd()), hold=10),
        Fault("an etcd member is frozen", KILLED, on(any_machine, lambda machine: machine.kill("etcd", signal.SIGSTOP)),
              heal(lambda machine: machine.kill("etcd", signal.SIGCONT)), hold=15),
        Fault("the primary's machine is cut off", HOST_DEAD, on(primary, cut), heal(join), hold=20),
        Fault("the synchronous standby's machine is cut off", HOST_DEAD, on(synchronous, cut), heal(join), hold=20),
        Fault("a server is cut off", UNTOUCHED, cut_server, lambda: site.link(at["server"], "up"), hold=10),
        # Patroni does not replace a primary whose disk is full: PostgreSQL still runs, and refuses what it cannot write.
        Fault("the primary's disk is full", HOST_DEAD, on(primary, fill_disk), heal(empty_disk), hold=15, lasts=True),
        Fault("a server's disk for logs is full", UNTOUCHED, fill_log, empty_log, hold=8),
        Fault("a server's clock steps 100 s ahead", UNTOUCHED, step(100), step_back, hold=15),
        Fault("a server's clock steps 100 s back", UNTOUCHED, step(-100), step_back, hold=15),
        Fault("the primary's fsync takes 300 ms", UNTOUCHED, on(primary, slow), heal(fast), hold=15),
    ]


def fill(folder):
    """Takes all of the room on a folder's disk, which must be a small one of its own."""
    if not os.path.ismount(folder):
        raise RuntimeError(f"{folder} is not a disk of its own")
    size = 1 << 30
    with open(folder / "filler", "wb") as file:
        while size >= 4096:
            try:
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
            except OSError:
                size //= 2
