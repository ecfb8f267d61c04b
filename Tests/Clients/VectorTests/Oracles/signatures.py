"""Signed messages (RFC 9421): calls of a bank's back-end, and webhooks and answers of the server, also wrong ones."""

import hashlib
import hmac
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from material import Ed25519, base64_text, base64url, chosen, octets, p256, rsa_key
from positive import file_of

SERVER, NEXT_SERVER, STRANGER = p256("server-signing"), p256("server-signing-next"), p256("stranger")
SERVER_ENCRYPTION = p256("server-encryption")
BANK_ED25519, BANK_P256, BANK_RSA = Ed25519("back-end-ed25519"), p256("back-end-p256"), rsa_key("back-end-rsa")
BANK_SECRET = chosen("back-end-hmac")
CREATED = 1_767_225_600
SERVER_URL, WEBHOOK_URL = "https://pin.example.com", "https://bank.example/events"
CARDHOLDER = SERVER_URL + "/v1/banks/DEMOBANK/cardholders/ch-000042"
EVENT = '{"id":"1","type":"webhook.test","time":"2026-01-01T00:00:00Z","bankId":"DEMOBANK","data":{}}'
PAGE = '{"bankId":"DEMOBANK","after":"0","events":[],"next":"0"}'


def digest(body, algorithm="sha-256"):
    return f"{algorithm}=:{base64_text(hashlib.new(algorithm.replace('-', ''), body.encode()).digest())}:"


def derived(method, url):
    """The values of the derived components of a request."""
    parts = urlsplit(url)
    default_port = {"https": ":443", "http": ":80"}[parts.scheme]
    values = {"@method": method, "@authority": parts.netloc.lower().removesuffix(default_port), "@path": parts.path or "/"}
    return values | ({"@query": f"?{parts.query}"} if "?" in url else {})


def written_fields(fields):
    return [{"name": name, "value": value} for name, value in fields]


def base_of(values, parameters):
    return "".join(f'"{name}": {value}\n' for name, value in values) + f'"@signature-params": {parameters}'


def parameters_of(names, **more):
    texts = (f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in more.items())
    covered = " ".join(f'"{name}"' for name in names)
    return ";".join([f"({covered})", *texts])


# Algorithms. ECDSA and PSS have random numbers: here they are derived.


def ecdsa(key):
    def sign(base):
        der = key.key.sign(base, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        return b"".join(octets(number) for number in decode_dss_signature(der))

    return sign


def pss(key):
    """RSASSA-PSS with SHA-512 and a salt of 64 bytes (RFC 8017 section 9.1.1)."""

    def mgf1(seed, count):
        blocks = (hashlib.sha512(seed + octets(number, 4)).digest() for number in range(-(-count // 64)))
        return b"".join(blocks)[:count]

    def sign(base):
        salt = chosen("salt", 64)
        hashed = hashlib.sha512(bytes(8) + hashlib.sha512(base).digest() + salt).digest()
        block = (b"\x01" + salt).rjust(key.byte_count - 65, b"\0")
        masked = bytes(a ^ b for a, b in zip(block, mgf1(hashed, len(block))))
        return key.private_operation(bytes([masked[0] & 0x7F]) + masked[1:] + hashed + b"\xbc")

    return sign


SIGNERS = {
    "ed25519": (BANK_ED25519, BANK_ED25519.key.sign),
    "ecdsa-p256-sha256": (BANK_P256, ecdsa(BANK_P256)),
    "rsa-pss-sha512": (BANK_RSA, pss(BANK_RSA)),
    "rsa-v1_5-sha256": (BANK_RSA, lambda base: BANK_RSA.key.sign(base, PKCS1v15(), hashes.SHA256())),
    "hmac-sha256": (None, lambda base: hmac.digest(BANK_SECRET, base, "sha256")),
}


# Calls of a bank's back-end


def request(name, algorithm, method, url, body="", fields=()):
    key, sign = SIGNERS[algorithm]
    nonce = base64url(chosen(f"{name}: nonce", 18))
    values = derived(method, url) | {field.lower(): value for field, value in fields}
    values |= {"content-digest": digest(body)} if body else {}
    parameters = parameters_of(values, created=CREATED, keyid="demobank-2026", nonce=nonce)
    base = base_of(values.items(), parameters)
    signed = {"signatureInput": f"sig={parameters}", "signature": f"sig=:{base64_text(sign(base.encode()))}:"}
    return {
        "name": name, "algorithm": algorithm, **({"key": key.name} if key else {"secret": BANK_SECRET.hex()}),
        "keyId": "demobank-2026", "created": CREATED, "nonce": nonce, "method": method, "url": url,
        "fields": written_fields(fields), "body": body, "signatureBase": base,
        **({"contentDigest": digest(body)} if body else {}), **signed,
    }


def requests():
    patch = '{"status":"SUSPENDED"}'
    conditions = [("If-Match", '"7-3-5"'), ("Idempotency-Key", "5f0c3a52-5b0e-4f0a-9f0e-6d2c1b7a8e90")]
    return [
        request("a PATCH", "ed25519", "PATCH", CARDHOLDER, patch),
        request("a GET without a body", "ed25519", "GET", CARDHOLDER),
        request("a query", "ed25519", "GET", SERVER_URL + "/v1/banks/DEMOBANK/events?after=12&limit=100&wait=30"),
        request("an empty query", "ed25519", "GET", SERVER_URL + "/v1/banks/DEMOBANK/cardholders?"),
        request("fields that must be signed", "ed25519", "PATCH", CARDHOLDER, patch, conditions),
        request("only for a new cardholder", "ed25519", "PUT", CARDHOLDER, "{}", [("If-None-Match", "*")]),
        request("percent-encoding", "ed25519", "DELETE", SERVER_URL + "/v1/banks/DEMOBANK/cardholders/a%2Fb%20%C3%A9"),
        request("a name in upper case with the default port", "ed25519", "GET", "https://PIN.Example.com:443/v1/banks/DEMOBANK/events"),
        request("another port", "ed25519", "GET", "https://pin.example.com:8443/v1/banks/DEMOBANK/events"),
        request("a body that is not ASCII", "ed25519", "PATCH", CARDHOLDER, '{"freeField":"Carte n° 2, 5 €"}'),
        *(request(f"with {algorithm}", algorithm, "PATCH", CARDHOLDER, patch) for algorithm in SIGNERS if algorithm != "ed25519"),
    ]


# Messages of the server


class Message:
    """What the server sends, before and after somebody has changed it."""

    def __init__(self, values, required, body, **members):
        self.members, self.body = members, body
        self.values = values | {"content-digest": digest(body)}
        self.names, self.key, self.sign = [*required, "content-digest"], SERVER, None
        self.parameters = {"created": CREATED, "nonce": base64url(chosen("nonce", 18)), "keyid": SERVER.kid}
        self.label, self.fields = "sig1", []

    def vector(self, name, verdict, **changes):
        """The message with other attributes, signed; then `change` alters what is sent."""
        change = changes.pop("change", lambda fields: fields)
        for attribute, value in changes.items():
            setattr(self, attribute, value)
        written = parameters_of(self.names, **self.parameters)
        base = base_of([(covered, self.values[covered]) for covered in self.names], written)
        signature = (self.sign or ecdsa(self.key))(base.encode())
        fields = {name: value for name, value in self.values.items() if not name.startswith("@")}
        fields |= {"signature-input": f"{self.label}={written}", "signature": f"{self.label}=:{base64_text(signature)}:"}
        sent = written_fields([*change(fields).items(), *self.fields])
        return {"name": name, "verdict": verdict, **self.members, "fields": sent, "body": self.body}


def webhook(url=WEBHOOK_URL, registered=None, method="POST", body=EVENT):
    values = derived(method, url)
    return Message(values, list(values), body, url=registered or url)


def answer(status=200, sent_status=None):
    return Message({"@status": str(status)}, ["@status"], PAGE, status=sent_status or status)


def without(*names):
    """Fields, without some."""
    return lambda fields: {name: value for name, value in fields.items() if name not in names}


def replaced(name, old, new):
    """Fields, one of which has something else than it had when it was signed."""

    def change(fields):
        assert old in fields[name]
        return fields | {name: fields[name].replace(old, new)}

    return change


def der(base):
    return SERVER.key.sign(base, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))


def webhooks():
    names = ["@method", "@authority", "@path", "content-digest"]
    parameters = webhook().parameters
    doubled = {name: name for name in ("signature-input", "signature")}
    long_digest = {"content-digest": digest(EVENT, "sha-512")}

    def less(name):
        return {key: value for key, value in parameters.items() if key != name}

    def twice(fields):
        return fields | {name: f"{fields[name]}, {fields[name].replace('sig1', 'sig2')}" for name in doubled}

    def same_label_twice(fields):
        return fields | {name: f"{fields[name]}, {fields[name]}" for name in doubled}

    def another_digest(fields):
        return fields | {"content-digest": fields["content-digest"] + ", " + digest("other", "sha-512")}

    refused = [
        ("another body", webhook(), {"change": replaced("content-digest", digest(EVENT), digest("other"))}),
        ("a body that does not match its digest", webhook(), {"body": EVENT.replace("DEMOBANK", "OTHERBANK")}),
        ("for another path", webhook("https://bank.example/other", WEBHOOK_URL), {}),
        ("for another server", webhook("https://other.example/events", WEBHOOK_URL), {}),
        ("for another port", webhook("https://bank.example:8443/events", WEBHOOK_URL), {}),
        ("for another query", webhook("https://bank.example/events?bank=2", "https://bank.example/events?bank=1"), {}),
        ("with another method", webhook(method="PUT"), {}),
        ("the method is not covered", webhook(), {"names": names[1:]}),
        ("the server is not covered", webhook(), {"names": [name for name in names if name != "@authority"]}),
        ("the path is not covered", webhook(), {"names": [name for name in names if name != "@path"]}),
        ("the digest is not covered", webhook(), {"names": names[:-1]}),
        ("the query is not covered", webhook(WEBHOOK_URL + "?bank=1"), {"names": names}),
        ("nothing is covered", webhook(), {"names": []}),
        ("a component is covered twice", webhook(), {"names": [*names, "@method"]}),
        ("a component that the message does not have", webhook(), {
            "names": [*names, "x-other"], "values": webhook().values | {"x-other": ""}, "change": without("x-other")}),
        ("signed by another key", webhook(), {"key": STRANGER}),
        ("a keyid that the server does not have", webhook(), {
            "key": STRANGER, "parameters": parameters | {"keyid": STRANGER.kid}}),
        ("signed by a key for encryption", webhook(), {
            "key": SERVER_ENCRYPTION, "parameters": parameters | {"keyid": SERVER_ENCRYPTION.kid}}),
        ("no keyid", webhook(), {"parameters": less("keyid")}),
        ("no created", webhook(), {"parameters": less("created")}),
        ("expired", webhook(), {"parameters": parameters | {"expires": CREATED - 1}}),
        ("another created", webhook(), {"change": replaced("signature-input", str(CREATED), str(CREATED + 1))}),
        ("another nonce", webhook(), {"change": replaced("signature-input", 'nonce="', 'nonce="A')}),
        ("another algorithm is named", webhook(), {"parameters": parameters | {"alg": "hmac-sha256"}}),
        ("a parameter that is not known", webhook(), {"parameters": parameters | {"other": "1"}}),
        ("created is a text", webhook(), {"parameters": parameters | {"created": str(CREATED)}}),
        ("the signature is DER", webhook(), {"sign": der}),
        ("the signature is zeros", webhook(), {"sign": lambda base: bytes(64)}),
        ("the signature is cut off", webhook(), {"sign": lambda base: ecdsa(SERVER)(base)[:-1]}),
        ("the signature is empty", webhook(), {"sign": lambda base: b""}),
        ("no signature", webhook(), {"change": without("signature")}),
        ("no signature input", webhook(), {"change": without("signature-input")}),
        ("no digest", webhook(), {"change": without("content-digest")}),
        ("another label", webhook(), {"change": replaced("signature", "sig1", "sig2")}),
        ("two signatures", webhook(), {"change": twice}),
        ("one signature twice", webhook(), {"change": same_label_twice}),
        ("a second digest", webhook(), {"change": another_digest}),
        ("a second digest in a line of its own", webhook(), {"fields": [("content-digest", digest("other"))]}),
        ("a digest with an algorithm that is not known", webhook(), {
            "values": webhook().values | {"content-digest": f"md5=:{base64_text(hashlib.md5(EVENT.encode()).digest())}:"}}),
        ("a signature input that is no list", webhook(), {"change": replaced("signature-input", "(", "")}),
        ("a signature that is not base64", webhook(), {"change": replaced("signature", "=:", "=:#")}),
    ]
    return [
        webhook().vector("an event", "valid"),
        webhook(WEBHOOK_URL + "?bank=1&x=%C3%A9").vector("a URL with a query", "valid"),
        webhook("https://bank.example").vector("a URL without a path", "valid"),
        webhook("http://127.0.0.1:9090/events").vector("http and a port", "valid"),
        webhook().vector(
            "the newer of two keys", "valid", key=NEXT_SERVER, parameters=parameters | {"keyid": NEXT_SERVER.kid}),
        webhook().vector("the algorithm is named", "valid", parameters=parameters | {"alg": "ecdsa-p256-sha256"}),
        webhook().vector(
            "more is covered", "valid", names=["content-type", *names],
            values=webhook().values | {"content-type": "application/json"}),
        webhook().vector("a digest with SHA-512", "valid", values=webhook().values | long_digest),
        webhook(body='{"id":"1","name":"é €"}').vector("a body that is not ASCII", "valid"),
        *(message.vector(name, "invalid", **changes) for name, message, changes in refused),
    ]


def answers():
    parameters = answer().parameters
    return [
        answer().vector("a page of events", "valid"),
        answer(200, 206).vector("another status", "invalid"),
        answer().vector("the status is not covered", "invalid", names=["content-digest"]),
        answer().vector("the digest is not covered", "invalid", names=["@status"]),
        answer().vector("another body", "invalid", body=PAGE.replace("0", "1")),
        answer().vector("signed by another key", "invalid", key=STRANGER),
        answer().vector("a component of a request", "invalid", names=["@status", "@method", "content-digest"],
                        values=answer().values | {"@method": "GET"}),
        answer().vector("expired", "invalid", parameters=parameters | {"expires": CREATED - 1}),
    ]


def published(key, use, alg):
    return {"name": key.name, "jwk": key.public_jwk | {"use": use, "alg": alg, "kid": key.kid}}


def signatures():
    keys = [SERVER, NEXT_SERVER, SERVER_ENCRYPTION, STRANGER, BANK_ED25519, BANK_P256, BANK_RSA]
    server = [published(SERVER_ENCRYPTION, "enc", "ECDH-ES+A256KW"), published(NEXT_SERVER, "sig", "ES256")]
    return file_of(
        "Messages that are signed (RFC 9421): calls of a bank's back-end, webhooks and answers of the server", keys,
        serverKeys=[*server, published(SERVER, "sig", "ES256")], requests=requests(), webhooks=webhooks(), answers=answers())
