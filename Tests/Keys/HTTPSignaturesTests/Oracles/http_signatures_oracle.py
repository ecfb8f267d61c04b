"""Signs and verifies messages for HTTPSignaturesTests with http-message-signatures. An argument names the question.
Standard input has its arguments as a JSON object of strings. Standard output gets the answer in the same format.
Keys are PEM, or hex for hmac-sha256.
"""

import datetime
import json
import sys

from http_message_signatures import (
    HTTPMessageSigner, HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature, algorithms)

ALGORITHMS = {
    algorithm.algorithm_id: algorithm
    for algorithm in [
        algorithms.ECDSA_P256_SHA256, algorithms.ED25519, algorithms.RSA_PSS_SHA512, algorithms.RSA_V1_5_SHA256,
        algorithms.HMAC_SHA256,
    ]
}


class Fields:
    """Header fields that keep the order of the lines and repeated names."""

    def __init__(self, lines):
        self.lines = lines

    def items(self):
        return self.lines

    def __iter__(self):
        return (name for name, _ in self.lines)

    def __contains__(self, name):
        return any(line[0].lower() == name.lower() for line in self.lines)

    def __getitem__(self, name):
        return ", ".join(line[1] for line in self.lines if line[0].lower() == name.lower())

    def __setitem__(self, name, value):
        del self[name]
        self.lines.append((name, value))

    def __delitem__(self, name):
        self.lines = [line for line in self.lines if line[0].lower() != name.lower()]


class Request:
    def __init__(self, arguments):
        self.method = arguments["method"]
        self.url = arguments["url"]
        self.headers = Fields([tuple(line) for line in json.loads(arguments["fields"])])


class Keys(HTTPSignatureKeyResolver):
    def __init__(self, arguments):
        self.is_secret = arguments["algorithm"] == "hmac-sha256"
        self.arguments = arguments

    def key(self, name):
        key = self.arguments[name]
        return bytes.fromhex(key) if self.is_secret else key.encode()

    def resolve_public_key(self, key_id):
        return self.key("publicKey")

    def resolve_private_key(self, key_id):
        return self.key("privateKey")


def signer(arguments):
    return HTTPMessageSigner(
        signature_algorithm=ALGORITHMS[arguments["algorithm"]], key_resolver=Keys(arguments))


def parameters(arguments):
    return {
        "key_id": arguments["keyid"],
        "created": datetime.datetime.fromtimestamp(int(arguments["created"]), datetime.timezone.utc),
        "nonce": arguments["nonce"],
        "label": "theirs",
        "covered_component_ids": json.loads(arguments["components"]),
    }


def base(arguments):
    prepared = signer(arguments).prepare(Request(arguments), **parameters(arguments))
    return {"base": prepared.signature_base.decode(), "parameters": prepared.signature_params}


def sign(arguments):
    request = Request(arguments)
    signer(arguments).sign(request, body=bytes.fromhex(arguments["body"]), **parameters(arguments))
    return {name: request.headers[name] for name in ["Content-Digest", "Signature-Input", "Signature"]}


def verify(arguments):
    verifier = HTTPMessageVerifier(
        signature_algorithm=ALGORITHMS[arguments["algorithm"]], key_resolver=Keys(arguments))
    try:
        [result] = verifier.verify(Request(arguments), max_age=None, body=bytes.fromhex(arguments["body"]))
    except InvalidSignature:
        return {}
    return {"nonce": result.nonce, "components": " ".join(result.covered_components), "body": result.body.hex()}


if __name__ == "__main__":
    question = {"base": base, "sign": sign, "verify": verify}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
