"""What the tests of releases share: temporary folders, repositories and commands."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))
TOOLS = os.path.join(ROOT, "deploy", "release")


class FolderTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode=0o644):
        path = self.path(*name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def assert_fails(self, result, *words, status=1):
        """The command has failed, and its message has these words."""
        self.assertEqual(result.returncode, status, result)
        for word in words:
            self.assertIn(word, result.stderr)


def run(*command, folder=None, status=None):
    """Runs a command. Unless status is None, it must end with that."""
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if status is not None and result.returncode != status:
        raise AssertionError(f"{command}: {result}")
    return result


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def commit(folder):
    """Commits all files of a folder, which becomes a repository, and returns the commit."""
    run("git", "init", "--quiet", folder, status=0)
    run("git", "-C", folder, "add", "--force", ".", status=0)
    run("git", "-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false",
        "commit", "--quiet", "--allow-empty", "--message", "Test", status=0)
    return run("git", "-C", folder, "rev-parse", "HEAD", status=0).stdout.strip()


def make_key(path, algorithm="ed25519"):
    """Makes a private key, and its public key beside it."""
    run("openssl", "genpkey", "-algorithm", algorithm, "-out", path, status=0)
    os.chmod(path, 0o600)
    run("openssl", "pkey", "-in", path, "-pubout", "-out", f"{path}.pub", status=0)
    return path
