"""The wire protocol from the sides of a bank's back-end and of its app (the project's openapi.yaml)."""

import base64
import hashlib
import hmac
import http.client
import json
import secrets
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import quote

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from jwcrypto import jwe, jwk

ANSWER_SECONDS = 20
# Of the bank: how much the time of a hashMac or token can differ from the server's.
TOLERANCE_SECONDS = 3_600
UNKNOWN = "unknown"


class Answer:
    """An answer, or its absence: then `status` is None, and what happened is unknown."""

    def __init__(self, status, body, seconds):
        self.status, self.body, self.seconds = status, body, seconds
        try:
            self.members = json.loads(body) if body else {}
        except ValueError:
            self.members = {}

    @property
    def code(self):
        """The errorCode of an SDK operation; None if there is none."""
        return self.members.get("errorCode") if self.status == 200 and isinstance(self.members, dict) else None

    @property
    def is_unknown(self):
        """Whether the request may have been served, or not: no answer, 429, or a temporary fault of the server."""
        return self.status in (None, 409, 429, 500, 502, 503) or self.code in (500, 300)


class Server:
    """A server as clients see it."""

    def __init__(self, name, host, port):
        self.name, self.host, self.port = name, host, port

    def request(self, method, path, body=None, headers=None, seconds=ANSWER_SECONDS):
        start = time.monotonic()
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            # A trickle of bytes must not keep us for ever.
            return Answer(answer.status, answer.read(), time.monotonic() - start)
        except (OSError, http.client.HTTPException):
            return Answer(None, b"", time.monotonic() - start)
        finally:
            connection.close()

    def post(self, path, members, seconds=ANSWER_SECONDS):
        return self.request(
            "POST", f"/v1/{path}", json.dumps(members).encode(), {"Content-Type": "application/json"}, seconds)


class Bank:
    """The bank that 'card-companion-sandbox create' has made: its keys, and what it signs and seals."""

    def __init__(self, folder, authority):
        folder = Path(folder)
        description = json.loads((folder / "sandbox.json").read_text())
        self.id, self.key_id = description["bankId"], description["issuerKeyId"]
        self.authority = authority
        self.issuer_key = load_pem_private_key((folder / "issuer-key.pem").read_bytes(), None)
        self.token_key = load_pem_private_key((folder / "signing-key.pem").read_bytes(), None)
        self.encryption_key = jwk.JWK.from_pyca(
            load_pem_private_key((folder / "encryption-key.pem").read_bytes(), None))
        self.hmac_key = bytes.fromhex((folder / "hmac.hex").read_text())
        self.keys = []
        self._times = {}
        self._lock = threading.Lock()

    def fetch_keys(self, server, seconds=ANSWER_SECONDS):
        self.keys = server.request("GET", "/.well-known/jwks.json", seconds=seconds).members["keys"]

    def call(self, server, method, target, body=None, media_type="application/json", key=None, seconds=ANSWER_SECONDS):
        """Sends a signed call (RFC 9421). `key` is its Idempotency-Key."""
        target = f"/v1/banks/{self.id}/{target}"
        path, _, query = target.partition("?")
        covered, headers = {"@method": method, "@authority": self.authority, "@path": path}, {}
        if query:
            covered["@query"] = f"?{query}"
        if body is not None:
            digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
            covered["content-digest"] = digest
            headers |= {"Content-Type": media_type, "Content-Digest": digest}
        if key:
            covered["idempotency-key"] = headers["Idempotency-Key"] = key
        names = " ".join(f'"{name}"' for name in covered)
        parameters = f'({names});created={int(time.time())};nonce="{secrets.token_urlsafe(16)}";keyid="{self.key_id}"'
        base = "".join(f'"{name}": {value}\n' for name, value in covered.items()) + f'"@signature-params": {parameters}'
        signature = base64.b64encode(self.issuer_key.sign(base.encode())).decode()
        headers |= {"Signature-Input": f"sig={parameters}", "Signature": f"sig=:{signature}:"}
        return server.request(method, target, body, headers, seconds)

    def cardholder(self, server, method, unique_id, members=None, key=None, seconds=ANSWER_SECONDS):
        body = None if members is None else json.dumps(members).encode()
        media_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        return self.call(server, method, f"cardholders/{quote(unique_id, safe='')}", body, media_type, key, seconds)

    def seal(self, content, unique_id, text, request_id=None, algorithm="ECDH-ES+A256KW", length=16, **more):
        """A value sealed to the server's key and bound to its request; `more` is in its header, too."""
        key = next(key for key in self.keys if key["use"] == "enc" and key["alg"] == algorithm)
        header = {"alg": algorithm, "enc": "A256GCM", "kid": key["kid"], "cty": content, "iss": self.id, "sub": unique_id} | more
        if request_id:
            header["jti"] = request_id
        sealed = jwe.JWE(text.ljust(length).encode(), json.dumps(header), recipient=jwk.JWK(**key))
        return sealed.serialize(compact=True)

    def open(self, sealed):
        """A defined PIN of an event, and the header that binds it."""
        token = jwe.JWE()
        token.deserialize(sealed, self.encryption_key)
        return token.payload.decode().rstrip(" "), token.jose_header

    def claim(self, unique_id):
        """Members of a request by HMAC. No two of one cardholder are alike: each has a second of its own."""
        now = int(time.time())
        with self._lock:
            oldest, newest = self._times.get(unique_id, (now, now - 1))
            timestamp = now if now > newest else oldest - 1
            self._times[unique_id] = min(oldest, timestamp), max(newest, timestamp)
        return self.claim_at(unique_id, timestamp)

    def claim_at(self, unique_id, timestamp):
        """The same, as of a time in seconds."""
        mac = hmac.new(self.hmac_key, f"{self.id}{unique_id}{timestamp}".encode(), hashlib.sha256).hexdigest()
        return {"bankId": self.id, "uniqueId": unique_id, "timestamp": str(timestamp), "hashMac": mac}

    def token(self, unique_id, type, code=None):
        members = {
            "IdBEL": self.id, "IdPorteur": unique_id, "IdFournisseur": "chaos", "Type": type,
            "IdTransaction": str(uuid.uuid4()), "Timestamp": str(int(time.time()))}
        if code:
            members["AuthenticationCode"] = code
        text = json.dumps(members)
        signature = self.token_key.sign(text.encode(), PKCS1v15(), hashes.SHA256())
        return {"token": text, "signature": base64.b64encode(signature).decode()}

    def confirmation(self, unique_id, session, key, status=0):
        text = f"{self.id}{unique_id}{session}{status}".encode()
        return {"sessionId": session, "status": status, "hash": hmac.new(key, text, hashlib.sha256).hexdigest()}


class AppKeys:
    """An app's keys. A real app makes them for each fetch; this one keeps them, because making them is slow."""

    def __init__(self):
        self._rsa = rsa.generate_private_key(65537, 2048)
        self._ec = ec.generate_private_key(ec.SECP256R1())
        self.rsa, self.ec = self._public(self._rsa), self._public(self._ec)

    def open(self, sealed):
        """A delivered PIN: its digits and the key that confirms it."""
        token = jwe.JWE()
        token.deserialize(sealed)
        key = self._rsa if token.jose_header["alg"] == "RSA-OAEP-256" else self._ec
        token.decrypt(jwk.JWK.from_pyca(key))
        delivery = json.loads(token.payload)
        return delivery["text"], base64.urlsafe_b64decode(delivery["notifyKey"] + "=")

    @staticmethod
    def _public(key):
        der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(der).decode()
