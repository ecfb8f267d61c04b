"""Signing a bank's calls: the vectors, what is signed, and what is refused."""

import unittest
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

from project import ANY_AGE_SECONDS, VECTORS, Lines, private_key

from card_companion_backend import RequestSigner
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver, algorithms

URL = "https://pin.example.com/v1/banks/B/cardholders/c"
ALGORITHMS = {
    "ecdsa-p256-sha256": algorithms.ECDSA_P256_SHA256, "ed25519": algorithms.ED25519, "hmac-sha256": algorithms.HMAC_SHA256,
    "rsa-pss-sha512": algorithms.RSA_PSS_SHA512, "rsa-v1_5-sha256": algorithms.RSA_V1_5_SHA256,
}
REPEATABLE = {"ed25519", "rsa-v1_5-sha256", "hmac-sha256"}


def signed_as(vector):
    """The fields that the package adds to the call of a vector, at its time and with its nonce."""
    key = bytes.fromhex(vector["secret"]) if "secret" in vector else private_key(vector["key"])
    signer = RequestSigner(
        vector["keyId"], key, vector["algorithm"], clock=lambda: datetime.fromtimestamp(vector["created"], timezone.utc),
        new_nonce=lambda: vector["nonce"])
    return key, signer.sign(vector["method"], vector["url"], dict(Lines(vector["fields"]).items()), vector["body"].encode())


class VectorTests(unittest.TestCase):
    def test_each_vector_is_reproduced_or_verified(self):
        for vector in VECTORS["requests"]:
            with self.subTest(vector["name"]):
                key, fields = signed_as(vector)
                self.assertEqual(fields["Signature-Input"], vector["signatureInput"])
                self.assertEqual(fields.get("Content-Digest"), vector.get("contentDigest"))
                if vector["algorithm"] in REPEATABLE:
                    self.assertEqual(fields["Signature"], vector["signature"])
                self.verify(vector, key, fields)
        self.assertEqual({vector["algorithm"] for vector in VECTORS["requests"]}, set(ALGORITHMS))

    def verify(self, vector, key, fields):
        public = key if isinstance(key, bytes) else key.public_key()
        verifier = HTTPMessageVerifier(
            signature_algorithm=ALGORITHMS[vector["algorithm"]],
            key_resolver=MappingKeyResolver(public_keys={vector["keyId"]: public}, private_keys={}))
        message = SimpleNamespace(method=vector["method"], url=vector["url"], headers=dict(Lines(vector["fields"]).items()) | fields)
        verifier.verify(message, body=vector["body"].encode(), max_age=timedelta(seconds=ANY_AGE_SECONDS))


class SigningTests(unittest.TestCase):
    def setUp(self):
        self.signer = RequestSigner("k", ed25519.Ed25519PrivateKey.generate())

    def test_each_call_has_another_nonce(self):
        inputs = {self.signer.sign("GET", URL)["Signature-Input"].partition("nonce=")[2] for _ in range(100)}
        self.assertEqual(len(inputs), 100)

    def test_only_the_fields_that_are_added_are_returned(self):
        fields = self.signer.sign("PUT", URL, {"if-match": '"1"', "Content-Type": "application/json"}, b"{}")
        self.assertEqual(set(fields), {"Content-Digest", "Signature-Input", "Signature"})
        self.assertIn('("@method" "@authority" "@path" "if-match" "content-digest")', fields["Signature-Input"])

    def test_fields_in_any_case_are_covered(self):
        for name in ("If-Match", "IF-NONE-MATCH", "idempotency-key"):
            self.assertIn(f'"{name.lower()}"', self.signer.sign("PUT", URL, {name: "*"})["Signature-Input"])

    def test_a_function_can_sign(self):
        """The private key is in an HSM."""
        bases = []
        signer = RequestSigner("k", lambda base: bases.append(base) or bytes(64), "ecdsa-p256-sha256")
        self.assertEqual(signer.sign("GET", URL)["Signature"], f"sig=:{'A' * 86}==:")
        self.assertTrue(bases[0].startswith(b'"@method": GET\n"@authority": pin.example.com\n"@path": /v1/banks/B/cardholders/c\n'))

    def test_what_cannot_be_signed_is_refused(self):
        for url in ("pin.example.com/x", "https:///x", "https://pin.example.com/a b", "https://pin.example.com/é"):
            with self.subTest(url), self.assertRaises(ValueError):
                self.signer.sign("GET", url)
        for value in ("a\nb", "é", "\x7f"):
            with self.subTest(value), self.assertRaisesRegex(ValueError, "the call cannot be signed"):
                self.signer.sign("PUT", URL, {"Idempotency-Key": value})

    def test_a_key_that_does_not_fit_is_refused(self):
        key = ed25519.Ed25519PrivateKey.generate()
        with self.assertRaisesRegex(ValueError, "is not known: use one of"):
            RequestSigner("k", key, "rsa")
        with self.assertRaisesRegex(ValueError, "the key is not for ecdsa-p256-sha256"):
            RequestSigner("k", key, "ecdsa-p256-sha256")
        with self.assertRaisesRegex(ValueError, "the key is not for ecdsa-p256-sha256"):
            RequestSigner("k", ec.generate_private_key(ec.SECP384R1()))
        with self.assertRaisesRegex(ValueError, "name the algorithm"):
            RequestSigner("k", lambda base: b"")


if __name__ == "__main__":
    unittest.main()
