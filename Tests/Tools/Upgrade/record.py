#!/usr/bin/env python3
"""Records every statement that the program prepares, for the releases that come: 'make test' prepares them against the schema of
then, because two versions serve one database during an upgrade.

    make record-statements                     writes Tests/Tools/Upgrade/statements/VERSION.sql
    .venv/bin/python3 Tests/Tools/Upgrade/record.py --program .build/release/card-companion --output FILE

The clients of Tests/Tools/Chaos use two servers, and all commands that use the database run. What libpq is asked to prepare is
recorded, with the types of the parameters. It is compared with the statements that the sources declare. One that did not run is
taken from the sources, if nothing is inserted into its text; its types are left to PostgreSQL. The exit status is 1 if one
is missing, or does not prepare.

It needs Python 3.9 or later with `cryptography`, `jwcrypto` and `psec`, PostgreSQL and a C compiler.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "deploy/ha"), str(HERE.parent / "Chaos")]

from administration import Administration, Requests  # noqa: E402
from chaos import Chaos  # noqa: E402
from cluster import ClusterError, become_reaper, kill_descendants  # noqa: E402
from hooks import Hooks  # noqa: E402
from single import SingleSite, stop_servers  # noqa: E402
from statements import declarations  # noqa: E402

WORKLOAD_SECONDS = 20

# The types of parameters, by their OIDs (pg_type.dat in PostgreSQL's source).
TYPES = {
    0: "unknown", 16: "boolean", 17: "bytea", 19: "name", 20: "bigint", 21: "smallint", 23: "integer", 25: "text", 114: "json",
    700: "real", 701: "double precision", 705: "unknown", 1001: "bytea[]", 1007: "integer[]", 1009: "text[]", 1016: "bigint[]",
    1184: "timestamptz", 3802: "jsonb"}


class Statement:
    """A statement to prepare. `types` is None if it was not seen at work. The servers' role may run it unless `is_owners`."""

    def __init__(self, name, sql, types):
        self.name, self.sql, self.types, self.is_owners = name, sql.strip(), types, False

    def __str__(self):
        types = f" ({', '.join(TYPES[oid] for oid in self.types)})" if self.types else ""
        lines = [f"-- {self.name}", f"PREPARE recorded{types} AS", f"{self.sql};"]
        if not self.is_owners:
            # This looks at the role's rights, too.
            lines.append(f"EXPLAIN EXECUTE recorded{self.nulls};")
        return "\n".join([*lines, "DEALLOCATE recorded;", ""])

    @property
    def nulls(self):
        count = max((int(number) for number in re.findall(r"\$(\d+)", self.sql)), default=0)
        return f" ({', '.join(['NULL'] * count)})" if count else ""


class Recording(Chaos):
    """The clients of the chaos for some seconds, and the commands."""

    def run(self):
        hooks = Hooks(refused=3)
        self.site.start()
        administration = Administration(self.site, hooks)
        administration.before()
        self.start_clients()
        time.sleep(WORKLOAD_SECONDS)
        self.finish()
        Requests(self.site, self.bank).send()
        administration.after()
        # Two operators must have approved the bank's keys by now.
        Requests(self.site, self.bank).send()
        stop_servers(self.site)
        if self.record.violations:
            raise ClusterError("the model was broken: run 'make chaos'")
        return administration


def compile_recorder(folder):
    library = pathlib.Path(folder) / "recorder.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, HERE / "recorder.c", "-ldl"], check=True)
    library.chmod(0o755)
    return library


def seen(file):
    """What was prepared, without repetitions: (text, types)."""
    records = file.read_bytes().decode().split("\0")[:-1]
    pairs = (record.split("\n", 1) for record in records)
    return sorted({(sql, tuple(int(oid) for oid in types.split(",") if oid)) for types, sql in pairs})


def match(prepared, declared):
    """The statements of each declaration that were prepared, and the texts that belong to none."""
    found, unknown = {declaration.name: [] for declaration in declared}, []
    for sql, types in prepared:
        owners = [declaration for declaration in declared if declaration.pattern.fullmatch(sql)]
        # The one with the longest fixed text is the most exact.
        owner = max(owners, key=lambda declaration: len(declaration.fixed), default=None)
        if owner:
            found[owner.name].append(Statement(owner.name, sql, types))
        else:
            unknown.append(sql)
    return found, unknown


def check(site, statements):
    """Finds which statements only the owner of the schema may run. Returns what does not prepare now: it never would."""
    problems = []
    for statement in statements:
        error = psql(site, statement)
        if "permission denied" in error or "must be owner" in error:
            statement.is_owners = True
            error = psql(site, statement)
        if error:
            problems.append(f"{statement.name} does not prepare: {error}")
    return problems


def psql(site, statement):
    """Runs it as the servers' role. Returns the error; nothing if there is none."""
    return subprocess.run(
        ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-", f"{site.url('serve')}&options=-csearch_path%3Dcard_companion"],
        input=str(statement), capture_output=True, text=True, timeout=30).stderr.strip()


def report(declared, found, unknown):
    """Prints how complete the recording is. Returns the statements, and what is wrong."""
    statements = [statement for declaration in declared for statement in found[declaration.name]]
    unseen = [declaration for declaration in declared if not found[declaration.name]]
    from_source = [declaration for declaration in unseen if declaration.text]
    problems = [f"{one.name} ({one.file}) did not run, and its text is not known" for one in unseen if not one.text]
    problems += [f"nothing in Sources/Server/CardCompanionStore declares: {sql}" for sql in unknown]
    print(
        f"{len(declared)} statements: {len(declared) - len(unseen)} ran, {len(from_source)} are taken from the sources, "
        f"{len(unseen) - len(from_source)} are missing; {len(statements)} texts with their types ran")
    for declaration in from_source:
        print(f"  did not run: {declaration.name} ({declaration.file})")
    statements += [Statement(declaration.name, declaration.text, None) for declaration in from_source]
    return sorted(statements, key=lambda statement: (statement.name, statement.sql, statement.types or ())), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/card-companion", help="card-companion of this tree")
    parser.add_argument("--output", help="the file (default: Tests/Tools/Upgrade/statements/VERSION.sql)")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="of everything that is random")
    parser.add_argument("--workers", type=int, default=4, help="clients at once (default: 4)")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    output = pathlib.Path(arguments.output or HERE / f"statements/{version}.sql")
    become_reaper()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="card-companion-record-"))
    folder.chmod(0o755)
    trace = folder / "statements"
    os.environ |= {
        "LD_PRELOAD": str(compile_recorder(folder)), "STATEMENTS_FILE": str(trace), "ADMIN_PORT": "0",
        "HOUSEKEEPING_INTERVAL_SECONDS": "1"}
    try:
        site = SingleSite(program, folder)
        administration = Recording(site, [], arguments).run()
        declared = declarations()
        statements, problems = report(declared, *match(seen(trace), declared))
        problems += administration.problems + check(site, statements)
    except ClusterError as error:
        print(f"record: {error}", file=sys.stderr)
        return 1
    finally:
        kill_descendants()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"only the owner of the schema runs: {', '.join(one.name for one in statements if one.is_owners) or 'none'}")
    for problem in problems:
        print(f"  {problem}")
    output.parent.mkdir(exist_ok=True)
    output.write_text("\n".join(map(str, statements)))
    print(f"{len(statements)} statements in {output}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
