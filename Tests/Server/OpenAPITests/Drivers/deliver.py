"""Fetches and confirms a PIN on each channel, and checks every answer, JWE header and plaintext against openapi.yaml.

It uses only cryptography and jwcrypto, no code of the server. issue.py calls it.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
import uuid

import requests
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from jsonschema import Draft202012Validator
from jwcrypto import jwe, jwk

from validate import registry


class Service:
    def __init__(self, base_url, document):
        self.base_url = base_url
        self.registry = registry(document)
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy
        self.lengths = set()

    def post(self, path, body, schema):
        response = self.session.post(f"{self.base_url}/v1/pin-distribution/{path}", json=body, timeout=120)
        answer = response.json()
        self.require(schema, answer)
        if answer["errorCode"] != 0:
            sys.exit(f"{path}: {answer}")
        return answer

    def open(self, sealed, key, header_schema):
        """Decrypts a delivered PIN and checks its header and plaintext."""
        token = jwe.JWE()
        token.deserialize(sealed, jwk.JWK.from_pyca(key))
        self.require(header_schema, token.jose_header)
        self.lengths.add(len(token.payload))
        if len(self.lengths) != 1:
            sys.exit(f"all plaintexts of a bank must have one length (had {sorted(self.lengths)})")
        delivered = json.loads(token.payload)
        self.require("DeliveredPIN", delivered)
        return delivered

    def require(self, schema, value):
        reference = {"$ref": f"urn:openapi#/components/schemas/{schema}"}
        Draft202012Validator(reference, registry=self.registry).validate(value)


class Bank:
    """The sandbox bank's back-end."""

    def __init__(self, folder):
        description = json.loads((folder / "sandbox.json").read_text())
        self.id = description["bankId"]
        self.codes = description["authenticationCodes"]
        self.hmac_key = bytes.fromhex((folder / "hmac.hex").read_text())
        self.last_second = 0
        self.signing_key = serialization.load_pem_private_key((folder / "signing-key.pem").read_bytes(), None)

    def claim(self, unique_id):
        return {
            "bankId": self.id,
            "uniqueId": unique_id,
            "authCode": self.codes[unique_id],
            **self.hash_mac(unique_id, self.next_second()),
        }

    def next_second(self):
        """A hashMac serves once, so each claim has its own second."""
        self.last_second = max(int(time.time()), self.last_second + 1)
        return self.last_second

    def hash_mac(self, unique_id, seconds):
        return {
            "timestamp": str(seconds),
            "hashMac": hex_hmac(self.hmac_key, f"{self.id}{unique_id}{seconds}"),
        }

    def signed_token(self, unique_id, type="00"):
        members = {"IdBEL": self.id, "IdPorteur": unique_id, "IdFournisseur": "demo-acs", "Type": type}
        members |= {"IdTransaction": str(uuid.uuid4()), "Timestamp": str(int(time.time()))}
        token = json.dumps(members | {"AuthenticationCode": self.codes[unique_id]})
        signature = self.signing_key.sign(token.encode(), padding.PKCS1v15(), hashes.SHA256())
        return token, base64.b64encode(signature).decode()


def deliver_with_code(service, bank, unique_id):
    key = rsa.generate_private_key(65537, 2048)
    request = {**bank.claim(unique_id), "rsaPublicKey": public_key(key)}
    answer = service.post("captcha", request, "CaptchaAnswer")
    delivered = service.open(answer["pin"], key, "RSAHeader")
    who = {"bankId": bank.id, "uniqueId": unique_id}
    service.post("notify", who | confirmation(bank, unique_id, answer, delivered), "NotifyAnswer")


def deliver_with_token(service, bank, unique_id, status=0):
    key = ec.generate_private_key(ec.SECP256R1())
    token, signature = bank.signed_token(unique_id)
    request = {"token": token, "signature": signature, "ecdhPublicKey": public_key(key)}
    answer = service.post("token/captcha", request, "TokenCaptchaAnswer")
    delivered = service.open(answer["pin"], key, "ECDHHeader")
    notify = {"token": token} | confirmation(bank, unique_id, answer, delivered, status)
    service.post("token/notify", notify, "TokenNotifyAnswer")


def confirmation(bank, unique_id, answer, delivered, status=0):
    key = base64.urlsafe_b64decode(delivered["notifyKey"] + "=")
    proof = hex_hmac(key, f"{bank.id}{unique_id}{answer['sessionId']}{status}")
    return {"sessionId": answer["sessionId"], "status": status, "hash": proof}


def hex_hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def public_key(private_key):
    encoding, form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    return base64.b64encode(private_key.public_key().public_bytes(encoding, form)).decode()
