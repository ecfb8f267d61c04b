"""The Swift packages of a build, and which of their code is in a program."""

import collections
import glob
import hashlib
import json
import os
import re
import subprocess

# How the digest of a package's sources is made.
DIGEST = "git -c tar.umask=0022 archive --format=tar REVISION | sha256sum"
LICENCES = {
    "Apache-2.0 WITH Swift-exception": ("Apache License", "Version 2.0", "Runtime Library Exception"),
    "Apache-2.0": ("Apache License", "Version 2.0"),
}
# Foreign C in a package's module: its name, the file that says its version, how, its package URL, and its licence.
Origin = collections.namedtuple("Origin", "name file pattern url licence")
VENDORED = {
    "CNIOBoringSSL": Origin(
        "BoringSSL", "hash.txt", r"at revision ([0-9a-f]{40})", "pkg:github/google/boringssl@{}", None),
    "CCryptoBoringSSL": Origin(
        "BoringSSL", "hash.txt", r"at revision ([0-9a-f]{40})", "pkg:github/google/boringssl@{}", None),
    "CNIOLLHTTP": Origin(
        "llhttp", "include/c_nio_llhttp.h", r"LLHTTP_VERSION_M(?:AJOR|INOR) (\d+)\s|LLHTTP_VERSION_PATCH (\d+)\s",
        "pkg:github/nodejs/llhttp@v{}", "MIT"),
    "CNIOExtrasZlib": Origin("zlib", "vendored-zlib.version", r"^(\d[\w.-]*)", "pkg:generic/zlib@{}", "Zlib"),
    "CXKCP": Origin("XKCP", "vendored-sources.txt", r"-g([0-9a-f]+)\)", "pkg:github/XKCP/XKCP@{}", None),
}

Package = collections.namedtuple("Package", "name location version revision digest licence needs modules vendored")
Vendored = collections.namedtuple("Vendored", "name version url licence module")


def read(resolved, checkouts, dependencies, modules):
    """All packages of Package.resolved.

    - resolved: the path of Package.resolved.
    - checkouts: the folder of their sources.
    - dependencies: what 'swift package show-dependencies --format json' prints.
    - modules: those that are linked into the program, by the names of the packages' folders.

    Raises ValueError if sources are not those of the version, or if a licence is not known.
    """
    with open(resolved, encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    needs = edges(dependencies)
    return [package(pin, checkouts, needs.get(pin["identity"], ()), modules) for pin in pins]


def package(pin, checkouts, needs, modules):
    state = pin["state"]
    if "version" not in state:
        raise ValueError(f"{pin['identity']} is at a branch or commit, and not at a version: see Package.swift.")
    name = os.path.basename(pin["location"]).removesuffix(".git")
    folder = os.path.join(checkouts, name)
    check_sources(folder, state["revision"])
    linked = modules.get(name, [])
    return Package(
        pin["identity"], pin["location"], state["version"], state["revision"], digest(folder, state["revision"]), licence(folder),
        sorted(needs), linked, [found for module in linked for found in vendored(folder, module)])


def check_sources(folder, revision):
    """What was compiled must be what the revision has, and nothing else."""
    head = git(folder, "rev-parse", "HEAD").decode().strip()
    if head != revision:
        raise ValueError(f"{folder} is at {head}, and Package.resolved says {revision}. Build again from nothing.")
    changes = git(folder, "status", "--porcelain").decode().strip()
    if changes:
        raise ValueError(f"The sources in {folder} were changed. Build again from nothing.\n{changes}")


def digest(folder, revision):
    return hashlib.sha256(git(folder, "-c", "tar.umask=0022", "archive", "--format=tar", revision)).hexdigest()


def licence(folder):
    for path in sorted(glob.glob(os.path.join(folder, "LICENSE*"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, words in LICENCES.items():
            if all(word in text for word in words):
                return name
    raise ValueError(f"The licence of {folder} is none that swift_packages.py knows. Read it, then add it there.")


def vendored(folder, module):
    """The foreign code in a module."""
    origin = VENDORED.get(module)
    if origin is None:
        return []
    path = os.path.join(folder, "Sources", module, origin.file)
    try:
        with open(path, encoding="utf-8") as file:
            found = re.findall(origin.pattern, file.read(), re.MULTILINE)
    except OSError as error:
        raise ValueError(f"The version of {origin.name} cannot be read: {error}. Correct swift_packages.py.") from error
    if not found:
        raise ValueError(f"{path} does not say the version of {origin.name}. Correct swift_packages.py.")
    version = ".".join("".join(group) for group in found)
    return [Vendored(origin.name, version, origin.url.format(version), origin.licence, module)]


def direct(dependencies):
    """The packages that Package.swift names, by their identities."""
    return sorted(child["identity"] for child in dependencies["dependencies"])


def edges(dependencies):
    """Which packages each package depends on, by their identities."""
    found = {}

    def visit(node):
        found.setdefault(node["identity"], set()).update(child["identity"] for child in node["dependencies"])
        for child in node["dependencies"]:
            visit(child)

    visit(dependencies)
    return found


def modules_by_checkout(products, program):
    """The modules of other packages that a program is linked of, by the names of their packages' folders.

    - products: the folder of the build with a folder for each module.
    """
    with open(os.path.join(products, f"{program}.product", "Objects.LinkFileList"), encoding="utf-8") as file:
        linked = {found for line in file for found in re.findall(r"/([^/]+)\.build/", line)}
    modules = collections.defaultdict(list)
    for module in sorted(linked):
        checkout = re.search(r"/checkouts/([^/]+)/", source(os.path.join(products, f"{module}.build")))
        if checkout:
            modules[checkout[1]].append(module)
    return modules


def source(module):
    """The path of a source file of a module. Swift's are in a list; the first file that a C file depends on is itself."""
    lists = [os.path.join(module, "sources"), *sorted(glob.glob(os.path.join(module, "**", "*.d"), recursive=True))]
    for path in lists:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found = re.search(r"(?:^|\s)(/\S.*?)(?: \\)?$", file.read(), re.MULTILINE)
            if found:
                return found[1]
    raise ValueError(f"{module} does not say what it was compiled of. Build again from nothing.")


def git(folder, *arguments):
    return subprocess.run(["git", "-C", folder, *arguments], stdout=subprocess.PIPE, check=True).stdout
