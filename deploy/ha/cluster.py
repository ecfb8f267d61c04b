"""Starts and stops the machines of the worked configuration as processes of this machine: three with etcd and PostgreSQL
under Patroni, and servers. `make ha` and `make chaos` use it. It needs Python 3.9 or later, and nothing else.
"""

import ctypes
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import string
import subprocess
import threading
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
POSTGRES_USER = "postgres"
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class ClusterError(Exception):
    """What went wrong, for a person."""


class Machine:
    """One machine: an address, a folder, and processes that a prefix puts into their place (such as a network namespace)."""

    def __init__(self, name, address, folder, prefix=()):
        self.name, self.address, self.prefix = name, address, list(prefix)
        self.folder = pathlib.Path(folder)
        self.processes = {}

    def start(self, name, command, user=None, environment=None, log=None):
        """Starts a program that keeps running. Its output goes to a file in the machine's folder."""
        log = log or self.folder / f"{name}.log"
        as_user = run_as(user) if user else []
        with open(log, "ab") as file:
            self.processes[name] = subprocess.Popen(
                [*self.prefix, *as_user, *map(str, command)], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                cwd="/", env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})}, start_new_session=True)
        return self.processes[name]

    def kill(self, name, number=signal.SIGKILL):
        """Sends a signal to a program, and waits for its end if it is SIGKILL."""
        process = self.processes.get(name)
        if process and process.poll() is None:
            process.send_signal(number)
            if number == signal.SIGKILL:
                process.wait()

    def is_running(self, name):
        return name in self.processes and self.processes[name].poll() is None


class DatabaseMachine(Machine):
    """A machine with an etcd member, Patroni and its PostgreSQL."""

    def start_etcd(self):
        return self.start("etcd", ["etcd", "--config-file", self.folder / "etcd.yml"], POSTGRES_USER)

    def start_patroni(self, environment=None):
        return self.start("patroni", ["patroni", self.folder / "patroni.yml"], POSTGRES_USER, environment)

    @property
    def postmaster(self):
        """PostgreSQL's first process; None if it does not run. Patroni starts it, but it is not Patroni's child."""
        try:
            pid = int((self.folder / "postgresql/postmaster.pid").read_text().split("\n")[0])
            return pid if comm(pid) == "postgres" else None
        except (OSError, ValueError, IndexError):
            return None

    def postgres_processes(self):
        """PostgreSQL's processes, the first one at the front."""
        first = self.postmaster
        return [first, *children(first)] if first else []

    def signal_postgres(self, number):
        """Sends a signal to all of PostgreSQL's processes. New ones cannot come if the first one is stopped or killed."""
        first = self.postmaster
        if first:
            # Those of a killed one are orphans afterwards.
            before = children(first)
            send(first, number)
            time.sleep(0.05)
            for pid in {*before, *children(first)}:
                send(pid, number)
        return first is not None

    def state(self):
        """What Patroni says of its PostgreSQL, such as {'state': 'running', 'role': 'master'}; {} without an answer."""
        return get_json(f"http://{self.address}:8008/patroni")


class Cluster:
    """Three database machines."""

    def __init__(self, folder, addresses, network, watchdog="off", prefixes=None, settings=None):
        """`addresses` are those of db1 to db3, `network` that of all machines in CIDR form."""
        self.folder = pathlib.Path(folder)
        self.addresses = addresses
        require_programs()
        self.binaries = postgres_binaries()
        self.passwords = self._passwords()
        prefixes = prefixes or {}
        self.machines = [
            DatabaseMachine(name, address, self.folder / name, prefixes.get(name, ()))
            for name, address in addresses.items()]
        for machine in self.machines:
            make_folder(machine.folder, POSTGRES_USER)
            for file in ("etcd.yml", "patroni.yml"):
                values = {
                    **addresses, **self.passwords, "node": machine.name, "address": machine.address,
                    "data": machine.folder, "binaries": self.binaries, "network": network, "watchdog": watchdog}
                write(machine.folder / file, fill(file, values, settings), POSTGRES_USER)

    def _passwords(self):
        """Made once, and kept beside the data."""
        file = self.folder / "passwords.json"
        if not file.exists():
            names = ("superuser", "replication", "rest", "serve", "migrate")
            make_folder(self.folder)
            write(file, json.dumps({f"{name}_password": secrets.token_hex(16) for name in names}))
        return json.loads(file.read_text())

    def start(self, seconds=120, environment=None):
        """Starts everything, and returns when there is a primary with a synchronous standby."""
        for machine in self.machines:
            machine.start_etcd()
        until(lambda: any(self.etcd_is_healthy(machine) for machine in self.machines), 30, "etcd has no leader")
        for machine in self.machines:
            machine.start_patroni((environment or {}).get(machine.name))
        until(self.is_whole, seconds, f"the database did not come up: see {self.folder}/db*/patroni.log", self.check)

    def check(self):
        for machine in self.machines:
            for name in ("etcd", "patroni"):
                if not machine.is_running(name):
                    raise ClusterError(f"{name} of {machine.name} has ended: see {machine.folder}/{name}.log")

    def etcd_is_healthy(self, machine):
        return get_json(f"http://{machine.address}:2379/health").get("health") == "true"

    def primary(self):
        """The machine whose PostgreSQL Patroni calls the primary; None if there is none."""
        leaders = [
            machine for machine in self.machines
            if machine.state().get("role") in ("master", "primary")]
        return leaders[0] if len(leaders) == 1 else None

    def is_whole(self):
        """Whether there is one primary, two standbys stream from it, and Patroni has chosen the synchronous one."""
        primary = self.primary()
        if primary is None:
            return False
        replication = primary.state().get("replication", [])
        members = get_json(f"http://{primary.address}:8008/cluster").get("members", [])
        return (
            [row.get("state") for row in replication].count("streaming") == 2
            and any(member.get("role") == "sync_standby" for member in members))

    def url(self, user, options="target_session_attrs=read-write&connect_timeout=2&tcp_user_timeout=5000"):
        """The database's URL for the role that serves or that migrates."""
        password = self.passwords[f"{user}_password"]
        hosts = ",".join(self.addresses.values())
        return f"postgresql://companion_{user}:{password}@{hosts}/cards?{options}"

    def sql(self, text, database="cards", machine=None, seconds=30):
        """Runs statements as the superuser, from the primary's machine. Returns the rows, with columns between '|'."""
        machine = machine or self.primary()
        if machine is None:
            raise ClusterError("there is no primary")
        result = subprocess.run(
            [*machine.prefix, "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", machine.address, "-U", "postgres",
             "-d", database, "-f", "-"],
            input=text, capture_output=True, text=True, timeout=seconds,
            env={**os.environ, "PGPASSWORD": self.passwords["superuser_password"]})
        if result.returncode != 0:
            raise ClusterError(f"psql: {result.stderr.strip()}")
        return result.stdout.splitlines()

    def make_database(self):
        """Makes the roles and the database of docs/operations.md, if they are not there."""
        if self.sql("SELECT 1 FROM pg_database WHERE datname = 'cards'", "postgres"):
            return
        self.sql(
            f"""
            CREATE ROLE card_companion_service NOLOGIN;
            CREATE ROLE companion_migrate LOGIN PASSWORD '{self.passwords["migrate_password"]}';
            CREATE ROLE companion_serve LOGIN PASSWORD '{self.passwords["serve_password"]}' IN ROLE card_companion_service;
            CREATE DATABASE cards OWNER companion_migrate;
            REVOKE CONNECT ON DATABASE cards FROM PUBLIC;
            GRANT CONNECT ON DATABASE cards TO companion_serve;
            """, "postgres")

    def stop(self, seconds=30):
        """Stops PostgreSQL with a checkpoint, then etcd."""
        for name in ("patroni", "etcd"):
            running = [machine for machine in self.machines if machine.is_running(name)]
            for machine in running:
                machine.kill(name, signal.SIGTERM)
            for machine in running:
                try:
                    machine.processes[name].wait(seconds)
                except subprocess.TimeoutExpired:
                    machine.kill(name)


def fill(file, values, settings=None):
    """A file of the worked configuration with its values, and with other texts replaced."""
    text = string.Template((HERE / file).read_text()).substitute({name: str(value) for name, value in values.items()})
    for old, new in (settings or {}).get(file, {}).items():
        if old not in text:
            raise ClusterError(f"deploy/ha/{file} has no '{old}'")
        text = text.replace(old, new)
    return text


def write(path, text, user=None):
    path.write_text(text)
    path.chmod(0o600)
    give(path, user)


def make_folder(path, user=None):
    path.mkdir(parents=True, exist_ok=True)
    if user:
        path.chmod(0o700)
        give(path, user)


def give(path, user):
    if user and os.geteuid() == 0:
        shutil.chown(path, user, user)


def run_as(user):
    """The command that lets root run a program as `user`. Others run it as themselves."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env", f"HOME={pwd.getpwnam(user).pw_dir}"]


def postgres_binaries():
    """The folder of the newest PostgreSQL."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not folders:
        raise ClusterError("there is no PostgreSQL in /usr/lib/postgresql: run deploy/install-packages ha")
    return folders[-1].parent


def require_programs():
    """Without them, the machines would only be found not to start."""
    for name in ("etcd", "patroni"):
        if not shutil.which(name):
            raise ClusterError(f"there is no {name} on the PATH: run deploy/install-packages ha")


def get_json(url, seconds=2):
    try:
        with urllib.request.urlopen(url, timeout=seconds) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        # Patroni answers 503 with the same body if the PostgreSQL is not the one that was asked for.
        try:
            return json.load(error)
        except (OSError, ValueError):
            return {}
    except (OSError, ValueError):
        return {}


def answers(url, seconds=2):
    """Whether the answer is a success."""
    try:
        with urllib.request.urlopen(url, timeout=seconds):
            return True
    except (OSError, ValueError):
        return False


def until(condition, seconds, message, check=lambda: None):
    """Waits until the condition holds.

    Raises ClusterError with the message if it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        check()
        if time.monotonic() > end:
            raise ClusterError(message)
        time.sleep(0.25)


# MARK: - Processes

def comm(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def process_table():
    """(pid, parent, state, name) of every process."""
    table = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                text = pathlib.Path(entry.path, "stat").read_text()
            except OSError:
                continue
            name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
            table.append((int(entry.name), int(rest[1]), rest[0], name))
    return table


def children(pid):
    return [child for child, parent, state, _ in process_table() if parent == pid and state != "Z"]


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def become_reaper():
    """Makes orphans this process's children, and takes the dead among PostgreSQL's: Patroni would take them for alive."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def reap():
        while True:
            for pid, parent, state, name in process_table():
                if parent == os.getpid() and state == "Z" and name == "postgres":
                    try:
                        os.waitpid(pid, os.WNOHANG)
                    except ChildProcessError:
                        pass
            time.sleep(0.25)

    threading.Thread(target=reap, daemon=True).start()


def die_with_parent():
    """Lets this process be killed when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def kill_descendants():
    """Kills everything that this process has started, and what that has started."""
    while True:
        mine, table = {os.getpid()}, process_table()
        for _ in range(len(table)):
            more = {pid for pid, parent, _, _ in table if parent in mine} - mine
            if not more:
                break
            mine |= more
        living = [pid for pid, _, state, _ in table if pid in mine - {os.getpid()} and state != "Z"]
        if not living:
            return
        for pid in living:
            send(pid, signal.SIGKILL)
        time.sleep(0.1)
