"""Python verifies what the Java library signs."""

import base64
import json
import subprocess
import sys
import tempfile
import unittest
from datetime import timedelta
from types import SimpleNamespace

from project import ROOT

from cryptography.hazmat.primitives.serialization import load_der_public_key
from http_message_signatures import HTTPMessageVerifier, InvalidSignature, MappingKeyResolver
from test_signing import ALGORITHMS

BUILD = ROOT / "Sources/Clients/CardCompanionBackEndJava/build"
CONDITIONS = ["@method", "@authority", "@path", "@query", "idempotency-key", "content-digest"]


class JavaTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            built = subprocess.run(
                [sys.executable, str(BUILD), "--samples", "--output", folder], capture_output=True, text=True, check=False)
            if built.returncode:
                raise AssertionError(built.stdout + built.stderr)
            lines = subprocess.run(built.stdout.split(), stdout=subprocess.PIPE, check=True).stdout.splitlines()
        cls.calls = [json.loads(line) for line in lines]

    def verify(self, call, fields, body):
        encoded = base64.b64decode(call.get("secret") or call["publicKey"])
        key = encoded if "secret" in call else load_der_public_key(encoded)
        verifier = HTTPMessageVerifier(
            signature_algorithm=ALGORITHMS[call["algorithm"]],
            key_resolver=MappingKeyResolver(public_keys={"k": key}, private_keys={}))
        message = SimpleNamespace(method=call["method"], url=call["url"], headers=fields)
        verifier.verify(message, body=body, require_components=CONDITIONS, max_age=timedelta(hours=1))

    def test_each_algorithm_is_verified(self):
        self.assertEqual({call["algorithm"] for call in self.calls}, set(ALGORITHMS))
        for call in self.calls:
            with self.subTest(call["algorithm"]):
                self.verify(call, call["fields"], call["body"].encode())

    def test_a_change_is_found(self):
        for call in self.calls:
            with self.subTest(call["algorithm"]), self.assertRaises(InvalidSignature):
                self.verify(call, call["fields"] | {"Idempotency-Key": "twice"}, call["body"].encode())


if __name__ == "__main__":
    unittest.main()
