"""The checks, each a function with the scene as its only parameter. It raises AssertionError if something is wrong."""

import base64
import dataclasses
import hashlib
import hmac
import importlib
import itertools
import json
import secrets
import time
from pathlib import Path
from urllib.request import urlopen

from cryptography.hazmat.primitives.serialization import load_der_public_key
from jwcrypto import jwe, jwk

GROUPS = ("fetching", "defining", "parameters", "servers", "overload", "sealed", "secrecy", "vectors", "documents",
          "sandbox_page", "sandbox_refusals", "proxies")
PNG = b"\x89PNG\r\n\x1a\n"
# One pixel, the image of docs/vectors.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADUlEQVR4AQECAP3/AAoADAAL3v7RZwAAAABJRU5ErkJggg=="


@dataclasses.dataclass
class Scene:
    root: Path
    origin: object
    page: object
    bank: object
    sandbox: Path
    numbers: object = dataclasses.field(default_factory=itertools.count)
    cursor: str = "0"
    second: int = 0

    def server_keys(self):
        """The keys that the server publishes, as JWKs."""
        with urlopen(f"{self.bank.url}/.well-known/jwks.json") as answer:
            return json.load(answer)["keys"]

    def code_of(self, unique_id):
        """The cardholder's authentication code."""
        return json.loads((self.sandbox / "sandbox.json").read_text())["authenticationCodes"][unique_id]

    def session(self, configuration=None, fails_to_make_keys=False):
        """A new session of the client. Its clock stands still until `page.advance`."""
        name = f"session-{next(self.numbers)}"
        equal(self.page.run("newSession", name, configuration or {}, fails_to_make_keys), "ok", "the new session")
        return name

    def claim(self, unique_id):
        """What an app gets from the bank's back-end on the AC channel, as Bank.claim in examples/bank.py."""
        # Each hashMac can be used once, so each has a second of its own in the server's window of 300 seconds.
        self.second = max(self.second + 1, int(time.time()) - 240)
        timestamp = str(self.second)
        mac = hmac.new(self.bank.hmac_key, f"{self.bank.id}{unique_id}{timestamp}".encode(), hashlib.sha256).hexdigest()
        return {"bankId": self.bank.id, "uniqueId": unique_id, "timestamp": timestamp, "hashMac": mac}

    def fetch_parameters(self, unique_id):
        return self.claim(unique_id) | {"authCode": self.code_of(unique_id)}

    def delivery_token(self, unique_id):
        return self.bank.token(unique_id, "00", AuthenticationCode=self.code_of(unique_id))

    def events(self, type, unique_id):
        """The events of this type and cardholder that are new since the last call for any."""
        found = []
        while True:
            headers, body = self.bank.call("GET", f"events?after={self.cursor}")
            self.bank.verifier.verify_answer(200, headers, body)
            page = json.loads(body)
            if not page["events"]:
                return found
            found += [event for event in page["events"] if (event["type"], event.get("uniqueId")) == (type, unique_id)]
            self.cursor = page["next"]

    def sent(self, path):
        """The members of the last request to a path."""
        return next(members for seen, members in reversed(self.origin.requests) if seen == path)


def named(only):
    """Each check with its name, `group: what it checks`."""
    for group in GROUPS:
        module = importlib.import_module(f"checks.{group}")
        for name, check in vars(module).items():
            if name.startswith("check_"):
                title = f"{group}: {check.__doc__.splitlines()[0]}"
                if only in title:
                    yield title, check


def equal(actual, expected, what):
    assert actual == expected, f"{what}: expected {shortened(expected)}, but got {shortened(actual)}"


def equal_each(actual, expected):
    """Compares two dictionaries, and names the entries that differ."""
    names = [name for name in expected | actual if actual.get(name) != expected.get(name)]
    assert not names, "\n".join(
        f"{name}: expected {shortened(expected.get(name))}, but got {shortened(actual.get(name))}" for name in names)


def shortened(value):
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"


def succeeded(response):
    equal(response["errorCode"], 0, f"errorCode of {response['errorMessage']!r}")
    return response


def failed(response, code):
    """The response has this code and nothing else."""
    equal(response["errorCode"], code, f"errorCode of {response['errorMessage']!r}")
    for name in ("pin", "text", "sessionId", "freeField", "keypadId"):
        equal(response[name], None, name)
    assert not response["images"] and not response["keypad"], "an error has images or a keypad"
    return response


def delivery_plaintext(**changes):
    """The plaintext of a delivery. A member with the value None is left out."""
    members = {"format": "captcha", "length": 4, "images": [PIXEL], "notifyKey": notify_key(), "padding": "  "}
    members |= changes
    return json.dumps({name: value for name, value in members.items() if value is not None})


def notify_key():
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")


def sealed_answer(request, plaintext, **header):
    """A server's answer to a fetch: jwcrypto seals the plaintext to the client's key."""
    rsa = request.get("rsaPublicKey")
    key = load_der_public_key(base64.b64decode(rsa or request["ecdhPublicKey"], validate=True))
    members = {"alg": "RSA-OAEP-256" if rsa else "ECDH-ES+A256KW", "enc": "A256GCM"} | header
    token = jwe.JWE(plaintext.encode(), json.dumps(members), recipient=jwk.JWK.from_pyca(key))
    return {"errorCode": 0, "errorMessage": "Success", "pin": token.serialize(compact=True), "sessionId": "a session"}
