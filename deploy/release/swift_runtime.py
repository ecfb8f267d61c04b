"""The parts of Swift's runtime that are linked into a program."""

import collections
import json
import os
import re
import subprocess

# A part of the runtime: its repository at github.com/swiftlang, and the start of symbols that only it defines.
PARTS = (
    ("swift", "swift_retain"),
    ("swift-corelibs-foundation", "$s10Foundation"),
    ("swift-corelibs-libdispatch", "dispatch_async"),
    ("swift-experimental-string-processing", "$s17_StringProcessing"),
    ("swift-foundation", "$s20FoundationEssentials"),
    ("swift-foundation-icu", "swift_ucal_open"),
)
# The Unicode library has a version of its own, which advisories name.
ICU = "swift-foundation-icu"

Compiler = collections.namedtuple("Compiler", "version resources")
Part = collections.namedtuple("Part", "name version icu")


def compiler():
    """The version of Swift, such as swift-6.3.1-RELEASE, and the folder of its runtime."""
    information = json.loads(subprocess.run(
        ["swift", "-print-target-info"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    version = re.search(r"\((swift(?:lang)?-[^ )]+)", information["compilerVersion"])
    return Compiler(version[1] if version else information["compilerVersion"], information["paths"]["runtimeResourcePath"])


def parts(program, swift):
    """The parts in a program that still has its symbols.

    Raises ValueError if there are none: the program would need Swift where it runs.
    """
    symbols = subprocess.run(["nm", "--defined-only", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    names = [line.rsplit(" ", 1)[-1] for line in symbols.splitlines()]
    found = [name for name, start in PARTS if any(symbol.startswith(start) for symbol in names)]
    if "swift" not in found:
        raise ValueError(f"Swift's runtime is not in {program}, or its symbols are not: build it with --static-swift-stdlib.")
    return [Part(name, swift.version, icu_version(swift) if name == ICU else None) for name in found]


def icu_version(swift):
    with open(os.path.join(swift.resources, "_foundation_unicode", "uvernum.h"), encoding="utf-8") as file:
        return re.search(r'#define U_ICU_VERSION "([^"]+)"', file.read())[1]
