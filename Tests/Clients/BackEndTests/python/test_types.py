"""The package's types, which mypy checks strictly."""

import subprocess
import sys
import tempfile
import unittest

from project import ROOT

PACKAGE = ROOT / "Sources/Clients/CardCompanionBackEndPython"


class TypeTests(unittest.TestCase):
    def test_mypy(self):
        with tempfile.TemporaryDirectory() as cache:
            result = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache], cwd=PACKAGE, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, f"{result.stdout}{result.stderr}")


if __name__ == "__main__":
    unittest.main()
