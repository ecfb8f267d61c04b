#!/usr/bin/env python3
"""Brings up the worked configuration on this machine: three PostgreSQL under Patroni, three etcd, two servers, haproxy.

    make ha

Each "machine" has an address of its own on loopback: db1 to db3 are 127.0.0.11 to 127.0.0.13, the servers 127.0.0.21 and
127.0.0.22, haproxy 127.0.0.10. The ports are those of production. Ctrl-C stops everything; the data stays in the folder,
and the next start goes on with it.
"""

import argparse
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

from cluster import (
    POSTGRES_USER, Cluster, ClusterError, Machine, answers, become_reaper, fill, kill_descendants, make_folder, run_as,
    until, write)

DATABASES = {"db1": "127.0.0.11", "db2": "127.0.0.12", "db3": "127.0.0.13"}
SERVERS = {"app1": "127.0.0.21", "app2": "127.0.0.22"}
PROXY = "127.0.0.10"
PORTS = {**{address: (2379, 2380, 5432, 8008) for address in DATABASES.values()},
         **{address: (8080,) for address in [*SERVERS.values(), PROXY]}}


def check_ports():
    for address, ports in PORTS.items():
        for port in ports:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind((address, port))
                except OSError as error:
                    raise ClusterError(
                        f"{address}:{port} cannot be used ({error.strerror}): stop the program that listens on port "
                        f"{port} of all addresses ('ss -ltnp sport = :{port}' names it), or an earlier 'make ha'")


def check_folder(folder):
    """PostgreSQL does not run as root, and its user must be able to reach its files."""
    if os.geteuid() == 0:
        reached = subprocess.run([*run_as(POSTGRES_USER), "test", "-x", str(folder)]).returncode == 0
        if not reached:
            raise ClusterError(f"the user {POSTGRES_USER} cannot enter {folder}: set HA_DATA to a folder that it can enter")


def start_servers(program, folder, cluster):
    """Migrates, makes the sandbox bank, and starts the servers and haproxy."""
    owner = {**os.environ, "DATABASE_URL": cluster.url("migrate")}
    subprocess.run([program, "migrate"], env=owner, check=True)
    vault = folder / "app1/vault.key"
    machines = []
    for name, address in SERVERS.items():
        machine = Machine(name, address, folder / name)
        make_folder(machine.folder)
        values = {
            **DATABASES, **cluster.passwords, "address": address, "proxy": PROXY, "data": machine.folder, "vault": vault,
            "names": f"{PROXY}:8080"}
        write(machine.folder / "config.json", fill("config.json", values))
        machines.append(machine)
    configuration = ["--config", str(machines[0].folder / "config.json")]
    if not (machines[0].folder / "sandbox").exists():
        subprocess.run([f"{program}-sandbox", "create", *configuration], check=True, stdout=subprocess.DEVNULL)
    for machine in machines:
        machine.start("server", [program, "serve", "--config", machine.folder / "config.json"])
    proxy = Machine("haproxy", PROXY, folder / "haproxy")
    make_folder(proxy.folder)
    write(proxy.folder / "haproxy.cfg", fill("haproxy.cfg", {**SERVERS, "address": PROXY}))
    proxy.start("haproxy", ["/usr/sbin/haproxy", "-db", "-f", proxy.folder / "haproxy.cfg"])
    for machine in machines:
        until(
            lambda: answers(f"http://{machine.address}:8080/health/ready"), 60,
            f"{machine.name} did not start: see {machine.folder}/server.log")
    until(lambda: answers(f"http://{PROXY}:8080/health/ready"), 30, f"haproxy did not start: see {proxy.folder}/haproxy.log")
    return [*machines, proxy]


def explain(cluster, folder):
    patroni = folder / "db1/patroni.yml"
    print(f"""
The service is at http://{PROXY}:8080 (haproxy). The primary is {cluster.primary().name}. Logs are in {folder}/*/*.log.
Try, in another terminal:

    make app                                         builds the app of the next line
    .build/release/sandbox-app --url http://{PROXY}:8080 --sandbox {folder}/app1/sandbox --cardholder alice --image pin.png
    patronictl -c {patroni} list                     who is the primary, and which standby is synchronous
    patronictl -c {patroni} switchover --force       another one becomes the primary
    kill -9 $(head -1 {folder}/{cluster.primary().name}/postgresql/postmaster.pid)      PostgreSQL dies; Patroni starts it again

Ctrl-C stops everything.""", flush=True)


def watch(cluster, machines):
    """Says who is the primary whenever that changes, until a program ends."""
    last = cluster.primary()
    while True:
        time.sleep(1)
        cluster.check()
        for machine in machines:
            for name in machine.processes:
                if not machine.is_running(name):
                    raise ClusterError(f"{name} of {machine.name} has ended: see {machine.folder}/{name}.log")
        primary = cluster.primary()
        if primary is not last:
            print(f"{time.strftime('%H:%M:%S')} the primary is {primary.name if primary else 'nobody'}", flush=True)
            last = primary


def stop(cluster, machines):
    print("stopping", flush=True)
    for machine in machines:
        for name in machine.processes:
            machine.kill(name, signal.SIGTERM)
    for machine in machines:
        for process in machine.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
    cluster.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/card-companion", help="card-companion")
    parser.add_argument("--data", default=".data/ha", help="folder for everything (default: .data/ha)")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.data).resolve()
    program = str(pathlib.Path(arguments.program).resolve())
    become_reaper()
    # Also when it was started in the background, where a shell lets it ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    cluster, machines, status = None, [], 0
    try:
        check_ports()
        make_folder(folder)
        check_folder(folder)
        print("starting etcd, Patroni and PostgreSQL", flush=True)
        cluster = Cluster(folder, DATABASES, network="127.0.0.0/8")
        cluster.start()
        cluster.make_database()
        machines = start_servers(program, folder, cluster)
        explain(cluster, folder)
        watch(cluster, machines)
    except KeyboardInterrupt:
        pass
    except (ClusterError, subprocess.CalledProcessError) as error:
        print(f"make ha: {error}", file=sys.stderr)
        status = 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if cluster:
                stop(cluster, machines)
        finally:
            kill_descendants()
    return status


if __name__ == "__main__":
    sys.exit(main())
