"""What the builds of the Java libraries have in common: a JDK compiles, JUnit 4 tests, and archives are the same each time."""

import glob
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
RELEASE = os.path.join(ROOT, "Sources", "Server", "CardCompanionServer", "Installation", "Release.swift")
# Where Debian's junit4 is. JUNIT_CLASSPATH names another place.
JARS = "/usr/share/java"
# The oldest time that a ZIP file can have.
TIME = (1980, 1, 1, 0, 0, 0)


def require_jdk():
    if not shutil.which("javac"):
        sys.exit("There is no javac on the PATH. Install a JDK of version 17 or later: deploy/install-packages android")


def version():
    """The version of the whole project."""
    with open(RELEASE, encoding="utf-8") as file:
        return re.search(r'static let version = "([^"]+)"', file.read())[1]


def java_files(source):
    return glob.glob(os.path.join(source, "**", "*.java"), recursive=True) if os.path.isdir(source) else [source]


def compile_java(output, name, release, sources, class_path, options=()):
    """Compiles files and folders of sources into a folder, from which it removes what was there before. Returns its path."""
    folder = os.path.join(output, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    files = sorted(file for source in sources for file in java_files(source))
    command = [
        "javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-encoding", "UTF-8", "--release", release, "-g",
        "-Xlint:all", "-Xlint:-options", "-Werror", *options, "-d", folder]
    if class_path:
        command += ["-classpath", os.pathsep.join(class_path)]
    run(command + files)
    return folder


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{result.stdout}\n{command[0]} has failed.")


def run_tests(tests, class_path, **properties):
    """Runs the compiled classes of a folder of tests whose names end with Test. Returns the exit status."""
    names = sorted(
        os.path.relpath(file, tests)[: -len(".java")].replace(os.sep, ".")
        for file in glob.glob(os.path.join(tests, "**", "*Test.java"), recursive=True))
    command = [
        "java", "-XX:+UseSerialGC", *(f"-Dcardcompanion.{name}={value}" for name, value in properties.items()),
        "-classpath", os.pathsep.join(class_path), "cardcompanion.tests.RunTests", *names]
    return subprocess.run(command, check=False).returncode


def junit():
    if os.environ.get("JUNIT_CLASSPATH"):
        return os.environ["JUNIT_CLASSPATH"].split(os.pathsep)
    jars = [os.path.join(JARS, name) for name in ("junit4.jar", "hamcrest-core.jar", "hamcrest.jar")]
    if not os.path.exists(jars[0]):
        sys.exit("There is no JUnit 4. Install it: deploy/install-packages android. Or name its jars in JUNIT_CLASSPATH.")
    return [jar for jar in jars if os.path.exists(jar)]


def jar(files):
    """The license's terms are in each archive that others can pass on."""
    return {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n", "META-INF/LICENSE": read(os.path.join(ROOT, "LICENSE")), **files}


def contents(folder):
    """The files of a folder, by their paths in it."""
    files = (file for file in glob.glob(os.path.join(folder, "**", "*"), recursive=True) if os.path.isfile(file))
    return {os.path.relpath(file, folder).replace(os.sep, "/"): read(file) for file in files}


def archive(files):
    """A ZIP file with nothing in it that changes from build to build. A jar's manifest comes first."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(files, key=lambda name: (name != "META-INF/MANIFEST.MF", name)):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, files[name])
    return stream.getvalue()


def add_digests(file):
    """What Maven and Gradle compare after a download."""
    for algorithm in ("sha1", "sha256"):
        write(f"{file}.{algorithm}", hashlib.new(algorithm, read(file)).hexdigest().encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
