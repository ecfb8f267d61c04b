"""The JavaScript package."""

import json
import os
import re
import unittest

from fixtures import ROOT, FolderTest, read, run

BUILD = os.path.join(ROOT, "Sources", "Clients", "CardCompanionJS", "build")
RELEASE = read(ROOT, "Sources", "Server", "CardCompanionServer", "Installation", "Release.swift")
VERSION = re.search(r'version = "([^"]+)"', RELEASE)[1]


class JavaScriptTest(FolderTest):
    """The package in a folder."""

    def build(self, folder):
        run("python3", "-B", BUILD, "--output", self.path(folder), status=0)
        with open(self.path(folder, f"card-companion-js-{VERSION}.tgz"), "rb") as file:
            return file.read()

    def test_two_builds_are_equal_and_have_no_time_in_them(self):
        package = self.build("1")
        self.assertEqual(package, self.build("2"))
        # RFC 1952, section 2.3: MTIME.
        self.assertEqual(package[4:8], bytes(4))

    def test_an_app_imports_it(self):
        self.build("1")
        package = self.path("app", "node_modules", "card-companion")
        os.makedirs(package)
        archive = self.path("1", f"card-companion-js-{VERSION}.tgz")
        run("tar", "--extract", "--file", archive, "--directory", package, "--strip-components=1", status=0)
        description = json.loads(read(package, "package.json"))
        self.assertEqual(description["version"], VERSION)
        self.assertTrue(os.path.exists(os.path.join(package, description["types"])))
        app = self.write(
            "app/app.mjs",
            'import { PINDistribution } from "card-companion";\nconsole.log(typeof PINDistribution.postNotifyRequest);\n')
        self.assertEqual(run("node", app, status=0).stdout, "function\n")


if __name__ == "__main__":
    unittest.main()
