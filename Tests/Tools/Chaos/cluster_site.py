"""The whole site: three machines with PostgreSQL under Patroni and etcd, and two servers, each in a network namespace of its
own. It must run inside a network, mount and process namespace of its own ('chaos.py' sees to that), as root.
"""

import pathlib
import subprocess
import sys

from cluster import Cluster, ClusterError, die_with_parent, make_folder
from single import start_servers, stop_servers

HERE = pathlib.Path(__file__).resolve().parent
DATABASES = {"db1": "10.77.0.11", "db2": "10.77.0.12", "db3": "10.77.0.13"}
DOMAIN = "cards.test"
SERVERS = {"app1": "10.77.0.21", "app2": "10.77.0.22"}
# So small that it can be filled. What the clients write in an hour, and what the comparison at the end sorts, must fit in.
DISK_MEGABYTES = 900
DISK_MEGABYTES_PER_MINUTE = 30
LOG_DISK_MEGABYTES = 64

# Less memory and disk than in production: it is a small machine.
SETTINGS = {"patroni.yml": {
    'unix_socket_directories: ""':
        'unix_socket_directories: ""\n    max_wal_size: 128MB\n    min_wal_size: 64MB\n    shared_buffers: 64MB',
    "wal_keep_size: 4GB": "wal_keep_size: 256MB"}}


class ClusterSite:
    """Three PostgreSQL, three etcd members, two servers."""

    name = "three PostgreSQL under Patroni, three etcd members, two servers"

    def __init__(self, program, folder, minutes):
        self.program, self.folder = program, pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.machines, self.servers, self.slow_cables = [], [], {}
        make_network({**DATABASES, **SERVERS})
        self._share_names()
        prefixes = {name: ["ip", "netns", "exec", name] for name in [*DATABASES, *SERVERS]}
        self.prefixes = prefixes
        for name in DATABASES:
            make_folder(self.folder / name)
            mount(self.folder / name, DISK_MEGABYTES + round(minutes * DISK_MEGABYTES_PER_MINUTE))
        self.cluster = Cluster(self.folder, DATABASES, "10.77.0.0/24", prefixes=prefixes, settings=SETTINGS)
        for machine in self.cluster.machines:
            machine.shims = self.folder / f"{machine.name}-shims"
            self._slow_binaries(machine)

    def _share_names(self):
        """Servers know the database's machines by names, from a file of our own. Other names are asked for where nobody answers."""
        self.hosts = self.folder / "hosts"
        self.know_names()
        (self.folder / "resolv.conf").write_text("nameserver 10.77.0.99\n")
        run("mount", "--bind", str(self.hosts), "/etc/hosts")
        run("mount", "--bind", str(self.folder / "resolv.conf"), "/etc/resolv.conf")

    def know_names(self):
        lines = [f"{address} {name}.{DOMAIN}" for name, address in DATABASES.items()]
        self.hosts.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))

    def forget_names(self):
        self.hosts.write_text("127.0.0.1 localhost\n")

    def _slow_binaries(self, machine):
        """A folder of PostgreSQL's programs in which 'postgres' has the shim: Patroni passes no LD_PRELOAD on."""
        make_folder(machine.shims)
        machine.shims.chmod(0o755)
        (machine.shims / "delay").write_text("0")
        (machine.shims / "delay").chmod(0o644)
        library = compile_shim("slow_fsync", machine.shims)
        for binary in self.cluster.binaries.iterdir():
            (machine.shims / binary.name).symlink_to(binary)
        (machine.shims / "postgres").unlink()
        (machine.shims / "postgres").write_text(
            f"#!/bin/sh\nFSYNC_DELAY_FILE={machine.shims}/delay LD_PRELOAD={library} "
            f'exec {self.cluster.binaries}/postgres "$@"\n')
        (machine.shims / "postgres").chmod(0o755)
        patroni = machine.folder / "patroni.yml"
        patroni.write_text(patroni.read_text().replace(f"bin_dir: {self.cluster.binaries}", f"bin_dir: {machine.shims}"))

    def start(self):
        self.cluster.start()
        self.cluster.make_database()
        library = compile_shim("clock", self.folder)
        for name in SERVERS:
            make_folder(self.folder / name)
            mount(self.folder / name, LOG_DISK_MEGABYTES)
            (self.folder / f"{name}-clock").write_text("0")
        start_servers(
            self, {name: (address, 8080) for name, address in SERVERS.items()}, self.prefixes,
            lambda machine: self._with_clock(machine, library))

    def _with_clock(self, machine, library):
        machine.clock = self.folder / f"{machine.name}-clock"
        machine.environment = {"LD_PRELOAD": library, "CLOCK_OFFSET_FILE": str(machine.clock)}

    def url(self, user):
        url = self.cluster.url(user)
        for name, address in DATABASES.items():
            url = url.replace(address, f"{name}.{DOMAIN}")
        return url

    def sql(self, text):
        return self.cluster.sql(text)

    def link(self, name, state):
        """Plugs a machine's cable in ('up') or out ('down')."""
        run("ip", "link", "set", f"v-{name}", state)

    def slow_link(self, name, delay_milliseconds, loss):
        """Puts a slow cable in the place of a machine's cable. The delay is that of one way."""
        run("ip", "link", "set", f"v-{name}", "nomaster")
        self.slow_cables[name] = subprocess.Popen(
            [sys.executable, "-B", HERE / "slow_cable.py", f"v-{name}", f"s-{name}", str(delay_milliseconds), str(loss)],
            stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.slow_cables[name].stdout.readline()
        run("ip", "link", "set", f"s-{name}", "master", "machines", "up")

    def fast_link(self, name):
        """Puts the machine's own cable back."""
        cable = self.slow_cables.pop(name)
        cable.kill()
        cable.wait()
        run("ip", "link", "set", f"v-{name}", "master", "machines")

    def is_whole(self):
        return self.cluster.is_whole()

    def replicas_agree(self):
        """Whether the standbys have what the primary has."""
        query = (
            "SELECT md5(string_agg(c::text, '' ORDER BY unique_id)) FROM card_companion.cardholder c;"
            "SELECT md5(string_agg(s::text, '' ORDER BY digest)) FROM card_companion.spent_transaction s;"
            "SELECT count(*), max(event_id) FROM card_companion.event")
        return len({tuple(self.cluster.sql(query, machine=machine)) for machine in self.cluster.machines}) == 1

    def stop(self):
        stop_servers(self)
        self.cluster.stop()


def make_network(addresses):
    """A bridge with our own address, and a namespace with a cable to it for each machine."""
    pathlib.Path("/run/netns").mkdir(parents=True, exist_ok=True)
    run("mount", "-t", "tmpfs", "none", "/run/netns")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "machines", "type", "bridge")
    run("ip", "addr", "add", "10.77.0.1/24", "dev", "machines")
    run("ip", "link", "set", "machines", "up")
    for name, address in addresses.items():
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"v-{name}", "master", "machines", "up")
        run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")
        run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "netns", "exec", name, sys.executable, "-B", HERE / "whole_checksums.py", "eth0")


def mount(folder, megabytes):
    run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "none", str(folder))


def compile_shim(name, folder):
    library = folder / f"{name}.so"
    source = HERE / "shims" / f"{name}.c"
    run("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl")
    library.chmod(0o755)
    return str(library)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise ClusterError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
