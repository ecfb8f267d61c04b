"""Faults. Each is injected, held until service is back, and healed."""

import os
import signal
import time

from single import start_server
from workload import CLOCK_STEP_SECONDS, Flood


class Fault:
    """One fault.

    `choose` says what it strikes, `inject` does it and returns the names of the servers that are at fault, `heal` ends it.

    `limit` is how long service may be away, in seconds, through any server that is not itself at fault. `hold` is how long the
    fault lasts at least. With `lasts`, service cannot be back before the fault is healed, and the limit counts from then on. With
    `recovers`, no standby has to take over: service is back RECOVERED seconds after the end of the fault, whatever was before."""

    def __init__(self, key, name, limit, inject, heal=lambda: None, choose=lambda: None, hold=6, lasts=False, recovers=False):
        self.key, self.name, self.limit = key, name, limit
        self.choose, self.inject, self.heal = choose, inject, heal
        self.hold, self.lasts, self.recovers = hold, lasts, recovers


class Pair:
    """Two faults at once."""

    def __init__(self, first, second):
        self.faults = [first, second]
        self.key, self.name = f"{first.key}+{second.key}", f"{first.name}; {second.name}"
        self.limit, self.hold = max(first.limit, second.limit), max(first.hold, second.hold)
        self.lasts = first.lasts or second.lasts
        self.recovers = first.recovers and second.recovers

    def choose(self):
        # Before the first one is injected: then there is a primary.
        for fault in self.faults:
            fault.choose()

    def inject(self):
        return [name for fault in self.faults for name in fault.inject()]

    def heal(self):
        for fault in reversed(self.faults):
            fault.heal()


KILLED, FROZEN, HOST_DEAD, UNTOUCHED = 15, 45, 40, 15
RECOVERED = 5


class Strike:
    """A fault of one machine: `act` on what `choose` returns, and later `undo`."""

    def __init__(self, choose, act, undo=lambda machine: None):
        self._choose, self.act, self.undo = choose, act, undo
        self.machine = None

    def choose(self):
        self.machine = self._choose()

    def inject(self):
        self.act(self.machine)
        return []

    def heal(self):
        self.undo(self.machine)

    def fault(self, key, name, limit, **options):
        return Fault(key, name, limit, self.inject, self.heal, self.choose, **options)


class ServerStrike(Strike):
    """The same, of a server: it is at fault itself."""

    def inject(self):
        super().inject()
        return [self.machine.server.name]


def server_faults(site, random):
    """Faults of a server, for any site."""

    def server():
        return random.choice(site.machines)

    def start(machine):
        start_server(site, site.machines.index(machine))

    def stop(machine):
        machine.kill("server", signal.SIGSTOP)

    def go_on(machine):
        machine.kill("server", signal.SIGCONT)

    return [
        ServerStrike(server, lambda machine: machine.kill("server"), start).fault(
            "server-killed", "kill -9 of a server", UNTOUCHED, recovers=True),
        ServerStrike(server, stop, go_on).fault("server-frozen", "a server is frozen", UNTOUCHED, hold=8, recovers=True),
    ]


def single_faults(site, random):
    """Faults of the small site."""

    def kill():
        site.database.signal_postgres(signal.SIGKILL)
        site.database.processes["postgres"].wait()
        # What Patroni or systemd does.
        time.sleep(1)
        site.start_postgres()
        return []

    def freeze(seconds):
        def inject():
            site.database.signal_postgres(signal.SIGSTOP)
            # Longer than an answer may take.
            time.sleep(seconds)
            site.database.signal_postgres(signal.SIGCONT)
            return []
        return inject

    return [
        *server_faults(site, random),
        Fault("killed", "kill -9 of PostgreSQL", KILLED, kill, hold=2),
        Fault("frozen-5", "PostgreSQL is frozen for 5 s", FROZEN, freeze(5), hold=2),
        Fault("frozen-12", "PostgreSQL is frozen for 12 s", FROZEN, freeze(12), hold=2),
    ]


def cluster_faults(site, random, bank):
    """Faults of three PostgreSQL under Patroni, three etcd members and the servers, one and two at a time."""
    one = {fault.key: fault for fault in [
        *server_faults(site, random), *machine_faults(site, random), *slow_faults(site, random), *disk_and_clock_faults(site, random),
        names_lost(site), flood(site, bank)]}
    two = [Pair(one[first], one[second]) for first, second in PAIRS]
    # A clock that steps changes nothing about any other fault of machines.
    steps = [
        Pair(one[("clock-ahead", "clock-back")[number % 2]], one[key])
        for number, key in enumerate(key for key in one if not key.startswith(("clock", "server", "log")))]
    return [*one.values(), *two, *steps]


# What may happen together without taking away two of three machines.
PAIRS = [
    ("server-cut", "disk-300"),
    ("server-cut", "etcd-killed"),
    ("server-cut", "network"),
    ("server-killed", "disk-1000"),
    ("server-killed", "standby-slow"),
    ("server-killed", "flood"),
    ("server-frozen", "primary-dead"),
    ("server-frozen", "disk-300"),
    ("network", "disk-50"),
    ("standby-slow", "etcd-frozen"),
    ("standby-slow", "disk-50"),
    ("replica-killed", "disk-50"),
    ("log-full", "primary-killed"),
    ("flood", "primary-killed"),
    ("flood", "primary-dead"),
    ("flood", "standby-frozen"),
    ("flood", "disk-300"),
    ("flood", "network"),
]


def machine_faults(site, random):
    """Machines of the database that die, freeze or are cut off."""
    choose = Choice(site, random)

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

    primary, replica, synchronous, any_machine = choose.primary, choose.replica, choose.synchronous, choose.any
    return [
        Strike(primary, kill_postgres).fault("primary-killed", "kill -9 of the primary's PostgreSQL", KILLED),
        Strike(replica, kill_postgres).fault("replica-killed", "kill -9 of a replica's PostgreSQL", KILLED),
        Strike(primary, stop_postgres, go_on_postgres).fault(
            "primary-frozen", "the primary's PostgreSQL is frozen", FROZEN, hold=25),
        Strike(synchronous, stop_postgres, go_on_postgres).fault(
            "standby-frozen", "the synchronous standby is frozen", FROZEN, hold=25),
        Strike(primary, kill_machine, start_machine).fault("primary-dead", "the primary's machine dies", HOST_DEAD, hold=20),
        Strike(synchronous, kill_machine, start_machine).fault(
            "standby-dead", "the synchronous standby's machine dies", HOST_DEAD, hold=20),
        Strike(primary, hang_patroni, start_machine).fault("patroni-hangs", "the primary's Patroni hangs", HOST_DEAD, hold=20),
        Strike(any_machine, lambda machine: machine.kill("etcd"), lambda machine: machine.start_etcd()).fault(
            "etcd-killed", "kill -9 of an etcd member", KILLED, hold=10),
        Strike(
            any_machine, lambda machine: machine.kill("etcd", signal.SIGSTOP),
            lambda machine: machine.kill("etcd", signal.SIGCONT),
        ).fault("etcd-frozen", "an etcd member is frozen", KILLED, hold=15),
        Strike(primary, cut, join).fault("primary-cut", "the primary's machine is cut off", HOST_DEAD, hold=20),
        Strike(synchronous, cut, join).fault("standby-cut", "the synchronous standby's machine is cut off", HOST_DEAD, hold=20),
        ServerStrike(choose.server, lambda machine: cut(machine.server), lambda machine: join(machine.server)).fault(
            "server-cut", "a server is cut off", UNTOUCHED, hold=10, recovers=True),
    ]


def slow_faults(site, random):
    """What is slow, but not away. Nothing takes over, so service is as before soon after the end."""
    choose = Choice(site, random)

    def delay(milliseconds):
        return lambda machine: (machine.shims / "delay").write_text(str(milliseconds))

    def disk(milliseconds):
        return Strike(choose.primary, delay(milliseconds), delay(0)).fault(
            f"disk-{milliseconds}", f"the primary's fsync takes {milliseconds} ms", UNTOUCHED, hold=15, recovers=True)

    return [
        disk(50), disk(300),
        # A commit waits for two flushes after each other, the primary's and the standby's, so an answer can come too late.
        Strike(choose.primary, delay(1000), delay(0)).fault(
            "disk-1000", "the primary's fsync takes 1,000 ms", UNTOUCHED, hold=15, lasts=True, recovers=True),
        Strike(choose.synchronous, delay(300), delay(0)).fault(
            "standby-slow", "the synchronous standby's fsync takes 300 ms", UNTOUCHED, hold=15, recovers=True),
        Strike(
            choose.primary, lambda machine: site.slow_link(machine.name, delay_milliseconds=50, loss=0.01),
            lambda machine: site.fast_link(machine.name),
        ).fault(
            "network", "the primary's network takes 100 ms there and back, and loses 1 % of frames", UNTOUCHED, hold=15,
            lasts=True, recovers=True),
    ]


def disk_and_clock_faults(site, random):
    """Full disks, and clocks that step."""
    choose = Choice(site, random)

    def empty_disk(machine):
        (machine.folder / "filler").unlink(missing_ok=True)
        if not machine.is_running("etcd"):
            machine.start_etcd()
        if not machine.is_running("patroni"):
            machine.start_patroni()

    def step(seconds):
        return lambda machine: machine.clock.write_text(str(seconds))

    return [
        # Patroni does not replace a primary whose disk is full: PostgreSQL still runs, and refuses what it cannot write.
        Strike(choose.primary, lambda machine: fill(machine.folder), empty_disk).fault(
            "disk-full", "the primary's disk is full", HOST_DEAD, hold=15, lasts=True),
        Strike(
            choose.server, lambda machine: fill(machine.log.parent),
            lambda machine: (machine.log.parent / "filler").unlink(missing_ok=True),
        ).fault("log-full", "a server's disk for logs is full", UNTOUCHED, hold=8),
        ServerStrike(choose.server, step(CLOCK_STEP_SECONDS), step(0)).fault(
            "clock-ahead", f"a server's clock steps {CLOCK_STEP_SECONDS} s ahead", UNTOUCHED, hold=15, recovers=True),
        ServerStrike(choose.server, step(-CLOCK_STEP_SECONDS), step(0)).fault(
            "clock-back", f"a server's clock steps {CLOCK_STEP_SECONDS} s back", UNTOUCHED, hold=15, recovers=True),
    ]


def names_lost(site):
    """Nobody resolves the names of the database's machines. Connections that are open go on."""

    def inject():
        site.forget_names()
        return []

    return Fault(
        "names-lost", "the names of the database's machines are not resolved", UNTOUCHED, inject, site.know_names, hold=15,
        recovers=True)


def flood(site, bank):
    """More requests than the servers can answer. They refuse what comes last in their order, as the probes' calls."""
    floods = []

    def inject():
        floods.append(Flood(site, bank))
        floods[-1].start()
        return []

    return Fault(
        "flood", "more requests than the servers can answer", UNTOUCHED, inject, lambda: floods.pop().stop(), hold=10, lasts=True,
        recovers=True)


class Choice:
    """The machine that a fault strikes."""

    def __init__(self, site, random):
        self.site, self.random = site, random

    def primary(self):
        return self.site.cluster.primary()

    def replica(self):
        first = self.site.cluster.primary()
        return self.random.choice([machine for machine in self.site.cluster.machines if machine is not first])

    def synchronous(self):
        """The standby that commits wait for."""
        rows = self.site.cluster.primary().state().get("replication", [])
        name = next((row["application_name"] for row in rows if row.get("sync_state") == "sync"), None)
        machines = self.site.cluster.machines
        return next((machine for machine in machines if machine.name == name), None) or self.replica()

    def any(self):
        return self.random.choice(self.site.cluster.machines)

    def server(self):
        return self.random.choice(self.site.machines)


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
