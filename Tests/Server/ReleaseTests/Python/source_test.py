"""Which commits can be released, and with which keys."""

import os
import shutil
import unittest

from fixtures import TOOLS, FolderTest, commit, make_key, run

PYTHON = "Sources/Clients/CardCompanionBackEndPython/pyproject.toml"
JAVASCRIPT = "Sources/Clients/CardCompanionJS/package.json"
CHANGELOG = """# Changes

## [Unreleased]

## [1.2.3] - 2026-12-31

### Added

- A release.
"""


class SourceTest(FolderTest):
    """A small repository with the tools of releases."""

    def setUp(self):
        super().setUp()
        self.repository = self.path("repository")
        os.makedirs(os.path.join(self.repository, "deploy"))
        shutil.copytree(TOOLS, os.path.join(self.repository, "deploy", "release"), ignore=shutil.ignore_patterns("__pycache__"))
        self.put("Sources/Server/CardCompanionServer/Installation/Release.swift", 'static let version = "1.2.3"\n')
        self.put("openapi.yaml", "info:\n  version: 1.2.3\n")
        self.put(PYTHON, 'name = "a"\nversion = "1.2.3"\n')
        self.put(JAVASCRIPT, '{\n  "version": "1.2.3",\n  "other": { "version": "9" }\n}\n')
        self.put("CHANGELOG.md", CHANGELOG)
        self.put("Package.resolved", "{}")
        self.put(".gitignore", ".build/\nPackage.resolved\n")
        commit(self.repository)

    def put(self, name, text):
        return self.write(f"repository/{name}", text)

    def change(self, name, text):
        self.put(name, text)
        commit(self.repository)

    def check(self, *arguments):
        return run(os.path.join(self.repository, "deploy", "release", "check-source"), *arguments)

    def make(self, *arguments):
        return run(os.path.join(self.repository, "deploy", "release", "make-release"), *arguments)

    def assert_only_a_trial(self, *words):
        self.assert_fails(self.check(), *words)
        self.assertEqual(self.check("--trial").stdout, "1.2.3\n")

    def test_a_finished_commit_can_be_released(self):
        result = self.check()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "1.2.3\n", ""))

    def test_a_changed_file_is_named(self):
        self.put("openapi.yaml", "info:\n  version: 1.2.4\n")
        self.put("Sources/New.swift", "")
        for arguments in ([], ["--trial"]):
            self.assert_fails(self.check(*arguments), " M openapi.yaml", "Sources/New.swift")

    def test_changes_below_unreleased(self):
        self.change("CHANGELOG.md", CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Something else.\n"))
        self.assert_only_a_trial("[Unreleased]", "1.2.3")

    def test_another_version_in_the_changelog(self):
        self.change("CHANGELOG.md", CHANGELOG.replace("1.2.3", "1.2.2"))
        self.assert_only_a_trial("CHANGELOG.md ends with version 1.2.2", "1.2.3")

    def test_another_version_in_openapi(self):
        self.change("openapi.yaml", "info:\n  version: 1.2.2\n")
        self.assert_only_a_trial("openapi.yaml has version 1.2.2")

    def test_another_version_in_a_client(self):
        self.change(PYTHON, 'name = "a"\nversion = "1.2.2"\n')
        self.assert_only_a_trial("pyproject.toml has version 1.2.2")
        self.change(PYTHON, 'name = "a"\nversion = "1.2.3"\n')
        self.change(JAVASCRIPT, '{\n  "version": "1.2.2"\n}\n')
        self.assert_only_a_trial("package.json has version 1.2.2")

    def test_no_versions_in_the_commit(self):
        run("git", "-C", self.repository, "rm", "--quiet", "--cached", "Package.resolved", status=0)
        run("git", "-C", self.repository, "-c", "user.name=Test", "-c", "user.email=test@example.com",
            "commit", "--quiet", "--message", "Without", status=0)
        self.assert_only_a_trial("git add --force Package.resolved")

    def test_without_a_key_it_says_how_to_make_one_and_builds_nothing(self):
        self.assert_fails(self.make(), "RELEASE_KEY=file", "openssl genpkey -algorithm ed25519", "RELEASE_KEY=none", status=2)
        self.assert_nothing_was_built()

    def test_a_file_that_cannot_be_the_key_stops_before_the_build(self):
        rsa = make_key(self.path("rsa"), "rsa")
        key = make_key(self.path("key"))
        open_key = shutil.copy(key, self.path("open"))
        os.chmod(open_key, 0o640)
        text = self.write("text", "no key", 0o600)
        for path, words in (
            (rsa, "no Ed25519 key"), (open_key, f"chmod 600 {open_key}"), (text, "no private key"), (f"{key}.pub", "chmod 600"),
            (self.path("missing"), "There is no file"), ("", "RELEASE_KEY"),
        ):
            result = self.make(path)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)
        os.chmod(f"{key}.pub", 0o600)
        self.assert_fails(self.make(f"{key}.pub"), "no private key")
        self.assert_nothing_was_built()

    def test_an_unfinished_commit_stops_before_the_build(self):
        key = make_key(self.path("key"))
        self.change("CHANGELOG.md", CHANGELOG.replace("1.2.3", "1.2.2"))
        self.assert_fails(self.make(key), "CHANGELOG.md ends with version 1.2.2")
        self.assert_nothing_was_built()

    def assert_nothing_was_built(self):
        self.assertFalse(os.path.exists(os.path.join(self.repository, ".build")))


if __name__ == "__main__":
    unittest.main()
