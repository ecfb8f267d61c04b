"""The libraries of Debian that a program needs at run time, also those that its libraries need."""

import collections
import os
import re
import subprocess

Library = collections.namedtuple("Library", "name version architecture source needs is_direct")


def read(program):
    """The packages of Debian with the program's libraries.

    Raises ValueError if a library is missing, or is of no package.
    """
    files = shared_objects(program)
    owners = {name: owner(path) for name, path in files.items()}
    direct = {owners[name] for name in needed(program)}
    needs = collections.defaultdict(set)
    for name, path in files.items():
        needs[owners[name]].update(owners[other] for other in needed(path))
    return [
        Library(*description(package), sorted(needs[package] - {package}), package in direct) for package in sorted(set(owners.values()))]


def shared_objects(program):
    """The paths of all libraries that are loaded with a program, by their names."""
    output = run("ldd", program)
    missing = re.findall(r"(\S+) => not found", output)
    if missing:
        raise ValueError(f"{program} needs libraries that are not on this machine: {', '.join(missing)}.")
    files = dict(re.findall(r"(\S+) => (/\S+)", output))
    loader = re.search(r"^\s*(/\S+)", output, re.MULTILINE)
    if loader:
        files[os.path.basename(loader[1])] = loader[1]
    return files


def needed(path):
    """The names of the libraries that a file itself names."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", "--wide", path))


def owner(path):
    """The package that a file is of. Packages name it with /usr or without, and by its own name or by a link's."""
    names = {path, os.path.realpath(path)}
    names |= {name.removeprefix("/usr") for name in names} | {f"/usr{name}" for name in names if not name.startswith("/usr")}
    for name in sorted(names):
        found = subprocess.run(["dpkg", "--search", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.rpartition(": ")[0].partition(":")[0]
    raise ValueError(f"{path} is of no package of Debian.")


def description(package):
    shown = run("dpkg-query", "--show", "--showformat=${Package}\t${Version}\t${Architecture}\t${source:Package}", package)
    return shown.split("\t")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout
