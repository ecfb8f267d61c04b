"""The file with the versions of a release, from which it can be built again."""

import json
import os
import shutil
import unittest

from fixtures import TOOLS, FolderTest, commit, read, run

PIN = {"identity": "swift-a", "location": "https://example.com/swift-a.git", "state": {"revision": "1" * 40, "version": "1.0.0"}}
RESOLVED = {"pins": [PIN], "version": 3}


class VersionsTest(FolderTest):
    """A small repository with the tools of releases, built once."""

    def setUp(self):
        super().setUp()
        self.repository = self.path("repository")
        os.makedirs(self.path("repository", "deploy"))
        shutil.copytree(TOOLS, self.path("repository", "deploy", "release"), ignore=shutil.ignore_patterns("__pycache__"))
        self.write("repository/.gitignore", "Package.resolved\n__pycache__/\n")
        self.commit = commit(self.repository)
        self.write("repository/Package.resolved", json.dumps(RESOLVED))
        self.file = self.path("versions.json")
        self.versions("write", status=0)

    def versions(self, command, status=None):
        return run("python3", "-B", self.path("repository", "deploy", "release", "versions.py"), command, self.file, status=status)

    def resolved(self):
        return json.loads(read(self.path("repository", "Package.resolved")))

    def test_it_has_what_the_build_depends_on(self):
        versions = json.loads(read(self.file))
        self.assertEqual(versions["commit"], self.commit)
        self.assertRegex(versions["swift"], r"^swift.*-6\.")
        self.assertEqual(versions["Package.resolved"], RESOLVED)
        if shutil.which("dpkg-query"):
            shown = run("dpkg-query", "--show", "--showformat=${Version}", "libssl-dev", status=0).stdout
            self.assertEqual(versions["packages"]["libssl-dev"], shown)

    def test_the_same_machine_builds_again_without_a_warning(self):
        os.remove(self.path("repository", "Package.resolved"))
        self.assertEqual(self.versions("use", status=0).stderr, "")
        self.assertEqual(self.resolved(), RESOLVED)

    def test_newer_packages_on_this_machine_are_set_back(self):
        newer = json.loads(json.dumps(RESOLVED).replace("1.0.0", "1.1.0"))
        self.write("repository/Package.resolved", json.dumps(newer))
        self.versions("use", status=0)
        self.assertEqual(self.resolved(), RESOLVED)

    def test_what_differs_is_said(self):
        text = read(self.file)
        swift = json.loads(text)["swift"]
        self.write("versions.json", text.replace(swift, "swift-5.0-RELEASE").replace(self.commit, "0" * 40))
        warnings = self.versions("use", status=0).stderr
        self.assertIn(f"The version of Swift is {swift}, and was swift-5.0-RELEASE.", warnings)
        self.assertIn(f"The commit is {self.commit}, and was {'0' * 40}.", warnings)

    def test_a_commit_with_other_versions_is_refused(self):
        commit(self.repository)
        self.versions("use", status=0)
        self.write("versions.json", read(self.file).replace("1" * 40, "2" * 40))
        self.assert_fails(self.versions("use"), "Check out the commit")
        self.assertEqual(self.resolved(), RESOLVED)

    def test_another_file_is_refused(self):
        for text in ("", "[]", "{}", '{"Package.resolved": {}}', '{"Package.resolved": {"pins": [{}]}}'):
            with self.subTest(text):
                self.write("versions.json", text)
                self.assert_fails(self.versions("use"), "is no file with the versions of a release")
        os.remove(self.file)
        self.assert_fails(self.versions("use"), "is no file with the versions of a release", "No such file")


if __name__ == "__main__":
    unittest.main()
