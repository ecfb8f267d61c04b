"""Sealing for the server, and opening what it has sealed."""

import json
import unittest

from project import JWKS, ROOT, SERVER_URL, private_key

from card_companion_backend import SealedPINRefused, ServerKeys, open_defined_pin, open_export, seal, seal_export
from cryptography.hazmat.primitives.asymmetric import rsa
from jwcrypto.jwe import JWE
from jwcrypto.jwk import JWK

KEY = rsa.generate_private_key(65537, 2048)


class SealingTests(unittest.TestCase):
    def opened(self, *arguments, **options):
        sealed = seal(ServerKeys(SERVER_URL, fetch=lambda _: JWKS), *arguments, **options)
        token = JWE()
        token.deserialize(sealed, JWK.from_pyca(private_key("server-encryption")))
        return token.jose_header, token.payload.decode()

    def test_the_header_binds_the_value(self):
        header, text = self.opened("pin", "B", "c", "4391")
        self.assertEqual(text, "4391            ")
        kid = json.loads(JWKS)["keys"][0]["kid"]
        bound = {"alg": "ECDH-ES+A256KW", "enc": "A256GCM", "kid": kid, "cty": "pin", "iss": "B", "sub": "c"}
        self.assertEqual({name: value for name, value in header.items() if name != "epk"}, bound)

    def test_an_app_names_its_request(self):
        header, _ = self.opened("authenticationCode", "B", "é", "K7P2M9", request_id="42")
        self.assertEqual((header["cty"], header["sub"], header["jti"]), ("authenticationCode", "é", "42"))

    def test_a_code_longer_than_the_padding_stays_whole(self):
        self.assertEqual(self.opened("authenticationCode", "B", "c", "x" * 20)[1], "x" * 20)


class OpeningTests(unittest.TestCase):
    HEADER = {"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": "pins", "cty": "pin", "iss": "B", "sub": "c", "jti": "7"}

    def event(self, header=None, unique_id="c", id="7"):
        token = JWE(b"7305".ljust(16), json.dumps(header or self.HEADER), recipient=JWK.from_pyca(KEY.public_key()))
        return {"id": id, "type": "pin.defined", "uniqueId": unique_id, "data": {"pin": token.serialize(compact=True)}}

    def test_a_defined_pin_is_opened(self):
        self.assertEqual(open_defined_pin(self.event(), "B", KEY), "7305")

    def test_a_pin_of_another_bank_cardholder_or_event_is_refused(self):
        cases = [
            (self.event(), "C", "iss"), (self.event(unique_id="d"), "B", "sub"), (self.event(id="8"), "B", "jti"),
            (self.event(self.HEADER | {"cty": "pinBlock"}), "B", "cty"),
            *((self.event({key: value for key, value in self.HEADER.items() if key != name}), "B", name)
              for name in ("cty", "iss", "sub", "jti")),
        ]
        for event, bank_id, name in cases:
            with self.subTest(name), self.assertRaisesRegex(SealedPINRefused, f"its header has another {name}"):
                open_defined_pin(event, bank_id, KEY)

    def test_what_the_key_does_not_open_is_refused(self):
        event = self.event()
        other = rsa.generate_private_key(65537, 2048)
        parts = event["data"]["pin"].split(".")
        wrong_tag = ".".join(parts[:4] + ["A" * len(parts[4])])
        with self.assertRaises(SealedPINRefused):
            open_defined_pin(event, "B", other)
        for pin in ("", "x", "a.b.c.d.e", wrong_tag, None, 1):
            with self.subTest(pin), self.assertRaises(SealedPINRefused):
                open_defined_pin(event | {"data": {"pin": pin}}, "B", KEY)
        with self.assertRaises(SealedPINRefused):
            open_defined_pin(event | {"data": {}}, "B", KEY)

    def test_another_algorithm_is_refused(self):
        for change in ({"alg": "RSA-OAEP"}, {"enc": "A128GCM"}):
            with self.subTest(change), self.assertRaises(SealedPINRefused):
                open_defined_pin(self.event(self.HEADER | change), "B", KEY)


class ExportTests(unittest.TestCase):
    HEADER = {"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": "pins", "cty": "pinExport", "iss": "B", "sub": "c", "jti": "k"}

    def sealed(self, **wish):
        keys = ServerKeys(SERVER_URL, fetch=lambda _: JWKS)
        token = JWE()
        token.deserialize(
            seal_export(keys, "B", "c", "4123450000000007", "pvk", idempotency_key="k", **wish),
            JWK.from_pyca(private_key("server-encryption")))
        return token.jose_header, json.loads(token.payload)

    def answer(self, header=None):
        token = JWE(b'{"value":"1234"}', json.dumps(header or self.HEADER), recipient=JWK.from_pyca(KEY.public_key()))
        return token.serialize(compact=True)

    def test_a_call_names_card_key_and_method_or_format(self):
        header, wish = self.sealed(method="pvv")
        self.assertEqual([header[name] for name in ("cty", "iss", "sub", "jti")], ["pinExport", "B", "c", "k"])
        self.assertEqual(wish, {"pan": "4123450000000007", "key": "pvk", "method": "pvv"})
        self.assertEqual(self.sealed(format="iso-4")[1]["format"], "iso-4")
        for wrong in ({}, {"format": "iso-3", "method": "pvv"}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.sealed(**wrong)

    def test_an_answer_is_opened(self):
        self.assertEqual(open_export(self.answer(), "B", "c", KEY, idempotency_key="k"), {"value": "1234"})

    def test_an_answer_to_another_call_is_refused(self):
        for name in ("cty", "iss", "sub", "jti"):
            with self.subTest(name), self.assertRaisesRegex(SealedPINRefused, f"not for this call: its header has another {name}"):
                open_export(self.answer(self.HEADER | {name: "other"}), "B", "c", KEY, idempotency_key="k")
        for sealed in ("", "a.b.c.d.e", None):
            with self.subTest(sealed), self.assertRaises(SealedPINRefused):
                open_export(sealed, "B", "c", KEY, idempotency_key="k")


class PackageTests(unittest.TestCase):
    def test_its_version_is_that_of_the_project(self):
        package = (ROOT / "Sources/Clients/CardCompanionBackEndPython/pyproject.toml").read_text()
        release = (ROOT / "Sources/Server/CardCompanionServer/Installation/Release.swift").read_text()
        version = release.partition('static let version = "')[2].partition('"')[0]
        self.assertIn(f'\nversion = "{version}"\n', package)


if __name__ == "__main__":
    unittest.main()
