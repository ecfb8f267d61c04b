"""The Debian package of a program that was compiled twice."""

import os
import shutil
import unittest

from fixtures import ROOT, FolderTest, run

BUILD = os.path.join(ROOT, "deploy", "debian", "build-package")
# What Swift's compiler leaves: a hash of its work, with paths and the times of header files in it.
PROGRAM = """
__attribute__((section(".swift_modhash"), used)) const char hash[17] = "%s";
int main(void) { return 0; }
"""


@unittest.skipUnless(shutil.which("dpkg-deb"), "no Debian")
class PackageTest(FolderTest):
    """Two programs that differ as those of two trees do."""

    def package(self, name, hash, build_id):
        program = self.path(name, "program")
        source = self.write(f"{name}/program.c", PROGRAM % hash)
        run(shutil.which("clang") or shutil.which("cc"), source, "-o", program, f"-Wl,--build-id=0x{build_id}", status=0)
        self.write(f"{name}/man/card-companion.1", ".TH card-companion 1\n")
        self.write(f"{name}/libraries/swift-a/LICENSE.txt", "Apache License")
        path = run(BUILD, program, self.path(name, "man"), self.path(name, "libraries"), self.path(name), "1.2.3", status=0).stdout.strip()
        run("dpkg-deb", "--extract", path, self.path(name, "tree"), status=0)
        run(self.path(name, "tree", "usr", "bin", "card-companion"), status=0)
        with open(path, "rb") as file:
            return file.read()

    def test_the_same_sources_give_the_same_package_in_two_trees(self):
        self.assertEqual(self.package("1", "0123456789abcdef", "01" * 20), self.package("2", "fedcba9876543210", "02" * 20))


if __name__ == "__main__":
    unittest.main()
