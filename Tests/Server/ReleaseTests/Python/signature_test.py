"""A bank checks what it has downloaded, with the commands of docs/operations.md."""

import os
import re
import shutil
import unittest

from fixtures import ROOT, TOOLS, FolderTest, make_key, read, run

DOCUMENT = read(ROOT, "docs", "operations.md")
COMMANDS = re.findall(r"^    ((?:openssl pkeyutl -verify|sha256sum --check) .*)$", DOCUMENT, re.MULTILINE)
FILES = {"card-companion_1.2.3_amd64.deb": "package", "card-companion-1.2.3.cdx.json": "{}", "card-companion-js-1.2.3.tgz": "js"}


class SignatureTest(FolderTest):
    """A signed release, and the public key, in the folder of a bank."""

    def setUp(self):
        super().setUp()
        self.key = make_key(self.path("release.key"))
        for name, text in FILES.items():
            self.write(f"release/{name}", text)
        self.sign(self.key)
        shutil.copy(f"{self.key}.pub", self.path("release", "card-companion-release.pub"))

    def sign(self, *key):
        run(os.path.join(TOOLS, "sign"), self.path("release"), *key, status=0)

    def verify(self):
        """The status of each command."""
        return [run("sh", "-c", command, folder=self.path("release")).returncode for command in COMMANDS]

    def test_the_document_has_both_commands_and_a_release_prints_the_same(self):
        self.assertEqual([command.split()[0] for command in COMMANDS], ["openssl", "sha256sum"])
        for command in COMMANDS:
            self.assertIn(command, read(TOOLS, "make-release"))

    def test_a_genuine_release(self):
        self.assertEqual(self.verify(), [0, 0])

    def test_each_file_is_signed_and_its_order_is_always_the_same(self):
        names = [line.split("  ")[1] for line in read(self.path("release", "SHA256SUMS")).splitlines()]
        self.assertEqual(names, sorted(FILES))

    def test_a_forged_file(self):
        for name in FILES:
            with self.subTest(name):
                genuine = read(self.path("release", name))
                self.write(f"release/{name}", genuine + "!")
                self.assertEqual(self.verify(), [0, 1])
                self.write(f"release/{name}", genuine)

    def test_a_missing_file(self):
        os.remove(self.path("release", "card-companion-js-1.2.3.tgz"))
        self.assertEqual(self.verify(), [0, 1])

    def test_a_forged_file_with_its_own_digest(self):
        signature = self.path("SHA256SUMS.sig")
        shutil.copy(self.path("release", "SHA256SUMS.sig"), signature)
        os.remove(self.path("release", "card-companion-release.pub"))
        self.write("release/card-companion_1.2.3_amd64.deb", "forged")
        self.sign()
        shutil.copy(signature, self.path("release"))
        shutil.copy(f"{self.key}.pub", self.path("release", "card-companion-release.pub"))
        self.assertEqual(self.verify(), [1, 0])

    def test_a_signature_by_another_key(self):
        public = self.path("release", "card-companion-release.pub")
        os.remove(public)
        self.sign(make_key(self.path("other.key")))
        shutil.copy(f"{self.key}.pub", public)
        self.assertEqual(self.verify(), [1, 0])

    def test_a_signature_with_another_bit(self):
        path = self.path("release", "SHA256SUMS.sig")
        with open(path, "rb") as file:
            signature = bytearray(file.read())
        signature[10] ^= 1
        with open(path, "wb") as file:
            file.write(signature)
        self.assertEqual(self.verify(), [1, 0])

    def test_a_trial_has_digests_and_no_signature(self):
        os.remove(self.path("release", "card-companion-release.pub"))
        self.sign()
        self.assertFalse(os.path.exists(self.path("release", "SHA256SUMS.sig")))
        self.assertEqual(self.verify(), [1, 0])


if __name__ == "__main__":
    unittest.main()
