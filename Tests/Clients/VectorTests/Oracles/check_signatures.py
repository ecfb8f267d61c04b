"""Checks signatures.json with http-message-signatures, which makes the signature bases itself."""

import datetime
from types import SimpleNamespace

from checking import equal
from http_message_signatures import (
    HTTPMessageSigner, HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature, MappingKeyResolver, algorithms)
from jwcrypto import jwk

ALGORITHMS = {
    algorithm.algorithm_id: algorithm
    for algorithm in [
        algorithms.ECDSA_P256_SHA256, algorithms.ED25519, algorithms.RSA_PSS_SHA512, algorithms.RSA_V1_5_SHA256,
        algorithms.HMAC_SHA256,
    ]
}
# The others have random numbers.
REPEATABLE = {"ed25519", "rsa-v1_5-sha256", "hmac-sha256"}
# The vectors are from one moment. But there must be a moment.
ANY_AGE = datetime.timedelta(days=36_500)


class Lines:
    """Header fields that keep names that come twice."""

    def __init__(self, fields):
        self.lines = [(field["name"], field["value"]) for field in fields]

    def items(self):
        return self.lines


class OneKey(HTTPSignatureKeyResolver):
    def __init__(self, private, public):
        self.private, self.public = private, public

    def resolve_private_key(self, key_id):
        return self.private

    def resolve_public_key(self, key_id):
        return self.public


def check_server_key(vector, keys):
    key = jwk.JWK(**vector["jwk"])
    equal("kid", vector["jwk"]["kid"], key.thumbprint())
    equal("the key", key.thumbprint(), keys.jwk(vector["name"]).thumbprint())


def check_request(vector, keys):
    algorithm = ALGORITHMS[vector["algorithm"]]
    private = bytes.fromhex(vector["secret"]) if "secret" in vector else keys.private(vector["key"])
    resolver = OneKey(private, private if "secret" in vector else private.public_key())
    fields = dict(Lines(vector["fields"]).items())
    message = SimpleNamespace(method=vector["method"], url=vector["url"], headers=fields)
    body = vector["body"].encode() or None
    components = ["@method", "@authority", "@path"] + (["@query"] if "?" in vector["url"] else [])
    signer = HTTPMessageSigner(signature_algorithm=algorithm, key_resolver=resolver)
    options = {
        "key_id": vector["keyId"], "nonce": vector["nonce"], "label": "sig", "include_alg": False, "body": body,
        "created": datetime.datetime.fromtimestamp(vector["created"], datetime.timezone.utc),
        "covered_component_ids": components + [name.lower() for name in fields],
    }
    prepared = signer.prepare(message, **options)
    equal("signatureBase", vector["signatureBase"], prepared.signature_base.decode())
    equal("signatureInput", vector["signatureInput"], f"sig={prepared.signature_params}")
    equal("contentDigest", vector.get("contentDigest"), message.headers.get("Content-Digest"))
    if vector["algorithm"] in REPEATABLE:
        signer.apply(message, prepared, algorithm(private_key=private).sign(prepared.signature_base))
        equal("signature", vector["signature"], message.headers["Signature"])
    message.headers |= {"Signature-Input": vector["signatureInput"], "Signature": vector["signature"]}
    verifier = HTTPMessageVerifier(signature_algorithm=algorithm, key_resolver=resolver)
    verifier.verify(message, body=body, max_age=ANY_AGE)


def check_webhook(vector, keys):
    message = SimpleNamespace(method="POST", url=vector["url"], headers=Lines(vector["fields"]))
    query = ["@query"] if "?" in vector["url"] else []
    check_verdict(vector, keys, message, ["@method", "@authority", "@path", *query])


def check_answer(vector, keys):
    check_verdict(vector, keys, SimpleNamespace(status_code=vector["status"], headers=Lines(vector["fields"])), ["@status"])


def check_verdict(vector, keys, message, components):
    names = ["server-signing", "server-signing-next"]
    public = {keys.jwk(name).thumbprint(): keys.private(name).public_key() for name in names}
    verifier = HTTPMessageVerifier(
        signature_algorithm=ALGORITHMS["ecdsa-p256-sha256"],
        key_resolver=MappingKeyResolver(public_keys=public, private_keys={}))
    try:
        verifier.verify(
            message, body=vector["body"].encode(), max_age=ANY_AGE, require_components=[*components, "content-digest"])
        found = "valid"
    except InvalidSignature:
        found = "invalid"
    equal("verdict", found, vector["verdict"])


CHECKS = {
    "serverKeys": check_server_key, "requests": check_request, "webhooks": check_webhook, "answers": check_answer,
}
