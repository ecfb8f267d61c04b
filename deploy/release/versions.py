#!/usr/bin/env python3
"""The file with the versions that a release was built with, so that it can be built again.

    versions.py write FILE   writes the versions of this machine and of Package.resolved to FILE
    versions.py use FILE     makes Package.resolved of FILE, and says what else of this machine differs from it
"""

import json
import os
import platform
import subprocess
import sys

import swift_runtime

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RESOLVED = os.path.join(ROOT, "Package.resolved")
# Debian's packages whose files or programs make the bytes of a release. Those that the program links to at run time are in the SBOM.
BUILDERS = (
    "binutils", "dpkg", "dpkg-dev", "gzip", "libc6-dev", "libcairo2-dev", "libgcc-12-dev", "libp11-kit-dev", "libpq-dev", "libssl-dev",
    "libstdc++-12-dev", "openjdk-17-jdk-headless", "xz-utils", "zlib1g-dev",
)


def main():
    commands = {"write": write, "use": use}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](sys.argv[2])


def write(path):
    with open(RESOLVED, encoding="utf-8") as file:
        resolved = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**this_machine(), "Package.resolved": resolved}, file, indent=2)
        file.write("\n")


def use(path):
    try:
        with open(path, encoding="utf-8") as file:
            earlier = json.load(file)
        resolved = earlier["Package.resolved"]
        pins(resolved)
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path} is no file with the versions of a release (card-companion-….versions.json): {error!r}")
    for line in differences(earlier, this_machine()):
        print(f"warning: {line} The result can have other bytes.", file=sys.stderr)
    adopt(resolved, path)


def adopt(resolved, path):
    """Writes Package.resolved, unless the commit has another one."""
    is_tracked = run("git", "-C", ROOT, "ls-files", "Package.resolved") != ""
    if is_tracked:
        with open(RESOLVED, encoding="utf-8") as file:
            if pins(json.load(file)) != pins(resolved):
                sys.exit(f"Package.resolved of this commit has other versions than {path}. Check out the commit that the file names.")
        return
    with open(RESOLVED, "w", encoding="utf-8") as file:
        json.dump(resolved, file, indent=2)
        file.write("\n")


def pins(resolved):
    """The revision of each Swift package."""
    return {pin["identity"]: pin["state"]["revision"] for pin in resolved["pins"]}


def this_machine():
    system = operating_system()
    return {
        "commit": run("git", "-C", ROOT, "rev-parse", "HEAD"),
        "swift": swift_runtime.compiler().version,
        "system": f"{system['ID']} {system.get('VERSION_ID', '')}".strip(),
        "architecture": run("dpkg", "--print-architecture"),
        # It compresses the archives of the clients.
        "python": platform.python_version(),
        "packages": installed(BUILDERS),
    }


def installed(names):
    """The versions of those of Debian's packages that are installed."""
    text = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package} ${Version}\n", *names],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    lines = (line.split() for line in text.splitlines())
    return {line[1]: line[2] for line in lines if line[0] == "installed"}


def operating_system():
    with open("/etc/os-release", encoding="utf-8") as file:
        lines = (line.rstrip("\n").partition("=") for line in file if "=" in line)
        return {name: value.strip('"') for name, _, value in lines}


def differences(earlier, now):
    """A sentence for each difference between two builds."""
    names = {"commit": "commit", "swift": "version of Swift", "system": "system", "architecture": "architecture",
             "python": "version of Python"}
    for key, name in names.items():
        if earlier.get(key) != now[key]:
            yield f"The {name} is {now[key]}, and was {earlier.get(key, 'not known')}."
    before = earlier.get("packages", {})
    for package in sorted(before.keys() | now["packages"].keys()):
        if before.get(package) != now["packages"].get(package):
            yield f"The package {package} is {now['packages'].get(package, 'missing')}, and was {before.get(package, 'missing')}."


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
