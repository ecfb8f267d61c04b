"""Verifying the server's messages: the vectors, RFC 9421, and the age."""

import json
import time
import unittest
from datetime import datetime, timezone
from types import SimpleNamespace

from project import ANY_AGE_SECONDS, JWKS, SERVER_URL, VECTORS, Lines, private_key, webhook

from card_companion_backend import KeysUnavailable, ServerKeys, SignatureRefused, SignatureVerifier
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from http_message_signatures import HTTPMessageSigner, HTTPSignatureKeyResolver
from http_message_signatures.algorithms import ECDSA_P256_SHA256
from jwcrypto.jwk import JWK


def verifier(**options):
    return SignatureVerifier(ServerKeys(SERVER_URL, fetch=lambda _: JWKS), **options)


class VectorTests(unittest.TestCase):
    def setUp(self):
        self.verifier = verifier(maximum_age_seconds=ANY_AGE_SECONDS)

    def test_each_webhook_has_its_verdict(self):
        for vector in VECTORS["webhooks"]:
            fields, body = Lines(vector["fields"]), vector["body"].encode()
            self.check(vector, lambda: self.verifier.verify_webhook(vector["url"], fields, body))

    def test_each_answer_has_its_verdict(self):
        for vector in VECTORS["answers"]:
            fields, body = Lines(vector["fields"]), vector["body"].encode()
            self.check(vector, lambda: self.verifier.verify_answer(vector["status"], fields, body))

    def check(self, vector, verify):
        with self.subTest(vector["name"]):
            if vector["verdict"] == "valid":
                verify()
            else:
                with self.assertRaises(SignatureRefused):
                    verify()

    def test_each_bit_of_the_signature_and_of_the_body_counts(self):
        event = webhook("an event")
        body = bytearray(event.body.encode())
        for place in range(len(body)):
            body[place] ^= 1
            with self.assertRaises(SignatureRefused):
                self.verifier.verify_webhook(event.url, Lines(event.fields), bytes(body))
            body[place] ^= 1
        self.verifier.verify_webhook(event.url, Lines(event.fields), bytes(body))


class RFC9421Tests(unittest.TestCase):
    """Appendix B.2.4: an answer that is signed with ecdsa-p256-sha256."""

    KEY = """-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
-----END PUBLIC KEY-----
"""
    FIELDS = {
        "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json",
        "Content-Digest":
            "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:",
        "Content-Length": "23",
        "Signature-Input": 'sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;'
                           'keyid="test-key-ecc-p256"',
        "Signature": "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:",
    }
    BODY = b'{"message": "good dog"}'

    def test_the_published_answer_is_valid(self):
        key = json.loads(JWK.from_pyca(load_pem_public_key(self.KEY.encode())).export_public()) | {
            "kid": "test-key-ecc-p256", "use": "sig"}
        keys = ServerKeys(SERVER_URL, fetch=lambda _: json.dumps({"keys": [key]}).encode())
        rfc = SignatureVerifier(keys, ANY_AGE_SECONDS)
        rfc.verify_answer(200, self.FIELDS, self.BODY)
        for status, fields, body in [
            (201, self.FIELDS, self.BODY), (200, self.FIELDS, self.BODY + b"\n"),
            (200, self.FIELDS | {"Content-Type": "text/plain"}, self.BODY),
        ]:
            with self.assertRaises(SignatureRefused):
                rfc.verify_answer(status, fields, body)


class OneKey(HTTPSignatureKeyResolver):
    def resolve_private_key(self, key_id):
        return private_key("server-signing")


class AgeTests(unittest.TestCase):
    """With the real clock: a minute more or less does not matter."""

    def signed(self, seconds):
        """An event that is signed some seconds from now."""
        event = webhook("an event")
        message = SimpleNamespace(method="POST", url=event.url, headers={})
        key_id = next(key["jwk"]["kid"] for key in VECTORS["serverKeys"] if key["name"] == "server-signing")
        HTTPMessageSigner(signature_algorithm=ECDSA_P256_SHA256, key_resolver=OneKey()).sign(
            message, key_id=key_id, created=datetime.fromtimestamp(time.time() + seconds, timezone.utc), nonce="12345678",
            covered_component_ids=["@method", "@authority", "@path"], body=event.body.encode())
        return event.url, message.headers, event.body.encode()

    def test_a_new_signature_is_valid(self):
        verifier().verify_webhook(*self.signed(0))
        verifier().verify_webhook(*self.signed(-200))

    def test_an_old_signature_is_refused(self):
        with self.assertRaisesRegex(SignatureRefused, "age"):
            verifier().verify_webhook(*self.signed(-400))

    def test_a_signature_from_the_future_is_refused(self):
        with self.assertRaisesRegex(SignatureRefused, "future"):
            verifier().verify_webhook(*self.signed(100))

    def test_keys_that_cannot_be_fetched_are_not_a_wrong_signature(self):
        def fail(_):
            raise ConnectionRefusedError("refused")

        with self.assertRaisesRegex(KeysUnavailable, "refused"):
            SignatureVerifier(ServerKeys(SERVER_URL, fetch=fail)).verify_webhook(*self.signed(0))


if __name__ == "__main__":
    unittest.main()
