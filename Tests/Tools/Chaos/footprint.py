"""What servers hold: memory, descriptors, and connections to the database."""

import os
import pathlib

# So many descriptors more than before are no leak: clients connect anew, and the pool opens connections when answers are late.
DESCRIPTOR_TOLERANCE = 30


class Footprint:
    """What each server holds now, by its name."""

    def __init__(self, site):
        self.descriptors, self.memory = {}, {}
        for server, machine in zip(site.servers, site.machines):
            process = machine.processes["server"].pid
            self.descriptors[server.name] = len(os.listdir(f"/proc/{process}/fd"))
            self.memory[server.name] = resident_mib(process)
        self.connections = int(site.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")[0])

    def left_behind(self, before):
        """Complaints about what is held and was not held before."""
        return [
            f"{name} has {count} open descriptors, {before.descriptors[name]} before"
            for name, count in self.descriptors.items()
            if count > before.descriptors[name] + DESCRIPTOR_TOLERANCE]

    def __str__(self):
        servers = "; ".join(
            f"{name} {count} descriptors, {self.memory[name]} MiB" for name, count in self.descriptors.items())
        return f"{servers}; {self.connections} connections in the database"


def resident_mib(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) // 1024
