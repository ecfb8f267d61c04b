"""The small site: one PostgreSQL and two servers on this machine. It needs no root and no packages but PostgreSQL."""

import os
import pathlib
import signal
import socket
import subprocess

from cluster import (
    POSTGRES_USER, ClusterError, DatabaseMachine, Machine, answers, make_folder, postgres_binaries, run_as, until)
from wire import TOLERANCE_SECONDS, Server

AUTHORITY = "pin.chaos.test"
HOST = "127.0.0.1"


class SingleSite:
    """One PostgreSQL, two servers."""

    name = "one PostgreSQL, two servers"

    def __init__(self, program, folder, environment=None):
        self.program, self.folder, self.more_environment = program, pathlib.Path(folder), environment or {}
        self.folder.chmod(0o755)
        self.database = DatabaseMachine("db", HOST, self.folder / "db")
        make_folder(self.database.folder, POSTGRES_USER)
        self.port = free_port()
        self.places = {"app1": (HOST, free_port()), "app2": (HOST, free_port())}
        self.machines = []
        self.servers = []

    def start(self):
        binaries = postgres_binaries()
        data = self.database.folder / "postgresql"
        subprocess.run(
            [*run_as(POSTGRES_USER), binaries / "initdb", "--data-checksums", "--username=postgres", "--auth=trust",
             "--no-instructions", "--pgdata", data], check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.start_postgres()
        self.sql(
            "CREATE ROLE card_companion_service NOLOGIN; CREATE ROLE companion_migrate LOGIN;"
            "CREATE ROLE companion_serve LOGIN IN ROLE card_companion_service;"
            "CREATE DATABASE cards OWNER companion_migrate;", database="postgres")
        start_servers(self, self.places)

    def start_postgres(self):
        data = self.database.folder / "postgresql"
        if not self.database.is_running("postgres"):
            self.database.start(
                "postgres",
                [postgres_binaries() / "postgres", "-D", data, "-h", HOST, "-p", self.port, "-k", ""], POSTGRES_USER)
        until(self.is_whole, 60, f"PostgreSQL did not start: see {self.database.folder}/postgres.log")

    def url(self, user):
        return f"postgresql://companion_{user}@{HOST}:{self.port}/cards?connect_timeout=2&tcp_user_timeout=5000"

    def sql(self, text, database="cards"):
        result = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", HOST, "-p", str(self.port), "-U", "postgres", "-d", database],
            input=text, capture_output=True, text=True, timeout=30)
        if result.returncode != 0:
            raise ClusterError(f"psql: {result.stderr.strip()}")
        return result.stdout.splitlines()

    def is_whole(self):
        try:
            return self.sql("SELECT 1", database="postgres") == ["1"]
        except (ClusterError, subprocess.TimeoutExpired):
            return False

    def replicas_agree(self):
        return True

    def stop(self):
        stop_servers(self)
        self.database.kill("postgres", signal.SIGINT)


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def start_servers(site, places, prefixes=None, prepare=lambda machine: None):
    """Migrates, makes the bank, and starts servers. They share the vault file, as all servers of an installation must."""
    vault = site.folder / "vault"
    make_folder(vault)
    site.server_environment = {
        "DATABASE_URL": site.url("serve"), "VAULT_FILE": str(vault / "vault.key"), "HTTP_NAMES": AUTHORITY,
        "HTTP_PLAIN": "allowed", "HTTP_ADDRESS_RATE": "100000", "HTTP_ADDRESS_BURST": "100000",
        "LOG_LEVEL": "warning", "SWIFT_BACKTRACE": "enable=no", **getattr(site, "more_environment", {})}
    site.bank_folder = site.folder / "bank"
    command(site, ["migrate"], DATABASE_URL=site.url("migrate"))
    make_sandbox(site)
    command(site, [
        "bank", "set", "SANDBOX", "--text-pins", "true", "--timestamp-tolerance", f"{TOLERANCE_SECONDS}",
        "--definitions-per-day", "100", "--fetch-limit", "100", "--weak-pin-rules", "none", "--retention", "erase",
        "--defined-pins", "deliver"])
    for name, (host, port) in places.items():
        machine = Machine(name, host, site.folder / name, (prefixes or {}).get(name, ()))
        make_folder(machine.folder)
        machine.log = machine.folder / "server.log"
        prepare(machine)
        machine.server = Server(name, host, port)
        site.machines.append(machine)
        site.servers.append(machine.server)
        start_server(site, len(site.servers) - 1)
    for server in site.servers:
        until(
            lambda: answers(f"http://{server.host}:{server.port}/health/ready"), 60,
            f"{server.name} did not start: see {site.folder}/{server.name}/server.log")


def start_server(site, index):
    machine, server = site.machines[index], site.machines[index].server
    environment = {
        **site.server_environment, "HTTP_HOST": server.host, "HTTP_PORT": str(server.port),
        "DATA_DIRECTORY": str(machine.folder), **getattr(machine, "environment", {})}
    machine.start("server", [site.program, "serve"], environment=environment, log=machine.log)


def stop_servers(site):
    for machine in site.machines:
        machine.kill("server", signal.SIGCONT)
        machine.kill("server", signal.SIGTERM)
    for machine in site.machines:
        try:
            machine.processes["server"].wait(40)
        except (subprocess.TimeoutExpired, KeyError):
            machine.kill("server")


def make_sandbox(site):
    """Makes the bank that the clients use. A release before 0.2.0 has one program."""
    program = pathlib.Path(f"{site.program}-sandbox")
    if program.exists():
        command(site, ["create"], program=program)
    else:
        command(site, ["sandbox"])


def command(site, arguments, program=None, **environment):
    """Runs a command of the program, or of another one, from the machine that can reach the database."""
    program = program or site.program
    result = subprocess.run(
        [*getattr(site, "command_prefix", []), program, *arguments], capture_output=True, text=True, timeout=120,
        env={**os.environ, **site.server_environment, "DATA_DIRECTORY": str(site.bank_folder), **environment})
    if result.returncode != 0:
        said = (result.stderr + result.stdout).strip()[-2000:]
        raise ClusterError(f"{program} {' '.join(arguments)}: {said}")
    return result.stdout
