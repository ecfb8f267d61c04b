#!/usr/bin/env python3
"""Writes the SBOM of a release, in JSON of CycloneDX 1.6: what is in its files, and what the program needs at run time.

The same release gives the same bytes. It is checked against CycloneDX's schema before it is written.
"""

import argparse
import collections
import datetime
import glob
import hashlib
import json
import os
import subprocess
import sys
import uuid

from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Commit, Component, ComponentScope, ComponentType, Pedigree
from cyclonedx.model.license import LicenseExpression
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

import debian_libraries
import swift_packages
import swift_runtime

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
# What our own properties begin with.
OURS = "card-companion"
PROGRAM = "./usr/bin/card-companion"

# - number, commit, time: the version, its commit, and when that was made (datetime).
# - files: the paths of the release's files.
# - program_digest: SHA-256 of the program in the Debian package, in hex.
# - packages, direct, runtime, libraries: what the modules beside this one have found; direct are identities of packages.
Release = collections.namedtuple("Release", "number commit time files program_digest packages direct runtime libraries")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--version", required=True, help="the version of the release")
    arguments.add_argument("--build", required=True, help="the folder of the build, with dependencies.json")
    arguments.add_argument("--release", required=True, help="the folder with the files of the release")
    arguments.add_argument("--output", required=True, help="the file to write")
    options = arguments.parse_args()
    try:
        text = document(read(options.version, options.build, options.release))
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"sbom: {error}")
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(text)


# Reading what was built.


def read(number, build, folder):
    products = os.path.join(build, "release")
    # It still has its symbols.
    program = os.path.join(products, "card-companion")
    with open(os.path.join(build, "dependencies.json"), encoding="utf-8") as file:
        dependencies = json.load(file)
    packages = swift_packages.read(
        os.path.join(ROOT, "Package.resolved"), os.path.join(build, "checkouts"), dependencies,
        swift_packages.modules_by_checkout(products, "card-companion"))
    kinds = ("*.deb", "*.aar", "*.tgz", "*.whl", "card-companion-backend-*[0-9].jar")
    files = sorted(path for kind in kinds for path in glob.glob(os.path.join(folder, kind)))
    return Release(
        number, git("rev-parse", "HEAD"), datetime.datetime.fromtimestamp(int(git("log", "-1", "--format=%ct")), datetime.timezone.utc),
        files, packaged_program(files), packages, swift_packages.direct(dependencies),
        swift_runtime.parts(program, swift_runtime.compiler()), debian_libraries.read(program))


def packaged_program(files):
    """The digest of the program in the Debian package, which is what a bank has in /usr/bin."""
    package = next(path for path in files if path.endswith(".deb"))
    content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE, check=True).stdout
    program = subprocess.run(["tar", "--extract", "--to-stdout", PROGRAM], input=content, stdout=subprocess.PIPE, check=True).stdout
    return hashlib.sha256(program).hexdigest()


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


# Writing the document.


def document(release):
    """The text of the SBOM.

    Raises ValueError if it does not fit the schema.
    """
    whole = component(
        "card-companion-release", release.number, type=ComponentType.APPLICATION, purl=ours(release, "card-companion-release"),
        pedigree=Pedigree(commits=[Commit(uid=release.commit)]))
    program = component(
        "card-companion", release.number, type=ComponentType.APPLICATION, purl=ours(release, "card-companion"),
        hashes=[sha256(release.program_digest)], properties=[Property(name=f"{OURS}:file", value=PROGRAM[1:])])
    bom = Bom(serial_number=serial_number(release), metadata=BomMetaData(
        component=whole, timestamp=release.time, tools=ToolRepository(components=[this_component()])))
    bom.components.add(program)
    files = [client(release, path) for path in release.files]
    bom.components.update(files)
    bom.register_dependency(whole, files)
    for file in files:
        bom.register_dependency(file, [program] if file.name.endswith(".deb") else [])
    direct = [*add_packages(bom, release), *add_runtime(bom, release), *add_libraries(bom, release)]
    bom.register_dependency(program, direct)
    return checked(JsonV1Dot6(bom).output_as_string(indent=2) + "\n")


def checked(text):
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error is not None:
        raise ValueError(f"The SBOM does not fit the schema of CycloneDX 1.6: {error}")
    return text


def serial_number(release):
    """Another one for each commit and each program, and always the same for these."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"card-companion:{release.commit}:{release.program_digest}")


def client(release, path):
    """A file of the release. Only the Android library has a name in a registry's form, which its .pom says too."""
    name = os.path.basename(path)
    purl = ours(release, name)
    if name.endswith(".aar"):
        purl = PackageURL("maven", "cardcompanion", "card-companion-sdk", release.number, {"type": "aar"})
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return component(
        name, release.number, purl=purl, hashes=[sha256(digest)],
        type=ComponentType.APPLICATION if name.endswith(".deb") else ComponentType.LIBRARY)


def add_packages(bom, release):
    """All of Package.resolved. What is not linked into the program has the scope "excluded": tests and other products use it.

    Returns those that the program itself names.
    """
    components = {package.name: swift_component(package) for package in release.packages}
    for package in release.packages:
        parts = [vendored_component(part) for part in package.vendored]
        bom.components.update([components[package.name], *parts])
        bom.register_dependency(components[package.name], [*(components[name] for name in package.needs), *parts])
        for part in parts:
            bom.register_dependency(part)
    return [components[name] for name in release.direct if is_linked(components[name])]


def swift_component(package):
    host, _, path = package.location.removeprefix("https://").removesuffix(".git").partition("/")
    owner, _, name = path.rpartition("/")
    return component(
        package.name, package.version, purl=PackageURL("swift", f"{host}/{owner}", name, package.version),
        scope=ComponentScope.REQUIRED if package.modules else ComponentScope.EXCLUDED,
        licenses=[LicenseExpression(package.licence)], hashes=[sha256(package.digest)],
        pedigree=Pedigree(commits=[Commit(uid=package.revision)]),
        external_references=[ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(package.location))],
        properties=[
            Property(name=f"{OURS}:digest", value=swift_packages.DIGEST),
            *(Property(name=f"{OURS}:module", value=module) for module in package.modules)])


def vendored_component(part):
    return component(
        part.name, part.version, purl=PackageURL.from_string(part.url), bom_ref=f"{part.url}#{part.module}",
        scope=ComponentScope.REQUIRED,
        licenses=[LicenseExpression(part.licence)] if part.licence else [],
        properties=[Property(name=f"{OURS}:module", value=part.module)])


def add_runtime(bom, release):
    components = []
    for part in release.runtime:
        components.append(component(
            part.name, part.version, purl=PackageURL("github", "swiftlang", part.name, part.version), scope=ComponentScope.REQUIRED,
            licenses=[LicenseExpression("Apache-2.0 WITH Swift-exception")]))
        bom.components.add(components[-1])
        icu = [icu_component(part.icu)] if part.icu else []
        bom.components.update(icu)
        bom.register_dependency(components[-1], icu)
        for inner in icu:
            bom.register_dependency(inner)
    return components


def icu_component(version):
    return component(
        "ICU", version, purl=PackageURL("generic", None, "icu", version), scope=ComponentScope.REQUIRED,
        licenses=[LicenseExpression("Unicode-3.0")])


def add_libraries(bom, release):
    """Libraries that are loaded at run time: the machine has them from Debian, at the version that it has then."""
    components = {library.name: debian_component(library) for library in release.libraries}
    bom.components.update(components.values())
    for library in release.libraries:
        bom.register_dependency(components[library.name], [components[name] for name in library.needs])
    return [components[library.name] for library in release.libraries if library.is_direct]


def debian_component(library):
    return component(
        library.name, library.version, scope=ComponentScope.REQUIRED,
        purl=PackageURL("deb", "debian", library.name, library.version, {"arch": library.architecture}),
        properties=[Property(name=f"{OURS}:debian-source", value=library.source)])


def component(name, version, *, purl, type=ComponentType.LIBRARY, bom_ref=None, **others):
    return Component(name=name, version=version, type=type, purl=purl, bom_ref=bom_ref or purl.to_string(), **others)


def ours(release, name):
    return PackageURL("generic", None, name, release.number)


def sha256(digest):
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def is_linked(swift):
    return swift.scope == ComponentScope.REQUIRED


if __name__ == "__main__":
    main()
